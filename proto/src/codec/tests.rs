//! Tests of the codec with complete, truncated, oversized and random bytes.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde::Serialize;

use super::*;
use crate::error::{ErrorCode, RequestError};
use crate::limits;
use crate::message::{ClipReply, Hello, JobRequest, ReadRequest, Receipt, StopRequest, kind};

fn frames(reader: &mut FrameReader) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| reader.next_frame().unwrap()).map(|frame| frame.as_bytes().to_vec()).collect()
}

fn message(bytes: &[u8]) -> Result<Message, CodecError> {
    Message::parse(Frame::from_bytes(bytes.to_vec()))
}

fn read_request() -> ReadRequest {
    ReadRequest { path: "src/a.rs".into(), lines: Some((1, 300)), seen: None, symbol: None, body: false }
}

#[test]
fn a_message_comes_back_with_its_id_and_kind() {
    let frame = encode(u64::MAX, kind::READ, &read_request()).unwrap();
    let mut reader = FrameReader::new(limits::FRAME_BEFORE_HELLO);
    reader.push(&frame);
    let message = Message::parse(reader.next_frame().unwrap().unwrap()).unwrap();
    assert_eq!((message.id(), message.kind()), (u64::MAX, "read"));
    assert_eq!(message.body::<ReadRequest>().unwrap(), read_request());
    assert!(!reader.is_mid_frame());
}

#[test]
fn frames_are_the_same_however_they_were_cut() {
    let one = encode(1, kind::READ, &read_request()).unwrap();
    let two = encode(2, kind::STOP, &StopRequest {}).unwrap();
    let stream: Vec<u8> = [one.as_slice(), two.as_slice(), one.as_slice()].concat();
    let whole: Vec<_> = [&one, &two, &one].iter().map(|frame| frame[4..].to_vec()).collect();
    for step in 1..=stream.len() {
        let mut reader = FrameReader::new(limits::FRAME);
        let mut got = Vec::new();
        for chunk in stream.chunks(step) {
            reader.push(chunk);
            got.extend(frames(&mut reader));
        }
        assert_eq!(got, whole, "in steps of {step}");
    }
}

#[test]
fn a_cut_stream_is_mid_frame_at_every_byte_but_the_ends() {
    let frame = encode(1, kind::READ, &read_request()).unwrap();
    for end in 0..=frame.len() {
        let mut reader = FrameReader::new(limits::FRAME);
        reader.push(&frame[..end]);
        let whole = reader.next_frame().unwrap().is_some();
        assert_eq!(whole, end == frame.len());
        assert_eq!(reader.is_mid_frame(), end != 0 && end != frame.len());
    }
}

#[test]
fn a_declared_length_above_the_limit_is_refused_for_good() {
    let mut reader = FrameReader::new(limits::FRAME_BEFORE_HELLO);
    reader.push(&[0xff; 4]);
    let refused = CodecError::FrameTooLarge { declared: 0xffff_ffff, limit: 65536 };
    assert_eq!(reader.next_frame(), Err(refused.clone()));
    reader.push(&[0; 100]);
    assert_eq!(reader.next_frame(), Err(refused.clone()));
    let wire = RequestError::from(refused);
    assert_eq!((wire.code, wire.limit), (ErrorCode::TooLarge, Some(65536)));
}

#[test]
fn the_limit_is_exact_and_may_be_raised() {
    let mut reader = FrameReader::new(10);
    reader.push(&[0, 0, 0, 10]);
    reader.push(&[7; 10]);
    assert_eq!(frames(&mut reader), [vec![7; 10]]);
    reader.push(&[0, 0, 0, 11]);
    assert!(reader.next_frame().is_err());
    reader.set_limit(11);
    assert_eq!(reader.next_frame(), Ok(None));
}

#[test]
fn every_cut_of_a_message_is_refused() {
    let frame = encode(300, kind::READ, &read_request()).unwrap();
    for end in 0..frame.len() - 4 {
        assert!(message(&frame[4..4 + end]).is_err(), "cut at {end}");
    }
}

#[test]
fn every_wrong_byte_is_refused_or_read_without_a_panic() {
    let frame = encode(300, kind::READ, &read_request()).unwrap();
    for at in 4..frame.len() {
        for byte in 0..=255 {
            let mut bytes = frame[4..].to_vec();
            bytes[at - 4] = byte;
            if let Ok(message) = message(&bytes) {
                let _ = message.body::<ReadRequest>();
                let _ = message.body::<JobRequest>();
            }
        }
    }
}

/// `{"a": <value>}`
fn wrapped(value: &[u8]) -> Vec<u8> {
    [&[0x81, 0xa1, b'a'], value].concat()
}

#[test]
fn nesting_is_bounded() {
    let lists = |n: usize| wrapped(&[vec![0x91; n], vec![0xc0]].concat());
    assert_eq!(check(&lists(limits::DEPTH - 1)), Ok(()));
    let too_deep = Err(CodecError::TooDeep { limit: limits::DEPTH as u64 });
    assert_eq!(check(&lists(limits::DEPTH)), too_deep);
    assert_eq!(check(&lists(5000)), too_deep);
    let maps = [0x81, 0xa1, b'a'].repeat(5000);
    assert_eq!(check(&maps), too_deep);
}

#[test]
fn counts_are_bounded_by_the_limit_and_by_the_bytes_there_are() {
    let huge = [0xdd, 0xff, 0xff, 0xff, 0xff];
    let refused = CodecError::TooMany { what: "a list or map", limit: limits::COUNT as u64 };
    assert_eq!(check(&wrapped(&huge)), Err(refused.clone()));
    assert_eq!(check(&[0xdf, 0xff, 0xff, 0xff, 0xff]), Err(refused));
    assert_eq!(check(&wrapped(&[0xdc, 0xff, 0xff, 0xc0])), Err(CodecError::Truncated { offset: 3 }));
    let full = |n: u32| wrapped(&[&[0xdd][..], &n.to_be_bytes(), &vec![0xc0; n as usize]].concat());
    assert_eq!(check(&full(limits::COUNT as u32)), Ok(()));
    assert!(matches!(check(&full(limits::COUNT as u32 + 1)), Err(CodecError::TooMany { .. })));
}

#[test]
fn values_are_bounded_over_the_whole_message() {
    let list = [&[0xdd][..], &50_000_u32.to_be_bytes(), &[0xc0; 50_000]].concat();
    let lists = |n: u16| wrapped(&[&[0xdc][..], &n.to_be_bytes(), &list.repeat(n.into())].concat());
    assert_eq!(check(&lists(19)), Ok(()));
    assert_eq!(check(&lists(20)), Err(CodecError::TooManyValues { limit: limits::VALUES as u64 }));
}

#[test]
fn values_that_only_messagepack_allows_are_refused() {
    let refused: [(&[u8], &str); 9] = [
        (&[0x90], "a list at the top"),
        (&[0xc0], "nil at the top"),
        (&[0x81, 0x01, 0x01], "a number as key"),
        (&[0x81, 0xc4, 1, b'a', 0x01], "bytes as key"),
        (&[0x81, 0xa1, b'a', 0xc1], "the reserved byte"),
        (&[0x81, 0xa1, b'a', 0xd4, 1, 2], "an extension"),
        (&[0x81, 0xa1, b'a', 0xc7, 1, 1, 1], "a long extension"),
        (&[0x81, 0xa1, b'a', 0xa1, 0xff], "text that is not UTF-8"),
        (&[0x81, 0xa1, b'a', 0xc0, 0xc0], "a byte too many"),
    ];
    for (bytes, what) in refused {
        assert!(matches!(check(bytes), Err(CodecError::Invalid { .. })), "{what}");
    }
    assert!(matches!(check(&[]), Err(CodecError::Truncated { .. })), "nothing at all");
}

#[test]
fn a_field_twice_is_refused() {
    let twice = [0x82, 0xa2, b'i', b'd', 1, 0xa2, b'i', b'd', 2];
    assert!(matches!(check(&twice), Err(CodecError::Invalid { .. })));
    let nested = wrapped(&[0x82, 0xa1, b'b', 1, 0xa1, b'b', 1]);
    assert_eq!(check(&nested), Ok(()), "below the top the types see to it");
}

#[test]
fn a_head_may_stand_anywhere_and_be_written_in_any_width() {
    let ids: [&[u8]; 6] = [
        &[5],
        &[0xcc, 5],
        &[0xcd, 0, 5],
        &[0xcf, 0, 0, 0, 0, 0, 0, 0, 5],
        &[0xd0, 5],
        &[0xd3, 0, 0, 0, 0, 0, 0, 0, 5],
    ];
    for id in ids {
        let bytes = [&b"\x83\xa1x\x93\xa2id\x07\xc0\xa4kind\xa4stop\xa2id"[..], id].concat();
        let message = message(&bytes).unwrap();
        assert_eq!((message.id(), message.kind()), (5, "stop"));
    }
    for wrong in [&b"\xff"[..], b"\xc0", b"\xa15", b"\xcb\x40\x14\0\0\0\0\0\0", b"\xd0\x80"] {
        let bytes = [&b"\x82\xa4kind\xa4stop\xa2id"[..], wrong].concat();
        assert!(matches!(message(&bytes), Err(CodecError::Body(_))), "{wrong:?}");
    }
    assert!(matches!(message(b"\x81\xa2id\x01"), Err(CodecError::Body(_))), "no kind");
}

#[test]
fn unknown_fields_are_ignored_and_missing_ones_named() {
    let bytes = b"\x84\xa2id\x01\xa4kind\xa4read\xa4path\xa1a\xa5newer\x81\xa1x\x92\xc0\x01";
    let body: ReadRequest = message(bytes).unwrap().body().unwrap();
    assert_eq!(body.path, "a".into());
    let missing = message(b"\x82\xa2id\x01\xa4kind\xa4read").unwrap().body::<ReadRequest>();
    assert!(missing.unwrap_err().to_string().contains("path"));
}

#[test]
fn unknown_fields_of_files_and_edits_are_noted_and_those_of_the_job_are_not() {
    let edit = serde_json::json!({"op": "replace", "olds": {"a": [1]}, "new": "b", "": null});
    let body = serde_json::json!({"newer": 1, "files": [{"path": "a", "bse": "any", "edits": [edit]}]});
    let frame = encode(1, "edit", &body).unwrap();
    let job = message(&frame[4..]).unwrap().body::<JobRequest>().unwrap();
    assert_eq!(job, serde_json::from_value(body).unwrap());
    let file = &job.files[0];
    assert_eq!(file.unknown, ["bse"]);
    // This map of JSON sorts its keys.
    let mut unknown = file.edits[0].unknown.clone();
    unknown.sort();
    assert_eq!((unknown, file.edits[0].new.as_deref()), (vec![String::new(), "olds".into()], Some("b")));
    let again = encode(1, "edit", &job).unwrap();
    assert!(message(&again[4..]).unwrap().body::<JobRequest>().unwrap().files[0].unknown.is_empty());
}

#[test]
fn one_file_and_one_edit_may_come_without_a_list() {
    let edit = serde_json::json!({"op": "delete"});
    let many = serde_json::json!({"files": [{"path": "a", "edits": [edit]}]});
    let one = serde_json::json!({"files": {"path": "a", "edits": edit}});
    let read = |body: &serde_json::Value| {
        let frame = encode(1, "edit", body).unwrap();
        message(&frame[4..]).unwrap().body::<JobRequest>()
    };
    assert_eq!(read(&one).unwrap(), read(&many).unwrap());
    assert_eq!(serde_json::from_value::<JobRequest>(one).unwrap(), read(&many).unwrap());
    let misspelt = serde_json::json!({"files": {"path": "a", "edits": {"op": "delete", "pth": 1}}});
    assert_eq!(read(&misspelt).unwrap().files[0].edits[0].unknown, ["pth"]);
    for wrong in [serde_json::json!("a"), serde_json::json!(3), serde_json::json!([["a"]])] {
        assert!(read(&serde_json::json!({ "files": wrong })).is_err(), "{wrong}");
    }
}

#[test]
fn a_job_over_its_limits_is_refused_by_type() {
    let job = |files: usize, edits: usize| {
        let edits = vec![serde_json::json!({"op": ""}); edits];
        let file = serde_json::json!({"path": "a", "edits": edits});
        let frame = encode(1, "edit", &serde_json::json!({"files": vec![file; files]})).unwrap();
        message(&frame[4..]).unwrap().body::<JobRequest>()
    };
    let limit = |refused: Result<JobRequest, CodecError>| RequestError::from(refused.unwrap_err());
    assert!(job(limits::FILES, 10).is_ok());
    let error = limit(job(limits::FILES + 1, 1));
    assert_eq!((error.code, error.limit), (ErrorCode::TooLarge, Some(limits::FILES as u64)));
    let error = limit(job(2, limits::EDITS / 2 + 1));
    assert_eq!((error.code, error.limit), (ErrorCode::TooLarge, Some(limits::EDITS as u64)));
}

#[test]
fn a_list_in_place_of_a_word_is_refused() {
    // Without the check rmp-serde would read `at: ["before"]` as the start of `{"before": …}`.
    for body in [
        &b"\x82\xa4kind\xa1x\xa5files\x91\x82\xa4path\xa1a\xa5edits\x91\x82\xa2op\xa6insert\xa2at\x91\xa5start"[..],
        b"\x82\xa4kind\xa1x\xa5files\x91\x82\xa4path\xa1a\xa5edits\x91\x84\xa2op\xa6insert\xa2at\x91\xa6before\xa3old\xa1x\xa3new\xa1y",
        b"\x84\xa4kind\xa1x\xa5files\x90\xa4mode\x91\xa6strict\xa1z\xc0",
    ] {
        let mut bytes = body.to_vec();
        bytes[0] += 1;
        bytes.extend(b"\xa2id\x01");
        assert!(message(&bytes).unwrap().body::<JobRequest>().is_err());
    }
}

#[test]
fn messages_that_do_not_fit_are_typed_errors_and_never_frames() {
    let clip = |n: usize| ClipReply { bytes: Some(vec![0; n]), ..ClipReply::default() };
    let overhead = encode(1, kind::CLIP, &clip(100_000)).unwrap().len() - 4 - 100_000;
    let fits = encode(1, kind::CLIP, &clip(limits::FRAME - overhead)).unwrap();
    assert_eq!(fits.len(), 4 + limits::FRAME);
    let refused = CodecError::MessageTooLarge { limit: limits::FRAME as u64 };
    assert_eq!(encode(1, kind::CLIP, &clip(limits::FRAME - overhead + 1)), Err(refused.clone()));
    assert_eq!(encode(1, kind::CLIP, &clip(limits::FRAME * 2)), Err(refused));

    let answer = message(&Framing::Frames.reply(7, kind::CLIP, &clip(limits::FRAME))[4..]).unwrap();
    assert_eq!((answer.id(), answer.kind()), (7, kind::ERROR));
    let error: RequestError = answer.body().unwrap();
    assert_eq!((error.code, error.limit), (ErrorCode::TooLarge, Some(limits::FRAME as u64)));
}

#[test]
fn nothing_is_sent_that_a_peer_would_refuse() {
    let files = vec![serde_json::json!({}); limits::COUNT + 1];
    let body = serde_json::json!({ "files": files });
    assert!(matches!(encode(1, "x", &body), Err(CodecError::TooMany { .. })));
    assert!(matches!(encode(1, "x", &serde_json::json!({"id": 1})), Err(CodecError::Invalid { .. })));
    assert!(matches!(encode(1, "x", &serde_json::json!([1])), Err(CodecError::Body(_))));
    assert!(matches!(encode(1, "x", &()), Err(CodecError::Body(_))));
}

#[test]
fn an_error_too_large_for_a_frame_keeps_its_code_and_message() {
    let mut error = RequestError::new(ErrorCode::Stale, "read it again");
    error.diff = Some("x".repeat(limits::FRAME));
    let answer = message(&Framing::Frames.encode_error(3, &error)[4..]).unwrap();
    assert_eq!(answer.id(), 3);
    assert_eq!(answer.body::<RequestError>().unwrap(), RequestError::new(ErrorCode::Stale, "read it again"));
}

#[test]
fn an_explanation_that_quotes_the_input_is_short() {
    #[derive(Serialize)]
    struct Hostile {
        status: String,
    }
    let frame = encode(1, "edit", &Hostile { status: "é".repeat(1_000_000) }).unwrap();
    let refused = message(&frame[4..]).unwrap().body::<Receipt>().unwrap_err();
    assert!(refused.to_string().len() < 500);
}

#[test]
fn maps_of_every_width_get_a_head() {
    for pairs in [0, 1, 13, 14, 15, 16, 300, 65_533, 65_534, 65_535, 99_998] {
        let body: serde_json::Map<String, serde_json::Value> =
            (0..pairs).map(|n| (n.to_string(), serde_json::Value::Null)).collect();
        let frame = encode(1, "x", &body).unwrap();
        assert_eq!(message(&frame[4..]).unwrap().id(), 1, "{pairs} fields");
    }
}

#[test]
fn versions_and_names_are_negotiated() {
    let hello = |protocol: &[u32], client: &str| Hello {
        protocol: protocol.to_vec(),
        client: client.into(),
        session: None,
        on_stale: None,
        capabilities: Vec::new(),
    };
    assert_eq!(negotiate(&hello(&[9, 1], "me")), Ok(1));
    assert_eq!(negotiate(&hello(&[9], "me")).unwrap_err().code, ErrorCode::Unsupported);
    assert_eq!(negotiate(&hello(&[], "me")).unwrap_err().code, ErrorCode::Unsupported);
    assert_eq!(negotiate(&hello(&[1], "")).unwrap_err().code, ErrorCode::Malformed);
    assert_eq!(negotiate(&hello(&[1], "a\x1b[2J")).unwrap_err().code, ErrorCode::Malformed);
    assert_eq!(negotiate(&hello(&[1], &"x".repeat(257))).unwrap_err().code, ErrorCode::TooLarge);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut reader = FrameReader::new(limits::FRAME_BEFORE_HELLO);
        reader.push(&bytes);
        while let Ok(Some(frame)) = reader.next_frame() {
            let _ = Message::parse(frame);
        }
        if let Ok(message) = message(&bytes) {
            let _ = message.body::<JobRequest>();
        }
    }

    #[test]
    fn random_bytes_in_a_good_frame_never_panic(junk in proptest::collection::vec(any::<u8>(), 0..60)) {
        let bytes = [&b"\x83\xa2id\x01\xa4kind\xa1x\xa5files"[..], &junk].concat();
        if let Ok(message) = message(&bytes) {
            let _ = message.body::<JobRequest>();
        }
    }
}
