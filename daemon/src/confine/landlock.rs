//! The restriction by Landlock. It writes no file.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, make_bitflags,
};

use super::{Confinement, WritableFolders};
use crate::os::unix::temporary_folders;

/// The version of Landlock that has all restricted rights. With older versions, fewer are restricted.
const VERSION: ABI = ABI::V3;

/// The rights that nobody needs: making devices.
const WITHHELD: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeChar | MakeBlock});

/// The rights in the folder of the socket, whose lock is open already.
const SOCKET: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeSock | RemoveFile});

/// The rights for a device.
const DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{WriteFile | Truncate});

/// The file system of shared memory, which has no variable that leads a program elsewhere.
const SHARED_MEMORY: &str = "/dev/shm";

/// The devices that programs write.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// Restricts this thread, and all that it starts from now on.
pub(super) fn restrict(folders: &WritableFolders) -> Confinement {
    let (mut writable, mut missing) = (Vec::new(), Vec::new());
    match rules(folders, &mut writable, &mut missing).and_then(RulesetCreated::restrict_self) {
        Ok(done) if done.ruleset == RulesetStatus::NotEnforced => Confinement::Unconfined(
            "the kernel has no Landlock, has it disabled, or is older than Linux 5.19".to_owned(),
        ),
        Ok(done) => {
            let truncates = done.ruleset == RulesetStatus::PartiallyEnforced;
            Confinement::Confined { writable, missing, truncates }
        }
        Err(error) => Confinement::Unconfined(format!("Landlock failed: {error}")),
    }
}

fn rules(
    folders: &WritableFolders,
    writable: &mut Vec<PathBuf>,
    missing: &mut Vec<String>,
) -> Result<RulesetCreated, RulesetError> {
    let restricted = AccessFs::from_write(VERSION);
    let all = restricted & !WITHHELD;
    let mut rules = Ruleset::default()
        // Without the right to move files between folders, which the second version of Landlock added, no such move is
        // possible at all, so nothing is restricted then.
        .set_compatibility(CompatLevel::SoftRequirement)
        .handle_access(AccessFs::Refer)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(restricted)?
        .create()?;
    for folder in &folders.folders {
        rules = match PathFd::new(folder) {
            Ok(open) => {
                writable.push(folder.clone());
                rules.add_rule(PathBeneath::new(open, all))?
            }
            Err(error) => {
                missing.push(error.to_string());
                rules
            }
        };
    }
    rules = permit(rules, Path::new(SHARED_MEMORY), all)?;
    for folder in temporary_folders().iter().filter(|_| folders.temporary) {
        rules = permit(rules, folder, all)?;
    }
    if let Some(folder) = &folders.socket {
        rules = permit(rules, folder, SOCKET)?;
    }
    for device in DEVICES {
        rules = permit(rules, Path::new(device), DEVICE)?;
    }
    Ok(rules)
}

/// Adds rights, unless the path does not exist.
fn permit(
    rules: RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(open) => rules.add_rule(PathBeneath::new(open, rights)),
        Err(_) => Ok(rules),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A folder beside this program, which is outside of the folders for temporary files unless it was built in one.
    fn folder() -> tempfile::TempDir {
        tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap()
    }

    #[test]
    fn a_thread_can_write_only_to_its_folders() {
        let (inside, state, outside, runtime) = (folder(), folder(), folder(), folder());
        let is_below = |folder: &PathBuf| outside.path().starts_with(folder);
        if is_below(&SHARED_MEMORY.into()) || temporary_folders().iter().any(is_below) {
            return;
        }
        fs::create_dir(inside.path().join("sub")).unwrap();
        fs::write(outside.path().join("old"), "").unwrap();
        let absent = outside.path().join("absent");
        let folders = WritableFolders {
            folders: vec![inside.path().to_owned(), state.path().to_owned(), absent],
            temporary: true,
            socket: Some(runtime.path().to_owned()),
        };
        let confined = std::thread::scope(|scope| {
            let confined = scope.spawn(|| {
                let confinement = restrict(&folders);
                if !confinement.is_confined() {
                    return confinement;
                }
                let is_denied =
                    |done: std::io::Result<()>| done.unwrap_err().kind() == ErrorKind::PermissionDenied;
                let at = |folder: &tempfile::TempDir, name: &str| folder.path().join(name);
                fs::write(at(&inside, "a"), "a").unwrap();
                fs::rename(at(&inside, "a"), at(&inside, "sub/a")).unwrap();
                fs::rename(at(&inside, "sub/a"), at(&state, "a")).unwrap();
                fs::hard_link(at(&state, "a"), at(&inside, "b")).unwrap();
                fs::remove_file(at(&inside, "b")).unwrap();
                assert!(is_denied(fs::write(at(&outside, "new"), "")));
                assert!(is_denied(fs::write(at(&outside, "old"), "")));
                assert!(is_denied(fs::remove_file(at(&outside, "old"))));
                assert!(fs::rename(at(&state, "a"), at(&outside, "a")).is_err());
                assert!(fs::hard_link(at(&outside, "old"), at(&inside, "old")).is_err());
                assert!(is_denied(fs::write(at(&runtime, "new"), "")));
                UnixListener::bind(at(&runtime, "sock")).unwrap();
                fs::remove_file(at(&runtime, "sock")).unwrap();
                fs::write("/dev/null", "x").unwrap();
                tempfile::tempfile().unwrap();
                fs::read(at(&outside, "old")).unwrap();
                confinement
            });
            confined.join().unwrap()
        });
        let Confinement::Confined { writable, missing, .. } = confined else { return };
        assert_eq!((writable.len(), missing.len()), (2, 1), "{missing:?}");
        fs::write(outside.path().join("old"), "other threads are not restricted").unwrap();
    }
}
