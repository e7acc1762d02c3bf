//! The calls of the Windows implementation on a real temporary folder. Under Wine, a volume cannot replace an open file, so
//! the test of that is skipped there.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::ErrorKind;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;

use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_ENCRYPTED, FILE_ATTRIBUTE_HIDDEN,
    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_SYSTEM,
};

use super::{FILE_SHARE_READ, REPLACES_OPEN_FILES, SHARE_IN_PLACE, Windows, calls, of};
use crate::os::{Access, Dir, FileKind, LeaseState, Os, is_link, read_all};

/// The flags of volumes that have named streams, and that compress single files.
const FILE_NAMED_STREAMS: u32 = 0x0004_0000;
const FILE_FILE_COMPRESSION: u32 = 0x10;

fn folder() -> (tempfile::TempDir, Dir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = Windows.open_dir(temp.path()).unwrap();
    (temp, dir)
}

fn content(dir: &Dir, name: &[u8]) -> Vec<u8> {
    read_all(&*dir.open_file(name, Access::Read).unwrap(), 1 << 20).unwrap()
}

fn make(dir: &Dir, name: &[u8], bytes: &[u8]) {
    dir.create_file(name, 0o644).unwrap().write_all_at(bytes, 0).unwrap();
}

#[test]
fn a_file_is_written_read_cut_and_flushed() {
    let (_temp, dir) = folder();
    let file = dir.create_file(b"a", 0o600).unwrap();
    file.write_all_at(b"hello world", 0).unwrap();
    file.set_len(9).unwrap();
    file.sync_data().unwrap();
    dir.sync().unwrap();
    assert_eq!(content(&dir, b"a"), b"hello wor");
    assert_eq!(dir.create_file(b"a", 0o600).map(|_| ()).unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_file_that_is_open_for_reading_is_flushed_even_if_it_is_read_only() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"x");
    let file = dir.open_file(b"a", Access::Read).unwrap();
    file.sync_all().unwrap();
    file.set_mode(0o444).unwrap();
    assert_eq!(dir.stat(b"a").unwrap().mode, 0o444);
    dir.open_file(b"a", Access::Read).unwrap().sync_all().unwrap();
    assert_eq!(dir.stat(b"a").unwrap().mode, 0o444, "it is read-only as before");
    file.set_mode(0o644).unwrap();
}

#[test]
fn a_file_keeps_its_identity_when_it_is_moved_and_written() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"x");
    make(&dir, b"b", b"y");
    let identity = |name: &[u8]| dir.stat(name).unwrap().identity;
    let (a, b) = (identity(b"a"), identity(b"b"));
    assert_ne!(a, b);
    dir.open_file(b"a", Access::Write).unwrap().write_all_at(b"longer", 0).unwrap();
    Windows.rename_noreplace(&dir, b"a", &dir, b"c").unwrap();
    assert_eq!(identity(b"c"), a);
    assert_eq!(dir.open_file(b"c", Access::Read).unwrap().stat().unwrap().identity, a);
}

#[test]
fn a_move_does_not_replace_unless_it_is_asked_to() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"new");
    make(&dir, b"b", b"old");
    let refused = Windows.rename_noreplace(&dir, b"a", &dir, b"b").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!((content(&dir, b"a"), content(&dir, b"b")), (b"new".to_vec(), b"old".to_vec()));
    assert_eq!(Windows.exchange(&dir, b"a", &dir, b"b").unwrap_err().kind(), ErrorKind::Unsupported);
    Windows.rename(&dir, b"a", &dir, b"b").unwrap();
    assert_eq!(content(&dir, b"b"), b"new");
    assert_eq!(dir.stat(b"a").unwrap_err().kind(), ErrorKind::NotFound);
    let missing = Windows.rename_noreplace(&dir, b"a", &dir, b"c").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn an_open_file_is_replaced_where_the_volume_can() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"new");
    make(&dir, b"b", b"old");
    if calls::volume_flags(&of(&dir).unwrap().held).unwrap() & REPLACES_OPEN_FILES == 0 {
        assert_eq!(Windows.link(&dir, b"a", &dir, b"c").unwrap_err().kind(), ErrorKind::Unsupported);
        return eprintln!("skipped: this volume cannot replace a file that is open");
    }
    let open = dir.open_file(b"b", Access::Read).unwrap();
    Windows.link(&dir, b"b", &dir, b"kept").unwrap();
    Windows.rename(&dir, b"a", &dir, b"b").unwrap();
    assert_eq!((content(&dir, b"b"), content(&dir, b"kept")), (b"new".to_vec(), b"old".to_vec()));
    assert_eq!(read_all(&*open, 10).unwrap(), b"old");
}

#[test]
fn a_file_that_is_not_shared_cannot_be_moved() {
    let (temp, dir) = folder();
    make(&dir, b"a", b"x");
    let open = fs::OpenOptions::new().read(true).share_mode(0).open(temp.path().join("a")).unwrap();
    let refused = Windows.rename_noreplace(&dir, b"a", &dir, b"b").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    assert_eq!(dir.open_file(b"a", Access::Read).map(|_| ()).unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!(dir.stat(b"a").unwrap().size, 1, "its metadata can be read");
    drop(open);
    Windows.rename_noreplace(&dir, b"a", &dir, b"b").unwrap();
}

#[test]
fn a_lease_tells_of_a_writer_and_keeps_others_out() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"x");
    let file = dir.open_file(b"a", Access::Read).unwrap();
    let writer = dir.open_file(b"a", Access::Write).unwrap();
    assert_eq!(file.lease().unwrap(), LeaseState::Writer);
    assert_eq!(writer.lease().unwrap_err().kind(), ErrorKind::InvalidInput);
    drop(writer);
    assert_eq!(file.lease().unwrap(), LeaseState::Held);
    assert!(file.lease_intact().unwrap());
    assert_eq!(dir.open_file(b"a", Access::Write).map(|_| ()).unwrap_err().kind(), ErrorKind::WouldBlock);
    file.release_lease().unwrap();
    assert!(!file.lease_intact().unwrap());
    dir.open_file(b"a", Access::Write).unwrap();
}

#[test]
fn another_case_leads_to_the_same_file_and_its_own_name() {
    let (_temp, dir) = folder();
    make(&dir, b"Read.me", b"x");
    assert_eq!(dir.stat(b"READ.ME").unwrap().identity, dir.stat(b"Read.me").unwrap().identity);
    assert_eq!(dir.own_name(b"READ.ME").unwrap().unwrap(), b"Read.me");
    assert_eq!(dir.own_name(b"missing").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(dir.list().unwrap().len(), 1);
}

#[test]
fn folders_and_files_are_told_apart() {
    let (_temp, dir) = folder();
    dir.create_dir(b"d", 0o700).unwrap();
    make(&dir, b"f", b"x");
    assert_eq!(dir.stat(b"d").unwrap().kind, FileKind::Dir);
    assert_eq!(dir.open_dir(b"f").map(|_| ()).unwrap_err().kind(), ErrorKind::NotADirectory);
    assert_eq!(dir.open_file(b"d", Access::Read).map(|_| ()).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(dir.open_file(b"nul:", Access::Read).map(|_| ()).unwrap_err().kind(), ErrorKind::InvalidInput);
    let inner = dir.open_dir(b"d").unwrap();
    assert_eq!(dir.remove_dir(b"d").unwrap_err().kind(), ErrorKind::WouldBlock, "it is open");
    drop(inner);
    dir.remove_dir(b"d").unwrap();
}

#[test]
fn attributes_and_access_lists_are_copied() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"x");
    let to = dir.create_file(b"b", 0o600).unwrap();
    to.copy_attributes(&*dir.open_file(b"a", Access::Read).unwrap()).unwrap();
    assert_eq!(dir.stat(b"b").unwrap().mode, 0o644);
}

#[test]
fn hidden_and_other_attributes_are_copied_recorded_and_restored() {
    const FLAGS: u32 = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;
    let (temp, dir) = folder();
    let path = temp.path().join("a");
    fs::OpenOptions::new().write(true).create(true).truncate(true).attributes(FLAGS).open(&path).unwrap();
    let flags = |name: &str| {
        fs::metadata(temp.path().join(name)).unwrap().file_attributes()
            & (FLAGS | FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_ARCHIVE)
    };
    let from = dir.open_file(b"a", Access::Read).unwrap();
    dir.create_file(b"b", 0o600).unwrap().copy_attributes(&*from).unwrap();
    assert_eq!(flags("b"), flags("a"));
    let recorded = from.attributes(1 << 16).unwrap();
    assert_eq!(dir.create_file(b"c", 0o600).unwrap().set_attributes(&recorded).unwrap().len(), 0);
    assert_eq!(flags("c"), flags("a"));
    let nothing = from.attributes(0).unwrap();
    assert!(nothing.iter().all(|one| one.value.is_none()) && nothing.len() == recorded.len());
    // Wine keeps them only on some file systems.
    if flags("a") & FILE_ATTRIBUTE_HIDDEN == 0 {
        eprintln!("skipped: this file system has no hidden files");
    }
}

#[test]
fn named_streams_are_copied_recorded_and_restored() {
    let (temp, dir) = folder();
    if calls::volume_flags(&of(&dir).unwrap().held).unwrap() & FILE_NAMED_STREAMS == 0 {
        return eprintln!("skipped: this volume has no named streams");
    }
    make(&dir, b"a", b"x");
    let stream =
        |name: &str| fs::read_to_string(temp.path().join(format!("{name}:Zone.Identifier"))).unwrap();
    fs::write(temp.path().join("a:Zone.Identifier"), "[ZoneTransfer]").unwrap();
    fs::write(temp.path().join("a:empty"), "").unwrap();
    let from = dir.open_file(b"a", Access::Read).unwrap();
    dir.create_file(b"b", 0o600).unwrap().copy_attributes(&*from).unwrap();
    assert_eq!(stream("b"), "[ZoneTransfer]");
    let recorded = from.attributes(1 << 16).unwrap();
    assert!(recorded.iter().any(|one| one.name == b":empty:$DATA" && one.value.as_deref() == Some(b"")));
    let again = dir.create_file(b"c", 0o600).unwrap();
    assert_eq!(again.set_attributes(&recorded).unwrap().len(), 0);
    assert_eq!((stream("c"), content(&dir, b"c")), ("[ZoneTransfer]".to_owned(), Vec::new()));
}

#[test]
fn a_compressed_file_stays_compressed() {
    let (temp, dir) = folder();
    if calls::volume_flags(&of(&dir).unwrap().held).unwrap() & FILE_FILE_COMPRESSION == 0 {
        return eprintln!("skipped: this volume compresses no files");
    }
    let flags = |name: &str| fs::metadata(temp.path().join(name)).unwrap().file_attributes();
    make(&dir, b"a", b"x");
    calls::set_flags(
        &fs::File::options().read(true).write(true).open(temp.path().join("a")).unwrap(),
        FILE_ATTRIBUTE_COMPRESSED,
    )
    .unwrap();
    assert_ne!(flags("a") & FILE_ATTRIBUTE_COMPRESSED, 0);
    let from = dir.open_file(b"a", Access::Read).unwrap();
    dir.create_file(b"b", 0o600).unwrap().copy_attributes(&*from).unwrap();
    assert_ne!(flags("b") & FILE_ATTRIBUTE_COMPRESSED, 0);
}

#[test]
fn an_encrypted_file_gets_no_content_that_is_not() {
    let (temp, dir) = folder();
    make(&dir, b"a", b"x");
    let is_encrypted =
        |path: &Path| fs::metadata(path).unwrap().file_attributes() & FILE_ATTRIBUTE_ENCRYPTED != 0;
    // Editions for use at home encrypt no files, and neither does Wine.
    let encrypt = |path: &Path| {
        let done = Command::new("cipher").arg("/e").arg(path).output();
        done.is_ok_and(|done| done.status.success()) && is_encrypted(path)
    };
    if !encrypt(&temp.path().join("a")) {
        return eprintln!("skipped: this system encrypts no files");
    }
    let from = dir.open_file(b"a", Access::Read).unwrap();
    let refused = dir.create_file(b"b", 0o600).unwrap().copy_attributes(&*from).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    // What the message advises helps.
    assert!(encrypt(temp.path()));
    dir.create_file(b"c", 0o600).unwrap().copy_attributes(&*from).unwrap();
    assert!(is_encrypted(&temp.path().join("c")));
}

#[test]
fn an_access_list_is_copied_recorded_and_restored() {
    let (temp, dir) = folder();
    make(&dir, b"a", b"x");
    let list = |name: &str| calls::access_list(&fs::File::open(temp.path().join(name)).unwrap()).unwrap();
    let mut changed = list("a");
    // Read and execute in place of what the first entry grants, where it is laid out so.
    if let Some(rights) = changed.get_mut(32..36) {
        rights.copy_from_slice(&0x0012_00A9_u32.to_le_bytes());
    }
    let file = dir.create_file(b"restricted", 0o600).unwrap();
    calls::set_access_list(&file.as_any().downcast_ref::<super::WindowsFile>().unwrap().file, &changed)
        .unwrap();
    let from = dir.open_file(b"restricted", Access::Read).unwrap();
    dir.create_file(b"b", 0o600).unwrap().copy_attributes(&*from).unwrap();
    dir.create_file(b"c", 0o600).unwrap().set_attributes(&from.attributes(1 << 16).unwrap()).unwrap();
    assert_eq!((list("b"), list("c")), (list("restricted"), list("restricted")));
    assert!(calls::set_access_list(&fs::File::open(temp.path().join("a")).unwrap(), b"no list").is_err());
}

#[test]
fn a_read_only_file_is_replaced_where_the_volume_can() {
    let (_temp, dir) = folder();
    if calls::volume_flags(&of(&dir).unwrap().held).unwrap() & REPLACES_OPEN_FILES == 0 {
        return eprintln!("skipped: this volume cannot replace a file that is open");
    }
    make(&dir, b"a", b"new");
    dir.create_file(b"b", 0o400).unwrap();
    Windows.rename(&dir, b"a", &dir, b"b").unwrap();
    assert_eq!(content(&dir, b"b"), b"new");
}

#[test]
fn only_one_handle_gets_the_lock() {
    let (_temp, dir) = folder();
    make(&dir, b"lock", b"");
    let first = dir.open_file(b"lock", Access::Write).unwrap();
    assert!(first.try_lock().unwrap());
    assert!(!dir.open_file(b"lock", Access::Write).unwrap().try_lock().unwrap());
}

#[test]
fn a_file_that_another_program_does_not_share_cannot_be_moved_replaced_or_removed() {
    let (temp, dir) = folder();
    make(&dir, b"a", b"new");
    make(&dir, b"b", b"old");
    dir.check_movable(b"b").unwrap();
    dir.check_movable(b"missing").unwrap();
    for share in [0, FILE_SHARE_READ, SHARE_IN_PLACE] {
        let held = fs::OpenOptions::new().read(true).share_mode(share).open(temp.path().join("b")).unwrap();
        let refused =
            |result: std::io::Result<()>| assert_eq!(result.unwrap_err().kind(), ErrorKind::WouldBlock);
        refused(dir.check_movable(b"b"));
        refused(dir.remove_file(b"b"));
        refused(Windows.rename_noreplace(&dir, b"b", &dir, b"c"));
        refused(Windows.rename(&dir, b"b", &dir, b"c"));
        refused(Windows.rename(&dir, b"a", &dir, b"b"));
        drop(held);
        assert_eq!((content(&dir, b"a"), content(&dir, b"b")), (b"new".to_vec(), b"old".to_vec()));
    }
    Windows.rename(&dir, b"a", &dir, b"b").unwrap();
    dir.remove_file(b"b").unwrap();
}

#[test]
fn a_read_only_file_is_removed() {
    let (_temp, dir) = folder();
    dir.create_file(b"a", 0o400).unwrap();
    assert_eq!(dir.stat(b"a").unwrap().mode, 0o444);
    dir.remove_file(b"a").unwrap();
    assert_eq!(dir.stat(b"a").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn the_machine_was_started_before_now_and_only_once() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"x");
    assert!(Windows.began().unwrap() <= dir.stat(b"a").unwrap().changed);
    assert_eq!(Windows.boot_id().unwrap(), Windows.boot_id().unwrap());
}

#[test]
fn a_link_is_not_followed() {
    let (temp, dir) = folder();
    make(&dir, b"a", b"x");
    let link = temp.path().join("l");
    let made = std::os::windows::fs::symlink_file("a", &link);
    if made.is_err() || fs::symlink_metadata(&link).is_err() {
        return eprintln!("skipped: this user may not make links, or the system has none");
    }
    assert_eq!(dir.stat(b"l").unwrap().kind, FileKind::Link);
    assert!(is_link(&dir.open_file(b"l", Access::Read).map(|_| ()).unwrap_err()));
    assert_eq!(dir.read_link(b"l").unwrap(), b"a");
}
