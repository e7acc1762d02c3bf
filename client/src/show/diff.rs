//! Formats a unified diff for a terminal, with colours and with the changed parts of lines marked. In a pipe the diff
//! stays as it is.

use similar::DiffTag;

use super::OutputStyle;
use super::letters::TextStyle;
use crate::journal::lines::steps;

/// Maximum size of a line in bytes for which changed parts are marked. The comparison takes quadratic time.
const LONG: usize = 500;

/// Maximum number of lines of a diff for which changed parts are marked, so that a large diff is shown at once.
const PAIRS: usize = 500;

/// Appends a diff and a line break.
pub fn add(out: &mut String, diff: &str, style: &OutputStyle) {
    if diff.is_empty() {
        return;
    }
    if style.colour {
        coloured(out, diff, style);
    } else {
        out.push_str(&style.content(diff));
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// A run of removed and added lines.
#[derive(Default)]
struct ChangedLines<'a> {
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

fn coloured(out: &mut String, diff: &str, style: &OutputStyle) {
    let mut change = ChangedLines::default();
    let mut pairs = PAIRS;
    // The remaining old and new lines of the hunk. They are counted since content may look like a header.
    let mut left = (0_u64, 0_u64);
    for line in diff.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let in_hunk = left != (0, 0);
        match text.as_bytes().first() {
            Some(b'-') if in_hunk => {
                if !change.added.is_empty() {
                    change.flush(out, style, &mut pairs);
                }
                left.0 = left.0.saturating_sub(1);
                change.removed.push(text);
                continue;
            }
            Some(b'+') if in_hunk => {
                left.1 = left.1.saturating_sub(1);
                change.added.push(text);
                continue;
            }
            // `\ No newline at end of file` may be between the removed and the added lines.
            Some(b'\\') if !change.removed.is_empty() || !change.added.is_empty() => {
                let side = if change.added.is_empty() { &mut change.removed } else { &mut change.added };
                side.push(text);
                continue;
            }
            _ => {}
        }
        change.flush(out, style, &mut pairs);
        let paint = match text.as_bytes().first() {
            Some(b'@') if !in_hunk => {
                left = hunk(text).unwrap_or_default();
                Some(TextStyle::Place)
            }
            _ if in_hunk => {
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                None
            }
            _ => Some(TextStyle::Strong),
        };
        let shown = style.content(text);
        out.push_str(&paint.map_or_else(|| shown.clone(), |paint| style.paint(paint, &shown)));
        out.push('\n');
    }
    change.flush(out, style, &mut pairs);
}

/// Returns each line of a diff with its line break, and true if it is the header of a hunk. The lines of a hunk are counted,
/// since content may look like a header.
pub fn with_headers(diff: &str) -> impl Iterator<Item = (&str, bool)> {
    // The remaining old and new lines of the hunk.
    let mut left = (0_u64, 0_u64);
    diff.split_inclusive('\n').map(move |line| {
        let is_header = left == (0, 0) && line.starts_with('@');
        match line.as_bytes().first() {
            _ if is_header => left = hunk(line.trim_end_matches('\n')).unwrap_or_default(),
            Some(b'-') => left.0 = left.0.saturating_sub(1),
            Some(b'+') => left.1 = left.1.saturating_sub(1),
            Some(b' ') => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
            _ => {}
        }
        (line, is_header)
    })
}

/// Returns the numbers of old and new lines in `@@ -1,2 +3,4 @@`; 0 for `?`, an unknown number of lines that are not
/// shown.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut count = |sign| {
        let range = words.next()?.strip_prefix(sign)?;
        match range.split_once(',') {
            None => Some(1),
            Some((_, "?")) => Some(0),
            Some((_, count)) => count.parse().ok(),
        }
    };
    Some((count('-')?, count('+')?))
}

impl ChangedLines<'_> {
    fn flush(&mut self, out: &mut String, style: &OutputStyle, pairs: &mut usize) {
        let paired = self.removed.len() == self.added.len() && *pairs >= self.removed.len();
        let parts = if paired {
            *pairs -= self.removed.len();
            self.removed.iter().zip(&self.added).map(|(old, new)| inline(old, new, style)).collect()
        } else {
            vec![None; self.removed.len()]
        };
        let olds = self.removed.iter().enumerate().map(|(at, line)| (at, line, false));
        let news = self.added.iter().enumerate().map(|(at, line)| (at, line, true));
        for (at, line, added) in olds.chain(news) {
            let inline =
                parts.get(at).and_then(Option::as_ref).map(|(old, new)| if added { new } else { old });
            match inline {
                Some(text) => out.push_str(text),
                None if line.starts_with('\\') => out.push_str(&style.content(line)),
                None => {
                    let paint = if added { TextStyle::Good } else { TextStyle::Bad };
                    out.push_str(&style.paint(paint, &style.content(line)));
                }
            }
            out.push('\n');
        }
        self.removed.clear();
        self.added.clear();
    }
}

/// The words of a line, each with true if the other line does not have it.
pub type MarkedWords<'a> = Vec<(&'a str, bool)>;

/// Returns the words of a removed and an added line, if at least half of their bytes are equal.
pub fn changed_words<'a>(old: &'a str, new: &'a str) -> Option<(MarkedWords<'a>, MarkedWords<'a>)> {
    if old.len() > LONG || new.len() > LONG {
        return None;
    }
    let (old_words, new_words) = (words(old), words(new));
    let bytes = |words: &[&'a str]| -> Vec<&'a [u8]> { words.iter().map(|word| word.as_bytes()).collect() };
    let mut changed = (vec![true; old_words.len()], vec![true; new_words.len()]);
    for step in steps(&bytes(&old_words), &bytes(&new_words)) {
        if step.tag() == DiffTag::Equal {
            changed.0.get_mut(step.old_range()).unwrap_or_default().fill(false);
            changed.1.get_mut(step.new_range()).unwrap_or_default().fill(false);
        }
    }
    let same_bytes: usize = old_words.iter().zip(&changed.0).filter(|it| !it.1).map(|it| it.0.len()).sum();
    if same_bytes * 4 < old.len() + new.len() {
        return None;
    }
    let marked = |words: Vec<&'a str>, changed| words.into_iter().zip::<Vec<bool>>(changed).collect();
    Some((marked(old_words, changed.0), marked(new_words, changed.1)))
}

/// Returns a removed and an added line with their changed words marked, if at least half of their bytes are equal.
fn inline(old: &str, new: &str, style: &OutputStyle) -> Option<(String, String)> {
    let (old, new) = changed_words(old.strip_prefix('-')?, new.strip_prefix('+')?)?;
    let side = |sign, words: MarkedWords<'_>, (whole, part)| {
        let mut runs = StyledRuns::begin(whole, sign);
        for (word, changed) in words {
            runs.add(if changed { part } else { whole }, &style.content(word));
        }
        runs.painted(style)
    };
    Some((
        side("-", old, (TextStyle::Bad, TextStyle::BadPart)),
        side("+", new, (TextStyle::Good, TextStyle::GoodPart)),
    ))
}

/// A line as runs of text with one style each.
struct StyledRuns(Vec<(TextStyle, String)>);

impl StyledRuns {
    fn begin(paint: TextStyle, text: &str) -> Self {
        Self(vec![(paint, text.to_owned())])
    }

    fn add(&mut self, paint: TextStyle, text: &str) {
        match self.0.last_mut() {
            Some((last, run)) if *last == paint => run.push_str(text),
            _ => self.0.push((paint, text.to_owned())),
        }
    }

    fn painted(&self, style: &OutputStyle) -> String {
        self.0.iter().map(|(paint, text)| style.paint(*paint, text)).collect()
    }
}

/// Splits a line into runs of letters and digits, runs of blanks, and single other characters.
fn words(line: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 1,
        _ if letter.is_whitespace() => 2,
        _ => 0,
    };
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let same = |letter: char| kind(first) != 0 && kind(letter) == kind(first);
        let end =
            rest.char_indices().skip(1).find(|&(_, letter)| !same(letter)).map_or(rest.len(), |at| at.0);
        let (word, after) = rest.split_at(end);
        out.push(word);
        rest = after;
    }
    out
}
