//! Parses the payload of a hook. Text that is no Unicode does not make a payload invalid: it is replaced.

use std::borrow::Cow;

use serde_json::Value;

/// The escape of U+FFFD, which stands for what is replaced.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// The byte order mark, which some programs write in front of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Parses a JSON text, also behind a byte order mark. Bytes that are not UTF-8, and the escapes of surrogates without their
/// other half, become U+FFFD: a runtime in JavaScript prints such halves when it cuts a text.
///
/// # Errors
/// It is no JSON.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(MARK).unwrap_or(bytes));
    serde_json::from_slice(&without_halves(text.as_bytes()))
}

/// Returns the text with an escape of U+FFFD for each escape of a surrogate that has no other half. Backslashes are only in
/// the strings of a JSON text.
fn without_halves(text: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Vec<u8> = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        let length = match (unit(text, at), unit(text, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.extend_from_slice(text.get(copied..at).unwrap_or_default());
                out.extend_from_slice(REPLACEMENT);
                copied = at + 6;
                6
            }
            // The backslash and the byte that it escapes.
            (_, _) => 2,
        };
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the UTF-16 unit of the escape `\uXXXX` at a place, if there is one.
fn unit(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}
