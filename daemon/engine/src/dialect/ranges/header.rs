//! Parses one header line of a `ranges` text. It knows no other line.

use editd_types::JobId;

/// The forms that a header may have, for people.
pub(super) const FORMS: &str = "`PATH VERSION`, `PATH new`, `PATH VERSION delete`, `10-12`, `10-12 delete`, `before 10`, `after 10` or \
     `end`";

/// A header, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Header<'p> {
    /// A file that is edited: path and base.
    File(&'p str, String),
    /// A file that is made.
    NewFile(&'p str),
    /// A file that is removed: path and base.
    DeletedFile(&'p str, String),
    /// Lines of the file.
    Range(RangePlace),
}

/// Lines of a file, 1-based.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RangePlace {
    /// First and last line, replaced.
    Replace(u64, u64),
    /// First and last line, removed.
    Delete(u64, u64),
    /// Inserts before this line.
    Before(u64),
    /// Inserts after the last line.
    End,
}

/// The reason for which a line is not a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeaderFault {
    /// It has none of the forms.
    Form,
    /// It may be a path, without a version.
    Version,
    /// The last line of a range lies before the first.
    Backwards,
    /// A line has the number 0.
    Zero,
}

/// The digits that a line number may have: a version has 12.
const DIGITS: usize = 9;

/// Reads the text after the marker.
///
/// # Errors
/// The reason for which it is not a header.
pub(super) fn read(text: &str) -> Result<Header<'_>, HeaderFault> {
    let text = text.trim();
    let (front, last) =
        text.rsplit_once([' ', '\t']).map_or(("", text), |(front, last)| (front.trim(), last));
    match (front, last) {
        ("", "end") => Ok(Header::Range(RangePlace::End)),
        ("", range) if range.starts_with(|letter: char| letter.is_ascii_digit()) => match lines(range) {
            Some(lines) => {
                checked(lines).map(|(first, last)| Header::Range(RangePlace::Replace(first, last)))
            }
            None => Err(HeaderFault::Form),
        },
        ("before", line) if let Some(line) = number(line) => before(line),
        ("after", line) if let Some(line) = number(line) => before(line.saturating_add(1)),
        (range, "delete") if let Some(lines) = lines(range) => {
            checked(lines).map(|(first, last)| Header::Range(RangePlace::Delete(first, last)))
        }
        (path, "new") if is_path(path) => Ok(Header::NewFile(path)),
        (front, "delete") => match front.rsplit_once([' ', '\t']) {
            Some((path, base)) if is_path(path) && is_base(base) => {
                Ok(Header::DeletedFile(path.trim(), base.to_ascii_lowercase()))
            }
            _ if is_path(front) => Err(HeaderFault::Version),
            _ => Err(HeaderFault::Form),
        },
        (path, base) if is_path(path) && is_base(base) => Ok(Header::File(path, base.to_ascii_lowercase())),
        ("", path) if is_path(path) && !["new", "delete", "before", "after"].contains(&path) => {
            Err(HeaderFault::Version)
        }
        _ => Err(HeaderFault::Form),
    }
}

fn before(line: u64) -> Result<Header<'static>, HeaderFault> {
    if line == 0 { Err(HeaderFault::Zero) } else { Ok(Header::Range(RangePlace::Before(line))) }
}

/// Returns a line, or the first and the last one.
fn lines(text: &str) -> Option<(u64, u64)> {
    match text.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(text).map(|line| (line, line)),
    }
}

fn checked((first, last): (u64, u64)) -> Result<(u64, u64), HeaderFault> {
    match first {
        0 => Err(HeaderFault::Zero),
        _ if last < first => Err(HeaderFault::Backwards),
        _ => Ok((first, last)),
    }
}

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= DIGITS && text.bytes().all(|digit| digit.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Returns true for what may be a path: the header of a hunk of a diff (`@@ -1 +1 @@ new`) is none.
fn is_path(text: &str) -> bool {
    !text.is_empty() && !text.contains("@@")
}

/// Returns true for a version, a job that left one (`@17`), or a hash with its name.
fn is_base(text: &str) -> bool {
    let hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    hex(text, 12)
        || JobId::of_version(text).is_some()
        || text
            .split_once(':')
            .is_some_and(|(name, digest)| ["sha256", "blake3"].contains(&name) && hex(digest, 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        let version = "0a1b2c3d4e5f";
        let forms = [
            ("src/a.rs 0a1b2c3d4e5f", Header::File("src/a.rs", version.into())),
            ("a b.rs 0A1B2C3D4E5F", Header::File("a b.rs", version.into())),
            ("new 123456789012", Header::File("new", "123456789012".into())),
            ("before 123456789012", Header::File("before", "123456789012".into())),
            ("src/a.rs @17", Header::File("src/a.rs", "@17".into())),
            ("a @3 @17", Header::File("a @3", "@17".into())),
            ("a.rs @17 delete", Header::DeletedFile("a.rs", "@17".into())),
            ("src/a.rs new", Header::NewFile("src/a.rs")),
            ("10-12 new", Header::NewFile("10-12")),
            ("a.rs 0a1b2c3d4e5f delete", Header::DeletedFile("a.rs", version.into())),
            ("10-12", Header::Range(RangePlace::Replace(10, 12))),
            ("7", Header::Range(RangePlace::Replace(7, 7))),
            ("10-12 delete", Header::Range(RangePlace::Delete(10, 12))),
            ("7 delete", Header::Range(RangePlace::Delete(7, 7))),
            ("before 7", Header::Range(RangePlace::Before(7))),
            ("after 0", Header::Range(RangePlace::Before(1))),
            ("end", Header::Range(RangePlace::End)),
        ];
        for (text, header) in forms {
            assert_eq!(read(text), Ok(header), "{text}");
        }
    }

    #[test]
    fn lines_that_are_no_headers_get_distinct_faults() {
        let faults = [
            ("", HeaderFault::Form),
            ("new", HeaderFault::Form),
            ("delete", HeaderFault::Form),
            ("before", HeaderFault::Form),
            ("10..12", HeaderFault::Form),
            ("10,12", HeaderFault::Form),
            ("1234567890", HeaderFault::Form),
            ("-1,2 +1,2 @@ new", HeaderFault::Form),
            ("-1,2 +1,2 @@", HeaderFault::Form),
            ("src/a.rs", HeaderFault::Version),
            ("@17", HeaderFault::Version),
            ("src/a.rs @17x", HeaderFault::Form),
            ("src/a.rs delete", HeaderFault::Version),
            ("12-10", HeaderFault::Backwards),
            ("0-3", HeaderFault::Zero),
            ("before 0", HeaderFault::Zero),
        ];
        for (text, fault) in faults {
            assert_eq!(read(text), Err(fault), "{text}");
        }
    }
}
