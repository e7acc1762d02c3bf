//! Files by their symbols, with a real daemon: outlines and definitions, and the receipt that reading them gives. It
//! edits by lines only, to test the receipt.

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use editd_tests::{process, wait};
use serde_json::{Value, json};

const SOURCE: &str = "//! A file.\r\n\r\n/// Adds.\r\n#[must_use]\r\nfn add(a: u8) -> u8 {\r\n    a + 1\r\n}\r\n\r\nstruct S;\r\n\r\nimpl S {\r\n    fn add(&self) {}\r\n\r\n    fn m(&self) {\r\n        todo!()\r\n    }\r\n}\r\n";

fn line(n: u64) -> Value {
    let edit = json!({"op": "lines", "start": n, "end": n, "text": "// here\n"});
    json!({"files": [{"path": "a.rs", "edits": [edit]}], "mode": "verify_only"})
}

#[test]
fn an_outline_shows_every_definition_and_gives_no_receipt() {
    let daemon = TestDaemon::started();
    daemon.put("a.rs", SOURCE);
    let mut client = daemon.client("a");
    let outline = client.ask_json(kind::OUTLINE, &json!({"path": "a.rs"}));
    let told: Vec<_> = outline["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| format!("{} {} {}", symbol["kind"], symbol["name"], symbol["lines"]).replace('"', ""))
        .collect();
    let expected = [
        "function add [3,7]",
        "struct S [9,9]",
        "impl impl S [11,17]",
        "method impl S/add [12,12]",
        "method impl S/m [14,16]",
    ];
    assert_eq!(told, expected, "{outline}");
    assert_eq!((&outline["language"], &outline["warnings"]), (&json!("rust"), &json!([])));
    assert_eq!(outline["symbols"][0]["body"], json!({"start": [5, 21], "end": [7, 2]}));
    jobs::refused(&client.ask_json(kind::EDIT, &line(6)), "unread");
    let read = client.ask_json(kind::READ, &json!({"path": "a.rs"}));
    assert_eq!(outline["version"], read["version"]);
    let flat = client.ask_json(kind::OUTLINE, &json!({"path": "a.rs", "depth": 0}));
    assert_eq!((flat["symbols"].as_array().unwrap().len(), &flat["omitted"]), (3, &Value::Null));
    daemon.put("a.rs", "fn a() {}\nfn (\n");
    let broken = client.ask_json(kind::OUTLINE, &json!({"path": "a.rs"}));
    assert_eq!(
        (&broken["symbols"][0]["name"], broken["warnings"].as_array().unwrap().len()),
        (&json!("a"), 1)
    );
}

#[test]
fn a_definition_that_was_read_may_be_edited_and_nothing_else() {
    let daemon = TestDaemon::started();
    daemon.put("a.rs", SOURCE);
    let whole = "    fn m(&self) {\r\n        todo!()\r\n    }\r\n";
    for (name, body, text, seen) in [
        ("m", false, whole, 14..=16),
        ("m", true, "{\r\n        todo!()\r\n    }", 14..=16),
        ("/S", false, "struct S;\r\n", 9..=9),
    ] {
        // To fill a blank line is to insert beside a line that may have been seen.
        for (n, _) in (1..).zip(SOURCE.lines()).filter(|(_, line)| !line.is_empty()) {
            // A reply shows lines too: each has a session of its own.
            let mut client = daemon.client(&format!("{name} {body} {n}"));
            let read = client.ask_json(kind::READ, &json!({"path": "a.rs", "symbol": name, "body": body}));
            assert_eq!((&read["text"], &read["first_line"]), (&json!(text), &json!(seen.start())), "{read}");
            assert!(
                read["symbol"]["name"].as_str().unwrap().ends_with(name.trim_start_matches('/')),
                "{read}"
            );
            assert_eq!(read["lines"], 17);
            let reply = client.ask_json(kind::EDIT, &line(n));
            // A line that was seen may be edited, unless the syntax check refuses what is left of the definition.
            match jobs::code(&reply) {
                Some("unread") => assert!(!seen.contains(&n), "line {n}: {reply}"),
                Some(code) => assert!(seen.contains(&n) && code == "rejected", "line {n}: {reply}"),
                None => assert!(seen.contains(&n) && jobs::status(&reply) == "verified", "line {n}: {reply}"),
            }
        }
    }
}

#[test]
fn an_unknown_definition_is_refused_with_the_known_ones() {
    let daemon = TestDaemon::started();
    daemon.put("a.rs", SOURCE);
    daemon.put("notes.txt", "text\n");
    daemon.put("b.rs", "a\0b");
    let mut client = daemon.client("a");
    let mut ask = |kind, request: Value| {
        let reply = client.ask_json(kind, &request);
        (jobs::code(&reply).unwrap_or("nothing").to_owned(), reply["error"].clone())
    };
    let (code, error) = ask(kind::READ, json!({"path": "a.rs", "symbol": "ad"}));
    assert_eq!(code, "symbol_not_found");
    assert_eq!(error["symbols"], json!(["add", "impl S/add", "S", "impl S/m", "impl S"]));
    let (code, error) = ask(kind::READ, json!({"path": "a.rs", "symbol": "S/x"}));
    assert_eq!((code.as_str(), &error["path"]), ("symbol_not_found", &json!("a.rs")));
    for (request, expected) in [
        (json!({"path": "a.rs", "symbol": "S", "lines": [1, 2]}), "malformed"),
        (json!({"path": "a.rs", "symbol": "S", "seen": "sha256:0"}), "malformed"),
        (json!({"path": "a.rs", "body": true}), "malformed"),
        (json!({"path": "a.rs", "symbol": "/S", "body": true}), "unsupported"),
        (json!({"path": "notes.txt", "symbol": "S"}), "unsupported"),
        (json!({"path": "b.rs", "symbol": "S"}), "binary"),
        (json!({"path": "c.rs", "symbol": "S"}), "missing"),
    ] {
        assert_eq!(ask(kind::READ, request.clone()).0, expected, "{request}");
    }
    for (path, expected) in [
        ("notes.txt", "unsupported"),
        ("b.rs", "binary"),
        ("c.rs", "missing"),
        (".", "unsupported"),
        ("../a.rs", "outside"),
        (".editd/lock", "outside"),
    ] {
        assert_eq!(ask(kind::OUTLINE, json!({"path": path})).0, expected, "{path}");
    }
    jobs::refused(&client.ask_json(kind::EDIT, &line(6)), "unread");
}

#[test]
fn the_command_draws_a_tree_and_reads_by_name() {
    let daemon = TestDaemon::started();
    daemon.put("a.rs", SOURCE);
    let run = |words: &[&str]| {
        let output = daemon.editctl().env("EDITCTL_SESSION", "s").args(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let tree =
        "  3-7  function add\n    9  struct S\n11-17  impl S\n   12    method add\n14-16    method m\n";
    assert_eq!(run(&["outline", "a.rs"]), (0, tree.to_owned(), String::new()));
    let shown = "12 |     fn add(&self) {}\r\n".to_owned();
    assert_eq!(run(&["read", "a.rs", "--symbol", "S/add", "--numbers"]), (0, shown, String::new()));
    assert_eq!(run(&["read", "a.rs", "--symbol", "S/add", "--body"]).1, "{}");
    let (code, _, said) = run(&["read", "a.rs", "--symbol", "S/sub"]);
    assert_eq!((code, said.contains("  impl S/add\n")), (1, true), "{said}");
    let (_, json, _) = run(&["outline", "a.rs", "--json", "--depth", "0"]);
    let reply: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(reply["symbols"][2]["name"], "impl S");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_of_a_parse_is_returned() {
    let daemon = TestDaemon::started();
    daemon.put("large.rs", "fn name(a: u8) -> u8 { a + 1 }\n".repeat(30_000));
    let before = process::resident_kib(daemon.pid()).unwrap();
    let mut client = daemon.client("a");
    let outline = client.ask_json(kind::OUTLINE, &json!({"path": "large.rs"}));
    assert_eq!(outline["omitted"], 10_000, "{}", outline["error"]);
    let peak = process::peak_kib(daemon.pid()).unwrap();
    wait::until("memory goes back", wait::LONG, || {
        let now = process::resident_kib(daemon.pid())?;
        (now <= before + 12 * 1024).then(|| println!("{before} KiB, at most {peak}, {now} at rest"))
    });
}
