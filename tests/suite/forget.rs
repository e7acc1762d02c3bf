//! `forget`: after the reply, no file of the state folder and of `.editd` has the contents of the file, whatever held
//! them, and a kill at any moment leaves a journal that opens.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use memchr::memmem;
use serde_json::{Value, json};

/// Returns a line that no compression shortens to nothing, so that the bytes of a file show whether they hold it.
fn secret(number: u64) -> String {
    format!("PASSWORD_{number}={}\n", blake3::hash(&number.to_le_bytes()).to_hex())
}

/// Returns the files below a folder that hold a text, also those that are compressed.
fn holders(folder: &Path, text: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holders(&path, text, found);
            continue;
        }
        let bytes = match fs::read(&path) {
            // Segments are packed meanwhile.
            Err(gone) if gone.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.unwrap(),
        };
        let plain = bytes
            .strip_prefix(b"editdc\x00\x01")
            .and_then(|rest| zstd::bulk::decompress(&rest[8..], 1 << 24).ok());
        let has = |bytes: &[u8]| memmem::find(bytes, text.as_bytes()).is_some();
        if has(&bytes) || plain.is_some_and(|plain| has(&plain)) {
            found.push(path);
        }
    }
}

fn all_holders(daemon: &TestDaemon, state: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    holders(state, text, &mut found);
    holders(&daemon.workspace().join(".editd"), text, &mut found);
    found
}

fn forget(daemon: &TestDaemon) -> Value {
    forget_path(daemon, "conf/.env")
}

fn forget_path(daemon: &TestDaemon, path: &str) -> Value {
    daemon.client("s").ask_json(kind::FORGET, &json!({ "path": path }))
}

/// Waits until each text is in a kept content, and makes sure that it is.
fn kept(state: &Path, texts: &[String]) {
    for text in texts {
        wait::until("the contents that were read are kept", Duration::from_secs(20), || {
            let mut found = Vec::new();
            holders(&state.join("contents"), text, &mut found);
            (!found.is_empty()).then_some(())
        });
    }
}

/// Puts secrets into every place that keeps contents.
fn fill(daemon: &TestDaemon) -> Vec<Value> {
    let mut client = daemon.client("s");
    daemon.put("conf/.env", format!("A=1\n{}{}{}", secret(1), secret(2), secret(3)));
    let _read = client.ask_json(kind::READ, &json!({ "path": "conf/.env" }));
    let edit = json!({ "op": "replace", "old": secret(1), "new": secret(4) });
    let mut done = vec![client.ask_json(kind::EDIT, &jobs::one("conf/.env", edit))];
    let cut = json!({ "op": "lines", "start": 3, "end": 3, "text": "", "to_clipboard": "cut" });
    done.push(client.ask_json(kind::EDIT, &jobs::one("conf/.env", cut)));
    let _shared = client.ask_json(kind::CLIP, &json!({ "action": "copy", "name": "cut", "to": "/shared" }));
    // A refusal that quotes the file is stored with its key.
    let edit = json!({ "op": "replace", "old": "PASSWORD_9", "new": "x" });
    let refused = jobs::with(jobs::one("conf/.env", edit), "key", json!("refused"));
    jobs::refused(&client.ask_json(kind::EDIT, &refused), "not_found");
    let detached = jobs::with(jobs::append("conf/.env", &secret(5)), "detach", json!(true));
    let queued = client.ask_json(kind::EDIT, &detached);
    done.push(client.ask_json(kind::WAIT, &json!({ "job": queued["job"] })));
    // Another program writes the file, and the next job notices.
    let before = String::from_utf8(daemon.get("conf/.env")).unwrap();
    daemon.put("conf/.env", before + &secret(6));
    done.push(client.ask_json(kind::EDIT, &jobs::append("conf/.env", &secret(7))));
    let both = json!({ "files": [
        { "path": "conf/.env", "base": "any", "edits": [{ "op": "insert", "at": "end", "text": secret(8) }] },
        { "path": "other.txt", "base": "any", "edits": [{ "op": "create", "text": "harmless\n" }] },
    ] });
    done.push(client.ask_json(kind::EDIT, &both));
    done.iter().for_each(jobs::applied);
    done
}

#[test]
fn no_file_has_the_contents_of_a_forgotten_file() {
    if process::skips_under_wine("a file of the journal that is open cannot be replaced") {
        return;
    }
    let mut daemon = TestDaemon::started();
    let done = fill(&daemon);
    let state = daemon.state_folder();
    let lost = daemon.workspace().join(".editd/lost/1700000000000-unknown");
    fs::write(&lost, daemon.get("conf/.env")).unwrap();
    let held: Vec<u64> = (1..=8).filter(|n| !all_holders(&daemon, &state, &secret(*n)).is_empty()).collect();
    assert_eq!(held, [1, 2, 3, 4, 5, 6, 7, 8], "the test finds what is held");
    let content = daemon.get("conf/.env");

    let reply = forget(&daemon);
    assert!(reply["entries"].as_u64().unwrap() >= 6 && reply["clipboards"] == 2, "{reply}");
    for number in 1..=8 {
        assert_eq!(all_holders(&daemon, &state, &secret(number)), [] as [PathBuf; 0], "{number}");
    }
    assert!(!lost.exists());
    assert_eq!(daemon.get("conf/.env"), content, "the file itself is unchanged");
    for _ in 0..2 {
        let mut client = daemon.client("s");
        let shown = client.ask_json(kind::SHOW, &json!({ "job": done[4]["job"] }));
        assert_eq!(shown["entry"]["forgotten"], true, "{shown}");
        let changes = shown["changes"].as_array().unwrap();
        assert!(changes[0]["forgotten"] == true && changes[0]["diff"] == "", "{shown}");
        assert!(changes[1]["diff"].as_str().unwrap().contains("+harmless"), "{shown}");
        let undone = client.ask_json(kind::UNDO, &json!({ "jobs": [done[0]["job"]] }));
        jobs::refused(&undone, "unsupported");
        assert!(undone["error"]["message"].as_str().unwrap().contains("`editctl forget`"), "{undone}");
        let found = client.ask_json(kind::CHECK, &json!({}));
        assert!(found["findings"].as_array().unwrap().iter().all(|one| one["severity"] != "bad"), "{found}");
        let printed = daemon.editctl().args(["show", &done[4]["job"].to_string()]).output().unwrap();
        assert!(String::from_utf8(printed.stdout).unwrap().contains("conf/.env: contents forgotten"));
        daemon.stop();
        daemon.start();
    }
    // The other file of an entry can be undone.
    let part = json!({ "jobs": [done[4]["job"]], "paths": ["other.txt"] });
    jobs::applied(&daemon.client("s").ask_json(kind::UNDO, &part));
    assert!(!daemon.workspace().join("other.txt").exists());
    let again = daemon.editctl().args(["forget", "conf/.env"]).output().unwrap();
    assert!(again.status.success(), "{again:?}");
    jobs::refused(&daemon.client("s").ask_json(kind::FORGET, &json!({ "path": "no/such" })), "not_found");
}

#[test]
fn a_daemon_that_is_killed_while_it_forgets_opens_its_journal_and_completes_it() {
    for attempt in 0..20 {
        let mut daemon = TestDaemon::started();
        fill(&daemon);
        let state = daemon.state_folder();
        let mut asking = daemon.editctl().args(["--no-spawn", "forget", "conf/.env"]).spawn().unwrap();
        wait::pause(Duration::from_micros(attempt * 1500));
        daemon.kill();
        let _either = asking.wait().unwrap();
        daemon.start();
        let found = daemon.client("s").ask_json(kind::CHECK, &json!({}));
        assert!(found["findings"].as_array().unwrap().iter().all(|one| one["severity"] != "bad"), "{found}");
        let reply = forget(&daemon);
        assert!(reply["entries"].is_u64(), "{reply}");
        for number in 1..=8 {
            assert_eq!(
                all_holders(&daemon, &state, &secret(number)),
                [] as [PathBuf; 0],
                "{attempt} {number}"
            );
        }
    }
}

#[test]
fn forget_lists_the_damaged_state_that_may_still_have_the_contents() {
    if process::skips_under_wine("a file of the journal that is open cannot be replaced") {
        return;
    }
    let mut daemon = TestDaemon::started();
    fill(&daemon);
    let state = daemon.state_folder();
    // What was written last is damaged, and the rest of the log still has the secret.
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("last.txt", "LAST")));
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("later.txt", "LATER")));
    daemon.stop();
    let log = fs::read_dir(state.join("log")).unwrap().map(|one| one.unwrap().path());
    for segment in log.collect::<Vec<_>>() {
        let mut bytes = fs::read(&segment).unwrap();
        if let Some(at) = bytes.windows(8).position(|part| part == b"last.txt") {
            bytes[at..at + 8].copy_from_slice(b"DAMAGED!");
            fs::write(&segment, bytes).unwrap();
        }
    }
    let salvaged = daemon.editctl().arg("salvage").output().unwrap();
    assert!(salvaged.status.success(), "{salvaged:?}");
    daemon.start();
    let reply = forget(&daemon);
    let listed: Vec<PathBuf> =
        reply["damaged"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().into()).collect();
    let left: Vec<PathBuf> =
        (1..=8).flat_map(|number| all_holders(&daemon, &state, &secret(number))).collect();
    assert!(
        !left.is_empty() && left.iter().all(|file| listed.iter().any(|folder| file.starts_with(folder))),
        "{left:?} {reply}"
    );
    let printed = daemon.editctl().args(["forget", "conf/.env"]).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(listed.iter().all(|folder| printed.contains(folder.to_str().unwrap())), "{printed}");
    let unknown = daemon.client("s").ask_json(kind::FORGET, &json!({ "path": "never" }));
    jobs::refused(&unknown, "not_found");
    assert!(unknown["error"]["message"].as_str().unwrap().contains(listed[0].to_str().unwrap()), "{unknown}");
    listed.iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    assert_eq!(forget(&daemon)["damaged"], Value::Null);
    for number in 1..=8 {
        assert_eq!(all_holders(&daemon, &state, &secret(number)), [] as [PathBuf; 0], "{number}");
    }
}

/// Reads a file and lets the daemon write what it keeps of it.
fn read(daemon: &TestDaemon, state: &Path, path: &str) {
    let shown = daemon.client("s").ask_json(kind::READ, &json!({ "path": path }));
    assert!(shown["error"].is_null(), "{shown}");
    kept(state, &[String::from_utf8(daemon.get(path)).unwrap()]);
}

#[test]
fn the_contents_under_all_names_of_a_file_are_forgotten() {
    if process::skips_under_wine("a file of the journal that is open cannot be replaced") {
        return;
    }
    // The file is forgotten under each of its names. The name that another program gave its folder does not lead back.
    for name in ["one.env", "two.env", "three/three.env", "copy.env"] {
        let daemon = TestDaemon::started();
        let state = daemon.state_folder();
        let edit = |path: &str, edits: Value| {
            let job = json!({ "files": [{ "path": path, "base": "any", "edits": edits }] });
            let done = daemon.client("s").ask_json(kind::EDIT, &job);
            jobs::applied(&done);
            jobs::number(&done)
        };
        daemon.put("one.env", secret(1));
        daemon.put("other.txt", "harmless\n");
        read(&daemon, &state, "one.env");
        read(&daemon, &state, "other.txt");
        let replace = |old, new| json!({ "op": "replace", "old": secret(old), "new": secret(new) });
        edit("one.env", json!([replace(1, 2)]));
        edit("one.env", json!([replace(2, 3)]));
        edit("one.env", json!([{ "op": "rename", "to": "two.env" }]));
        edit("two.env", json!([replace(3, 4)]));
        // The name and the content change in one job.
        edit("two.env", json!([replace(4, 5), { "op": "rename", "to": "three/three.env" }]));
        edit("three/three.env", json!([replace(5, 6)]));
        // Another program renames the folder.
        fs::rename(daemon.workspace().join("three"), daemon.workspace().join("four")).unwrap();
        edit("four/three.env", json!([replace(6, 7)]));
        edit("four/three.env", json!([{ "op": "copy", "to": "copy.env" }]));
        edit("copy.env", json!([replace(7, 8)]));
        edit("copy.env", json!([{ "op": "write", "text": "none\n" }]));
        edit("four/three.env", json!([{ "op": "write", "text": "none at all\n" }]));
        let other = edit("other.txt", json!([{ "op": "insert", "at": "end", "text": "more\n" }]));
        let held: Vec<u64> =
            (1..=8).filter(|n| !all_holders(&daemon, &state, &secret(*n)).is_empty()).collect();
        assert_eq!(held, [1, 2, 3, 4, 5, 6, 7, 8], "the test finds what is held");

        let printed = daemon.editctl().args(["forget", name]).output().unwrap();
        assert!(printed.status.success(), "{name}: {printed:?}");
        // A copy does not lead back to what its original had before.
        let first = if name == "copy.env" { 7 } else { 1 };
        for number in first..=8 {
            assert_eq!(all_holders(&daemon, &state, &secret(number)), [] as [PathBuf; 0], "{name} {number}");
        }
        if first == 1 {
            kept(&state, &["harmless\n".to_owned()]);
        }
        let again = forget_path(&daemon, name);
        assert_eq!((&again["entries"], &again["files"]), (&json!(0), &json!(0)), "{again}");
        jobs::applied(&daemon.client("s").ask_json(kind::UNDO, &json!({ "jobs": [other] })));
    }
}

#[test]
fn a_content_that_was_only_read_is_forgotten() {
    let daemon = TestDaemon::started();
    let state = daemon.state_folder();
    daemon.put("conf/.env", secret(1));
    read(&daemon, &state, "conf/.env");
    let reply = forget(&daemon);
    assert_eq!((&reply["entries"], &reply["files"]), (&json!(0), &json!(1)), "{reply}");
    assert_eq!(all_holders(&daemon, &state, &secret(1)), [] as [PathBuf; 0]);
}

#[test]
fn forget_names_the_kept_contents_that_it_cannot_remove() {
    let daemon = TestDaemon::started();
    let state = daemon.state_folder();
    daemon.put("conf/.env", secret(1));
    read(&daemon, &state, "conf/.env");
    let file = all_holders(&daemon, &state, &secret(1)).remove(0);
    fs::remove_file(&file).unwrap();
    // No call removes it as a file.
    fs::create_dir(&file).unwrap();
    let reply = forget(&daemon);
    jobs::refused(&reply, "io");
    // It may be found just before it gets its last name.
    let name = file.file_name().unwrap().to_str().unwrap().trim_start_matches("tmp-");
    assert!(reply["error"]["message"].as_str().unwrap().contains(name), "{reply}");
    fs::remove_dir(&file).unwrap();
    assert_eq!(forget(&daemon)["error"], Value::Null);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_a_program_has_open_is_refused_in_one_line() {
    let daemon = TestDaemon::started();
    daemon.put("conf/.env", secret(1));
    let open = fs::OpenOptions::new().append(true).open(daemon.workspace().join("conf/.env")).unwrap();
    jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::append("conf/.env", "end\n")));
    let reply = forget(&daemon);
    jobs::refused(&reply, "busy");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("the programs that have the file open, wait"), "{message:?}");
    drop(open);
}

#[test]
fn a_change_just_before_forget_brings_nothing_back() {
    if process::skips_under_wine("a file of the journal that is open cannot be replaced") {
        return;
    }
    let daemon = TestDaemon::started();
    let state = daemon.state_folder();
    let mut client = daemon.client("s");
    let mut secrets = Vec::new();
    for number in 0..30 {
        let (path, text) = (format!("{number}.env"), secret(number));
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(&path, &text)));
        // Another program removes the secret, and no event has reported it yet.
        daemon.put(&path, "A=1\n");
        let reply = forget_path(&daemon, &path);
        assert!(reply["entries"].as_u64() > Some(0), "{reply}");
        secrets.push(text);
    }
    // The event of a later change comes after those of the files.
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("last", "x\n")));
    daemon.put("last", "y\n");
    wait::until("the last change is journaled", wait::LONG, || {
        let log = client.ask_json(kind::HISTORY, &json!({ "path": "last" }));
        (log["entries"].as_array().unwrap().len() > 1).then_some(())
    });
    for text in secrets {
        let found = all_holders(&daemon, &state, &text);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}
