//! Decides whose settings file is read. In a folder in which everybody may create files, anybody could have written it.

#![cfg_attr(
    unix,
    expect(clippy::disallowed_methods, reason = "config is the module that looks at the settings file")
)]

use std::path::Path;

use super::file::ConfigError;

/// Checks that a settings file belongs to the daemon's user, to root, or to the owner of the workspace's folder, which
/// the user has named. A missing file is no error.
///
/// # Errors
/// `ConfigError::Foreign` if it belongs to another user.
#[cfg(unix)]
pub(super) fn check(workspace: &Path, path: &Path) -> Result<(), ConfigError> {
    use std::os::unix::fs::MetadataExt;
    // An error shows when the file is read.
    let Ok(folder) = std::fs::metadata(workspace) else { return Ok(()) };
    let trusted = [rustix::process::geteuid().as_raw(), 0, folder.uid()];
    // A link, and the file that it leads to.
    for found in [std::fs::symlink_metadata(path), std::fs::metadata(path)].into_iter().flatten() {
        if !trusted.contains(&found.uid()) {
            return Err(ConfigError::Foreign { path: path.to_owned(), owner: found.uid() });
        }
    }
    Ok(())
}

/// Checks nothing: owners have no numbers here.
#[cfg(not(unix))]
pub(super) fn check(_: &Path, _: &Path) -> Result<(), ConfigError> {
    Ok(())
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::os::unix::fs::{chown, lchown, symlink};

    use super::*;

    #[test]
    fn a_settings_file_of_a_third_user_is_refused() {
        if !rustix::process::geteuid().is_root() {
            return eprintln!("skipped: only root can give files to another user");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".editd.toml");
        check(folder.path(), &path).unwrap();
        std::fs::write(&path, "").unwrap();
        check(folder.path(), &path).unwrap();
        chown(&path, Some(65534), None).unwrap();
        let why = check(folder.path(), &path).unwrap_err().to_string();
        assert!(why.contains("belongs to user 65534") && why.contains("mv -f"), "{why}");
        // The advice of the message.
        let own = path.with_extension("own");
        std::fs::copy(&path, &own).unwrap();
        std::fs::rename(&own, &path).unwrap();
        check(folder.path(), &path).unwrap();
        chown(&path, Some(65534), None).unwrap();
        // The user has named the folder of that user.
        chown(folder.path(), Some(65534), None).unwrap();
        check(folder.path(), &path).unwrap();
        chown(folder.path(), Some(0), None).unwrap();
        std::fs::rename(&path, folder.path().join("theirs")).unwrap();
        symlink("theirs", &path).unwrap();
        assert!(check(folder.path(), &path).is_err());
        chown(folder.path().join("theirs"), Some(0), None).unwrap();
        check(folder.path(), &path).unwrap();
        lchown(&path, Some(65534), None).unwrap();
        assert!(check(folder.path(), &path).is_err());
    }
}
