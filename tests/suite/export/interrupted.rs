//! An import that is interrupted: after a kill at any moment, the journal is the empty one or the imported one, and another
//! import completes it.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, jobs, wait};
use serde_json::json;

use super::{editctl, export};

#[test]
fn a_kill_during_an_import_leaves_the_empty_journal_or_the_imported_one() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for n in 0..300 {
        jobs::applied(
            &client.ask_json(kind::EDIT, &jobs::write("a.txt", &format!("{n} {}\n", "x".repeat(30_000)))),
        );
    }
    let file = export(&daemon, &[]);
    let (mut empty, mut whole) = (0, 0);
    for delay in 0..24 {
        let mut copy = TestDaemon::new();
        let mut command = copy.command(binaries::editd());
        command.arg("--import").arg(&file).arg("--workspace").arg(copy.workspace());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The time of the kill only chooses how far the import has come.
        wait::pause(Duration::from_millis(delay * delay));
        child.kill().unwrap();
        child.wait().unwrap();
        copy.start();
        let entries = copy.client("s").ask_json(kind::STATUS, &json!({}))["entries"].as_u64().unwrap();
        copy.stop();
        match entries {
            0 => {
                empty += 1;
                editctl(&copy, &["import", file.to_str().unwrap()]).unwrap();
                copy.start();
                let status = copy.client("s").ask_json(kind::STATUS, &json!({}));
                assert_eq!(status["entries"], 300);
                assert!(status["damage"].is_null() && status["database"].is_null(), "{status}");
            }
            300 => whole += 1,
            other => panic!("{other} of 300 entries after a kill"),
        }
    }
    assert!(empty > 0, "{empty} empty, {whole} imported");
}

#[test]
fn an_import_needs_a_stopped_daemon_and_an_empty_journal() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    let file = export(&daemon, &[]);
    let import = ["import", file.to_str().unwrap()];
    let said = editctl(&daemon, &import).unwrap_err();
    assert!(said.contains("stop"), "{said}");
    daemon.stop();
    let said = editctl(&daemon, &import).unwrap_err();
    assert!(said.contains("not empty: it has 1 entries") && said.contains("editctl export"), "{said}");
    daemon.start();
    assert_eq!(daemon.client("s").ask_json(kind::STATUS, &json!({}))["entries"], 1);
    daemon.stop();
    // The first start after an import makes the database, and sets nothing aside.
    let mut imported = TestDaemon::new();
    editctl(&imported, &import).unwrap();
    imported.start();
    assert_eq!(imported.client("s").ask_json(kind::STATUS, &json!({}))["entries"], 1);
    let state = imported.state_folder();
    imported.stop();
    let names = fs::read_dir(state).unwrap().map(|entry| entry.unwrap().file_name());
    let aside: Vec<_> = names.filter(|name| name.to_string_lossy().contains("corrupt")).collect();
    assert!(aside.is_empty(), "{aside:?}");
    // A clipboard is something to keep, too.
    let mut other = TestDaemon::started();
    other.client("s").ask_json(kind::CLIP, &json!({ "action": "set", "name": "c", "text": "x" }));
    other.stop();
    let said = editctl(&other, &import).unwrap_err();
    assert!(said.contains("1 clipboards"), "{said}");
}
