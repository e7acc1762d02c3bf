//! Rewrites the expectation of a case: the fields that it names get the actual values. It never adds a field.

use std::fmt::Write;
use std::path::PathBuf;

use editd_engine::{FileState, WorkspaceSnapshot};
use serde_json::{Value, json};

use super::{Case, Outcome, hex, name_of};

/// Rewrites a case's file.
pub(super) fn bless(file: &PathBuf, text: &str, case: &Case, world: &WorkspaceSnapshot, outcome: &Outcome) {
    let wanted: Option<Value> = serde_json::from_str(&case.expect.reply).ok();
    let fields = wanted.filter(|_| !case.expect.reply.trim().is_empty());
    let reply = fields.map_or_else(|| summary(&outcome.reply), |wanted| like(&wanted, &outcome.reply));
    let head = text.split("[expect]").next().unwrap().trim_end();
    let mut out =
        format!("{head}\n\n[expect]\nreply = '''\n{}\n'''\n", serde_json::to_string_pretty(&reply).unwrap());
    let (mut after, mut after_hex, mut gone, mut modes) =
        (String::new(), String::new(), Vec::new(), String::new());
    for (path, state) in &outcome.after {
        let old = world.files.iter().find(|(known, _)| name_of(known) == *path).map(|(_, state)| state);
        match state {
            _ if old == Some(state) => {}
            FileState::Absent => gone.push(path.clone()),
            FileState::File { bytes, mode } => {
                if !matches!(old, Some(FileState::File { mode: old, .. }) if old == mode) && *mode != 0o644 {
                    writeln!(modes, "{} = 0o{mode:o}", quoted(path)).unwrap();
                }
                if matches!(old, Some(FileState::File { bytes: old, .. }) if old == bytes) {
                    continue;
                }
                match std::str::from_utf8(bytes) {
                    Ok(text) if !text.contains('\0') => {
                        writeln!(after, "{} = {}", quoted(path), quoted(text)).unwrap()
                    }
                    _ => writeln!(after_hex, "{} = {}", quoted(path), quoted(&hex(bytes))).unwrap(),
                }
            }
        }
    }
    if !gone.is_empty() {
        writeln!(out, "gone = [{}]", gone.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", "))
            .unwrap();
    }
    let mut clips = String::new();
    for (name, text) in &outcome.clips {
        writeln!(clips, "{} = {}", quoted(name), quoted(text)).unwrap();
    }
    for (table, body) in [("after", after), ("after_hex", after_hex), ("modes", modes), ("clips", clips)] {
        if !body.is_empty() {
            write!(out, "\n[expect.{table}]\n{body}").unwrap();
        }
    }
    std::fs::write(file, out).unwrap();
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control()
                || ('\u{2000}'..='\u{20ff}').contains(&c)
                || matches!(c, '\u{a0}' | '\u{feff}') =>
            {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap();
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The found values of the fields that `wanted` names.
fn like(wanted: &Value, found: &Value) -> Value {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => wanted
            .iter()
            .map(|(key, value)| (key.clone(), like(value, found.get(key).unwrap_or(&Value::Null))))
            .collect(),
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            wanted.iter().zip(found).map(|(a, b)| like(a, b)).collect()
        }
        _ => found.clone(),
    }
}

/// Returns the reply for a case without one: the outcome of each edit, or the error of the job.
fn summary(reply: &Value) -> Value {
    let pick = |value: &Value, keys: &[&str]| -> Value {
        keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone()))).collect()
    };
    let error_keys = [
        "code",
        "path",
        "file",
        "edit",
        "other_edit",
        "found",
        "expected",
        "lines",
        "line",
        "candidates",
        "readings",
        "cause",
        "tried",
        "searched",
        "check",
        "fallen",
        "symbols",
        "marker",
        "expected_marker",
        "limit",
    ];
    if reply.get("asked").is_some() {
        return reply.clone();
    }
    if reply.get("files").is_none() {
        return with_text(reply, json!({"error": pick(&reply["error"], &error_keys)}));
    }
    let edit_keys = ["status", "match", "lines", "moved", "replacements", "converted_breaks"];
    let files = reply["files"].as_array().unwrap().iter().map(|file| {
        let edits = file["edits"].as_array().unwrap().iter().map(|edit| {
            let mut shown = pick(edit, &edit_keys);
            if let Some(error) = edit.get("error") {
                shown["error"] = pick(error, &["code", "edit", "other_edit"]);
            }
            shown
        });
        let mut shown = json!({"status": file["status"], "edits": edits.collect::<Vec<_>>()});
        if file["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty()) {
            shown["warnings"] = file["warnings"].clone();
        }
        shown
    });
    with_text(reply, json!({"files": files.collect::<Vec<_>>()}))
}

fn with_text(reply: &Value, mut shown: Value) -> Value {
    for key in ["text", "asked", "warnings"] {
        if let Some(value) = reply.get(key) {
            shown[key] = value.clone();
        }
    }
    shown
}
