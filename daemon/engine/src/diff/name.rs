//! Formats a path for the header of a diff as git does: quoted if it has special bytes. It resolves no path.

use std::fmt::Write;

use editd_types::FilePath;

/// Returns `a/path` or `b/path`, in quotes if needed.
pub(crate) fn quoted(side: char, path: &FilePath) -> String {
    let odd = |byte: &u8| matches!(byte, 0..=0x1f | 0x7f | b'"' | b'\\');
    match std::str::from_utf8(path.as_bytes()) {
        Ok(text) if !path.as_bytes().iter().any(odd) => format!("{side}/{text}"),
        Ok(text) => escape_text(side, text),
        Err(_) => {
            let mut out = format!("\"{side}/");
            path.as_bytes().iter().for_each(|byte| push(&mut out, *byte));
            out.push('"');
            out
        }
    }
}

/// Returns the name, followed by a tab if it contains blanks, so that programs can find its end.
pub(crate) fn header(side: char, path: &FilePath) -> String {
    let name = quoted(side, path);
    let tab = if name.contains(' ') && !name.starts_with('"') { "\t" } else { "" };
    format!("{name}{tab}")
}

fn escape_text(side: char, text: &str) -> String {
    let mut out = format!("\"{side}/");
    for letter in text.chars() {
        match u8::try_from(letter) {
            Ok(byte) if byte.is_ascii() => push(&mut out, byte),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn push(out: &mut String, byte: u8) {
    let short = match byte {
        0x07 => "\\a",
        0x08 => "\\b",
        b'\t' => "\\t",
        b'\n' => "\\n",
        0x0b => "\\v",
        0x0c => "\\f",
        b'\r' => "\\r",
        b'"' => "\\\"",
        b'\\' => "\\\\",
        0..=0x1f | 0x7f.. => "",
        _ => {
            out.push(char::from(byte));
            return;
        }
    };
    if short.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\{byte:03o}");
    } else {
        out.push_str(short);
    }
}
