//! A unified diff on a terminal: colours, and within changed lines the part that changed. In a pipe it
//! stays as it came.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::Look;
use super::letters::Paint;

/// How long one pair of lines may be compared before its parts are no longer told apart.
const COMPARE: Duration = Duration::from_millis(5);

/// Bytes of a line beyond which its parts are not told apart.
const LONG: usize = 2000;

/// Lines of a diff for which parts are told apart, so that a large one is shown at once.
const PAIRS: usize = 500;

/// How alike two lines must be for their parts to mean something.
const ALIKE: f32 = 0.4;

/// Appends a diff, ending in a line break.
pub(crate) fn add(out: &mut String, diff: &str, look: &Look) {
    if diff.is_empty() {
        return;
    }
    if look.colour {
        coloured(out, diff, look);
    } else {
        out.push_str(&look.content(diff));
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Lines of a diff that belong together.
#[derive(Default)]
struct Change<'a> {
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

fn coloured(out: &mut String, diff: &str, look: &Look) {
    let mut change = Change::default();
    let mut pairs = PAIRS;
    // Lines left in the hunk, old and new: content may look like a header, and only counting tells.
    let mut left = (0_u64, 0_u64);
    for line in diff.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let in_hunk = left != (0, 0);
        match text.as_bytes().first() {
            Some(b'-') if in_hunk => {
                if !change.added.is_empty() {
                    change.flush(out, look, &mut pairs);
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
            // `\ No newline at end of file` may stand between the removed and the added lines.
            Some(b'\\') if !change.removed.is_empty() || !change.added.is_empty() => {
                let side = if change.added.is_empty() { &mut change.removed } else { &mut change.added };
                side.push(text);
                continue;
            }
            _ => {}
        }
        change.flush(out, look, &mut pairs);
        let paint = match text.as_bytes().first() {
            Some(b'@') if !in_hunk => {
                left = hunk(text).unwrap_or_default();
                Some(Paint::Place)
            }
            _ if in_hunk => {
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                None
            }
            _ => Some(Paint::Strong),
        };
        let shown = look.content(text);
        out.push_str(&paint.map_or_else(|| shown.clone(), |paint| look.paint(paint, &shown)));
        out.push('\n');
    }
    change.flush(out, look, &mut pairs);
}

/// The numbers of old and new lines that `@@ -1,2 +3,4 @@` announces.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut count = |sign| {
        let range = words.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
    };
    Some((count('-')?, count('+')?))
}

impl Change<'_> {
    fn flush(&mut self, out: &mut String, look: &Look, pairs: &mut usize) {
        let paired = self.removed.len() == self.added.len() && *pairs >= self.removed.len();
        let parts = if paired {
            *pairs -= self.removed.len();
            self.removed.iter().zip(&self.added).map(|(old, new)| inline(old, new, look)).collect()
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
                None if line.starts_with('\\') => out.push_str(&look.content(line)),
                None => {
                    let paint = if added { Paint::Good } else { Paint::Bad };
                    out.push_str(&look.paint(paint, &look.content(line)));
                }
            }
            out.push('\n');
        }
        self.removed.clear();
        self.added.clear();
    }
}

/// A removed and an added line with their changed parts marked, where they are alike enough.
fn inline(old: &str, new: &str, look: &Look) -> Option<(String, String)> {
    let (old, new) = (old.strip_prefix('-')?, new.strip_prefix('+')?);
    if old.len() > LONG || new.len() > LONG {
        return None;
    }
    let (old, new) = (words(old), words(new));
    let diff = TextDiff::configure().timeout(COMPARE).diff_slices(&old, &new);
    if diff.ratio() < ALIKE {
        return None;
    }
    let mut removed = Runs::begin(Paint::Bad, "-");
    let mut added = Runs::begin(Paint::Good, "+");
    for op in diff.ops() {
        for change in diff.iter_changes(op) {
            let text = look.content(change.value());
            match change.tag() {
                ChangeTag::Equal => {
                    removed.add(Paint::Bad, &text);
                    added.add(Paint::Good, &text);
                }
                ChangeTag::Delete => removed.add(Paint::BadPart, &text),
                ChangeTag::Insert => added.add(Paint::GoodPart, &text),
            }
        }
    }
    Some((removed.painted(look), added.painted(look)))
}

/// A line in pieces of one colour.
struct Runs(Vec<(Paint, String)>);

impl Runs {
    fn begin(paint: Paint, text: &str) -> Self {
        Self(vec![(paint, text.to_owned())])
    }

    fn add(&mut self, paint: Paint, text: &str) {
        match self.0.last_mut() {
            Some((last, run)) if *last == paint => run.push_str(text),
            _ => self.0.push((paint, text.to_owned())),
        }
    }

    fn painted(&self, look: &Look) -> String {
        self.0.iter().map(|(paint, text)| look.paint(*paint, text)).collect()
    }
}

/// Runs of letters and digits, runs of blanks, and every other character alone.
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
