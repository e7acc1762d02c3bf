//! A copy of a real source tree: fifty files are read and edited in one job, the daemon is killed, and the job is
//! found in the log and undone. Every byte and every mode is restored.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::{FileTree, TreeNode};
use editd_tests::{jobs, process, sources};
use serde_json::{Value, json};

const FILES: usize = 50;

#[test]
fn fifty_files_of_a_real_tree_are_edited_in_one_job_and_undone_after_a_kill() {
    let mut daemon = TestDaemon::new();
    let copied = sources::copy_real_tree(daemon.workspace(), 3000);
    let named: Vec<String> = FileTree::of(daemon.workspace())
        .nodes
        .iter()
        .filter(|(path, node)| path.ends_with(b".rs") && matches!(node, TreeNode::File { len: 100.., .. }))
        .map(|(path, _)| String::from_utf8(path.clone()).unwrap())
        .collect();
    let chosen: Vec<&String> = named.iter().step_by(named.len() / FILES).take(FILES).collect();
    assert_eq!(chosen.len(), FILES);
    // Modes of every kind, which an edit must keep and an undo bring back.
    for (path, mode) in chosen.iter().zip([0o600, 0o755, 0o664, 0o640, 0o700].into_iter().cycle()) {
        let place: PathBuf = daemon.workspace().join(path);
        fs::set_permissions(place, Permissions::from_mode(mode)).unwrap();
    }
    let before = FileTree::of(daemon.workspace());
    let start = Instant::now();
    daemon.start();
    let started = start.elapsed();

    let mut client = daemon.client("agent");
    let start = Instant::now();
    let files: Vec<Value> = chosen
        .iter()
        .map(|path| {
            let read = client.ask_json(kind::READ, &json!({ "path": path }));
            let middle = read["lines"].as_u64().unwrap_or_else(|| panic!("{path}: {read}")) / 2 + 1;
            json!({ "path": path, "base": read["version"], "edits": [
                { "op": "insert", "at": "start", "text": "// at the start\n" },
                { "op": "insert", "at": { "line": middle }, "text": "// in the middle\n" },
                { "op": "insert", "at": "end", "text": "// at the end\n" },
            ]})
        })
        .collect();
    let read = start.elapsed();
    let start = Instant::now();
    let edit = client.ask_json(kind::EDIT, &json!({ "label": "fifty at once", "files": files }));
    let edited = start.elapsed();
    jobs::applied(&edit);
    daemon.kill();
    let after = FileTree::of(daemon.workspace());
    assert_eq!(before.differences(&after).len(), FILES, "all of them, and nothing else");

    let start = Instant::now();
    daemon.start();
    let again = start.elapsed();
    let recovered = FileTree::of(daemon.workspace());
    assert_eq!(after.differences(&recovered), [""; 0], "recovery leaves them as they are");
    let mut client = daemon.client("agent");
    let log = client.ask_json(kind::HISTORY, &json!({}));
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["label"], entry["files"].as_array().map(Vec::len)),
        (&json!("fifty at once"), Some(FILES))
    );
    let start = Instant::now();
    jobs::applied(&client.ask_json(kind::UNDO, &json!({ "diff": false })));
    let undone = start.elapsed();
    println!(
        "{copied} files; first start {started:?}, reading {read:?}, editing {edited:?}, start after the kill {again:?}, \
         undo {undone:?}, peak {:?} KiB",
        process::peak_kib(daemon.pid())
    );
    drop(client);
    assert_eq!(daemon.stop().code(), Some(0));
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
}
