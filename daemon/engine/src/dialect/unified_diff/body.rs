//! Finds the end of a hunk. It counts the lines, and uses the counts of the header only where they lead to the better
//! reading. It reads no file.

use super::header::HunkNumbers;
use crate::Refusal;
use crate::locate::excerpt;
use crate::refusal::line_error;

/// The lines of a hunk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct HunkLines {
    /// The lines with their signs, each with its break.
    pub(super) text: String,
    /// The number of lines of each side, before and after.
    pub(super) counts: (u64, u64),
}

/// Returns true if a line begins text that is not part of a hunk.
fn ends(line: &str) -> bool {
    ["diff ", "@@", "--- ", "Index: ", "Only in ", "=====", "```", "-- ", "From ", "*** "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Reads the lines of a hunk from `lines`, whose first line has the number `first`. Returns also the number of lines
/// read.
///
/// # Errors
/// `malformed` with the line, if a line has no sign and the hunk is not complete.
pub(super) fn read(
    lines: &[&str],
    first: u64,
    numbers: Option<HunkNumbers>,
) -> Result<(HunkLines, usize), Refusal> {
    let stated = numbers.map(|numbers| (numbers.old.1, numbers.new.1));
    let (mut old, mut new, mut taken, mut blanks) = (0u64, 0u64, 0usize, 0usize);
    let mut stop = None;
    for (at, line) in lines.iter().enumerate() {
        let left = stated.map(|(a, b)| (a.saturating_sub(old), b.saturating_sub(new)));
        let (before, after) = match line.as_bytes() {
            [b'\\', ..] => (0, 0),
            [b' ', ..] | [] | b"\r" => (1, 1),
            [b'+', ..] => (0, 1),
            [b'-', ..] if is_signature(lines, at, left) || begins_file(lines, at, left) => break,
            [b'-', ..] => (1, 0),
            _ => {
                stop = Some((at, *line));
                break;
            }
        };
        old += before;
        new += after;
        taken = at + 1;
        blanks = if line.trim_end_matches('\r').is_empty() { blanks + 1 } else { 0 };
    }
    // Empty lines at the end are blank lines of the file only as far as the header counts them.
    let spare = stated.map_or(blanks as u64, |(a, b)| old.saturating_sub(a).min(new.saturating_sub(b)));
    let dropped = spare.min(blanks as u64);
    old -= dropped;
    new -= dropped;
    let kept = taken - usize::try_from(dropped).unwrap_or(0);
    let over = stated == Some((old, new));
    if let Some((at, line)) = stop.filter(|(_, line)| !over && !ends(line)) {
        let number = first.saturating_add(at as u64);
        let shown = excerpt(line.trim_end(), 0);
        let what = format!("`{shown}` starts with none of ` `, `-`, `+`; correct it");
        return Err(line_error(number, what));
    }
    let text = lines.iter().take(kept).flat_map(|line| [*line, "\n"]).collect();
    Ok((HunkLines { text, counts: (old, new) }, taken))
}

/// Returns true if a line is the separator above the signature of a mail: the hunk has all its lines, or only git's
/// version follows it in the mail, and no hunk can continue with that.
fn is_signature(lines: &[&str], at: usize, left: Option<(u64, u64)>) -> bool {
    let mut below = lines.iter().skip(at).map(|line| line.trim_end());
    if below.next() != Some("--") {
        return false;
    }
    let version = |line: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-()+ ".contains(&byte);
        line.starts_with(|first: char| first.is_ascii_digit())
            && line.contains('.')
            && line.bytes().all(plain)
    };
    left == Some((0, 0))
        || (below.next().is_some_and(version)
            && below
                .find(|line| !line.is_empty())
                .is_none_or(|line| line.starts_with("From ") || line == "```"))
}

/// Returns true if the next file begins here: `---`, `+++` and `@@` follow each other, unless exactly one line of
/// each side is missing.
fn begins_file(lines: &[&str], at: usize, left: Option<(u64, u64)>) -> bool {
    let starts = |ahead: usize, with: &str| lines.get(at + ahead).is_some_and(|line| line.starts_with(with));
    starts(0, "--- ") && starts(1, "+++ ") && starts(2, "@@") && left != Some((1, 1))
}
