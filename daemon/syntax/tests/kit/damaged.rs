//! Makes damaged variants of a text. The same seed gives the same variant.

/// Maximum number of damages in a variant.
const DAMAGES: usize = 4;

/// Returns the text with parts removed, duplicated, moved or replaced by delimiters.
pub(crate) fn damaged(text: &str, seed: u64) -> String {
    const SMALL: [&str; 16] =
        ["{", "}", "(", ")", "\"", "'", "`", "\n", "\r", "\t", "/*", "//", "#", ";", ",", "é"];
    let mut random = fastrand::Rng::with_seed(seed);
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..random.usize(1..=DAMAGES) {
        let from = random.usize(0..=letters.len());
        let to = (from + random.usize(0..=40)).min(letters.len());
        let part: Vec<char> = letters.get(from..to).unwrap_or_default().to_vec();
        let elsewhere = random.usize(0..=letters.len());
        match random.u8(0..4) {
            0 => drop(letters.drain(from..to)),
            1 => drop(letters.splice(elsewhere..elsewhere, part)),
            2 => letters.truncate(to),
            _ => {
                let small = random.choice(SMALL).unwrap_or_default();
                letters.splice(from..from, small.chars());
            }
        }
    }
    letters.into_iter().collect()
}
