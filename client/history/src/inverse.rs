//! Makes the content before a change from the content after it and the diff that the daemon shows. The caller checks the
//! result: a diff may show a content in other bytes than those of the file.

use std::iter::Peekable;
use std::str::SplitInclusive;

/// The place of a hunk.
enum HunkPlace {
    /// The number of lines before it in the content after the change.
    Line(usize),
    /// The offset of its first byte in the content before the change.
    Byte(usize),
}

/// A hunk: the bytes before and after.
struct ShownHunk {
    place: HunkPlace,
    old: Vec<u8>,
    new: Vec<u8>,
}

type DiffLines<'a> = Peekable<SplitInclusive<'a, char>>;

/// Returns the content before a change, or `None` if the diff does not fit the content.
pub(crate) fn before(after: &[u8], diff: &str) -> Option<Vec<u8>> {
    let mut lines = diff.split_inclusive('\n').peekable();
    while lines.next_if(|line| !line.starts_with("@@ ")).is_some() {}
    let mut ends: Vec<usize> = vec![0];
    ends.extend(after.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
    let (mut out, mut from) = (Vec::with_capacity(after.len()), 0_usize);
    while lines.peek().is_some() {
        let hunk = hunk(&mut lines)?;
        let at = match hunk.place {
            HunkPlace::Line(before) => ends.get(before).copied().unwrap_or(after.len()),
            // What is written so far has the length of the content before up to `from`.
            HunkPlace::Byte(at) => from.checked_add(at.checked_sub(out.len())?)?,
        };
        out.extend_from_slice(after.get(from..at)?);
        from = at.checked_add(hunk.new.len())?;
        if after.get(at..from)? != hunk.new {
            return None;
        }
        out.extend_from_slice(&hunk.old);
    }
    out.extend_from_slice(after.get(from..)?);
    Some(out)
}

fn hunk(lines: &mut DiffLines<'_>) -> Option<ShownHunk> {
    let (place, mut left) = heading(lines.next()?)?;
    let (mut old, mut new) = (Vec::new(), Vec::new());
    while left != (0, 0) {
        let line = lines.next()?;
        let mut text = line.get(1..)?;
        if lines.next_if(|next| next.starts_with('\\')).is_some() {
            text = text.strip_suffix('\n')?;
        }
        let sign = line.as_bytes().first()?;
        if matches!(sign, b'-' | b' ') {
            left.0 = left.0.checked_sub(1)?;
            old.extend_from_slice(text.as_bytes());
        }
        if matches!(sign, b'+' | b' ') {
            left.1 = left.1.checked_sub(1)?;
            new.extend_from_slice(text.as_bytes());
        }
        if !matches!(sign, b'-' | b'+' | b' ') {
            return None;
        }
    }
    Some(ShownHunk { place, old, new })
}

/// Parses `@@ -1,2 +3,4 @@` and `@@ -?,2 +?,1 @@ at byte 12`: the place, and the numbers of old and new lines.
fn heading(line: &str) -> Option<(HunkPlace, (usize, usize))> {
    let mut words = line.trim_end().strip_prefix("@@ ")?.split(' ');
    let (_, removed) = range(words.next()?.strip_prefix('-')?)?;
    let (start, added) = range(words.next()?.strip_prefix('+')?)?;
    let place = match start {
        Some(start) if added > 0 => HunkPlace::Line(start.checked_sub(1)?),
        Some(start) => HunkPlace::Line(start),
        None => HunkPlace::Byte(words.next_back()?.parse().ok()?),
    };
    Some((place, (removed, added)))
}

/// Parses `3,4`, `3` or `?,4`: the start, if it is known, and the number of lines.
fn range(text: &str) -> Option<(Option<usize>, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let start = if start == "?" { None } else { Some(start.parse().ok()?) };
    Some((start, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use editctl::journal::content::FileContent;
    use editctl::journal::net::NetChange;
    use editctl::journal::patch;
    use proptest::prelude::{any, prop, proptest};

    use super::before;

    #[test]
    fn fragments_are_taken_back_by_their_offsets() {
        let diff = "--- a/f\n+++ b/f\n@@ -?,1 +?,2 @@ at byte 2\n-x\n\\ the line may continue\n+y\n+z\n\
                    \\ the line may continue\n@@ -?,0 +?,1 @@ at byte 5\n+end\n";
        assert_eq!(before(b"a\ny\nz1\nend\n", diff), Some(b"a\nx1\n".to_vec()));
        assert_eq!(before(b"a\nQ\nz1\nend\n", diff), None);
        assert_eq!(before(b"a\n", "@@ -1 +1 @@\n-b\n"), None);
    }

    proptest! {
        #[test]
        fn a_diff_is_taken_back(
            old in prop::collection::vec("[xy\r]{0,2}", 0..30),
            new in prop::collection::vec("[xy\r]{0,2}", 0..30),
            ended in any::<bool>(),
        ) {
            let text = |lines: &[String]| lines.join("\n") + if ended { "\n" } else { "" };
            let (old, new) = (text(&old).into_bytes(), text(&new).into_bytes());
            let content = |bytes: &[u8]| FileContent::Bytes(bytes.to_vec());
            let change = NetChange {
                path: "f".into(),
                former: None,
                before: content(&old),
                after: content(&new),
                executable_before: false,
                executable_after: false,
            };
            let diff = patch::of(&change).map(|diff| String::from_utf8_lossy(&diff).into_owned());
            assert_eq!(diff.ok().and_then(|diff| before(&new, &diff)), Some(old));
        }
    }
}
