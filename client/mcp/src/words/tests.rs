//! Tests with the messages of the sources of the daemon.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads sources, and fails by panicking"
)]

use std::path::{Path, PathBuf};

use super::*;
use crate::toolsets;

/// The folders of the daemon whose messages can be in the refusal of a tool.
const FOLDERS: [&str; 8] = [
    "src/edit",
    "src/undo",
    "src/transaction",
    "engine/src/op",
    "engine/src/plan",
    "engine/src/locate",
    "engine/src/merge",
    "engine/src/dialect",
];

#[test]
fn a_message_keeps_the_parts_that_a_tool_can_follow() {
    let has = |name: &str| ["all", "new", "old", "path"].contains(&name);
    for (given, expected) in [
        (
            "the text occurs at 3 places; quote more lines around the one you mean, or give `near`",
            "the text occurs at 3 places; quote more lines around the one you mean",
        ),
        ("b exists; choose another path, or say `overwrite`", "b exists; choose another path"),
        (
            "not seen; the refusal shows all of that: send the job again, or with `base` \"v\" (of a client: `base` \"x\")",
            "not seen; the refusal shows all of that: send the job again",
        ),
        ("a was read; send the edit with `base` \"x\", or with `base` \"y\"", "a was read"),
        ("3 places are to change, not 2; check them and correct `expect`", "3 places are to change, not 2"),
        ("`all` takes exact text only; leave `all` out", "`all` takes exact text only; leave `all` out"),
        ("unexpected `}`; close it", "unexpected `}`; close it"),
    ] {
        assert_eq!(message(given, &has), expected);
    }
}

/// Every text in the sources below a folder that has a name between backticks, with its file.
fn texts(folder: &Path, out: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let code = std::fs::read_to_string(&path).unwrap();
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let code = lines.join("\n").replace("\\\n", "").replace("\\\"", "\u{201d}");
            // A text is every second part between quotes.
            let all = code.split('"').skip(1).step_by(2).filter(|text| text.contains('`'));
            out.extend(all.map(|text| (path.clone(), text.split_whitespace().collect::<Vec<_>>().join(" "))));
        }
    }
}

#[test]
fn no_message_of_the_daemon_names_a_field_that_a_tool_set_does_not_have() {
    let mut all = Vec::new();
    for folder in FOLDERS {
        texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../daemon").join(folder), &mut all);
    }
    assert!(all.iter().any(|(_, text)| text.contains("give `near`")), "{} texts", all.len());
    for set in toolsets::all() {
        let has = |name: &str| set.has(name);
        for (path, text) in &all {
            let told = message(text, &has);
            let foreign: Vec<&str> = names(&told).filter(|name| !has(name)).collect();
            assert!(foreign.is_empty(), "{}: {}: {told:?} names {foreign:?}", set.name, path.display());
        }
    }
}
