//! Tests of reading payloads of any shape. They look at no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_types::Receipt;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::payload::read;
use super::reply::ChunksReply;
use crate::dialect::{PayloadOutcome, ReplyFormat};

/// Returns the `old` text that a list of lines becomes.
fn old(value: Value) -> Option<String> {
    let payload = json!({"chunks": [{"old_lines": value, "new_lines": []}]});
    read(&payload.to_string()).ok()?.chunks.pop()?.old
}

#[test]
fn a_list_is_its_lines_and_a_last_blank_line_has_a_break() {
    for (value, job) in [
        (json!([]), ""),
        (json!(""), ""),
        (json!([""]), "\n"),
        (json!(["\n"]), "\n"),
        (json!("\n"), "\n"),
        (json!(["a"]), "a"),
        (json!(["a\r\n"]), "a"),
        (json!(["a\n", "b\r\n"]), "a\nb"),
        (json!(["a", ""]), "a\n\n"),
        (json!(["", "a"]), "\na"),
        (json!(["", ""]), "\n\n"),
        (json!("a\nb\n"), "a\nb\n"),
    ] {
        assert_eq!(old(value.clone()).unwrap(), job, "{value}");
    }
}

#[test]
fn every_end_of_a_job_is_said() {
    let say = |receipt: Value| {
        let receipt: Receipt = serde_json::from_value(receipt).unwrap();
        ChunksReply.format(&PayloadOutcome::Receipt(&receipt))
    };
    let file = |edits: Value| json!([{"path": "f", "status": "applied", "edits": edits, "warnings": ["w"]}]);
    let fallen = json!([{"line": 3, "check": "end_of_symbol", "reason": "r"}]);
    let error =
        json!({"code": "out_of_range", "message": "m", "edit": 2, "check": "boundary", "fallen": fallen});
    let loose = json!({"status": "applied", "match": "indent", "lines": [2, 3]});
    let failed = json!({"status": "refused", "error": error});
    let failure = "Chunk 2 validation failed: Check 5 failed (boundary): m\nCandidate positions that failed \
                   validation:\n- line 3: Check 6 failed (end of symbol): r";
    for (receipt, job) in [
        (json!({"status": "verified"}), "OK: every chunk passes, nothing was written".to_owned()),
        (json!({"status": "queued"}), "OK: queued, not applied yet".to_owned()),
        (json!({"status": "refused"}), "Error: nothing was applied".to_owned()),
        (json!({"status": "refused", "error": error}), failure.to_owned()),
        (
            json!({"status": "applied", "files": file(json!([loose]))}),
            "OK\nChunk 1 matched lines 2 to 3 only at `indent`\nWarning: w".to_owned(),
        ),
        (
            json!({"status": "partial", "files": file(json!([loose, failed])), "error": error}),
            format!(
                "Error: only 1 of 2 chunks applied\nChunk 1 matched lines 2 to 3 only at `indent`\n{failure}\nWarning: w"
            ),
        ),
    ] {
        assert_eq!(say(receipt), job);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..9).prop_map(Value::from),
        Just(json!(1.5)),
        "[ab\n\r]{0,3}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("chunks"),
        Just("relative_path"),
        Just("line"),
        Just("column"),
        Just("name_path"),
        Just("context_before"),
        Just("old_lines"),
        Just("new_lines"),
        Just("context_after"),
        Just("x"),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    /// A payload of any shape is read or refused. If it is read, it has a chunk for each item.
    #[test]
    fn no_payload_panics(fields in any_json(), chunks in prop::collection::vec(any_json(), 0..3), wrap: bool) {
        let payload = if wrap { json!({"chunks": chunks}) } else { fields };
        if let Ok(request) = read(&payload.to_string()) {
            prop_assert_eq!(request.chunks.len(), payload["chunks"].as_array().unwrap().len());
            prop_assert!(request.chunks.iter().all(|edit| edit.old.is_some() && edit.new.is_some()));
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,40}") {
        let _ = read(&text);
    }

    /// The native edit has the lines of the list, line for line.
    #[test]
    fn a_list_of_lines_is_read_line_for_line(list in prop::collection::vec("[a ]{0,2}", 0..5)) {
        let text = old(json!(list)).unwrap();
        let lines: Vec<&str> = text.split_terminator('\n').collect();
        prop_assert_eq!(lines, list);
    }
}
