//! *Settings are shown as they apply*: `editctl config` tells the value and the source of each setting, what the values of
//! the file wait for, and what is wrong with the file, whether a daemon runs or cannot start. `editctl help` explains
//! commands and operations.

use std::process::Command;

use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

fn run(daemon: &TestDaemon, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command: Command = daemon.editctl();
    let output = command.args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn config(daemon: &TestDaemon) -> Value {
    let (code, out, err) = run(daemon, &["config", "--json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

fn row<'a>(told: &'a Value, name: &str) -> &'a Value {
    let rows = told["settings"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {told}"))
}

#[test]
fn each_setting_has_its_value_and_source() {
    let mut daemon = TestDaemon::new().with_options(&["--log-level", "warn"]);
    daemon.put(".editd.toml", "keep_age = \"60d\"\nunread = \"allow\"\n");
    daemon.start();
    let told = config(&daemon);
    assert_eq!(told["changed"], false);
    let keep = json!({"name": "keep_age", "value": "60d", "source": "file", "line": 1});
    assert_eq!(row(&told, "keep_age"), &keep);
    let unread = row(&told, "unread");
    assert_eq!(
        (&unread["value"], &unread["written"], &unread["waits"]),
        (&json!("anchored"), &json!("allow"), &json!("trust"))
    );
    assert_eq!(row(&told, "log_level")["by"], "--log-level");
    assert_eq!(row(&told, "state")["value"], json!(daemon.folder("state").join("editd").join(tag(&daemon))));
    let (_, text, _) = run(&daemon, &["config"]);
    assert!(text.contains("unread") && text.contains("not trusted: run `editctl trust`"), "{text}");
    assert!(text.contains("60d") && text.contains(".editd.toml:1"), "{text}");

    daemon.trust();
    assert_eq!(row(&config(&daemon), "unread")["waits"], "restart");
    daemon.stop();
    daemon.start();
    let told = config(&daemon);
    assert_eq!(
        row(&told, "unread"),
        &json!({"name": "unread", "value": "allow", "source": "file", "line": 2})
    );

    daemon.put(".editd.toml", "keep_age = \"90d\"\n");
    let told = config(&daemon);
    assert_eq!((&told["changed"], &row(&told, "keep_age")["written"]), (&json!(true), &json!("90d")));
    assert_eq!(row(&told, "unread")["waits"], "restart");
    let (_, text, _) = run(&daemon, &["config"]);
    assert!(text.contains("no longer has it") && text.contains("\nchanged: "), "{text}");
}

#[test]
fn a_restart_is_advised_only_if_it_would_make_a_difference() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", "keep_age = \"60d\"\n");
    daemon.start();
    let command =
        "keep_age = \"60d\"\n[[validator]]\nname = \"v\"\nfiles = [\"*.none\"]\ncommand = [\"true\"]\n";
    daemon.put(".editd.toml", command);
    daemon.trust();
    assert_eq!(config(&daemon)["changed"], false);
    let (_, text, _) = run(&daemon, &["config"]);
    assert!(text.contains("validator v") && !text.contains("editctl stop"), "{text}");
    daemon.put(".editd.toml", command.replace("60d", "61d"));
    let (_, text, _) = run(&daemon, &["config"]);
    assert!(text.contains("\nchanged: ") && text.contains("reads only when it starts"), "{text}");
}

/// The name of the workspace's folder in the state folder.
fn tag(daemon: &TestDaemon) -> String {
    editd_proto::socket_path::tag(daemon.workspace())
}

#[test]
fn an_unknown_key_is_answered_with_the_nearest_one() {
    let mut daemon = TestDaemon::started();
    daemon.put(".editd.toml", "# settings\nunraed = \"allow\"\n");
    let whole = "\n2 | unraed = \"allow\"\n  | ^^^^^^\nunknown setting `unraed`; did you mean `unread`?";
    let told = config(&daemon);
    assert!(told["problem"].as_str().unwrap().contains(whole), "{told}");
    let (code, text, _) = run(&daemon, &["config"]);
    assert!(code == Some(0) && text.contains(whole) && text.starts_with("unread "), "{text}");
    daemon.stop();
    // No daemon can start; the settings and the error are shown whole.
    let (code, text, _) = run(&daemon, &["config"]);
    assert!(code == Some(0) && text.contains(whole) && text.starts_with("unread "), "{text}");
    let names = |told: &Value| {
        let settings = told["settings"].as_array().unwrap().iter();
        settings.map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (code, _, err) = run(&daemon, &["status"]);
    assert!(code == Some(4) && err.contains(whole), "{err}");
    daemon.put(
        ".editd.toml",
        "zzzzzzzzzz = 1\nunraed = \"allow\"\nkep_age = \"1 day\"\n[syntax]\nchek = true\n[[check]]\nname = \"c\"\n\
         fils = [\"*\"]\ncommand = [\"c\"]\n",
    );
    let told = config(&daemon);
    let problem = told["problem"].as_str().unwrap();
    for word in [
        "unknown setting `zzzzzzzzzz`\n",
        "line 2: unknown setting `unraed`; did you mean `unread`?",
        "line 3: unknown setting `kep_age`; did you mean `keep_age`?",
        "line 5: unknown setting `chek`; did you mean `check`?",
        "line 8: unknown setting `fils`; did you mean `files`?",
    ] {
        assert!(problem.contains(word), "{word}: {problem}");
    }
    assert!(!problem.contains("keep_bytes"), "{problem}");
    daemon.put(".editd.toml", "");
    daemon.start();
    assert_eq!(names(&told), names(&config(&daemon)));
    daemon.stop();
    daemon.put(".editd.toml", "[[validator]]\nname = \"v\"\nfile = [\"*\"]\ncommand = [\"v\"]\n");
    daemon.start();
    let told = config(&daemon);
    let problem = told["problem"].as_str().unwrap();
    assert!(problem.contains("unknown setting `file`; did you mean `files`?"), "{problem}");
    assert_eq!(told["changed"], false, "a mistake in a command does not stop the daemon");
}

#[test]
fn help_explains_commands_and_operations() {
    let daemon = TestDaemon::new();
    let (code, text, _) = run(&daemon, &["help"]);
    assert!(code == Some(0) && text.contains("Usage: editctl") && text.contains("help operations"), "{text}");
    let (_, text, _) = run(&daemon, &["help", "operations"]);
    assert!(
        text.starts_with("replace") && text.contains("\nchunk") && text.contains("af1349b9f5f9"),
        "{text}"
    );
    let (code, text, err) = run(&daemon, &["help", "undo"]);
    assert!(code == Some(0) && text.contains("Usage: editctl undo") && err.is_empty(), "{text}{err}");
    let (_, text, _) = run(&daemon, &["help", "chunk"]);
    assert!(text.starts_with("chunk"), "{text}");
    // Both have this name.
    let (_, text, err) = run(&daemon, &["help", "replace"]);
    assert!(text.starts_with("replace") && err.contains("`editctl replace --help`"), "{text}{err}");
    // Another program has the help of these.
    let (code, text, _) = run(&daemon, &["help", "diff"]);
    assert!(code == Some(0) && text.contains("Usage:") && text.contains("--since"), "{text}");
    for (word, near) in [("udno", "did you mean undo?"), ("chnuk", "did you mean chunk?")] {
        let (code, _, err) = run(&daemon, &["help", word]);
        assert!(code == Some(2) && err.contains(near), "{err}");
    }
}
