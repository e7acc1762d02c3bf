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
pub(crate) struct Bag([i32; 32]);

impl Bag {
    /// Counts the letters of a line.
    pub(crate) fn of(line: &str) -> Self {
        let mut counts = [0; 32];
        for letter in line.trim().chars().take(CHARS) {
            if let Some(count) = counts.get_mut(u32::from(letter) as usize % 32) {
                *count += 1;
            }
        }
        Self(counts)
    }

    /// Returns an upper bound of [`alike`] for two lines: letters that one line has more often must be edited.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let pairs = || self.0.iter().zip(&other.0);
        let more: i32 = pairs().map(|(a, b)| (a - b).max(0)).sum();
        let less: i32 = pairs().map(|(a, b)| (b - a).max(0)).sum();
        let longer: i32 = self.0.iter().sum::<i32>().max(other.0.iter().sum());
        1.0 - f64::from(more.max(less)) / f64::from(longer.max(1))
    }
}
