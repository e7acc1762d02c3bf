//! What a place of a chunk must pass, by name and number. It checks nothing itself.

use crate::Refusal;

/// A check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Check {
    /// The contexts stand there, and at one place only.
    Position,
    /// The old lines stand there.
    Content,
    /// Where there are no old lines: the contexts touch.
    Insertion,
    /// The old lines stand there, where they only go.
    Deletion,
    /// The old lines lie in the range that was named.
    Boundary,
    /// The context after lies in it too.
    EndOfSymbol,
    /// No line has a line break inside.
    LineEnding,
}

/// In the order of their numbers.
const ALL: [(Check, &str); 7] = [
    (Check::Position, "position"),
    (Check::Content, "content"),
    (Check::Insertion, "insertion"),
    (Check::Deletion, "deletion"),
    (Check::Boundary, "boundary"),
    (Check::EndOfSymbol, "end_of_symbol"),
    (Check::LineEnding, "line_ending"),
];

impl Check {
    /// Its name in replies.
    pub(crate) fn name(self) -> &'static str {
        ALL.iter().find(|(check, _)| *check == self).map_or("", |(_, name)| name)
    }

    /// The number, from 1, of the check with this name.
    pub(crate) fn number(name: &str) -> Option<usize> {
        ALL.iter().position(|(_, known)| *known == name).map(|at| at + 1)
    }

    /// The same refusal, by this check.
    pub(crate) fn refuses(self, mut refusal: Refusal) -> Refusal {
        refusal.check = Some(self.name().to_owned());
        refusal
    }
}
