//! Files that cannot be imported: cut off, changed, of another version, or made to do harm. Each is refused with the line and
//! the remedy, and the journal stays empty.

use std::fs;

use editd_proto::message::{ExportReply, kind};
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{editctl, export, lines};

/// Writes lines with a valid last line.
fn sealed(lines: &[String]) -> String {
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let end = json!({ "type": "end", "lines": lines.len(), "bytes": text.len(), "sha256": sum });
    text.push_str(&format!("{end}\n"));
    text
}

fn two_entries() -> (TestDaemon, Vec<Value>) {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", "two\n")));
    client.ask_json(kind::CLIP, &json!({ "action": "set", "name": "c", "text": "x" }));
    let mut lines = lines(&export(&daemon, &[]));
    lines.pop();
    (daemon, lines)
}

/// Returns the reason why a text is not imported.
fn refusal(daemon: &TestDaemon, text: impl AsRef<[u8]>) -> String {
    let file = daemon.folder("home").join("changed.jsonl");
    fs::write(&file, text).unwrap();
    editctl(daemon, &["import", file.to_str().unwrap()]).unwrap_err()
}

#[test]
fn a_file_that_is_cut_off_or_changed_is_refused() {
    let (daemon, _) = two_entries();
    let whole = fs::read(export(&daemon, &[])).unwrap();
    let other = TestDaemon::new();
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        let said = refusal(&other, &whole[..end]);
        assert!(said.contains("line ") && said.contains("nothing was imported"), "{end}: {said}");
    }
    // A changed digit of a time, and a byte behind the end.
    let text = String::from_utf8(whole).unwrap();
    let at = text.find("\"time\":").unwrap() + 8;
    let mut changed = text.clone();
    changed.replace_range(at..=at, if &text[at..=at] == "1" { "2" } else { "1" });
    let said = refusal(&other, changed);
    assert!(said.contains("was changed after it was exported"), "{said}");
    let said = refusal(&other, text.clone() + "x");
    assert!(said.contains("more lines follow"), "{said}");
    let said = refusal(&other, text.clone() + &text);
    assert!(said.contains("more lines follow"), "{said}");
    let said = editctl(&other, &["import", "nowhere"]).unwrap_err();
    assert!(said.contains("nowhere"), "{said}");
    // The file as it was exported is accepted after all that.
    let file = daemon.folder("home").join("journal.jsonl");
    editctl(&other, &["import", file.to_str().unwrap()]).unwrap();
}

/// Changes one field of the first line of a type.
fn with(lines: &[Value], kind: &str, field: &str, value: Value) -> Vec<Value> {
    let mut lines = lines.to_vec();
    let line = lines.iter_mut().find(|line| line["type"] == kind).unwrap();
    line[field] = value;
    lines
}

/// Returns lines that cannot be imported, each with its name and words of the refusal.
fn hostile_lines(lines: &[Value]) -> Vec<(&'static str, Vec<Value>, &'static str)> {
    let names: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let without = |gone: usize| {
        let mut lines = lines.to_vec();
        lines.remove(gone);
        lines
    };
    let first = |kind: &str| names.iter().position(|name| *name == kind).unwrap();
    let zeros = "0".repeat(64);
    vec![
        ("version", with(lines, "header", "version", json!(2)), "knows version 1"),
        ("format", with(lines, "header", "format", json!("x")), "only editd-journal"),
        ("no header", without(0), "does not begin with the header"),
        ("two headers", [lines, lines].concat(), "second header"),
        ("absolute", with(lines, "file", "path", json!("/etc/passwd")), "absolute"),
        ("escaping", with(lines, "file", "path", json!("a/../../b")), "not the path of a file"),
        ("empty", with(lines, "file", "path", json!("")), "not the path of a file"),
        ("own", with(lines, "file", "path", json!(".editd/lock")), "belongs to editd"),
        ("a zero", with(lines, "file", "path", json!("a\u{0}b")), "not the path of a file"),
        ("long", with(lines, "file", "path", json!("x/".repeat(3000) + "x")), "the limit is"),
        ("made", with(lines, "file", "made", json!(["../x"])), "not the path of a file"),
        ("id", with(lines, "entry", "id", json!(0)), "not the number of an entry"),
        ("huge id", with(lines, "entry", "id", json!(u64::MAX)), "not the number of an entry"),
        ("order", with(lines, "entry", "id", json!(7)), "entry 7 should be"),
        ("of", with(lines, "entry", "of", json!([9])), "not before it"),
        ("time", with(lines, "entry", "time", json!(u64::MAX)), "year 9999"),
        ("files", with(lines, "entry", "files", json!(u64::MAX)), "the limit is"),
        (
            "parts",
            with(lines, "entry", "parts", json!([{ "entry": 1, "files": u32::MAX, "file": 1, "total": 9 }])),
            "part",
        ),
        ("more files", with(lines, "entry", "files", json!(2)), "is not complete"),
        ("no files", with(lines, "entry", "files", json!(0)), "belongs to an entry"),
        ("changes", with(lines, "file", "changes", json!(u64::MAX)), "is missing"),
        ("no change", without(first("change")), "is missing"),
        (
            "mode",
            with(
                lines,
                "file",
                "after",
                json!({ "hash": zeros, "size": 4, "mode": "77777", "uid": 0, "gid": 0, "modified": 0 }),
            ),
            "mode",
        ),
        ("how", with(lines, "file", "how", json!("explode")), "explode"),
        ("offset", with(lines, "change", "at", json!(u64::MAX)), "out of order"),
        ("new", with(lines, "change", "new", json!("TWO\n")), "does not have the hash"),
        ("more", with(lines, "change", "more", json!(3)), "missing"),
        ("base64", with(lines, "change", "new", json!({ "base64": "AAA" })), "not base64"),
        ("type", with(lines, "change", "type", json!("run")), "column"),
        ("text", with(lines, "entry", "id", json!("1")), "column"),
        ("name", with(lines, "clipboard", "name", json!("n".repeat(300))), "no valid name"),
        ("session", with(lines, "entry", "session", json!("n".repeat(70_000))), "longer than"),
    ]
}

#[test]
fn a_hostile_file_is_refused_with_the_line_and_the_reason() {
    let (_daemon, lines) = two_entries();
    let mut other = TestDaemon::new();
    for (name, lines, told) in hostile_lines(&lines) {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let said = refusal(&other, sealed(&lines));
        assert!(said.contains("line ") && said.contains(told), "{name}: {said}");
        assert!(said.len() < 1000, "{name}: {said}");
    }
    let content = json!({ "type": "content", "hash": "0".repeat(64), "size": 1, "bytes": "x" });
    let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.push(content.to_string());
    let said = refusal(&other, sealed(&lines));
    assert!(said.contains("size and hash"), "{said}");
    // Deep and long lines.
    lines.pop();
    lines.insert(1, format!("{{\"type\":{}", "[".repeat(1_000_000)));
    let said = refusal(&other, sealed(&lines));
    assert!(said.contains("line 2"), "{said}");
    lines[1] = "x".repeat(9 * 1024 * 1024);
    let said = refusal(&other, sealed(&lines));
    assert!(said.contains("line 2") && said.contains("longer than"), "{said}");
    lines[1] = String::new();
    let said = refusal(&other, sealed(&lines));
    assert!(said.contains("line 2"), "{said}");
    // No refusal has left anything.
    other.start();
    assert_eq!(other.client("s").ask_json(kind::STATUS, &json!({}))["entries"], 0);
}

#[test]
fn a_cursor_of_no_export_is_malformed() {
    let (daemon, _) = two_entries();
    let mut client = daemon.client("s");
    for cursor in [
        "",
        "x",
        "2.1.1.c",
        "1.1.2.e",
        "1.1.2.e.1.2",
        "1.1.2.c.zz",
        "1.1.2.q",
        "1.-1.2.c",
        "1.1.2.c.00.1",
        "1.1.18446744073709551615.e.1",
    ] {
        jobs::refused(&client.ask_json(kind::EXPORT, &json!({ "cursor": cursor })), "malformed");
    }
    // One that looks like a cursor only leads to lines that do not fit together.
    let (max, most) = ((1_u64 << 53) - 1, u64::MAX);
    let odd = [
        format!("1.{max}.{max}.e.{max}"),
        format!("1.0.{max}.e.0"),
        format!("1.{max}.0.e.1"),
        "1.1.2.e.1.9.9.9.9".to_owned(),
        format!("1.1.2.e.2.{}.{most}.{most}.7", u32::MAX),
    ];
    for cursor in odd {
        let reply = client.ask::<ExportReply>(kind::EXPORT, &json!({ "cursor": cursor }));
        reply.unwrap_or_else(|failure| panic!("{cursor}: {failure:?}"));
    }
    jobs::refused(&client.ask_json(kind::EXPORT, &json!({ "since": 3 })), "not_found");
}
