//! Detects files that a program writes, by their path or by their first comments. The result is a hint: nothing is
//! forbidden because of it. Only the head of a file is read.
//!
//! *Limitations*: only comments count, in the forms that generators write; a file without such a comment counts as
//! written by hand.

mod comments;
mod paths;
mod statements;

use std::borrow::Cow;

use editd_types::FilePath;

use crate::cut::Cut;
use crate::limits;
use comments::Comments;
use statements::CommentScan;

/// Returns the reason why a file counts as generated, as the end of a sentence, or `None` if nothing marks it. `bytes`
/// is its content, of which the first 8 KiB are read.
pub fn generated(path: &FilePath, bytes: &[u8]) -> Option<String> {
    if let Some(why) = paths::why(path.as_bytes()) {
        return Some(why);
    }
    let head = head(bytes);
    let mut scan_state = CommentScan::default();
    let mut comments = Comments::new(&head, paths::is_prose(path.as_bytes()));
    comments.find_map(|line| scan_state.scan(line)).map(|line| {
        let shown: String = line.chars().take(limits::EXCERPT).collect();
        format!("its first lines say {shown:?}")
    })
}

/// Returns the first bytes of a file as text; invalid bytes become replacement characters.
fn head(bytes: &[u8]) -> Cow<'_, str> {
    let head = bytes.cut(0..bytes.len().min(limits::HEADER));
    let wide = |unit: fn([u8; 2]) -> u16| {
        let (units, _) = head.as_chunks::<2>();
        let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
        Cow::Owned(String::from_utf16_lossy(&units).trim_start_matches('\u{feff}').to_owned())
    };
    match head {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => text(rest),
        _ => text(head),
    }
}

/// Returns a text as `String::from_utf8_lossy` does, but faster for valid text. A character that is cut off at the end
/// is dropped.
fn text(head: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(head) {
        Ok(text) => Cow::Borrowed(text),
        Err(cut) if cut.error_len().is_none() => text(head.cut(0..cut.valid_up_to())),
        Err(_) => String::from_utf8_lossy(head),
    }
}

#[cfg(test)]
mod tests;
