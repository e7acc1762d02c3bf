//! Every call of the Unix implementation on a real temporary folder; no test needs rights that a user lacks.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sharing;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::Unix;
use crate::os::{Access, Dir, FileKind, Os, is_link, read_all};

fn folder() -> (tempfile::TempDir, Dir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = Unix.open_dir(temp.path()).unwrap();
    (temp, dir)
}

fn content(dir: &Dir, name: &[u8]) -> Vec<u8> {
    read_all(&*dir.open_file(name, Access::Read).unwrap(), 1 << 20).unwrap()
}

fn make(dir: &Dir, name: &[u8], bytes: &[u8]) {
    dir.create_file(name, 0o644).unwrap().write_all_at(bytes, 0).unwrap();
}

/// Makes a FIFO.
pub(crate) fn fifo(path: &Path) {
    // Not every system has a call for it in rustix; the command is POSIX.
    let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap();
    assert!(made.success(), "mkfifo {}", path.display());
}

/// Runs a function on a thread and fails if it takes longer than any disk would.
fn soon<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(run()));
    wait.recv_timeout(Duration::from_secs(20)).unwrap()
}

#[test]
fn a_file_is_written_read_cut_and_flushed() {
    let (_temp, dir) = folder();
    let file = dir.create_file(b"a", 0o600).unwrap();
    file.write_all_at(b"hello world", 0).unwrap();
    file.write_all_at(b"W", 6).unwrap();
    file.set_len(9).unwrap();
    file.sync_data().unwrap();
    file.sync_all().unwrap();
    dir.sync().unwrap();
    assert_eq!(content(&dir, b"a"), b"hello Wor");
    let mut tail = [0; 8];
    assert_eq!(file.read_at(&mut tail, 7).unwrap(), 2);
    assert_eq!(file.read_at(&mut tail, 9).unwrap(), 0);
    let again = dir.open_file(b"a", Access::Write).unwrap();
    again.write_all_at(b"J", 0).unwrap();
    assert_eq!(read_all(&*file, 3).unwrap(), b"Jell", "one byte beyond the limit tells that there is more");
}

#[test]
fn reading_a_whole_file_stops_one_byte_beyond_the_limit() {
    let (_temp, dir) = folder();
    make(&dir, b"f", b"x");
    let file = dir.open_file(b"f", Access::Write).unwrap();
    for (limit, len) in [(0, 1), (1, 1), (3, 4), (4095, 4096), (9000, 9000)] {
        file.set_len(len).unwrap();
        assert_eq!(read_all(&*file, limit).unwrap().len() as u64, len);
    }
}

#[test]
fn stat_says_what_the_system_says() {
    let (temp, dir) = folder();
    make(&dir, b"f", b"12345");
    fs::set_permissions(temp.path().join("f"), PermissionsExt::from_mode(0o4751)).unwrap();
    let (told, real) = (dir.stat(b"f").unwrap(), fs::metadata(temp.path().join("f")).unwrap());
    assert_eq!((told.kind, told.size, told.mode, told.links), (FileKind::File, 5, 0o4751, 1));
    assert_eq!((told.identity.dev, told.identity.ino), (real.dev(), real.ino()));
    assert_eq!((told.uid, told.gid), (real.uid(), real.gid()));
    assert_eq!(told.modified, real.mtime() * 1_000_000_000 + real.mtime_nsec());
    assert_eq!(told.changed, real.ctime() * 1_000_000_000 + real.ctime_nsec());
    assert_eq!(told, dir.open_file(b"f", Access::Read).unwrap().stat().unwrap());
    let own = dir.stat_self().unwrap();
    assert_eq!((own.kind, own.identity.ino), (FileKind::Dir, fs::metadata(temp.path()).unwrap().ino()));
    match real.created() {
        Ok(born) => {
            let since = born.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
            assert_eq!(told.identity.born, i64::try_from(since).unwrap());
        }
        Err(_) => assert_eq!(told.identity.born, 0),
    }
}

#[test]
fn the_kinds_are_told_apart() {
    let (temp, dir) = folder();
    dir.create_dir(b"d", 0o755).unwrap();
    make(&dir, b"f", b"");
    symlink("nowhere", temp.path().join("l")).unwrap();
    fifo(&temp.path().join("p"));
    let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("s")).unwrap();
    let kinds = [
        (b"d", FileKind::Dir),
        (b"f", FileKind::File),
        (b"l", FileKind::Link),
        (b"p", FileKind::Other),
        (b"s", FileKind::Other),
    ];
    let mut listed = dir.list().unwrap();
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(listed.len(), kinds.len());
    for ((name, kind), listed) in kinds.iter().zip(&listed) {
        assert_eq!(dir.stat(*name).unwrap().kind, *kind);
        assert_eq!(listed.name, *name);
        assert!(listed.kind.is_none_or(|told| told == *kind));
    }
    assert_eq!(dir.stat(b"none").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn only_regular_files_are_opened_and_a_fifo_never_blocks() {
    let (temp, dir) = folder();
    dir.create_dir(b"d", 0o755).unwrap();
    fifo(&temp.path().join("p"));
    let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("s")).unwrap();
    for name in [b"d", b"p", b"s"] {
        for access in [Access::Read, Access::Write] {
            let dir = dir.clone();
            let error = soon(move || dir.open_file(name, access).err()).unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name:?} {access:?} {error}");
        }
    }
}

#[test]
fn links_are_refused_and_read() {
    let (temp, dir) = folder();
    make(&dir, b"f", b"x");
    dir.create_dir(b"d", 0o755).unwrap();
    symlink("f", temp.path().join("to-file")).unwrap();
    symlink("d", temp.path().join("to-dir")).unwrap();
    for access in [Access::Read, Access::Write] {
        assert!(is_link(&dir.open_file(b"to-file", access).err().unwrap()));
    }
    assert!(dir.open_dir(b"to-dir").is_err());
    assert_eq!(dir.create_file(b"to-file", 0o600).err().unwrap().kind(), ErrorKind::AlreadyExists);
    assert_eq!(dir.read_link(b"to-file").unwrap(), b"f");
    assert_eq!(dir.read_link(b"f").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(!is_link(&dir.open_file(b"none", Access::Read).err().unwrap()));
    dir.remove_file(b"to-file").unwrap();
    assert_eq!(content(&dir, b"f"), b"x");
}

#[test]
fn a_name_is_one_component() {
    let (_temp, dir) = folder();
    dir.create_dir(b"d", 0o755).unwrap();
    for bad in [&b""[..], b".", b"..", b"d/f", b"/etc", b"a\0b"] {
        let kinds = [
            dir.stat(bad).err(),
            dir.open_dir(bad).err(),
            dir.open_file(bad, Access::Read).err(),
            dir.create_file(bad, 0o600).err(),
            dir.create_dir(bad, 0o700).err(),
            dir.remove_file(bad).err(),
            dir.remove_dir(bad).err(),
            dir.read_link(bad).err(),
            Unix.rename(&dir, bad, &dir, b"x").err(),
            Unix.rename(&dir, b"d", &dir, bad).err(),
            Unix.link(&dir, bad, &dir, b"x").err(),
            Unix.exchange(&dir, b"d", &dir, bad).err(),
            Unix.rename_noreplace(&dir, b"d", &dir, bad).err(),
        ];
        for error in kinds {
            assert_eq!(error.unwrap().kind(), ErrorKind::InvalidInput);
        }
    }
}

#[test]
fn any_other_byte_may_stand_in_a_name() {
    let (temp, dir) = folder();
    let long = vec![b'n'; 255];
    for name in [&b"\xff\xfe \n"[..], b" ", b"-rf", b"a\\b", b"...", &long] {
        make(&dir, name, name);
        assert_eq!(content(&dir, name), name);
        assert!(temp.path().join(std::ffi::OsStr::from_bytes(name)).exists());
        assert!(dir.list().unwrap().iter().any(|listed| listed.name == name));
    }
    assert!(dir.create_file(&[b'n'; 256], 0o600).is_err());
}

#[test]
fn exchange_swaps_names_and_folders_keep_open() {
    let (_temp, dir) = folder();
    dir.create_dir(b"sub", 0o755).unwrap();
    let sub = dir.open_dir(b"sub").unwrap();
    make(&dir, b"a", b"one");
    make(&sub, b"b", b"two");
    let held = dir.open_file(b"a", Access::Read).unwrap();
    Unix.exchange(&dir, b"a", &sub, b"b").unwrap();
    assert_eq!((content(&dir, b"a"), content(&sub, b"b")), (b"two".to_vec(), b"one".to_vec()));
    assert_eq!(read_all(&*held, 10).unwrap(), b"one");
    assert_eq!(Unix.exchange(&dir, b"a", &dir, b"none").unwrap_err().kind(), ErrorKind::NotFound);
    Unix.rename(&dir, b"sub", &dir, b"moved").unwrap();
    make(&sub, b"c", b"three");
    assert_eq!(content(&dir.open_dir(b"moved").unwrap(), b"c"), b"three");
}

#[test]
fn no_replace_replaces_nothing_and_rename_does() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"one");
    make(&dir, b"b", b"two");
    let refused = Unix.rename_noreplace(&dir, b"a", &dir, b"b").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(content(&dir, b"b"), b"two");
    Unix.rename_noreplace(&dir, b"a", &dir, b"c").unwrap();
    Unix.rename(&dir, b"c", &dir, b"b").unwrap();
    assert_eq!(content(&dir, b"b"), b"one");
    assert_eq!(dir.list().unwrap().len(), 1);
}

#[test]
fn a_link_is_the_same_file() {
    let (_temp, dir) = folder();
    make(&dir, b"a", b"one");
    Unix.link(&dir, b"a", &dir, b"b").unwrap();
    let (a, b) = (dir.stat(b"a").unwrap(), dir.stat(b"b").unwrap());
    assert_eq!((a.identity, a.links), (b.identity, 2));
    assert_eq!(Unix.link(&dir, b"a", &dir, b"b").unwrap_err().kind(), ErrorKind::AlreadyExists);
    dir.remove_file(b"a").unwrap();
    assert_eq!(content(&dir, b"b"), b"one");
}

#[test]
fn folders_are_made_with_their_mode_and_removed_when_empty() {
    let (_temp, dir) = folder();
    dir.create_dir(b"open", 0o777).unwrap();
    assert_eq!(dir.stat(b"open").unwrap().mode, 0o777);
    assert_eq!(dir.create_dir(b"open", 0o700).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(dir.stat(b"open").unwrap().mode, 0o777);
    make(&dir.open_dir(b"open").unwrap(), b"f", b"");
    assert_eq!(dir.remove_dir(b"open").unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
    dir.open_dir(b"open").unwrap().remove_file(b"f").unwrap();
    dir.remove_dir(b"open").unwrap();
    make(&dir, b"f", b"");
    assert!(dir.remove_dir(b"f").is_err());
    assert!(dir.open_dir(b"f").is_err());
}

#[test]
fn mode_and_owner_are_set() {
    let (_temp, dir) = folder();
    let file = dir.create_file(b"f", 0o600).unwrap();
    file.set_mode(0o6777).unwrap();
    assert_eq!(file.stat().unwrap().mode, 0o6777);
    let told = file.stat().unwrap();
    file.set_owner(told.uid, told.gid).unwrap();
    let root = rustix::process::geteuid().is_root();
    match file.set_owner(12_345, 54_321) {
        Ok(()) => assert_eq!((file.stat().unwrap().uid, file.stat().unwrap().gid), (12_345, 54_321)),
        Err(error) => assert!(!root && error.kind() == ErrorKind::PermissionDenied),
    }
}

#[test]
fn attributes_are_copied_and_inherited_lists_taken_away() {
    let (_temp, dir) = folder();
    make(&dir, b"from", b"");
    make(&dir, b"to", b"");
    let from = dir.open_file(b"from", Access::Read).unwrap();
    let to = dir.open_file(b"to", Access::Write).unwrap();
    from.copy_attributes(&*to).unwrap();
    let set = |file: &crate::os::File, name: &str, value: &[u8]| {
        let file: &super::file::UnixFile = file.as_any().downcast_ref().unwrap();
        rustix::fs::fsetxattr(file.fd(), name, value, rustix::fs::XattrFlags::empty())
    };
    let get = |file: &crate::os::File, name: &str| {
        let file: &super::file::UnixFile = file.as_any().downcast_ref().unwrap();
        let mut buf = vec![0; 8192];
        rustix::fs::fgetxattr(file.fd(), name, &mut buf[..])
            .ok()
            .map(|len| buf.drain(..len).collect::<Vec<_>>())
    };
    if set(&from, "user.note", &[7; 2000]).is_err() {
        return eprintln!("skipped: no extended attributes on this file system");
    }
    set(&to, "user.other", b"goes").unwrap();
    // Owner rwx, user 1234 rw-, group r--, mask rw-, others ---: the format of linux/posix_acl_xattr.h.
    let entries =
        [(1_u16, 7_u16, u32::MAX), (2, 6, 1234), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
        list.extend(id.to_le_bytes());
    }
    let lists = cfg!(target_os = "linux") && set(&from, "system.posix_acl_access", &list).is_ok();
    if !lists {
        eprintln!("skipped in part: no access control lists on this file system");
    }
    to.copy_attributes(&*from).unwrap();
    assert_eq!(get(&to, "user.note").unwrap(), [7; 2000]);
    assert_eq!(get(&to, "user.other"), None);
    if lists {
        assert_eq!(get(&to, "system.posix_acl_access").unwrap(), list);
        assert_eq!(to.stat().unwrap().mode, 0o760, "the mask shows as the group's bits");
        make(&dir, b"plain", b"");
        to.copy_attributes(&*dir.open_file(b"plain", Access::Read).unwrap()).unwrap();
        assert_eq!(get(&to, "system.posix_acl_access"), None);
    }
    set(&to, "user.other", b"goes").unwrap();
    let recorded = from.attributes(1 << 16).unwrap();
    assert!(to.set_attributes(&recorded).unwrap().is_empty());
    assert_eq!(to.attributes(1 << 16).unwrap(), recorded);
    assert_eq!((get(&to, "user.other"), get(&to, "user.note").unwrap()), (None, vec![7; 2000]));
    // What is above the limit has no value, and cannot be set again.
    let small = from.attributes(1000).unwrap();
    let note = small.iter().find(|one| one.name == b"user.note").unwrap();
    let list_is_gone = lists && small.first().is_some_and(|one| one.value.is_none());
    assert_eq!((note.value.as_ref(), list_is_gone), (None, false));
    make(&dir, b"again", b"");
    let again = dir.open_file(b"again", Access::Write).unwrap();
    let unset = again.set_attributes(&small).unwrap();
    assert!(unset.iter().any(|one| one.name == b"user.note") && unset.len() == 1, "{unset:?}");
}

#[test]
fn a_mount_has_one_number_and_another_run_of_its_own() {
    let (_temp, dir) = folder();
    let mount = dir.mount().unwrap();
    dir.create_dir(b"sub", 0o755).unwrap();
    assert_eq!(dir.open_dir(b"sub").unwrap().mount().unwrap(), mount);
    let proc = Unix.open_dir(Path::new("/proc")).unwrap().mount().unwrap();
    assert!(mount.is_none() || mount != proc, "{mount:?} and {proc:?}");

    let boot = Unix.boot_id().unwrap();
    assert_eq!(boot.of_mount(None), boot);
    assert_eq!(boot.of_mount(Some(7)), boot.of_mount(Some(7)));
    let others = [boot, boot.of_mount(Some(8)), crate::os::BootId([0; 16]).of_mount(Some(7))];
    assert!(!others.contains(&boot.of_mount(Some(7))));
}

#[test]
fn the_boot_id_stays_and_is_checked() {
    let id = Unix.boot_id().unwrap();
    assert_eq!(Unix.boot_id().unwrap(), id);
    assert_ne!(id.0, [0; 16]);
    let parsed = super::boot::parse(b"00112233-4455-6677-8899-aabbccddeeff\n").unwrap();
    assert_eq!(
        parsed.0,
        [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]
    );
    for bad in [&b""[..], b"0011", b"zz112233-4455-6677-8899-aabbccddeeff"] {
        assert!(super::boot::parse(bad).is_err());
    }
}

#[test]
fn the_machine_began_before_what_is_written_now() {
    let (_temp, dir) = folder();
    make(&dir, b"young", b"");
    let now = dir.stat(b"young").unwrap().changed;
    let began = Unix.began().unwrap();
    assert!(0 < began && began <= now, "{began} {now}");
    assert_eq!(super::boot::behind_second(Some("12")).unwrap(), 13_000_000_000);
    for bad in [None, Some(""), Some("x"), Some("9223372036854775807")] {
        assert!(super::boot::behind_second(bad).is_err());
    }
}

#[test]
fn an_absolute_path_may_pass_through_links() {
    let (temp, dir) = folder();
    dir.create_dir(b"real", 0o755).unwrap();
    symlink("real", temp.path().join("alias")).unwrap();
    let (real, alias) = (temp.path().join("real"), temp.path().join("alias"));
    let identity = |path: &Path| Unix.open_dir(path).unwrap().stat_self().unwrap().identity;
    assert_eq!(identity(&real), identity(&alias));
    assert!(Unix.open_dir(&temp.path().join("none")).is_err());
}
