//! Tests of reading and writing, with other programs that write meanwhile.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use super::{ConfigFile, FileAccess};

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b.json");
    let read = || ConfigFile::read(folder.path(), "a/b.json", None).unwrap();
    let created = read();
    created.write(Some("1"), FileAccess::Shared).unwrap();
    assert!(created.write(Some("2"), FileAccess::Shared).unwrap_err().message().contains("changed while"));
    let changed = read();
    fs::write(&path, "3").unwrap();
    for text in [Some("2"), None] {
        assert!(changed.write(text, FileAccess::Shared).unwrap_err().message().contains("changed while"));
    }
    let removed = read();
    fs::remove_file(&path).unwrap();
    assert!(removed.write(Some("2"), FileAccess::Shared).is_err());
    assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 0);
}

#[test]
fn the_byte_order_mark_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "\u{feff}1").unwrap();
    let file = ConfigFile::read(folder.path(), "a", None).unwrap();
    assert_eq!(file.text().unwrap(), Some("1"));
    file.write(Some("2"), FileAccess::Private).unwrap();
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), "\u{feff}2".as_bytes());
}

#[test]
fn a_second_change_starts_from_the_text_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "\u{feff}1").unwrap();
    let first = ConfigFile::read(folder.path(), "a", None).unwrap();
    let second = || ConfigFile::read(folder.path(), "a", None).unwrap().after(Some((&first, Some("2"))));
    assert_eq!((second().text().unwrap(), second().has_mark()), (Some("2"), true));
    assert!(second().write(Some("3"), FileAccess::Shared).unwrap_err().message().contains("changed while"));
    let then = second();
    first.write(Some("2"), FileAccess::Shared).unwrap();
    then.write(Some("3"), FileAccess::Shared).unwrap();
    assert_eq!(fs::read(&path).unwrap(), "\u{feff}3".as_bytes());
    let other = ConfigFile::read(folder.path(), "b", None).unwrap().after(Some((&first, Some("2"))));
    assert_eq!(other.text().unwrap(), None);
}

#[test]
#[cfg(unix)]
fn a_new_file_of_the_user_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = ConfigFile::read(folder.path(), "a", None).unwrap();
    file.write(Some("1"), FileAccess::Private).unwrap();
    assert_eq!(fs::metadata(folder.path().join("a")).unwrap().permissions().mode() & 0o777, 0o600);
}
