//! The further names under which some file systems know a file. It looks at names only, not at files.

use std::borrow::Cow;

/// Returns true if an entry `wanted` could have this name on some file system: with other case, with characters or an
/// ending that the file system ignores, or as a short name of FAT and NTFS. False for nearly every other name; only the
/// identity of the file can tell for sure.
pub fn may_be(name: &[u8], wanted: &[u8]) -> bool {
    let without_dot = wanted.strip_prefix(b".").unwrap_or(wanted);
    name.eq_ignore_ascii_case(wanted)
        || name.eq_ignore_ascii_case(without_dot)
        || !name.is_ascii()
        || name.iter().any(|byte| matches!(byte, b'~' | b':'))
        || matches!(name.last(), Some(b'.' | b' '))
}

/// Returns true if a name means `wanted` on some file system: with other case, as its `short` name on FAT and NTFS, with
/// the ending that Windows ignores, or with the characters that HFS+ ignores.
pub fn is_form_of(name: &[u8], wanted: &str, short: &str) -> bool {
    let without_ignored =
        |name| -> String { String::from_utf8_lossy(name).chars().filter(|one| !is_ignored(*one)).collect() };
    let name = match name.is_ascii() {
        true => Cow::Borrowed(name),
        false => Cow::Owned(without_ignored(name).into_bytes()),
    };
    // A colon begins the name of a stream.
    let name = name.split(|byte| *byte == b':').next().unwrap_or_default();
    let length = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(0, |last| last + 1);
    let name = name.get(..length).unwrap_or_default();
    name.eq_ignore_ascii_case(wanted.as_bytes()) || name.eq_ignore_ascii_case(short.as_bytes())
}

/// Returns true for the characters that HFS+ ignores in a name.
fn is_ignored(one: char) -> bool {
    matches!(one, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_a_file_system_could_take_for_another_is_suspected() {
        let forms = [".editd", ".EDITD", "EDITD~1", "ed1f2a~1", ".editd.", ".editd ", ".ed\u{ad}itd"];
        for name in forms.into_iter().chain(["editd", ".editd::$INDEX_ALLOCATION", ".\u{17f}"]) {
            assert!(may_be(name.as_bytes(), b".editd"), "{name:?}");
        }
        assert!(may_be(b".edit\xff", b".editd"));
        for name in ["src", "a b", ".git", "..a", ".editd2", "x.editd", "editd.toml", "a.b-c_d+e@f"] {
            assert!(!may_be(name.as_bytes(), b".editd"), "{name:?}");
        }
    }
}
