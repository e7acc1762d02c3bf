//! `editctl report`: the page is well-formed, loads nothing, and escapes names and contents.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use editd_tests::{binaries, jobs};
use serde_json::{Value, json};

use super::{ChangedTree, HOSTILE, done, in_json, is_there, job, run};

/// Returns the elements, attributes, texts and styles of a page, which must be well-formed.
fn parsed(page: &[u8]) -> Value {
    let script = binaries::top().join("tests/python/page.py");
    let mut parser = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    parser.stdin.take().unwrap().write_all(page).unwrap();
    let output = parser.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_page_is_well_formed_and_loads_nothing() {
    if !is_there("python3") {
        return;
    }
    let tree = ChangedTree::changed();
    let text =
        "<script src=\"https://example.org/x.js\"></script>\n<p style=\"background:url(//x)\">\u{202e}\n";
    job(&tree.daemon, "<b>eve</b>", jobs::one("x", json!({ "op": "create", "text": text })));
    let page = done(&tree.daemon, &["report", "--since", "1", "--html", "-"]);
    let found = parsed(&page);
    let tags: Vec<&str> = found["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect();
    for banned in ["script", "img", "link", "b", "p1", "iframe", "a", "base", "object"] {
        assert!(!tags.contains(&banned), "<{banned}>");
    }
    assert_eq!(tags.iter().filter(|tag| **tag == "h1").count(), 1);
    for attribute in found["attributes"].as_array().unwrap() {
        let name = attribute[1].as_str().unwrap();
        let loads = ["src", "href", "style", "srcset", "action"].contains(&name) || name.starts_with("on");
        assert!(!loads, "{attribute}");
    }
    let style = found["style"].as_str().unwrap();
    assert!(!style.contains("url(") && !style.contains("@import"), "{style}");
    assert!(style.contains("prefers-color-scheme: dark") && style.contains("@media print"));
    // The texts are there, escaped.
    let texts = found["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let texts = texts.collect::<Vec<&str>>().join("\n");
    let hostile = HOSTILE.replace('\u{1b}', "\\u{1b}");
    for expected in [
        hostile.as_str(),
        "<img src=x onerror=alert(1)>",
        "<b>eve</b>",
        "<script src=\"https://example.org/x.js\"></script>",
        "\\u{202e}",
        "keep\\r",
        "Not shown: binary.",
        "\\ No newline at end of file",
        "The file can be executed now.",
        "undone",
        "undo of 4",
        "outside change",
        "@@ -1,4 +0,0 @@",
    ] {
        assert!(texts.contains(expected), "{expected}: {texts}");
    }
    assert!(page.iter().all(|byte| *byte == b'\n' || *byte == b'\t' || *byte >= b' '), "a control character");
    let words = String::from_utf8(page).unwrap();
    assert!(words.contains("&lt;h1&gt;&amp;amp; <del>old</del>&lt;/h1&gt;"), "no marked word: {words}");
    assert_eq!(
        words.matches("<td class=\"sign\">+</td>").count(),
        words.matches("<tr class=\"add\">").count()
    );
}

/// Returns the relative luminance of a colour such as `#1f2328`.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn texts_have_enough_contrast_in_light_and_dark() {
    let style = fs::read_to_string(binaries::top().join("client/history/src/page.css")).unwrap();
    let schemes: Vec<BTreeMap<&str, &str>> = style
        .split(":root {")
        .skip(1)
        .map(|block| {
            let block = block.split('}').next().unwrap();
            let pairs = block.split(';').filter_map(|pair| pair.trim().split_once(": "));
            pairs.filter(|(name, _)| name.starts_with("--")).collect()
        })
        .collect();
    assert_eq!(schemes.len(), 2);
    let grounds = ["--bg", "--head", "--add", "--del", "--hunk"];
    let quiet = grounds.iter().map(|ground| ("--quiet", *ground));
    let text = grounds.iter().chain(&["--ins", "--rem"]).map(|ground| ("--text", *ground));
    for (scheme, (front, ground)) in quiet.chain(text).flat_map(|pair| schemes.iter().map(move |s| (s, pair)))
    {
        let (a, b) = (luminance(scheme[front]), luminance(scheme[ground]));
        let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
        assert!(contrast >= 4.5, "{front} on {ground}: {contrast:.2} in {scheme:?}");
    }
}

#[test]
fn the_file_is_complete_private_and_replaced_only_on_request() {
    let tree = ChangedTree::changed();
    let file = tree.daemon.folder("home").join("report.html");
    let name = file.to_str().unwrap();
    let said = in_json(&tree.daemon, &["report", "--session", "bob", "--html", name]);
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(
        (&said["entries"], &said["files"], &said["bytes"]),
        (&json!(2), &json!(2), &json!(page.len()))
    );
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777,
        0o600
    );
    let refused = run(&tree.daemon, &["report", "--since", "1", "--html", name]);
    assert!(refused.status == Some(1) && refused.err.contains("replace it with --force"), "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), page);
    let done = run(&tree.daemon, &["report", "--since", "1", "--html", name, "--force"]);
    assert!(done.text().contains("11 entries (1 undone), ") && done.status == Some(0), "{done:?}");
    assert_ne!(fs::read_to_string(&file).unwrap(), page);
    let missing = run(&tree.daemon, &["report", "--since", "1", "--html", "no/such/folder.html"]);
    assert_eq!(missing.status, Some(5), "{missing:?}");
    let left = fs::read_dir(tree.daemon.folder("home")).unwrap();
    let names: Vec<String> = left.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
}

#[test]
fn an_empty_choice_writes_no_page_and_names_the_sessions() {
    let tree = ChangedTree::changed();
    job(&tree.daemon, "it's me", jobs::one("x", json!({ "op": "create", "text": "x" })));
    let page = tree.daemon.folder("home").join("page.html");
    let refused = run(&tree.daemon, &["report", "--html", page.to_str().unwrap()]);
    assert!(refused.status == Some(1) && refused.out.is_empty() && !page.exists(), "{refused:?}");
    let named = r"the last edits are by --session 'it'\''s me' (entry ";
    assert!(refused.err.contains("nothing to report") && refused.err.contains(named), "{refused:?}");
}

#[test]
fn an_undo_of_a_session_without_entries_names_the_newest() {
    let daemon = editd_tests::test_daemon::TestDaemon::started();
    let none = run(&daemon, &["undo"]);
    assert!(none.status == Some(1) && none.err.contains("there is nothing to undo"), "{none:?}");
    let entry = job(&daemon, "alice", jobs::one("x", json!({ "op": "create", "text": "x" })));
    let refused = run(&daemon, &["undo"]);
    let named = format!(
        "the newest entry that is not undone is {entry}, by session \"alice\": `editctl undo {entry}` undoes it"
    );
    assert!(refused.status == Some(1) && refused.err.contains(&named), "{refused:?}");
    // A request that names something gets no such advice.
    let refused = run(&daemon, &["undo", "--session", "nobody"]);
    assert!(refused.status == Some(1) && !refused.err.contains("newest"), "{refused:?}");
    done(&daemon, &["undo", &entry.to_string()]);
}

#[test]
fn a_rename_is_answered_with_the_new_name() {
    let daemon = editd_tests::test_daemon::TestDaemon::started();
    daemon.put("notes.md", "text\n");
    let moved = String::from_utf8(done(&daemon, &["mv", "notes.md", "docs/notes.md"])).unwrap();
    assert!(moved.ends_with("\nnotes.md \u{2192} docs/notes.md\n"), "{moved}");
    let rename = json!({ "op": "rename", "to": "b.md" });
    let receipt =
        daemon.client("s").ask_json(editd_proto::message::kind::EDIT, &jobs::one("docs/notes.md", rename));
    assert_eq!(
        (&receipt["files"][0]["to"], receipt["files"][0].get("after")),
        (&json!("b.md"), None),
        "{receipt}"
    );
}
