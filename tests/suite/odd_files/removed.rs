//! An undo of a deletion on a real file system: extended attributes, access control lists, owner and links come back, and
//! `editctl undo` says what does not. The case files test power cuts and faults.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::{Value, json};

use super::{MountPoint, is_root};

const NOBODY: u32 = 65534;

/// Runs `editctl`. Returns its standard output and standard error.
fn editctl(daemon: &TestDaemon, words: &[&str]) -> String {
    let output = daemon.editctl().env("EDITCTL_SESSION", "s").args(words).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{words:?}: {text}");
    text
}

/// Sends a job of one edit. Returns its receipt as text.
fn edit(daemon: &TestDaemon, path: &str, edit: &Value) -> String {
    let job = json!({ "files": [{ "path": path, "base": "any", "edits": [edit] }] });
    let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    receipt.to_string()
}

fn delete(daemon: &TestDaemon, path: &str) -> String {
    edit(daemon, path, &json!({ "op": "delete" }))
}

fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    match setxattr(path, name, value, XattrFlags::empty()) {
        Ok(()) => true,
        Err(error) => {
            println!("{name} cannot be set here ({error}); skipped");
            false
        }
    }
}

fn get(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 1 << 16];
    let len = getxattr(path, name, &mut value[..]).ok()?;
    value.truncate(len);
    Some(value)
}

/// A list that lets user 12345 read, in the form of the kernel.
fn list() -> Vec<u8> {
    let entry = |tag: u16, rights: u16, id: u32| {
        [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let none = u32::MAX;
    let entries =
        [entry(1, 6, none), entry(2, 4, 12345), entry(4, 0, none), entry(16, 4, none), entry(32, 0, none)];
    [2_u32.to_le_bytes().to_vec(), entries.concat()].concat()
}

#[test]
fn attributes_and_access_control_lists_are_restored() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let path = daemon.workspace().join("a.txt");
    if !set(&path, "user.origin", b"a\0b") {
        return;
    }
    let lists = set(&path, "system.posix_acl_access", &list());
    let trusted = is_root("a trusted attribute") && set(&path, "trusted.mark", b"t");
    let mode = fs::metadata(&path).unwrap().mode();
    delete(&daemon, "a.txt");
    assert!(!path.exists());
    let undone = editctl(&daemon, &["undo"]);
    assert!(!undone.contains("a.txt had") && !undone.contains("warning"), "{undone}");
    assert_eq!(daemon.get("a.txt"), b"one\n");
    assert_eq!(get(&path, "user.origin").as_deref(), Some(&b"a\0b"[..]));
    assert!(!lists || get(&path, "system.posix_acl_access") == Some(list()));
    assert!(!trusted || get(&path, "trusted.mark").as_deref() == Some(b"t"));
    assert_eq!(fs::metadata(&path).unwrap().mode(), mode);
}

#[test]
fn owner_and_group_are_restored_if_the_daemon_may() {
    if !is_root("a file of another user") {
        return;
    }
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let path = daemon.workspace().join("a.txt");
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    delete(&daemon, "a.txt");
    editctl(&daemon, &["undo"]);
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (NOBODY, NOBODY, 0o640));
    // Without the undo, a rename is a deletion and a creation.
    edit(&daemon, "a.txt", &json!({ "op": "rename", "to": "b.txt" }));
    let found = fs::metadata(daemon.workspace().join("b.txt")).unwrap();
    assert_eq!((found.uid(), found.gid()), (NOBODY, NOBODY));
}

#[test]
fn attributes_that_cannot_be_restored_are_said() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    daemon.put("b.txt", "two\n");
    let path = daemon.workspace().join("a.txt");
    // The system drops a capability on every write.
    let capability = [&0x0200_0001_u32.to_le_bytes()[..], &[0; 16]].concat();
    if is_root("a capability") && set(&path, "security.capability", &capability) {
        delete(&daemon, "a.txt");
        let undone = editctl(&daemon, &["undo"]);
        assert!(undone.contains("a.txt had the extended attribute security.capability"), "{undone}");
        assert_eq!(get(&path, "security.capability"), None);
    }
    // Nobody recorded the attributes of a file that another program removed.
    let mut client = daemon.client("s");
    client.ask_json(kind::READ, &json!({ "path": "b.txt" }));
    fs::remove_file(daemon.workspace().join("b.txt")).unwrap();
    client.ask_json(kind::READ, &json!({ "path": "b.txt" }));
    let history = client.ask_json(kind::HISTORY, &json!({}));
    let entries = history["entries"].as_array().unwrap();
    let entry =
        entries.iter().find(|entry| entry["kind"] == "external").unwrap_or_else(|| panic!("{history}"));
    let undone = client.ask_json(kind::UNDO, &json!({ "jobs": [entry["id"]] }));
    assert_eq!(daemon.get("b.txt"), b"two\n");
    assert!(undone.to_string().contains("if b.txt had extended attributes or further names"), "{undone}");
}

#[test]
fn attributes_above_the_limit_of_a_job_are_named_when_the_file_is_removed() {
    if !is_root("a file system in memory") {
        return;
    }
    let mut daemon = TestDaemon::new();
    // Other file systems store less than the limit.
    let Some(_mounted) = MountPoint::new(daemon.workspace(), "8m") else { return };
    daemon.start();
    daemon.put("a.txt", "one\n");
    let path = daemon.workspace().join("a.txt");
    // 64 KiB of one value are the kernel's limit, and the journal's for the file.
    if !set(&path, "user.small", b"small") || !set(&path, "user.z", &[7; 65_536]) {
        return;
    }
    let deleted = delete(&daemon, "a.txt");
    assert!(deleted.contains("an undo will not restore") && deleted.contains("user.z"), "{deleted}");
    let undone = editctl(&daemon, &["undo"]);
    assert!(undone.contains("user.z, which the journal does not have"), "{undone}");
    assert_eq!((get(&path, "user.small").as_deref(), get(&path, "user.z")), (Some(&b"small"[..]), None));
}
