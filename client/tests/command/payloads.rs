//! Tests of payloads of other tools: the request that the daemon gets, and the output. Knows no dialect.

use editd_proto::message::{DialectInfo, DialectsReply, JobRequest, JobStatus, Receipt, kind};
use serde_json::json;

use super::peer::{Scene, reply};
use super::{err, object, out, receipt, stale, status};

#[test]
fn a_payload_is_sent_as_it_is_and_its_answer_printed_in_its_words() {
    let said = |status, error| Receipt { text: Some("so it is\n".into()), ..receipt(status, error) };
    let scene = Scene::new(move |_, message| reply(message, &said(JobStatus::Applied, None)));
    let patch = b"*** Begin Patch\n\xc3\xbc\n";
    let words = ["edit", "--dialect", "apply-patch", "--path", "a", "--base", "any", "--partial", "-"];
    let output = scene.run(&words, patch);
    assert_eq!((status(&output), out(&output), err(&output)), (0, "so it is\n", ""));
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    let payload = request.payload.unwrap();
    assert_eq!((payload.dialect.as_deref(), payload.text.as_bytes()), (Some("apply-patch"), &patch[..]));
    assert_eq!((payload.path, payload.base.as_deref()), (Some("src/a".into()), Some("any")));
    assert!(request.partial && request.files.is_empty());

    let output = scene.run(&["edit", "--json"], patch);
    assert_eq!(object(&output)["text"], json!("so it is\n"));
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    assert_eq!(request.payload.unwrap().dialect, None);

    let scene = Scene::new(move |_, message| reply(message, &said(JobStatus::Refused, Some(stale()))));
    let output = scene.run(&["edit"], patch);
    assert_eq!((status(&output), out(&output), err(&output)), (3, "", "so it is\n"));
}

#[test]
fn dialects_are_listed() {
    let scene = Scene::new(|_, message| {
        let one = DialectInfo { name: "patch".into(), sentence: "One file.".into() };
        reply(message, &DialectsReply { dialects: vec![one] })
    });
    assert_eq!(out(&scene.run(&["dialects"], b"")), "patch  One file.\n");
    let output = scene.run(&["dialects", "--json"], b"");
    assert_eq!(object(&output), json!({"dialects": [{"name": "patch", "sentence": "One file."}]}));
}
