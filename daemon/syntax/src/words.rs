//! Finds the words of a text that only definitions have, so that most nodes of a tree need not be visited. In doubt, it
//! finds too many.

use std::ops::Range;

/// The places of some words in a text. Ranges are looked up in the order of their starts.
pub(crate) struct WordPlaces {
    /// The start of each word, in ascending order; `None` if nothing is known about words.
    starts: Option<Vec<usize>>,
    /// The number of starts that are before the last range.
    passed: usize,
}

impl WordPlaces {
    /// Finds the words in a text. Without words, every range may have one.
    pub(crate) fn of(text: &str, words: &[&str]) -> Self {
        Self { starts: (!words.is_empty()).then(|| starts(text.as_bytes(), words)), passed: 0 }
    }

    /// Returns true if a range may have one of the words. No range may start before an earlier one.
    pub(crate) fn are_in(&mut self, range: &Range<usize>) -> bool {
        let Some(starts) = &self.starts else { return true };
        while starts.get(self.passed).is_some_and(|start| *start < range.start) {
            self.passed += 1;
        }
        starts.get(self.passed).is_some_and(|start| *start < range.end)
    }
}

/// Returns the starts of the words. A letter beyond ASCII counts as no part of a word, since it may be a blank.
fn starts(text: &[u8], words: &[&str]) -> Vec<usize> {
    let mut first = [false; 256];
    for word in words {
        if let Some(is_first) = word.bytes().next().and_then(|byte| first.get_mut(usize::from(byte))) {
            *is_first = true;
        }
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut found = Vec::new();
    let mut before = b' ';
    for (at, byte) in text.iter().enumerate() {
        if first.get(usize::from(*byte)) == Some(&true) && !is_part(before) {
            let rest = text.get(at..).unwrap_or_default();
            let ends = |word: &&str| rest.get(word.len()).is_none_or(|byte| !is_part(*byte));
            if words.iter().any(|word| rest.starts_with(word.as_bytes()) && ends(word)) {
                found.push(at);
            }
        }
        before = *byte;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_in_doubt() {
        let text = "fn fnord r#fn _fn fn2 type\u{a0}fn";
        let found = starts(text.as_bytes(), &["fn", "type"]);
        assert_eq!(found, [0, 11, 22, 28]);
        let mut places = WordPlaces::of(text, &["fn", "type"]);
        let are_in: Vec<bool> = [0..30, 0..2, 1..11, 11..12, 14..22, 22..28, 23..28, 28..29, 30..30]
            .iter()
            .map(|range| places.are_in(range))
            .collect();
        assert_eq!(are_in, [true, true, false, true, false, true, false, true, false]);
        assert!(WordPlaces::of(text, &[]).are_in(&(3..3)));
    }
}
