//! Tests of the output of `read`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::ids::Version;
use editd_proto::message::ReadReply;

use super::{numbered, plain};

fn reply(text: &str) -> ReadReply {
    ReadReply {
        path: "a".into(),
        version: Version("0".into()),
        hash: "h".into(),
        text: Some(text.into()),
        bytes: None,
        lines: 1,
        first_line: 1,
        encoding: "utf-8".into(),
        line_ending: "lf".into(),
        bom: false,
        size: 0,
        symbol: None,
    }
}

fn numbers(reply: &ReadReply) -> String {
    String::from_utf8(numbered(reply, false).unwrap()).unwrap()
}

#[test]
fn the_bytes_are_those_of_the_file() {
    assert_eq!(plain(reply("a\r\nb"), true), b"a\r\nb");
    assert_eq!(plain(reply(""), true), b"");
    let binary = ReadReply { text: None, bytes: Some(vec![0, 255, 10]), ..reply("") };
    assert_eq!(plain(binary, true), [0, 255, 10]);
}

#[test]
fn a_mark_is_printed_with_the_whole_file_alone() {
    let marked = ReadReply { bom: true, ..reply("a\n") };
    assert_eq!(plain(marked.clone(), true), b"\xef\xbb\xbfa\n");
    assert_eq!(plain(marked.clone(), false), b"a\n");
    let wide = ReadReply { encoding: "utf-16le".into(), ..marked };
    assert_eq!(plain(wide, true), b"a\n");
}

#[test]
fn lines_are_numbered_as_the_file_counts_them() {
    assert_eq!(numbers(&reply("a\r\nb\rc\x0cd\n")), "1 | a\r\n2 | b\rc\x0cd\n");
    assert_eq!(numbers(&ReadReply { first_line: 9, ..reply("a\n\nb") }), "9 | a\n10 | \n11 | b");
    assert_eq!(numbers(&ReadReply { line_ending: "cr".into(), ..reply("a\rb") }), "1 | a\r2 | b");
    assert_eq!(numbers(&reply("")), "");
    let binary = ReadReply { text: None, bytes: Some(vec![0]), ..reply("") };
    assert!(numbered(&binary, false).is_err());
}
