//! Tests of the text model against naive counts. They read no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::index::LineIndex;
use super::*;

const SAMPLES: [&str; 9] =
    ["", "a", "a\n", "a\nb", "a\r\nb\r\n\r\n", "a\rb\r", "\r\n", "a\rb\nc\r\n", "é\n😀\n"];

#[test]
fn lines_start_where_a_naive_split_says() {
    for sample in SAMPLES {
        let text = Text::read(sample.as_bytes(), None).unwrap();
        let stop = if sample.contains('\n') { '\n' } else { '\r' };
        let naive: Vec<&str> = sample.split_inclusive(stop).collect();
        assert_eq!(text.lines(), naive.len(), "{sample:?}");
        let mut at = 0;
        for (i, line) in naive.iter().enumerate() {
            assert_eq!(text.line_start(i + 1), at, "{sample:?}");
            for (within, _) in line.char_indices() {
                assert_eq!(text.line_of(at + within), i + 1);
                assert_eq!(text.column_of(at + within), line[..within].chars().count() + 1);
            }
            assert_eq!(text.line(i + 1), line.trim_end_matches(stop).trim_end_matches('\r'), "{sample:?}");
            at += line.len();
        }
        assert_eq!(text.line_start(naive.len() + 7), sample.len());
    }
}

#[test]
fn the_index_answers_across_blocks() {
    let content: String = (0..9000).map(|i| format!("{i}\n")).collect();
    let index = LineIndex::new(b'\n');
    assert_eq!(index.total(content.as_bytes()), 9000);
    let mut at = 0;
    for (i, line) in content.split_inclusive('\n').enumerate() {
        assert_eq!(index.rank(content.as_bytes(), at), i);
        at += line.len();
        assert_eq!(index.after(content.as_bytes(), i + 1), Some(at));
    }
    assert_eq!(index.after(content.as_bytes(), 0), None);
    assert_eq!(index.after(content.as_bytes(), 9001), None);
}

#[test]
fn the_index_answers_in_any_order() {
    let content: String = (0..9000).map(|i| format!("{i}\n")).collect();
    let content = content.as_bytes();
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', content).map(|at| at + 1).collect();
    let index = LineIndex::new(b'\n');
    let mut random = 1_u64;
    for _ in 0..50_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let line = usize::try_from(random >> 33).unwrap() % ends.len();
        // Half of the look-ups follow the one before closely.
        for line in [line, (line + line % 7).min(ends.len() - 1)] {
            assert_eq!(index.after(content, line + 1), Some(ends[line]));
            assert_eq!(index.rank(content, ends[line] - line % 2), line + 1 - line % 2);
        }
    }
}

#[test]
fn endings_are_named() {
    for (sample, name) in [
        ("", "none"),
        ("a", "none"),
        ("a\n", "lf"),
        ("a\r\n", "crlf"),
        ("a\r", "cr"),
        ("a\r\nb\n", "mixed"),
        ("a\rb\n", "lf"),
    ] {
        assert_eq!(Text::read(sample.as_bytes(), None).unwrap().ending_name(), name, "{sample:?}");
    }
}

#[test]
fn folding_maps_back_to_where_breaks_start() {
    let text = Text::read(b"a\r\nb\nc\r\n", None).unwrap();
    let folded = text.folded().unwrap();
    assert_eq!(folded.content, "a\nb\nc\n");
    let back: Vec<usize> = (0..=6).map(|at| folded.original(at)).collect();
    assert_eq!(back, [0, 1, 3, 4, 5, 6, 8]);
    assert!(Text::read(b"a\nb", None).unwrap().folded().is_none());
}

#[test]
fn the_ending_of_an_insertion_is_that_of_its_line_else_of_the_line_before() {
    let text = Text::read(b"a\r\nb\nc", None).unwrap();
    assert_eq!(text.ending_at(0), Some("\r\n"));
    assert_eq!(text.ending_at(3), Some("\n"));
    assert_eq!(text.ending_at(5), Some("\n"));
    assert_eq!(Text::read(b"abc", None).unwrap().ending_at(1), None);
}

#[test]
fn breaks_follow_and_are_counted() {
    assert_eq!(follow("x\ny\nz\n", "1\r\n2\n", None, Breaks::Lf), ("x\r\ny\nz\n".to_owned(), 1));
    assert_eq!(follow("x\ny", "", Some("\r\n"), Breaks::Lf), ("x\r\ny".to_owned(), 1));
    assert_eq!(follow("x\ry\r\nz", "", Some("\r"), Breaks::Cr), ("x\ry\rz".to_owned(), 1));
    assert_eq!(follow("x\ry", "", Some("\n"), Breaks::Lf), ("x\ry".to_owned(), 0));
    assert_eq!(follow("x\r\ny\n", "", None, Breaks::None), ("x\r\ny\n".to_owned(), 0));
}

#[test]
fn encodings_go_there_and_back() {
    let latin = Text::read(b"caf\xe9\n", Some("latin1")).unwrap();
    assert_eq!(latin.content, "café\n");
    assert_eq!(latin.encoding.encode("é").unwrap(), [0xe9]);
    assert!(latin.encoding.encode("中").is_err());
    assert_eq!(latin.encoding.name(), "windows-1252");
    let kanji = Text::read(&[0x93, 0xfa, 0x0a], Some("shift_jis")).unwrap();
    assert_eq!(kanji.content, "日\n");
    assert_eq!(kanji.encoding.width("日"), 2);
    let wide = Text::read(&[0x61, 0, 0x0a, 0], Some("utf-16le")).unwrap();
    assert_eq!((&*wide.content, wide.bom), ("a\n", 0));
    for (bytes, label) in [
        (&b"\xff\xfe\x00\x00"[..], None),
        (b"a", Some("iso-2022-jp")),
        (b"a", Some("no-such")),
        (b"\xff\xfe\x61", None),
    ] {
        assert_eq!(Text::read(bytes, label).unwrap_err().code, editd_types::ErrorCode::Encoding);
    }
    assert_eq!(Text::read(b"\xef\xbb\xbfa", Some("latin1")).unwrap().encoding, Encoding::Utf8);
}

#[test]
fn a_nul_late_in_a_file_is_a_character() {
    let mut bytes = vec![b'a'; 9000];
    bytes.push(0);
    assert!(Text::read(&bytes, None).is_ok());
    bytes[8191] = 0;
    assert_eq!(Text::read(&bytes, None).unwrap_err().code, editd_types::ErrorCode::Binary);
}
