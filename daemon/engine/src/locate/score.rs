//! How alike two short lines are. It costs at most the product of two shortened lengths.

/// Characters of a line that are compared.
pub(crate) const CHARS: usize = 200;

/// 1 − Levenshtein / the longer length, over the first characters of both, white space at the ends aside.
pub(crate) fn alike(a: &str, b: &str) -> f64 {
    let (a, b) = (a.trim(), b.trim());
    if a == b {
        return 1.0;
    }
    let a: Vec<char> = a.chars().take(CHARS).collect();
    let b: Vec<char> = b.chars().take(CHARS).collect();
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    // Capped below 1: equality was looked at above, and shortened lines may differ behind the cut.
    (1.0 - distance(&a, &b) as f64 / longer as f64).min(0.99)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut corner = i;
        let mut beside = i + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(beside);
        for (right, above) in b.iter().zip(row.iter().skip(1)) {
            let best = (above + 1).min(beside + 1).min(corner + usize::from(left != right));
            corner = *above;
            beside = best;
            next.push(best);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// How often each of a few classes of letters stands in the first characters of a line.
pub(crate) struct Bag([i32; 32]);

impl Bag {
    /// The bag of a line.
    pub(crate) fn of(line: &str) -> Self {
        let mut counts = [0; 32];
        for letter in line.trim().chars().take(CHARS) {
            if let Some(count) = counts.get_mut(u32::from(letter) as usize % 32) {
                *count += 1;
            }
        }
        Self(counts)
    }

    /// A bound that [`alike`] of the two lines cannot exceed: letters that one has too many must be edited.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let pairs = || self.0.iter().zip(&other.0);
        let more: i32 = pairs().map(|(a, b)| (a - b).max(0)).sum();
        let less: i32 = pairs().map(|(a, b)| (b - a).max(0)).sum();
        let longer: i32 = self.0.iter().sum::<i32>().max(other.0.iter().sum());
        1.0 - f64::from(more.max(less)) / f64::from(longer.max(1))
    }
}
