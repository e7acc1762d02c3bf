//! Tests of views of a file: lines, encoding, line ends. They plan nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_engine::{FileView, PlanOptions, view};
use editd_proto::error::ErrorCode;
use editd_proto::path::FilePath;

fn whole(bytes: &[u8]) -> FileView {
    view(bytes, None, &FilePath::from("f"), &PlanOptions::default()).unwrap()
}

fn some(bytes: &[u8], lines: (u64, u64)) -> Result<FileView, editd_engine::Refusal> {
    view(bytes, Some(lines), &FilePath::from("f"), &PlanOptions::default())
}

#[test]
fn a_file_is_described_as_it_is() {
    for (bytes, text, lines, encoding, ending, bom) in [
        (&b""[..], "", 0, "utf-8", "none", false),
        (b"a", "a", 1, "utf-8", "none", false),
        (b"a\nb\n", "a\nb\n", 2, "utf-8", "lf", false),
        (b"a\r\nb", "a\r\nb", 2, "utf-8", "crlf", false),
        (b"a\r\nb\n", "a\r\nb\n", 2, "utf-8", "mixed", false),
        (b"a\rb\r", "a\rb\r", 2, "utf-8", "cr", false),
        (b"\xef\xbb\xbfa\n", "a\n", 1, "utf-8", "lf", true),
        (b"\xff\xfea\0\n\0", "a\n", 1, "utf-16le", "lf", true),
        (b"\xfe\xff\0a", "a", 1, "utf-16be", "none", true),
    ] {
        let seen = whole(bytes);
        assert_eq!(seen.text.as_deref(), Some(text));
        assert_eq!((seen.lines, seen.first_line, seen.bom), (lines, 1, bom), "{bytes:?}");
        assert_eq!((seen.encoding.as_str(), seen.line_ending.as_str()), (encoding, ending), "{bytes:?}");
        assert!(seen.bytes.is_none());
    }
}

#[test]
fn binary_content_is_shown_as_bytes() {
    for bytes in [&b"a\0b"[..], b"caf\xe9", b"\xff\xfea"] {
        let seen = whole(bytes);
        assert_eq!((seen.text, seen.bytes.as_deref(), seen.encoding.as_str()), (None, Some(bytes), "binary"));
    }
    let options =
        PlanOptions { encodings: vec![(FilePath::from("f"), "latin1".to_owned())], ..PlanOptions::default() };
    let seen = view(b"caf\xe9", None, &FilePath::from("f"), &options).unwrap();
    assert_eq!((seen.text.as_deref(), seen.encoding.as_str()), (Some("café"), "windows-1252"));
}

#[test]
fn a_range_of_lines_is_cut_at_the_end() {
    let file = b"1\n2\r\n3\n4";
    let shown =
        |lines| some(file, lines).map(|seen| (seen.text.unwrap(), seen.first_line, seen.lines)).unwrap();
    assert_eq!(shown((2, 3)), ("2\r\n3\n".to_owned(), 2, 4));
    assert_eq!(shown((4, 4)), ("4".to_owned(), 4, 4));
    assert_eq!(shown((3, u64::MAX)), ("3\n4".to_owned(), 3, 4));
    assert_eq!(some(b"", (1, 10)).unwrap().text.as_deref(), Some(""));
}

#[test]
fn a_range_outside_the_file_is_refused() {
    for (lines, code) in
        [((0, 1), ErrorCode::OutOfRange), ((3, 4), ErrorCode::OutOfRange), ((2, 1), ErrorCode::Malformed)]
    {
        let refusal = some(b"1\n2\n", lines).unwrap_err();
        assert_eq!(refusal.code, code, "{lines:?}");
    }
    assert_eq!(some(b"1\n2\n", (9, 9)).unwrap_err().lines, Some(2));
}
