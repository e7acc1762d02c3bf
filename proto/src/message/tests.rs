//! Tests of the recorded names, in MessagePack and in JSON.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use crate::codec::{Frame, Message, encode};
use crate::message::{FileEdit, JobRequest};

#[test]
fn unknown_fields_inside_the_fields_of_an_edit_are_noted_with_their_place() {
    let read = |edit: &serde_json::Value| {
        let body = serde_json::json!({"files": [{"path": "a", "edits": [edit]}]});
        let frame = encode(1, "edit", &body).unwrap();
        let job = Message::parse(Frame::from_bytes(frame[4..].to_vec())).unwrap().body::<JobRequest>();
        let again = serde_json::from_value::<JobRequest>(body);
        match (job, again) {
            (Ok(job), Ok(again)) => {
                assert_eq!(job, again);
                Ok(job.files[0].edits[0].clone())
            }
            (Err(error), Err(_)) => Err(error.to_string()),
            other => panic!("{other:?}"),
        }
    };
    for (edit, unknown) in [
        (serde_json::json!({"op": "insert", "at": {"lne": 3}, "txt": ""}), &["at.lne", "txt"][..]),
        (serde_json::json!({"op": "insert", "at": {"before": "x", "naer": 3}}), &["at.naer"]),
        (
            serde_json::json!({"op": "chunk", "within": {"line": [1, 2], "symbl": "x"}}),
            &["within.line", "within.symbl"],
        ),
        (
            serde_json::json!({"op": "chunk", "within": {"position": {"line": 1, "column": 2, "colum": 3}}}),
            &["within.position.colum"],
        ),
        (serde_json::json!({"op": "write", "reindent": {"stirp": "x", "add": "y"}}), &["reindent.stirp"]),
        (serde_json::json!({"op": "chmod", "mode": 420, "at": null, "within": {"lines": [1, 2]}}), &[]),
        (serde_json::json!({"op": "rename", "to": "b", "at": "end", "threshold": 1}), &[]),
    ] {
        let mut noted = read(&edit).unwrap().unknown;
        noted.sort();
        assert_eq!(noted, unknown, "{edit}");
    }
    let wrong = [
        serde_json::json!({"op": "insert", "at": {"line": 3, "before": "x"}}),
        serde_json::json!({"op": "insert", "at": {}}),
        serde_json::json!({"op": "insert", "at": 0}),
        serde_json::json!({"op": "insert", "at": "strat"}),
        serde_json::json!({"op": "chunk", "within": {"lines": [1]}}),
        serde_json::json!({"op": "chunk", "within": {"position": {"line": 1}}}),
    ];
    for edit in wrong {
        assert!(read(&edit).is_err(), "{edit}");
    }
    let both = read(&serde_json::json!({"op": "insert", "at": {"line": 3, "before": "x"}})).unwrap_err();
    assert!(both.contains("leave one of them out"), "{both}");
}

#[test]
fn every_field_inside_another_is_known_to_the_type_that_reads_it() {
    let value = |name: &str| match name {
        "lines" => serde_json::json!([1, 2]),
        "line" | "column" => serde_json::json!(1),
        "position" => serde_json::json!({"line": 1, "column": 2}),
        _ => serde_json::json!("x"),
    };
    for (holder, fields) in crate::operation::NESTED {
        for field in *fields {
            let inside = match *holder {
                "within.position" => serde_json::json!({"position": {"line": 1, "column": 2}}),
                _ => serde_json::json!({ *field: value(field) }),
            };
            let first = holder.split('.').next().unwrap();
            let edit = serde_json::json!({"op": "replace", first: inside});
            let edit: FileEdit = serde_json::from_value(edit).unwrap();
            assert!(edit.unknown.is_empty(), "{holder}.{field}");
        }
    }
}
