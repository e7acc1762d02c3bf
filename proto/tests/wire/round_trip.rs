//! Tests that every message, with all of its optional fields and with none, is unchanged after encoding and decoding as
//! MessagePack, as JSON, and as a line of JSON.

use std::collections::BTreeMap;
use std::fmt::Debug;

use editd_proto::codec::{Frame, Framing, Message, encode};
use editd_proto::ids::JobId;
use editd_proto::message::*;
use editd_proto::{ErrorCode, FilePath, RequestError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::messages::{self, MessageVisitor};
use crate::samples;

fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let frame = encode(7, "x", value).unwrap();
    let message = Message::parse(Frame::from_bytes(frame[4..].to_vec())).unwrap();
    assert_eq!((message.id(), message.kind()), (7, "x"));
    assert_eq!(&message.body::<T>().unwrap(), value);
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
    let line = Framing::Lines.encode(7, "x", value).unwrap();
    let message = Framing::Lines.parse(Frame::from_bytes(line)).unwrap();
    assert_eq!((message.id(), message.kind()), (7, "x"));
    assert_eq!(&message.body::<T>().unwrap(), value);
}

/// Encodes and decodes each message.
struct RoundTrip;

impl MessageVisitor for RoundTrip {
    fn take<T>(&mut self, _: &str, _: &str, message: &T)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        both_ways(message);
    }
}

#[test]
fn every_message_with_all_of_its_fields() {
    messages::visit(&mut RoundTrip);
    samples::errors().iter().for_each(both_ways);
}

#[test]
fn every_message_without_its_optional_fields() {
    both_ways(&Hello { session: None, on_stale: None, capabilities: Vec::new(), ..samples::hello() });
    both_ways(&ReadRequest { path: "".into(), lines: None, seen: None, symbol: None, body: false });
    both_ways(&ReadReply { text: None, bytes: None, symbol: None, ..samples::read_reply() });
    both_ways(&OutlineRequest { path: "".into(), depth: None });
    both_ways(&OutlineReply {
        omitted: None,
        symbols: vec![SymbolInfo { body: None, declarations: vec![], ..samples::symbol() }],
        ..samples::outline()
    });
    both_ways(&ConfigReply { settings: vec![SettingInfo::default()], ..ConfigReply::default() });
    both_ways(&TrustRequest::default());
    both_ways(&TrustReply { hash: None, ..samples::trust() });
    both_ways(&JobRequest::default());
    both_ways(&JobRequest { files: vec![FileEntry::default()], ..JobRequest::default() });
    both_ways(&Receipt::new(None, JobStatus::Unchanged));
    both_ways(&UndoRequest::default());
    both_ways(&HistoryRequest::default());
    let mut entry = samples::entry();
    (entry.key, entry.label, entry.diverged, entry.of) = (None, None, false, Vec::new());
    both_ways(&HistoryReply { entries: vec![entry], more: false });
    both_ways(&ClipRequest { action: ClipAction::List, name: None, to: None, text: None });
    both_ways(&ClipReply::default());
    both_ways(&WaitRequest { job: JobId(0), timeout_ms: None });
    both_ways(&SubscribeRequest::default());
    both_ways(&ChangeEvent::overflow());
    both_ways(&ChecksRequest::default());
    both_ways(&ChecksReply { checks: vec![CheckOutcome::default()] });
    let bare = CheckOutcome { new: vec![Diagnostic::default()], ..CheckOutcome::default() };
    both_ways(&ChecksReply { checks: vec![bare] });
    both_ways(&ChangeEvent::without_path(ChangeKind::Damage));
    let status = samples::status();
    both_ways(&StatusReply {
        failed: None,
        damage: None,
        database: None,
        left_out: None,
        nearby: Vec::new(),
        counters: BTreeMap::new(),
        refusals: BTreeMap::new(),
        latency: BTreeMap::new(),
        trace: None,
        ..status
    });
    both_ways(&StatusRequest::default());
    both_ways(&samples::trust());
    both_ways(&TrustReply { hash: None, trusted: false, commands: Vec::new(), settings: Vec::new() });
    both_ways(&TrustRequest::default());
    both_ways(&TrustRequest { hash: Some("blake3:00".into()), revoke: true });
}

#[test]
fn words_are_lower_case_and_codes_of_a_newer_version_are_known_to_be_unknown() {
    assert_eq!(serde_json::to_string(&JobMode::VerifyOnly).unwrap(), "\"verify_only\"");
    assert_eq!(serde_json::to_string(&ErrorCode::CountMismatch).unwrap(), "\"count_mismatch\"");
    assert_eq!(serde_json::to_string(&JobStatus::Queued).unwrap(), "\"queued\"");
    let newer: RequestError = serde_json::from_str(r#"{"code": "brand_new", "message": "m"}"#).unwrap();
    assert_eq!(newer.code, ErrorCode::Unknown);
    let body = serde_json::json!({"code": "brand_new", "message": "m", "detail": [1]});
    let frame = encode(1, "error", &body).unwrap();
    let newer =
        Message::parse(Frame::from_bytes(frame[4..].to_vec())).unwrap().body::<RequestError>().unwrap();
    assert_eq!(newer.code, ErrorCode::Unknown);
}

#[test]
fn a_path_is_text_where_it_can_be_and_bytes_where_not() {
    #[derive(Serialize, serde::Deserialize, PartialEq, Debug)]
    struct One {
        path: FilePath,
    }
    let text = encode(1, "x", &One { path: "é".into() }).unwrap();
    assert!(text.ends_with(b"\xa4path\xa2\xc3\xa9"));
    let bytes = encode(1, "x", &One { path: FilePath::new([0xe9]) }).unwrap();
    assert!(bytes.ends_with(b"\xa4path\xc4\x01\xe9"));
    assert_eq!(
        serde_json::to_string(&One { path: FilePath::new([0xe9]) }).unwrap(),
        r#"{"path":{"bytes":[233]}}"#
    );
    both_ways(&One { path: FilePath::new(vec![b'a'; 4096]) });
    let long = encode(1, "x", &One { path: FilePath::new(vec![b'a'; 4097]) }).unwrap();
    let message = Message::parse(Frame::from_bytes(long[4..].to_vec())).unwrap();
    assert!(message.body::<One>().unwrap_err().to_string().contains("4096"));
}

#[test]
fn a_newer_value_of_a_word_is_refused_by_name() {
    let body = serde_json::json!({"mode": "reckless", "files": []});
    let frame = encode(1, "edit", &body).unwrap();
    let message = Message::parse(Frame::from_bytes(frame[4..].to_vec())).unwrap();
    assert!(message.body::<JobRequest>().unwrap_err().to_string().contains("reckless"));
}
