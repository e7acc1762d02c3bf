//! Tests of bodies: those decoded in two steps are the same as those decoded in one.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::codec::{CodecError, FrameReader, Message, encode};
use crate::error::{ChangeAuthor, ErrorCode, RequestError};
use crate::ids::JobId;
use crate::limits;
use crate::message::{JobRequest, ReadReply, Receipt};

fn message(body: &impl Serialize) -> Message {
    let mut frames = FrameReader::new(limits::FRAME);
    frames.push(&encode(7, "edit", body).unwrap());
    Message::parse(frames.next_frame().unwrap().unwrap()).unwrap()
}

#[track_caller]
fn alike<T: DeserializeOwned + PartialEq + std::fmt::Debug>(body: &impl Serialize) {
    let message = message(body);
    assert_eq!(message.placed_body::<T>().unwrap(), message.body::<T>().unwrap());
}

#[derive(PartialEq, Debug, Serialize, Deserialize)]
struct Everything {
    none: Option<u8>,
    some: Option<(u64, i64)>,
    list: Vec<bool>,
    score: f64,
    word: ErrorCode,
    by: [ChangeAuthor; 2],
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

#[test]
fn every_kind_of_value_is_read_as_without_it() {
    let by = [ChangeAuthor::Entry(JobId(u64::MAX)), serde_json::from_value(json!("outside")).unwrap()];
    let bytes = vec![0, 255, 10];
    let list = vec![true, false];
    alike::<Everything>(&Everything {
        none: None,
        some: Some((3, -9)),
        list,
        score: 0.25,
        word: ErrorCode::Stale,
        by,
        bytes,
    });
    let error = json!({"code": "ambiguous", "message": "é", "candidates": [{"line": 1, "column": 2, "text": "x"}],
        "by": 17, "near_misses": [{"line": 3, "score": 0.5, "text": "y"}], "unknown": {"of": ["a", null, 1.5]}});
    alike::<RequestError>(&error);
    alike::<Receipt>(
        &json!({"status": "refused", "files": [{"path": "a", "status": "refused"}], "error": error}),
    );
    alike::<ReadReply>(
        &json!({"path": "a", "version": "0123456789ab", "hash": "h", "text": null, "lines": 1,
        "first_line": 1, "encoding": "utf-8", "line_ending": "lf", "bom": false, "size": 9}),
    );
}

#[test]
fn bodies_that_are_no_reply_are_errors() {
    for wrong in [
        json!({}),
        json!({"status": "refused", "files": 7}),
        json!({"status": 3, "files": []}),
        json!({"status": {"refused": 1, "applied": 2}, "files": []}),
        json!({"status": "no such status", "files": []}),
        json!({"status": "applied", "files": [], "job": -1}),
    ] {
        match message(&wrong).placed_body::<Receipt>() {
            Err(CodecError::Body(_)) => {}
            other => panic!("{wrong}: {other:?}"),
        }
    }
    let wrong: Value = json!({"some": [1, 2, 3]});
    #[derive(Debug, Deserialize)]
    struct Pair {
        #[expect(dead_code, reason = "it is only read into")]
        some: (u64, u64),
    }
    assert!(message(&wrong).placed_body::<Pair>().is_err(), "a list that is too long");
}

#[test]
fn an_error_names_the_place_of_the_field() {
    let reason = |body: Value| message(&body).placed_body::<JobRequest>().unwrap_err().to_string();
    let edit = |edit: Value| {
        reason(
            json!({"files": [{"path": "a", "edits": []}, {"path": "b", "edits": [{"op": "delete"}, edit]}]}),
        )
    };
    for (error, expected) in [
        (
            edit(json!({"op": "replace", "near": "3"})),
            "files[1].edits[1].near: invalid type: string \"3\", expected a whole number",
        ),
        (
            edit(json!({"op": "chunk", "within": {"lines": [1, 2, 3]}})),
            "files[1].edits[1].within.lines: it has a wrong number of elements",
        ),
        (
            edit(json!({"op": "chunk", "within": {"lines": [1]}})),
            "files[1].edits[1].within.lines: invalid length 1, expected a list of two",
        ),
        (edit(json!({"old": "a"})), "files[1].edits[1]: missing field `op`"),
        (reason(json!({"mode": 7})), "mode: invalid type: integer `7`, expected a name"),
        (reason(json!({"files": 3})), "files: invalid type: integer `3`, expected a list of files"),
        (
            reason(json!({"files": [3]})),
            "files[0]: invalid type: integer `3`, expected a file with its edits",
        ),
        (edit(json!(3)), "files[1].edits[1]: invalid type: integer `3`, expected an edit"),
    ] {
        assert_eq!(error, format!("the message does not fit its kind: {expected}"));
    }
}

#[test]
fn a_limit_is_the_same_error_as_without_a_place() {
    let files = vec![json!({"path": "a", "edits": []}); limits::FILES + 1];
    let message = message(&json!({"files": files}));
    let error = message.placed_body::<JobRequest>().unwrap_err();
    assert!(matches!(error, CodecError::TooMany { .. }), "{error}");
    assert_eq!(error, message.body::<JobRequest>().unwrap_err());
}
