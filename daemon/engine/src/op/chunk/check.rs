//! The checks that a place of a chunk must pass, by name and number. They are performed elsewhere.

use crate::Refusal;

/// A check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ChunkCheck {
    /// The contexts stand there, and at one place only.
    Position,
    /// The old lines stand there.
    Content,
    /// The contexts touch; checked if there are no old lines.
    Insertion,
    /// The old lines stand there; checked if they are only removed.
    Deletion,
    /// The old lines lie in the range that the chunk names.
    Boundary,
    /// The context after the old lines lies in that range, too.
    EndOfSymbol,
    /// No line has a line break inside.
    LineEnding,
}

/// In the order of their numbers.
const ALL: [(ChunkCheck, &str); 7] = [
    (ChunkCheck::Position, "position"),
    (ChunkCheck::Content, "content"),
    (ChunkCheck::Insertion, "insertion"),
    (ChunkCheck::Deletion, "deletion"),
    (ChunkCheck::Boundary, "boundary"),
    (ChunkCheck::EndOfSymbol, "end_of_symbol"),
    (ChunkCheck::LineEnding, "line_ending"),
];

impl ChunkCheck {
    /// Its name in replies.
    pub(crate) fn name(self) -> &'static str {
        ALL.iter().find(|(check, _)| *check == self).map_or("", |(_, name)| name)
    }

    /// Returns the 1-based number of the check with this name.
    pub(crate) fn number(name: &str) -> Option<usize> {
        ALL.iter().position(|(_, known)| *known == name).map(|at| at + 1)
    }

    /// Adds this check to a refusal.
    pub(crate) fn refuses(self, mut refusal: Refusal) -> Refusal {
        refusal.check = Some(self.name().to_owned());
        refusal
    }
}
