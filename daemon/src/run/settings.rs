//! The settings that may apply, and the confinement of the process that follows from them. It reads no settings file.

use std::path::Path;
use std::sync::Arc;

use crate::config::{self, ConfinementPolicy, LoadedSettings, SettingSources, Settings};
use crate::confine::{self, Confinement, WritableFolders};
use crate::os::Os;
use crate::trust;

/// Returns the settings of the workspace that may apply, the folders that its commands can write, and the sources of the
/// settings: all if the file is trusted.
pub(super) fn as_trusted(
    loaded: LoadedSettings,
    os: &Arc<dyn Os>,
    state: &Path,
    root: &Path,
) -> (Settings, Vec<String>, SettingSources) {
    let LoadedSettings { hash, settings, written, write } = loaded;
    let mut sources = SettingSources::of_file(hash, written);
    let relaxed = &settings.trusted.relaxed;
    let nothing = relaxed.is_empty() && write.is_empty();
    if nothing || hash.is_some_and(|hash| trust::is_recorded(os, state, root, hash)) {
        return (settings.trusted, write, sources);
    }
    sources.trusted = false;
    if relaxed.is_empty() {
        return (settings.untrusted, Vec::new(), sources);
    }
    let keys: Vec<&str> = relaxed.iter().map(|setting| setting.key).collect();
    tracing::warn!(
        "settings of {} are not trusted and do not apply: {}; `editctl trust` shows them",
        config::FILE_NAME,
        keys.join(", ")
    );
    (settings.untrusted, Vec::new(), sources)
}

/// Confines this process to the folders that it needs, as far as the settings ask for it and the system can. To be called
/// before any thread is started.
pub(super) fn confine(
    settings: &Settings,
    root: &Path,
    state: &Path,
    socket: Option<&Path>,
    write: &[String],
) -> Confinement {
    if settings.confine == ConfinementPolicy::Off {
        return Confinement::Unconfined("--no-confine or `confine = \"off\"` is set".to_owned());
    }
    #[cfg(unix)]
    let named = config::command_folders(write);
    // No process is confined.
    #[cfg(windows)]
    let named = {
        let _ = write;
        []
    };
    let folders = [root.to_owned(), state.to_owned()].into_iter().chain(named).collect();
    let socket = socket.and_then(|address| Some(address.parent()?.to_owned()));
    let confinement = confine::process(&WritableFolders { folders, temporary: true, socket });
    match &confinement {
        Confinement::Confined { missing, .. } if missing.is_empty() => tracing::debug!("confined"),
        Confinement::Confined { missing, .. } => {
            tracing::warn!("commands cannot write to folders that they name: {}", missing.join("; "));
        }
        Confinement::Unconfined(why) => tracing::info!("not confined: {why}"),
    }
    confinement
}
