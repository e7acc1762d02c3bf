//! Compares contents as git does to find renames: by the bytes of the lines that both have, in whatever order.
//!
//! *Source*: `diffcore-delta.c` and `diffcore-rename.c` of git, so that the numbers are those of `git diff`.

use std::hash::{DefaultHasher, Hasher as _};

use super::lines::is_text;

/// The score of equal contents.
const SAME: u64 = 60_000;

/// The lowest score of similar contents: half of the bytes.
const SIMILAR: u64 = SAME / 2;

/// Maximum number of bytes of a piece. A longer line has several.
const PIECE: u64 = 64;

/// The pieces of a text, without their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextPieces {
    size: u64,
    /// The hash of each piece, in ascending order, and the bytes of all pieces with that hash.
    pieces: Vec<(u64, u64)>,
}

/// The part of the larger of two contents that the other one has, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SimilarityScore(u64);

impl SimilarityScore {
    /// The score of equal contents.
    pub const EQUAL: Self = Self(SAME);

    /// Returns the part in percent, rounded down.
    #[must_use]
    pub fn percent(self) -> u64 {
        self.0 * 100 / SAME
    }
}

impl TextPieces {
    /// Returns the pieces of a content, or `None` if it is no text.
    #[must_use]
    pub fn of(content: &[u8]) -> Option<Self> {
        if !is_text(content) {
            return None;
        }
        let mut found = Vec::new();
        let (mut hasher, mut bytes) = (DefaultHasher::new(), 0);
        let mut rest = content.iter().peekable();
        while let Some(byte) = rest.next() {
            // Line endings do not make contents different.
            if *byte == b'\r' && rest.peek() == Some(&&b'\n') {
                continue;
            }
            hasher.write_u8(*byte);
            bytes += 1;
            if bytes == PIECE || *byte == b'\n' {
                found.push((hasher.finish(), bytes));
                (hasher, bytes) = (DefaultHasher::new(), 0);
            }
        }
        if bytes > 0 {
            found.push((hasher.finish(), bytes));
        }
        found.sort_unstable();
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        Some(Self { size: content.len() as u64, pieces: found })
    }

    /// Returns the number of steps that a comparison takes; 0 if the sizes differ too much for similar contents.
    #[must_use]
    pub fn steps(&self, other: &Self) -> u64 {
        let (small, large) = (self.size.min(other.size), self.size.max(other.size));
        if small == 0 || small * 2 < large { 0 } else { (self.pieces.len() + other.pieces.len()) as u64 }
    }

    /// Returns the score of two contents of which at least half is the same.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Option<SimilarityScore> {
        if self.steps(other) == 0 {
            return None;
        }
        let (mut same, mut others) = (0, other.pieces.iter().peekable());
        for (hash, bytes) in &self.pieces {
            while others.next_if(|(other, _)| other < hash).is_some() {}
            if let Some((_, found)) = others.next_if(|(other, _)| other == hash) {
                same += bytes.min(found);
            }
        }
        let score = same * SAME / self.size.max(other.size);
        (score >= SIMILAR).then_some(SimilarityScore(score))
    }
}

#[cfg(test)]
mod tests {
    use super::TextPieces;

    fn percent(old: &str, new: &str) -> Option<u64> {
        let pieces = |text: &str| TextPieces::of(text.as_bytes());
        Some(pieces(old)?.similarity(&pieces(new)?)?.percent())
    }

    #[test]
    fn the_similarity_is_the_part_of_the_larger_content() {
        assert_eq!(percent("a\nb\nc\nd\n", "a\nb\nc\nX\n"), Some(75));
        assert_eq!(percent("a\nb\n", "a\nX\n"), Some(50));
        assert_eq!(percent("a\nb\nc\n", "a\nX\nY\n"), None);
        // The order does not count, and each line counts as often as both have it.
        assert_eq!(percent("a\nb\n", "b\na\n"), Some(100));
        assert_eq!(percent("a\na\na\nb\n", "a\nc\nb\nd\n"), Some(50));
        // Carriage returns belong to the size only.
        assert_eq!(percent("one\ntwo\n", "one\r\ntwo\r\n"), Some(80));
        let long = "x".repeat(128);
        assert_eq!(percent(&long, &(long.clone() + "y")), Some(99));
        assert_eq!((percent("", ""), percent("a\n", "")), (None, None));
        assert_eq!(percent("a\0", "a\0"), None);
    }
}
