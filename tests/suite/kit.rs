//! Tests of the kit: the functions that other tests rely on must detect differences.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use editd_proto::message::{
    EditPosition, EntryKind, FileEdit, FileEntry, JobRequest, JobStatus, Receipt, kind,
};
use editd_tests::journal_contents;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{process, sources, wait};

#[test]
fn a_tree_notices_bytes_modes_links_and_absence() {
    let daemon = TestDaemon::new();
    daemon.put("same", "x");
    daemon.put("bytes", "long enough to be a file");
    daemon.put("mode", "x");
    daemon.put("gone", "x");
    symlink("same", daemon.workspace().join("link")).unwrap();
    let before = FileTree::of(daemon.workspace());
    assert!(before.differences(&FileTree::of(daemon.workspace())).is_empty());

    daemon.put("bytes", "long enough to be a file, too");
    fs::set_permissions(daemon.workspace().join("mode"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::remove_file(daemon.workspace().join("gone")).unwrap();
    fs::remove_file(daemon.workspace().join("link")).unwrap();
    symlink("bytes", daemon.workspace().join("link")).unwrap();
    daemon.put("new/file", "");
    daemon.put(".editd/own", "is not looked at");
    let found = before.differences(&FileTree::of(daemon.workspace()));
    let paths: Vec<&str> = found.iter().map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(paths, ["bytes", "gone", "link", "mode", "new", "new/file"], "{found:?}");
}

#[test]
fn a_difference_behind_the_bytes_that_are_shown_is_noticed() {
    let daemon = TestDaemon::new();
    let mut bytes = vec![b'x'; 100_000];
    daemon.put("large", &bytes);
    let before = FileTree::of(daemon.workspace());
    bytes[99_999] = b'y';
    daemon.put("large", &bytes);
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())).len(), 1);
}

#[test]
fn a_journal_is_read_as_whole_contents_although_it_holds_what_differs() {
    let mut daemon = TestDaemon::started();
    let append = |daemon: &TestDaemon, line: &str| {
        let edit = FileEdit {
            op: "insert".to_owned(),
            at: Some(EditPosition::End),
            text: Some(line.to_owned()),
            ..FileEdit::default()
        };
        let entry = FileEntry {
            path: "a".into(),
            base: Some("any".to_owned()),
            edits: vec![edit],
            ..FileEntry::default()
        };
        let job = JobRequest { files: vec![entry], ..JobRequest::default() };
        let receipt: Receipt = daemon.client("s").ask(kind::EDIT, &job).unwrap();
        assert_eq!(receipt.status, JobStatus::Applied);
    };
    daemon.put("a", "begin\n");
    append(&daemon, "edit 29\n");
    daemon.put("a", "begin\nedit 79\n");
    append(&daemon, "end\n");
    daemon.stop();

    let mut outside = Vec::new();
    journal_contents::each(&daemon, |told| {
        if told.entry.kind == EntryKind::External {
            let changed = told.file.splices.iter().map(|splice| splice.new.clone()).collect::<Vec<_>>();
            outside.push((told.before.clone().unwrap(), changed, told.after.clone().unwrap()));
        }
    });
    let (before, after) = (b"begin\nedit 29\n".to_vec(), b"begin\nedit 79\n".to_vec());
    assert_eq!(outside, [(before, vec![b"7".to_vec()], after)]);
}

#[test]
fn a_real_tree_has_thousands_of_files() {
    let daemon = TestDaemon::new();
    let copied = sources::copy_real_tree(daemon.workspace(), 2000);
    assert!(copied >= 2000, "the registry folder holds {copied} files only");
    assert_eq!(FileTree::of(daemon.workspace()).files(), copied);
}

#[test]
fn a_process_is_found_by_its_environment_and_measured() {
    let daemon = TestDaemon::new();
    let run = daemon.folder("run");
    let mut child = daemon.command("cat").stdin(Stdio::piped()).spawn().unwrap();
    // Between fork and exec the child still has this process's own environment.
    wait::until("the child is found", wait::LONG, || {
        process::with_variable("XDG_RUNTIME_DIR", &run).contains(&child.id()).then_some(())
    });
    assert!(process::resident_kib(child.id()).is_some_and(|kib| kib > 0));
    assert!(process::descriptors(child.id()).is_some_and(|open| open >= 3));
    assert_eq!(process::threads(child.id()), Some(1));
    assert!(process::cpu_ticks(child.id()).is_some_and(|ticks| ticks < 1000));
    drop(daemon);
    wait::until("the child was ended with its daemon", wait::LONG, || child.try_wait().unwrap());
}
