//! The similarity of a stretch of a file to a quoted text that was not found, for a message. It is calculated as in
//! the fuzzy rung, but only over the start of long texts. It accepts and refuses nothing.

use rapidfuzz::distance::levenshtein::BatchComparator;

use super::shape::push_line;

/// Characters of either side that are compared: a quarter of a million steps.
const CLOSE: usize = 4_000;

/// A quoted text, to be compared with several windows.
pub(crate) struct Likeness {
    letters: BatchComparator<char>,
    chars: usize,
}

impl Likeness {
    /// Compares with a list of lines.
    pub(crate) fn to(quoted: &[&str]) -> Self {
        let quoted = start(quoted);
        Self { letters: BatchComparator::new(quoted.iter().copied()), chars: quoted.len() }
    }

    /// Returns the similarity of another list.
    pub(crate) fn of(&self, there: &[&str]) -> f64 {
        let there = start(there);
        let longer = self.chars.max(there.len()).max(1);
        1.0 - self.letters.distance(there.iter().copied()) as f64 / longer as f64
    }
}

/// Returns the first characters that count.
fn start(lines: &[&str]) -> Vec<char> {
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        // One line may be as long as the whole file.
        push_line(line.get(..line.floor_char_boundary(CLOSE * 4)).unwrap_or(line), &mut text);
        if text.len() > CLOSE * 4 {
            break;
        }
    }
    text.chars().take(CLOSE).collect()
}
