//! The similarity of two short lines. It costs at most the product of two shortened lengths, 64 pairs at a time.

use rapidfuzz::distance::levenshtein;

/// Characters of a line that are compared.
pub(crate) const CHARS: usize = 200;

/// Returns 1 − (edit distance / greater length) of the first characters of two lines, without the white space at their
/// ends.
pub(crate) fn alike(a: &str, b: &str) -> f64 {
    let (a, b) = (a.trim(), b.trim());
    if a == b {
        return 1.0;
    }
    let start = |line: &str| line.chars().take(CHARS).collect::<Vec<char>>();
    let (a, b) = (start(a), start(b));
    let longer = a.len().max(b.len()).max(1);
    let distance = levenshtein::distance(a.iter().copied(), b.iter().copied());
    // The lines differ, so the score stays below 1 even if they are equal as far as they are compared.
    (1.0 - distance as f64 / longer as f64).min(0.99)
}

/// Returns a similarity as replies show it: in steps of a ten-thousandth, never rounded up to the needed one.
pub(crate) fn shown(score: f64) -> f64 {
    (score * 1e4 + 1e-5).floor() / 1e4
}

/// The number of letters of each of a few classes in the first characters of a line.
pub(crate) struct LetterCounts {
    counts: [u8; 32],
    letters: u32,
}

const _: () = assert!(CHARS <= u8::MAX as usize);

impl LetterCounts {
    /// Counts the letters of a line.
    pub(crate) fn of(line: &str) -> Self {
        let line = line.trim();
        let mut counts = [0_u8; 32];
        let mut count = |letter: u32| {
            if let Some(count) = counts.get_mut(letter as usize % 32) {
                *count += 1;
            }
        };
        let letters = match line.is_ascii() {
            true => line.bytes().take(CHARS).map(|letter| count(letter.into())).count(),
            false => line.chars().take(CHARS).map(|letter| count(letter.into())).count(),
        };
        Self { counts, letters: u32::try_from(letters).unwrap_or(u32::MAX) }
    }

    /// Returns an upper bound of [`alike`] for two lines: letters that one line has more often must be edited.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let pairs = || self.counts.iter().zip(&other.counts);
        let more: u32 = pairs().map(|(a, b)| u32::from(a.saturating_sub(*b))).sum();
        let less: u32 = pairs().map(|(a, b)| u32::from(b.saturating_sub(*a))).sum();
        bound(more.max(less), self.letters.max(other.letters))
    }

    /// Returns an upper bound of [`LetterCounts::likeness`] for a line, by its length alone.
    pub(crate) fn likeness_of_length(&self, line: &str) -> f64 {
        let line = line.trim();
        // A character has at most four bytes.
        let most = line.len().min(CHARS);
        let least = if line.is_ascii() { most } else { line.len().div_ceil(4).min(CHARS) };
        let [most, least] = [most, least].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let apart = least.saturating_sub(self.letters).max(self.letters.saturating_sub(most));
        bound(apart, self.letters.max(least))
    }
}

/// Returns the similarity of two lines of at most so many letters, of which some must be edited.
fn bound(edited: u32, longer: u32) -> f64 {
    1.0 - f64::from(edited) / f64::from(longer.max(1))
}
