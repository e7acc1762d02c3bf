//! Tests of the hooks in texts: what is written, what stays, and that a removal restores the text.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use clap::ValueEnum;
use editctl::runtime::Runtime;
use serde_json::{Value, json};

use super::{HookConfig, HookSet, OwnKind, hooks};
use crate::format::Format;
use crate::json::{array, meaning};

fn all() -> impl Iterator<Item = HookSet> {
    Runtime::value_variants().iter().filter_map(|runtime| match hooks(*runtime)? {
        HookConfig::Elements(set) => Some(set),
        HookConfig::Plugin => None,
    })
}

/// Returns a text with the version that some files must have.
fn with_version(set: &HookSet, text: &str) -> String {
    let inner = if text.contains("\"hooks\"") || text.contains("\"a\"") { ", " } else { "" };
    match set.start.contains("version") {
        true => text.replacen('{', &format!("{{\"version\": 1{inner}"), 1),
        false => text.to_owned(),
    }
}

fn claude() -> HookSet {
    all().next().unwrap()
}

/// Texts in which users have other hooks, or none.
const TEXTS: &[&str] = &[
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    "{\"a\": 1}",
    "{\n  \"a\": 1\n}\n",
    "{\n\t\"a\": 1,\n}\n",
    "{\r\n  \"a\": 1 // note\r\n}\r\n",
    "{\"hooks\": {}}",
    "{\n  \"hooks\": {\n  }\n}",
    "{\n  \"hooks\": {\"PreToolUse\": []}\n}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}",
    "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"x\", \"hooks\": []}]}, \"b\": 2}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"x\"\n      }, // mine\n    ],\n  },\n}",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [{\"matcher\": \"x\"}],\n    \"Stop\": [{\"command\": \"a\"}]\n  },\n  \"z\": [1]\n}\n",
    "// top\n{\n  /* in */ \"hooks\": { \"BeforeTool\": [ {\"matcher\": \"y\"} ] }\n}\n// end\n",
];

#[test]
fn a_removal_restores_every_text_byte_for_byte() {
    for set in all() {
        for text in TEXTS.iter().map(|text| with_version(&set, text)) {
            let made = set.insert(Some(&text), &set.command("editctl")).unwrap().unwrap();
            assert_eq!(
                set.insert(Some(&made), &set.command("editctl")).unwrap(),
                None,
                "a second run: {text}"
            );
            let start = (text != set.start).then(|| text.clone());
            assert_eq!(set.remove(&made).unwrap(), start, "{}: {text}\n{made}", set.name);
        }
        let fresh = set.insert(None, &set.command("editctl")).unwrap().unwrap();
        assert_eq!(set.remove(&fresh).unwrap(), None, "{fresh}");
        let none = set.start.contains("version").then(|| set.insert(Some("{}"), "editctl hook cursor"));
        assert!(none.is_none_or(|refused| refused.is_err()), "without a version, Cursor ignores the file");
        assert_eq!(set.remove("{\"a\": 1}").unwrap().as_deref(), Some("{\"a\": 1}"));
    }
}

#[test]
fn hooks_and_a_server_are_removed_in_either_order() {
    const SERVERS: &[&str] = &["mcpServers"];
    let entry = json!({ "command": "editctl", "args": ["mcp"] });
    for set in all() {
        let command = set.command("editctl");
        let with_server = |text: Option<&str>| Format::Json.insert(text, SERVERS, &entry).unwrap();
        let with_hooks = |text: Option<&str>| set.insert(text, &command).unwrap().unwrap();
        let without_server = |text: &str| Format::Json.remove(text, SERVERS, true).unwrap();
        let mut starts = vec![None];
        starts.extend(TEXTS.iter().map(|text| Some(with_version(&set, text))));
        // A file without a version gets no hooks of a runtime that needs one.
        starts.retain(|start| start.is_some() || !set.start.contains("version"));
        for start in starts {
            let server_first = with_hooks(Some(&with_server(start.as_deref())));
            let left = without_server(&server_first).unwrap();
            let left = set.remove(&left).unwrap();
            assert_same(&set, start.as_deref(), left.as_deref(), &server_first);
            let hooks_first = with_server(Some(&with_hooks(start.as_deref())));
            let left = set.remove(&hooks_first).unwrap().unwrap();
            let left = without_server(&left);
            assert_same(&set, start.as_deref(), left.as_deref(), &hooks_first);
        }
    }
}

/// Checks that a text is as it was, but for the space in an object that was empty.
fn assert_same(set: &HookSet, before: Option<&str>, after: Option<&str>, between: &str) {
    let without_space = |text: &str| text.replace([' ', '\n', '\t', '\r'], "");
    // A file with nothing else may have been made by setup. No text is emptied.
    assert_ne!(after, Some(""), "{}: {between}", set.name);
    let given = |text: Option<&str>| text.map(without_space).filter(|text| text != "{}");
    assert_eq!(given(after), given(before), "{}: {before:?}\n{between}\n{after:?}", set.name);
    if let (Some(before), Some(after)) = (before, after)
        && meaning(before).unwrap().as_object().is_some_and(|members| !members.is_empty())
    {
        assert_eq!(after, before, "{}: {between}", set.name);
    }
}

#[test]
fn a_new_file_is_written_as_a_person_would() {
    let made = claude().insert(None, "editctl hook claude-code").unwrap().unwrap();
    let first = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Edit|Write|";
    assert!(made.starts_with(first), "{made}");
    let command =
        "\"hooks\": [{\"type\": \"command\", \"command\": \"editctl hook claude-code\", \"timeout\": 10}]";
    assert!(made.contains(command), "{made}");
    let cursor = hooks(Runtime::Cursor).unwrap().insert(None, "editctl").unwrap().unwrap();
    assert_eq!(meaning(&cursor).unwrap()["version"], 1);
    let gemini = hooks(Runtime::Gemini).unwrap().insert(None, "editctl").unwrap().unwrap();
    assert_eq!(meaning(&gemini).unwrap()["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"], 10_000);
}

#[test]
fn hooks_of_others_stay_and_older_own_ones_are_replaced() {
    let set = claude();
    let other = json!({ "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] });
    let old = json!({ "matcher": "Edit", "hooks": [{ "type": "command", "command": "/opt/editctl hook claude-code" }] });
    let mixed = json!({ "hooks": [{ "command": "lint" }, { "command": "editctl hook claude-code" }] });
    let text = json!({ "hooks": { "PreToolUse": [other, old, mixed] } }).to_string();
    let made = set.insert(Some(&text), &set.command("editctl")).unwrap().unwrap();
    let found = meaning(&made).unwrap();
    let elements = found["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!(elements.len(), 3, "{made}");
    assert_eq!((elements.first(), elements.get(1)), (Some(&other), Some(&mixed)), "{made}");
    assert_eq!(set.insert(Some(&made), &set.command("editctl")).unwrap(), None);
    let left = meaning(&set.remove(&made).unwrap().unwrap()).unwrap();
    assert_eq!(left, json!({ "hooks": { "PreToolUse": [other, mixed] } }));
}

#[test]
fn files_of_another_form_are_refused() {
    let set = claude();
    for bad in [
        "// nothing",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"PreToolUse\": {}}}",
        "{\"a\": }",
        "{\"hooks\": {}, \"hooks\": {}}",
    ] {
        assert!(set.insert(Some(bad), "editctl hook claude-code").is_err(), "{bad}");
    }
}

#[test]
fn an_empty_file_counts_as_one_that_does_not_exist() {
    for set in all() {
        let fresh = set.insert(None, &set.command("editctl")).unwrap();
        for empty in ["", "\n", " \t\r\n\n"] {
            assert_eq!(set.insert(Some(empty), &set.command("editctl")).unwrap(), fresh, "{}", set.name);
        }
        for (bad, because) in [
            ("[]", "line 1, column 1: the file must be an object"),
            ("null", "line 1, column 1: the file must be an object"),
            ("// nothing\n", "delete it"),
        ] {
            let refused = set.insert(Some(bad), &set.command("editctl")).unwrap_err().to_string();
            assert!(refused.contains(because), "{} {bad}: {refused}", set.name);
        }
    }
}

#[test]
fn a_file_with_the_version_alone_stays_unless_setup_made_it() {
    let HookConfig::Elements(set) = hooks(Runtime::Cursor).unwrap() else { panic!("a plugin") };
    for text in
        ["{\"version\": 1}", "{\"version\": 1}\n", "{\n  \"version\": 1\n}", "{\n\t\"version\": 1\n}\n"]
    {
        let made = set.insert(Some(text), "editctl hook cursor").unwrap().unwrap();
        assert_eq!(set.remove(&made).unwrap().as_deref(), Some(text));
    }
}

#[test]
fn a_hook_with_options_stays_and_gets_no_other_beside_it() {
    for set in all() {
        let plain = set.command("editctl");
        let made = set.insert(None, &plain).unwrap().unwrap();
        let edited = made.replace(&plain, &format!("{plain} --session x 2>&1"));
        assert_eq!(set.insert(Some(&edited), &plain).unwrap(), None, "{}", set.name);
        assert_eq!(set.remove(&edited).unwrap(), None, "{}", set.name);
        // One event was edited, and the others are of another machine.
        let mixed = made.replace(&plain, &set.command("/opt/editctl"));
        let own = set.command("/opt/editctl");
        let mixed = mixed.replacen(&own, &format!("{own} --no-spawn"), 1);
        let new = set.insert(Some(&mixed), &plain).unwrap().unwrap();
        assert_eq!(new.matches(" hook ").count(), set.events.len(), "{new}");
        assert_eq!(new.matches(&format!("{own} --no-spawn")).count(), 1, "{new}");
        assert_eq!(new.matches("/opt").count(), 1, "{new}");
        assert_eq!(set.remove(&new).unwrap(), None, "{new}");
        // An older version of setup has added a second hook to each event.
        let second = set.element("", &plain);
        let doubled = set
            .events
            .iter()
            .fold(edited.clone(), |text, (event, _)| array::push(&text, event, &second).unwrap());
        assert_eq!(set.insert(Some(&doubled), &plain).unwrap(), Some(edited), "{}", set.name);
    }
}

#[test]
fn a_command_that_runs_other_programs_is_one_of_somebody_else() {
    let set = claude();
    let kind =
        |words: &str| set.own_kind(&json!({ "command": format!("/opt/editctl hook claude-code{words}") }));
    for words in [" --session x", "\t--no-spawn", " --session \"$USER\" 2>>/tmp/log"] {
        assert_eq!(kind(words), Some(OwnKind::Edited), "{words}");
    }
    assert_eq!(kind(" "), Some(OwnKind::Written));
    for words in ["-2", "; lint", " && lint", " --session x | lint", " &", "\nlint"] {
        assert_eq!(kind(words), None, "{words}");
    }
}

#[test]
fn a_command_survives_a_shell() {
    let set = claude();
    assert_eq!(set.command("/opt/editctl"), "/opt/editctl hook claude-code");
    let quoted = set.command("/o'p t/editctl");
    if !cfg!(windows) {
        assert_eq!(quoted, "'/o'\\''p t/editctl' hook claude-code");
    }
    let kind = |command: &str| set.own_kind(&json!({ "command": command }));
    assert_eq!(kind(&quoted), Some(OwnKind::Written));
    assert_eq!((kind("editctl hook cursor"), set.own_kind(&Value::Null)), (None, None));
}
