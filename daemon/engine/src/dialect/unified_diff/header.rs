//! The lines of a diff that are no content: names, modes, and the numbers of a hunk. It keeps no state.

use std::borrow::Cow;

use super::stamp;
use crate::cut::Cut;

/// The numbers of a hunk's header: first line and count of each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HunkNumbers {
    /// First line and count before.
    pub(super) old: (u64, u64),
    /// First line and count after.
    pub(super) new: (u64, u64),
}

/// Returns the numbers of a line that begins with `@@`, if it has any.
pub(super) fn numbers(line: &str) -> Option<HunkNumbers> {
    let (old, rest) = line.strip_prefix("@@")?.trim_start().strip_prefix('-')?.split_once(" +")?;
    let new = rest.split_once("@@").map_or(rest, |(new, _)| new);
    Some(HunkNumbers { old: range(old)?, new: range(new)? })
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (first, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((first.parse().ok()?, count.parse().ok()?))
}

/// The name in a `---` or `+++` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Name<'p> {
    /// No file.
    Nothing,
    /// A file, with its prefix.
    File(Cow<'p, str>),
}

/// Returns the name behind `--- ` or `+++ `, and true if its time stamp marks a file that does not exist.
pub(super) fn name(rest: &str) -> (Name<'_>, bool) {
    let trimmed = rest.trim();
    if let Some(name) = unquoted(trimmed) {
        let behind = trimmed.cut(quote_end(trimmed).unwrap_or(trimmed.len())..trimmed.len());
        return (Name::File(name.into()), stamp::is_epoch(behind.trim()));
    }
    // Tools write a tab behind a name that contains a blank. Without a tab, a blank at the end is not of the name.
    let (bare, stamp) = stamp::split(rest);
    let name = if bare == "/dev/null" { Name::Nothing } else { Name::File(bare.into()) };
    (name, stamp.is_some_and(stamp::is_epoch))
}

/// Returns the path in an extended header, which has no prefix.
pub(super) fn plain(rest: &str) -> Cow<'_, str> {
    unquoted(rest.trim()).map_or(Cow::Borrowed(rest), Cow::Owned)
}

/// Returns both names after `diff --git `, if they differ only in their prefixes.
pub(super) fn both(rest: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if rest.trim().starts_with('"') {
        let rest = rest.trim();
        let end = quote_end(rest)?;
        let (first, second) = (rest.cut(0..end), rest.cut(end..rest.len()));
        return Some((unquoted(first)?.into(), plain(second.trim())));
    }
    halves(rest).or_else(|| halves(rest.trim()))
}

fn halves(rest: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let half = rest.len().checked_sub(1)? / 2;
    let (first, second) = (rest.get(..half)?, rest.get(half..)?.strip_prefix(' ')?);
    (first == second || bare(first)? == bare(second)?).then_some((first.into(), second.into()))
}

/// Returns the prefixes of the two names in a `diff --git` line, if these are `from` and `to`.
pub(super) fn pair_prefixes<'r>(rest: &'r str, from: &str, to: &str) -> Option<(Cow<'r, str>, Cow<'r, str>)> {
    [rest, rest.trim()].into_iter().find_map(|rest| {
        let (first, second) = match quoted_second(rest) {
            Some(at) => (plain(rest.cut(0..at)), plain(rest.cut(at + 1..rest.len()))),
            None if rest.starts_with('"') => {
                let end = quote_end(rest)?;
                (plain(rest.cut(0..end)), Cow::Borrowed(rest.cut(end..rest.len()).strip_prefix(' ')?))
            }
            None => {
                // A prefix contains no blank.
                let (first, prefix) = rest.strip_suffix(to)?.rsplit_once(' ')?;
                return Some((first.strip_suffix(from)?.into(), prefix.into()));
            }
        };
        let cut = |name: Cow<'r, str>, path| Some(Cow::Owned(name.strip_suffix(path)?.to_owned()));
        Some((cut(first, from)?, cut(second, to)?))
    })
}

/// Returns the offset of the blank before the second of two names, if that name is in quotes.
fn quoted_second(rest: &str) -> Option<usize> {
    if !rest.starts_with('"') {
        return rest.find(" \"").filter(|_| rest.ends_with('"'));
    }
    let end = quote_end(rest)?;
    rest.cut(end..rest.len()).starts_with(" \"").then_some(end)
}

/// Returns a name without its first folder.
pub(super) fn bare(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, rest)| rest)
}

/// Returns the prefixes of two names of the same file.
pub(super) fn prefixes<'n>(old: &'n str, new: &'n str) -> Option<(&'n str, &'n str)> {
    if old == new {
        return Some(("", ""));
    }
    let rest = bare(old).filter(|rest| bare(new) == Some(*rest))?;
    Some((old.strip_suffix(rest)?, new.strip_suffix(rest)?))
}

/// Returns the two names of one file without their prefixes, if the prefixes are usual ones of tools.
pub(super) fn without_prefixes<'n>(old: &'n str, new: &'n str) -> (&'n str, &'n str) {
    const PAIRS: [(&str, &str); 5] = [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];
    PAIRS
        .iter()
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .find_map(|(a, b)| Some((old.strip_prefix(a)?, new.strip_prefix(b)?)))
        .unwrap_or((old, new))
}

/// Returns a name without a usual prefix.
pub(super) fn without_prefix(name: &str) -> &str {
    match name.split_once('/') {
        Some(("a" | "b" | "c" | "i" | "o" | "w", rest)) => rest,
        _ => name,
    }
}

/// Returns the offset behind the closing quote of a string that begins with a quote.
fn quote_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().enumerate().skip(1).find_map(|(at, byte)| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends.then_some(at + 1)
    })
}

/// Reads a name quoted as in C, which git uses for names with special characters.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.cut(0..quote_end(text).filter(|_| text.starts_with('"'))?);
    let mut bytes = inner.bytes().skip(1).peekable();
    let mut name = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'"' {
            break;
        }
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        name.push(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let next = bytes.next_if(|byte| (b'0'..=b'7').contains(byte))?;
                    value = value * 8 + u32::from(next - b'0');
                }
                u8::try_from(value).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(name).ok()
}

/// The mode of a file in a git header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// A regular file with these permission bits.
    File(u32),
    /// A link or a submodule, or no mode at all.
    Other,
}

/// Reads a mode (`100755`).
pub(super) fn mode(rest: &str) -> Mode {
    match u32::from_str_radix(rest.trim(), 8) {
        Ok(mode) if mode & !0o777 == 0o100_000 => Mode::File(mode & 0o777),
        _ => Mode::Other,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn names_lose_quotes_and_times() {
        let name = |rest| name(rest).0;
        assert_eq!(name("a/x y\t2020-01-01 00:00:00"), Name::File("a/x y".into()));
        assert_eq!(name("/dev/null\t1970"), Name::Nothing);
        assert_eq!(name(r#""a/\303\244\"\t""#), Name::File("a/ä\"\t".into()));
        assert_eq!(both("a/x y b/x y").unwrap(), ("a/x y".into(), "b/x y".into()));
        assert_eq!(both(r#""a/\303\244" "b/\303\244""#).unwrap(), ("a/ä".into(), "b/ä".into()));
        assert_eq!(both("a/x b/y"), None);
        assert_eq!(both("x x").unwrap(), ("x".into(), "x".into()));
        assert_eq!(both("a/x  b/x ").unwrap(), ("a/x ".into(), "b/x ".into()));
        assert_eq!(both("a/x b/x ").unwrap(), ("a/x".into(), "b/x".into()));
        assert_eq!(name("a/x \t"), Name::File("a/x ".into()));
        assert_eq!(name("a/x "), Name::File("a/x".into()));
        assert_eq!(prefixes("i/x", "w/x"), Some(("i/", "w/")));
        assert_eq!(prefixes("a/x", "a/x"), Some(("", "")));
        assert_eq!(prefixes("a/x", "b/y"), None);
        assert_eq!(without_prefixes("a/x", "b/x"), ("x", "x"));
        assert_eq!(without_prefixes("a/x", "a/x"), ("a/x", "a/x"));
    }

    #[test]
    fn the_prefixes_of_a_pair_are_what_the_names_leave() {
        let read = |rest| pair_prefixes(rest, "x", "y y").map(|(a, b)| (a.into_owned(), b.into_owned()));
        let both = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(read("a/x b/y y"), both("a/", "b/"));
        assert_eq!(read("x y y"), both("", ""));
        assert_eq!(read("\"a/x\" \"b/y y\""), both("a/", "b/"));
        assert_eq!(read("a/x \"b/y y\""), both("a/", "b/"));
        assert_eq!(read("\"a/x\" b/y y"), both("a/", "b/"));
        assert_eq!(read("a/z b/y y"), None);
        assert_eq!(read("a/x b/y"), None);
    }

    #[test]
    fn numbers_may_lack_their_counts() {
        let read = |line| numbers(line).map(|numbers| (numbers.old, numbers.new));
        assert_eq!(read("@@ -1,2 +3,4 @@ fn f"), Some(((1, 2), (3, 4))));
        assert_eq!(read("@@ -1 +3 @@"), Some(((1, 1), (3, 1))));
        assert_eq!(read("@@ -0,0 +1"), Some(((0, 0), (1, 1))));
        assert_eq!(read("@@ ... @@"), None);
    }

    #[test]
    fn modes_are_those_of_files() {
        assert_eq!(mode("100755"), Mode::File(0o755));
        assert_eq!(mode("120000"), Mode::Other);
        assert_eq!(mode("x"), Mode::Other);
    }
}
