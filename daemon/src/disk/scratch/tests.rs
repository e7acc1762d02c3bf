//! Temporary files in a real folder.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use super::*;
use crate::os::unix::Unix;

#[test]
fn a_temporary_file_has_its_name_and_goes_with_what_was_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::open(Arc::new(Unix), folder.path()).unwrap();
    let scratch = disk.scratch("1-a", &"src/a b.py".into(), b"bytes").unwrap();
    let file = folder.path().join(scratch.below());
    assert!(file.ends_with(".editd/check/1-a/a b.py"), "{}", file.display());
    assert_eq!(std::fs::read(&file).unwrap(), b"bytes");
    assert!(disk.scratch("1-a", &"b".into(), b"").is_err());
    let beside = file.with_file_name(".cache");
    std::fs::create_dir_all(beside.join("deep")).unwrap();
    std::os::unix::fs::symlink("/", beside.join("link")).unwrap();
    drop(scratch);
    assert_eq!(std::fs::read_dir(folder.path().join(".editd/check")).unwrap().count(), 0);

    std::mem::forget(disk.scratch("2-b", &"a".into(), b"").unwrap());
    // What a repository has there is kept.
    let check = folder.path().join(".editd/check");
    std::fs::write(check.join("z"), "kept").unwrap();
    std::fs::create_dir(check.join("1-a")).unwrap();
    std::fs::write(check.join("1-a/file"), "kept").unwrap();
    disk.clear_scratch().unwrap();
    assert_eq!(std::fs::read_dir(&check).unwrap().count(), 0);
    for kept in ["aside-1-z", "aside-1-1-a/file"] {
        assert_eq!(std::fs::read(check.with_file_name(kept)).unwrap(), b"kept", "{kept}");
    }
}

#[test]
fn no_link_leads_a_temporary_file_elsewhere() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = Disk::open(Arc::new(Unix), folder.path()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(".editd/check")).unwrap();
    std::fs::write(elsewhere.path().join("kept"), "").unwrap();
    assert!(disk.scratch("1", &"a".into(), b"").is_err());
    disk.clear_scratch().unwrap();
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    drop(disk.scratch("1", &"a".into(), b"").unwrap());
    assert!(folder.path().join(".editd/check").symlink_metadata().unwrap().is_dir());
    assert!(folder.path().join(".editd/aside-1-check").is_symlink());
}
