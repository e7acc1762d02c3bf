//! *Commands run only if they are trusted*: the commands of a workspace are listed, but do not run before their hash
//! was recorded, nor after it changed.

use std::os::unix::fs::symlink;

use editd_proto::message::kind;
use editd_tests::house::House;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

/// A hook that leaves a mark outside the workspace when it runs.
fn config(house: &House, name: &str) -> String {
    let mark = house.folder("home").join("mark");
    let command = json!(["touch", mark, "{file}"]);
    format!("[[after_write]]\nname = \"{name}\"\nfiles = [\"*.txt\"]\ncommand = {command}\n")
}

fn marked(house: &House) -> bool {
    let mark = house.folder("home").join("mark");
    std::fs::remove_file(mark).is_ok()
}

fn trust(house: &House, request: Value) -> Value {
    house.client("s").ask_json(kind::TRUST, &request)
}

fn trust_what_is_there(house: &House) -> Value {
    let told = trust(house, json!({}));
    trust(house, json!({ "hash": told["hash"] }))
}

/// Edits a file and gives everything that the receipt warns of.
fn edit(house: &House, path: &str, text: &str) -> String {
    let receipt = house.client("s").ask_json(kind::EDIT, &jobs::write(path, text));
    jobs::applied(&receipt);
    let warnings = |list: &Value| -> Vec<String> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|one| one.get("warnings").map_or("[]".into(), Value::to_string))
            .collect()
    };
    [warnings(&receipt["files"]), warnings(&receipt["hooks"])].concat().join(" ")
}

#[test]
fn what_is_not_trusted_never_runs_and_is_told() {
    let house = House::new();
    house.put(".editd.toml", config(&house, "mark"));
    let mut house = house;
    house.start();
    let told = edit(&house, "a.txt", "1\n");
    assert!(told.contains("mark") && told.contains("editctl trust"), "{told}");
    assert_eq!(edit(&house, "a.md", "1\n"), "[]", "no command is for this file");
    let job = jobs::with(jobs::write("a.txt", "verified\n"), "mode", json!("verify_only"));
    // Each session is told once.
    assert_eq!(edit(&house, "a.txt", "1b\n"), "[]");
    let receipt = house.client("another").ask_json(kind::EDIT, &job);
    assert!(receipt["files"][0]["warnings"][0].as_str().unwrap().contains("editctl trust"), "{receipt}");
    let status = house.client("s").ask_json(kind::STATUS, &json!({}));
    assert!(status["left_out"].as_str().unwrap().contains("mark"), "{status}");
    let found = house.client("s").ask_json(kind::CHECK, &json!({})).to_string();
    assert!(found.contains("not trusted"), "{found}");
    let told = trust(&house, json!({}));
    assert_eq!((&told["trusted"], &told["commands"][0]["name"]), (&json!(false), &json!("mark")));
    assert_eq!(told["commands"][0]["kind"], "after_write");
    for (hash, code) in [("blake3:00", "malformed"), (&*format!("blake3:{}", "0".repeat(64)), "stale")] {
        jobs::refused(&trust(&house, json!({ "hash": hash })), code);
    }
    jobs::refused(&trust(&house, json!({ "hash": told["hash"], "revoke": true })), "malformed");
    edit(&house, "a.txt", "2\n");
    assert!(!marked(&house));
}

#[test]
fn trust_is_of_one_content_outlives_the_daemon_and_can_be_taken_back() {
    let mut house = House::started();
    house.put(".editd.toml", config(&house, "one"));
    assert_eq!(trust_what_is_there(&house)["trusted"], true);
    assert_eq!(edit(&house, "a.txt", "1\n"), "[]");
    assert!(marked(&house));
    let status = house.client("s").ask_json(kind::STATUS, &json!({}));
    assert_eq!(status["left_out"], Value::Null, "{status}");
    house.kill_and_start();
    edit(&house, "a.txt", "2\n");
    assert!(marked(&house));

    house.put(".editd.toml", config(&house, "two"));
    assert!(edit(&house, "a.txt", "3\n").contains("two"));
    assert!(!marked(&house));
    house.put(".editd.toml", config(&house, "one"));
    edit(&house, "a.txt", "4\n");
    assert!(marked(&house), "the same content is trusted again");

    assert_eq!(trust(&house, json!({ "revoke": true }))["trusted"], false);
    house.kill_and_start();
    edit(&house, "a.txt", "5\n");
    assert!(!marked(&house));
}

#[test]
fn a_job_that_changes_the_commands_runs_neither_the_old_nor_the_new_ones() {
    let house = House::started();
    house.put(".editd.toml", config(&house, "one"));
    trust_what_is_there(&house);
    let mut job = jobs::write(".editd.toml", &config(&house, "two"));
    let other = jobs::write("a.txt", "1\n")["files"][0].clone();
    job["files"].as_array_mut().unwrap().push(other);
    let receipt = house.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    assert!(receipt["files"].to_string().contains("not trusted and do not run: two"), "{receipt}");
    assert!(!marked(&house));
}

/// A job on two files whose command waits in its first run until the trust was taken back: its receipt, and how often
/// the command ran.
fn revoked_meanwhile(table: &str, script: &str) -> (House, Value, usize) {
    let house = House::started();
    let (mark, go) = (house.folder("home").join("mark"), house.folder("home").join("go"));
    let script = format!(
        "echo ran >>'{}'; until [ -e '{}' ]; do sleep 0.02; done; {script}",
        mark.display(),
        go.display()
    );
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    let files = "files = [\"*.txt\"]\ntimeout = \"60s\"";
    house.put(".editd.toml", format!("[[{table}]]\nname = \"slow\"\n{files}\ncommand = {command}\n"));
    trust_what_is_there(&house);
    house.put("a.txt", "before\n");
    let mut job = jobs::append("a.txt", "a\n");
    job["files"].as_array_mut().unwrap().push(jobs::write("b.md", "b\n")["files"][0].clone());
    if table == "after_write" {
        job["files"].as_array_mut().unwrap().push(jobs::write("c.txt", "c\n")["files"][0].clone());
    }
    let mut client = house.client("s");
    client.send(kind::EDIT, &job).unwrap();
    wait::until("the command is at work", wait::LONG, || mark.exists().then_some(()));
    assert_eq!(trust(&house, json!({ "revoke": true }))["trusted"], false);
    std::fs::write(&go, "").unwrap();
    let receipt: Value = client.receive().unwrap().body().unwrap();
    jobs::applied(&receipt);
    let runs = std::fs::read_to_string(&mark).unwrap().lines().count();
    (house, receipt, runs)
}

#[test]
fn trust_that_is_taken_back_stops_the_runs_that_are_left_of_a_job() {
    let (house, receipt, runs) = revoked_meanwhile("after_write", "echo hook >>\"$1\"");
    assert_eq!((runs, house.get("c.txt")), (1, b"c\n".to_vec()), "{receipt}");
    assert!(receipt["hooks"][0]["warnings"].to_string().contains("no longer trusted"), "{receipt}");
    let (_, receipt, runs) = revoked_meanwhile("validator", "echo \"$1:1: wrong\"; exit 1");
    assert_eq!(runs, 1, "the file as it was is not looked at: {receipt}");
    assert!(receipt["files"][0]["warnings"].to_string().contains("no longer trusted"), "{receipt}");
}

#[test]
fn links_and_wrong_files_bring_no_command_and_say_so() {
    let house = House::started();
    let file = house.workspace().join(".editd.toml");
    house.put(".editd.toml", config(&house, "one"));
    trust_what_is_there(&house);
    // The very bytes that are trusted, but behind a link.
    house.put("real.toml", config(&house, "one"));
    std::fs::remove_file(&file).unwrap();
    symlink("real.toml", &file).unwrap();
    assert!(edit(&house, "a.txt", "1\n").contains("it is a link"));
    jobs::refused(&trust(&house, json!({})), "malformed");
    std::fs::remove_file(&file).unwrap();
    house.put(".editd.toml", config(&house, "one") + "shell = true\n");
    let told = edit(&house, "a.txt", "2\n");
    assert!(told.contains("line 5") && told.contains("shell"), "{told}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(edit(&house, "a.txt", "3\n"), "[]");
    assert_eq!(trust(&house, json!({})), json!({ "trusted": false, "commands": [] }));
    assert!(!marked(&house));
}

#[test]
fn a_wrong_command_stops_no_start_and_wrong_settings_say_in_which_file_they_stand() {
    let mut house = House::new();
    house.put(".editd.toml", config(&house, "one") + "shell = true\n");
    house.start();
    let told = edit(&house, "a.txt", "1\n");
    assert!(told.contains("line 5") && told.contains("shell"), "{told}");
    let left_out = |house: &House| house.client("s").ask_json(kind::STATUS, &json!({}))["left_out"].clone();
    assert!(left_out(&house).as_str().unwrap().contains("shell"));
    edit(&house, ".editd.toml", &config(&house, "one"));
    house.kill_and_start();
    assert!(left_out(&house).as_str().unwrap().contains("not trusted"));

    house.put(".editd.toml", "durability = \"never\"\n");
    house.kill();
    let output = house.editctl().args(["read", "a.txt"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    for word in [".editd.toml is not valid", "line 1", "never"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn where_an_edit_could_write_the_record_nothing_can_be_trusted() {
    let house = House::new();
    let inside = house.workspace().join("state");
    let mut house = house.with_options(&["--state", inside.to_str().unwrap()]);
    house.put(".editd.toml", config(&house, "one"));
    house.start();
    jobs::refused(&trust_what_is_there(&house), "denied");
    edit(&house, "a.txt", "1\n");
    assert!(!marked(&house));
}

#[test]
fn editctl_shows_records_and_forgets() {
    let house = House::started();
    house.put(".editd.toml", config(&house, "one"));
    let run = |words: &[&str]| {
        let output = house.editctl().arg("trust").args(words).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (exit, shown) = run(&["--show"]);
    assert!(
        exit == 0 && shown.contains("after_write one for *.txt") && shown.contains("not trusted"),
        "{shown}"
    );
    assert_eq!(run(&[]).0, 1, "there is no terminal to ask at");
    let hash = shown.lines().last().unwrap().split(' ').next_back().unwrap();
    assert_eq!(run(&["--yes", &hash.replace(':', ":0")]).0, 1);
    let (exit, shown) = run(&["--yes", hash]);
    assert!(exit == 0 && shown.contains("\ntrusted"), "{shown}");
    edit(&house, "a.txt", "1\n");
    assert!(marked(&house));
    house.put(".editd.toml", config(&house, "two"));
    assert_eq!(run(&["--yes", hash]).0, 3, "another content than was looked at is stale");
    assert_eq!(run(&["--revoke"]).0, 0);
    house.put(".editd.toml", config(&house, "one"));
    edit(&house, "a.txt", "2\n");
    assert!(!marked(&house));
}
