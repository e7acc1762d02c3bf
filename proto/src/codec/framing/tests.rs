//! Tests of lines of JSON: the same messages as in frames, and lines that are cut, too long, too deep or no JSON.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::FilePath;
use crate::error::ErrorCode;
use crate::message::{ClipReply, ContentReply, JobRequest, ReadRequest, StopRequest};

fn line(text: &[u8]) -> Result<Message, CodecError> {
    Framing::Lines.parse(Frame::from_bytes(text.to_vec()))
}

fn taken(reader: &mut ClientReader) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| reader.next_frame().unwrap()).map(|line| line.as_bytes().to_vec()).collect()
}

#[test]
fn the_first_byte_decides_between_frames_and_lines() {
    let mut reader = ClientReader::new(limits::FRAME);
    assert_eq!(reader.framing(), None);
    reader.push(b"");
    assert_eq!((reader.framing(), reader.is_mid_frame()), (None, false));
    reader.push(b"{");
    assert_eq!((reader.framing(), reader.is_mid_frame()), (Some(Framing::Lines), true));
    reader.push(b"}\n");
    assert_eq!(taken(&mut reader), [b"{}"]);
    let frame = encode(1, kind::STOP, &StopRequest {}).unwrap();
    let mut reader = ClientReader::new(limits::FRAME);
    reader.push(&frame);
    assert_eq!(reader.framing(), Some(Framing::Frames));
    assert_eq!(Framing::Frames.parse(reader.next_frame().unwrap().unwrap()).unwrap().kind(), "stop");
}

#[test]
fn lines_are_the_same_however_they_were_cut() {
    let stream = b"{\"a\":1}\n\r\n  \n{\"b\":\"\\n\"}\r\n\n{}\n";
    let whole = [&b"{\"a\":1}"[..], b"{\"b\":\"\\n\"}\r", b"{}"];
    for step in 1..=stream.len() {
        let mut reader = ClientReader::new(limits::FRAME);
        let mut got = Vec::new();
        for chunk in stream.chunks(step) {
            reader.push(chunk);
            got.extend(taken(&mut reader));
        }
        assert_eq!(got, whole, "in steps of {step}");
        assert!(!reader.is_mid_frame());
    }
}

#[test]
fn a_line_at_the_limit_is_taken_and_one_byte_more_is_refused_before_its_end_arrives() {
    let mut reader = ClientReader::new(10);
    reader.push(b"{\"a\": 123}\n{");
    assert_eq!(taken(&mut reader).len(), 1);
    reader.push(b"234567890");
    assert_eq!(reader.next_frame(), Ok(None));
    reader.push(b"1");
    let refused = Err(CodecError::LineTooLong { limit: 10 });
    assert_eq!(reader.next_frame(), refused);
    reader.push(b"\n{}\n");
    assert_eq!(reader.next_frame(), refused, "nothing behind it is read");
}

#[test]
fn a_later_limit_holds_for_a_line_that_has_begun() {
    let mut reader = ClientReader::new(4);
    reader.push(b"{}\n{\"a\": 1}\n");
    assert_eq!(reader.next_frame().unwrap().unwrap().as_bytes(), b"{}");
    reader.set_limit(8);
    assert_eq!(taken(&mut reader), [b"{\"a\": 1}"]);
}

#[test]
fn a_long_line_leaves_no_large_buffer_behind() {
    let long = [&b"{\"a\":\""[..], &vec![b'x'; 1_000_000], b"\"}\n"].concat();
    for rest in [&b""[..], b"{}\n"] {
        let mut reader = ClientReader::new(limits::FRAME);
        reader.push(&[&long, rest].concat());
        assert_eq!(taken(&mut reader)[0].len(), long.len() - 1);
        let Splitter::Lines(lines) = &reader.split else { unreachable!() };
        assert!(lines.capacity() < 100_000, "{}", lines.capacity());
    }
}

#[test]
fn a_line_is_the_message_that_the_frame_is() {
    let body = json!({"path": "é\n", "lines": [1, 300], "x": [null, true, -5, 1.5, {"y": []}, u64::MAX]});
    let text = Framing::Lines.encode(7, "read", &body).unwrap();
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert!(text.ends_with(b"}\n"));
    let of_line = line(text.trim_ascii_end()).unwrap();
    let of_frame =
        Message::parse(Frame::from_bytes(encode(7, "read", &body).unwrap()[4..].to_vec())).unwrap();
    assert_eq!((of_line.id(), of_line.kind()), (7, "read"));
    assert_eq!(of_line.body::<ReadRequest>().unwrap(), of_frame.body::<ReadRequest>().unwrap());
    assert_eq!(
        of_line.body::<serde_json::Value>().unwrap(),
        of_frame.body::<serde_json::Value>().unwrap(),
        "also what nobody reads"
    );
    assert_eq!(Framing::Lines.encode(1, "stop", &StopRequest {}).unwrap(), b"{\"id\":1,\"kind\":\"stop\"}\n");
}

#[test]
fn bytes_are_lists_of_numbers_and_an_odd_path_is_an_object() {
    let reply = ContentReply { path: FilePath::new([0xe9]), version: None, size: 2, bytes: vec![0, 255] };
    let text = String::from_utf8(Framing::Lines.reply(1, kind::CONTENT, &reply)).unwrap();
    assert!(text.contains(r#""path":{"bytes":[233]}"#) && text.contains(r#""bytes":[0,255]"#), "{text}");
    assert_eq!(line(text.as_bytes()).unwrap().body::<ContentReply>().unwrap(), reply);
}

#[test]
fn a_line_that_is_no_json_is_refused_with_its_place() {
    for (text, says) in [
        (&b"{\"id\": 1, \"kind\": \"stop\"} x"[..], "trailing characters at byte 27"),
        (b"{\"id\": 1, \"kind\": \"stop\"", "EOF"),
        (b"{\"id\": 1 \"kind\": \"stop\"}", "expected `,`"),
        (b"{'id': 1}", "key must be a string at byte 2"),
        (b"{\"id\": 1, \"kind\": \"\xff\"}", "invalid unicode"),
        (b"{\"id\": 1, \"kind\": \"\\ud800\"}", "unexpected end of hex escape"),
        (b"{\"id\": 1, \"kind\": \"\x01\"}", "control character"),
        (b"{\"id\": 1e999}", "number out of range"),
        (b"{\"id\": NaN}", "expected value"),
        (b"{1: 2}", "key must be a string"),
    ] {
        let error = line(text).unwrap_err();
        assert!(matches!(error, CodecError::Json(_)), "{error:?}");
        let said = error.to_string();
        assert!(said.contains(says) && !said.contains("line 1"), "{said}");
        assert_eq!(error.code(), ErrorCode::Malformed);
    }
}

#[test]
fn a_line_that_is_json_has_the_rules_of_a_frame() {
    for text in [&b"[]"[..], b"7", b"\"stop\"", b"null", b"{\"id\": 1, \"id\": 1, \"kind\": \"stop\"}"] {
        assert!(matches!(line(text), Err(CodecError::Invalid { .. })), "{text:?}");
    }
    for text in
        [&b"{}"[..], b"{\"id\": 1}", b"{\"id\": -1, \"kind\": \"a\"}", b"{\"id\": 1.0, \"kind\": \"a\"}"]
    {
        assert!(matches!(line(text), Err(CodecError::Body(_))), "{text:?}");
    }
    let above = b"{\"id\": 18446744073709551616, \"kind\": \"a\"}";
    assert!(matches!(line(above), Err(CodecError::Body(_))), "2^64 is no id");
    assert_eq!(line(b"{\"id\": 18446744073709551615, \"kind\": \"a\"}").unwrap().id(), u64::MAX);
}

#[test]
fn nesting_counts_and_values_of_a_line_are_bounded() {
    let nested = |n: usize| {
        let (open, close) = ("[".repeat(n), "]".repeat(n));
        format!("{{\"id\":1,\"kind\":\"a\",\"x\":{open}{close}}}").into_bytes()
    };
    assert!(line(&nested(limits::DEPTH - 1)).is_ok());
    for n in [limits::DEPTH, 100, 127, 128, 1_000_000] {
        assert_eq!(line(&nested(n)), Err(CodecError::TooDeep { limit: limits::DEPTH as u64 }), "{n} lists");
    }
    let maps = "{\"a\":".repeat(100_000);
    assert_eq!(line(maps.as_bytes()), Err(CodecError::TooDeep { limit: limits::DEPTH as u64 }));
    let list = |n: usize| format!("[{}0]", "0,".repeat(n - 1));
    let with = |x: &str| format!("{{\"id\":1,\"kind\":\"a\",\"x\":{x}}}").into_bytes();
    assert!(line(&with(&list(limits::COUNT))).is_ok());
    assert!(matches!(line(&with(&list(limits::COUNT + 1))), Err(CodecError::TooMany { .. })));
    let lists = |n: usize| with(&format!("[{}0]", format!("{},", list(50_000)).repeat(n)));
    assert!(line(&lists(19)).is_ok());
    assert!(matches!(line(&lists(20)), Err(CodecError::TooManyValues { .. })));
}

#[test]
fn a_reply_that_does_not_fit_a_line_is_a_typed_error() {
    let clip = |n: usize| ClipReply { text: Some("\u{1}".repeat(n)), ..ClipReply::default() };
    let overhead = Framing::Lines.encode(1, kind::CLIP, &clip(0)).unwrap().len() - 1;
    let most = (limits::FRAME - overhead) / 6;
    let fits = Framing::Lines.encode(1, kind::CLIP, &clip(most)).unwrap();
    assert!(fits.len() <= limits::FRAME + 1 && fits.len() > limits::FRAME - 6, "{}", fits.len());
    for n in [most + 1, limits::FRAME] {
        let refused = Err(CodecError::MessageTooLarge { limit: limits::FRAME as u64 });
        assert_eq!(Framing::Lines.encode(1, kind::CLIP, &clip(n)), refused);
        let answer = line(&Framing::Lines.reply(7, kind::CLIP, &clip(n))).unwrap();
        assert_eq!((answer.id(), answer.kind()), (7, kind::ERROR));
        assert_eq!(answer.body::<RequestError>().unwrap().code, ErrorCode::TooLarge);
    }
    let mut error = RequestError::new(ErrorCode::Stale, "read it again");
    error.diff = Some("\n".repeat(limits::FRAME));
    let answer = line(&Framing::Lines.encode_error(3, &error)).unwrap();
    assert_eq!(answer.body::<RequestError>().unwrap(), RequestError::new(ErrorCode::Stale, "read it again"));
    assert!(matches!(Framing::Lines.encode(1, "x", &json!([1])), Err(CodecError::Body(_))));
}

proptest! {
    #[test]
    fn random_lines_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), step in 1..50_usize) {
        let stream = [&b"{"[..], &bytes, b"\n"].concat();
        let mut reader = ClientReader::new(200);
        for chunk in stream.chunks(step) {
            reader.push(chunk);
            while let Ok(Some(frame)) = reader.next_frame() {
                let _ = Framing::Lines.parse(frame);
            }
        }
    }

    #[test]
    fn random_values_in_a_line_never_panic(junk in "[\\[\\]{}\",:0-9a-e\\\\ .-]{0,60}") {
        let text = format!("{{\"id\":1,\"kind\":\"x\",\"files\":{junk}}}");
        if let Ok(message) = line(text.as_bytes()) {
            let _ = message.body::<JobRequest>();
        }
    }
}
