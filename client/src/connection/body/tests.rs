//! Tests of bodies: what is read through the plain value is what is read directly.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use editd_proto::RequestError;
use editd_proto::codec::{FrameReader, Message, encode};
use editd_proto::error::{ChangeAuthor, ErrorCode};
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{ReadReply, Receipt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::read;
use crate::connection::CallError;

fn message(body: &impl Serialize) -> Message {
    let mut frames = FrameReader::new(limits::FRAME);
    frames.push(&encode(7, "edit", body).unwrap());
    Message::parse(frames.next_frame().unwrap().unwrap()).unwrap()
}

#[track_caller]
fn alike<T: DeserializeOwned + PartialEq + std::fmt::Debug>(body: &impl Serialize) {
    let message = message(body);
    assert_eq!(read::<T>(&message).unwrap(), message.body::<T>().unwrap());
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
        match read::<Receipt>(&message(&wrong)) {
            Err(CallError::Garbled(_)) => {}
            other => panic!("{wrong}: {other:?}"),
        }
    }
    let wrong: Value = json!({"some": [1, 2, 3]});
    #[derive(Debug, Deserialize)]
    struct Pair {
        #[expect(dead_code, reason = "it is only read into")]
        some: (u64, u64),
    }
    assert!(read::<Pair>(&message(&wrong)).is_err(), "a list that is too long");
}
