//! Computes the folder of a workspace's log and database. It creates nothing.

#[cfg(unix)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use editd_proto::socket_path;

/// The variables of the environment that the daemon uses, read once at the start.
#[derive(Clone, Debug, Default)]
pub struct DaemonEnvironment {
    /// `XDG_RUNTIME_DIR`: the folder of sockets.
    #[cfg(unix)]
    pub runtime_dir: Option<OsString>,
    /// The user's folder for state, such as `~/.local/state`; `None` if there is no home folder.
    pub state_home: Option<PathBuf>,
    /// True if `XDG_STATE_HOME` names that folder.
    pub names_state_home: bool,
}

impl DaemonEnvironment {
    /// Reads the environment.
    pub fn read() -> Self {
        use etcetera::BaseStrategy;
        let state_home = etcetera::choose_base_strategy()
            .ok()
            // Windows has none: there it is the local folder, which is not copied to other machines.
            .map(|strategy| strategy.state_dir().unwrap_or_else(|| strategy.cache_dir()));
        Self {
            #[cfg(unix)]
            runtime_dir: std::env::var_os("XDG_RUNTIME_DIR"),
            state_home,
            names_state_home: std::env::var_os("XDG_STATE_HOME")
                .is_some_and(|folder| Path::new(&folder).is_absolute()),
        }
    }
}

/// Returns the state folder of a workspace (its absolute path, links resolved): `given`, or a folder in the user's
/// state folder that is named by the workspace's tag; `None` if there is neither.
pub fn state_folder(given: Option<&Path>, around: &DaemonEnvironment, workspace: &Path) -> Option<PathBuf> {
    match given {
        Some(folder) => Some(folder.to_owned()),
        None => Some(around.state_home.as_ref()?.join("editd").join(socket_path::tag(workspace))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workspace_has_its_own_folder() {
        let around = DaemonEnvironment {
            state_home: Some(PathBuf::from("/home/me/.local/state")),
            ..Default::default()
        };
        let folder = |name: &str| state_folder(None, &around, Path::new(name));
        assert_eq!(folder("/"), Some(PathBuf::from("/home/me/.local/state/editd/8a5edab282632443")));
        assert_ne!(folder("/a"), folder("/b"));
        assert_eq!(state_folder(Some(Path::new("/s")), &around, Path::new("/a")), Some(PathBuf::from("/s")));
        assert_eq!(state_folder(None, &DaemonEnvironment::default(), Path::new("/a")), None);
    }
}
