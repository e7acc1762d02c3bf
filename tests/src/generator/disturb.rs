//! The ways in which callers get a quotation wrong, and which of them a dialect is said to repair. The module
//! `spoil` spoils a quotation.

use super::printers::{ContextPlace, FormProperties};

/// An error in a quotation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Disturbance {
    /// Nothing.
    None,
    /// Nothing: every occurrence of a text.
    Everywhere,
    /// Nothing: text at the start or the end.
    Ends,
    /// Nothing: the whole file.
    Whole,
    /// White space at line ends, too much or too little.
    Trailing,
    /// All lines lost the same indentation.
    Dedented,
    /// All lines gained the same indentation.
    Indented,
    /// Tabs for spaces, or another width.
    Unit,
    /// Quoted from the first line's text on.
    FirstIndent,
    /// The quoted lines lost indentation, the new lines have the file's.
    DedentedOld,
    /// The quoted lines gained indentation, the new lines have the file's.
    IndentedOld,
    /// Both lost indentation, but not alike.
    DedentedUnlike,
    /// The quoted lines gained indentation, and the new lines lost it.
    Crossed,
    /// Tabs for spaces or the other way round, in old and new alike.
    OtherKind,
    /// The same in the quoted lines only.
    OtherKindOld,
    /// The same in old and new alike, and all indentation that they share is lost.
    OtherKindDedented,
    /// The other line endings.
    Endings,
    /// Curly quotes, dashes and such where the file has plain ones, or the other way round.
    Quotes,
    /// Line numbers in front of old and new lines.
    Numbered,
    /// Line numbers in front of old lines only.
    NumberedOld,
    /// A line number that is not so.
    WrongHint,
    /// The text stands more than once, and nothing says which is meant.
    Twice,
    /// The text stands more than once, and a line number says which is meant.
    TwiceHinted,
    /// A line too many at the start or the end.
    LineTooMany,
    /// A wrong letter.
    Typo,
    /// A wrong letter, where the caller lets text be only similar.
    TypoSimilar,
    /// The file says something else by now.
    Stale,
}

/// Every disturbance, and how often it is drawn.
pub(super) const ALL: [(Disturbance, usize); 27] = [
    (Disturbance::None, 24),
    (Disturbance::Everywhere, 3),
    (Disturbance::Ends, 3),
    (Disturbance::Whole, 1),
    (Disturbance::Trailing, 6),
    (Disturbance::Dedented, 6),
    (Disturbance::Indented, 5),
    (Disturbance::Unit, 5),
    (Disturbance::FirstIndent, 5),
    (Disturbance::DedentedOld, 6),
    (Disturbance::IndentedOld, 5),
    (Disturbance::DedentedUnlike, 3),
    (Disturbance::Crossed, 3),
    (Disturbance::OtherKind, 5),
    (Disturbance::OtherKindOld, 3),
    (Disturbance::OtherKindDedented, 3),
    (Disturbance::Endings, 5),
    (Disturbance::Quotes, 5),
    (Disturbance::Numbered, 5),
    (Disturbance::NumberedOld, 3),
    (Disturbance::WrongHint, 5),
    (Disturbance::Twice, 5),
    (Disturbance::TwiceHinted, 5),
    (Disturbance::LineTooMany, 4),
    (Disturbance::Typo, 4),
    (Disturbance::TypoSimilar, 4),
    (Disturbance::Stale, 4),
];

impl Disturbance {
    /// Returns its name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Everywhere => "none: every occurrence",
            Self::Ends => "none: at start or end",
            Self::Whole => "none: the whole file",
            Self::Trailing => "white space at line ends",
            Self::Dedented => "indentation lost",
            Self::Indented => "indentation added",
            Self::Unit => "tabs, or another width",
            Self::FirstIndent => "first line's indentation lost",
            Self::DedentedOld => "indentation lost, old only",
            Self::IndentedOld => "indentation added, old only",
            Self::DedentedUnlike => "indentation lost, old and new unlike",
            Self::Crossed => "indentation added to old, lost from new",
            Self::OtherKind => "tabs for spaces or back",
            Self::OtherKindOld => "tabs for spaces or back, old only",
            Self::OtherKindDedented => "tabs for spaces or back, and lost",
            Self::Endings => "line endings",
            Self::Quotes => "quotes and dashes",
            Self::Numbered => "line numbers",
            Self::NumberedOld => "line numbers, old only",
            Self::WrongHint => "wrong line hint",
            Self::Twice => "occurs twice",
            Self::TwiceHinted => "occurs twice, line hint",
            Self::LineTooMany => "a line too many",
            Self::Typo => "typo",
            Self::TypoSimilar => "typo, similar is enough",
            Self::Stale => "stale",
        }
    }

    /// Returns true if only indentation is wrong.
    pub(super) fn is_of_indentation(self) -> bool {
        matches!(
            self,
            Self::Dedented
                | Self::Indented
                | Self::Unit
                | Self::FirstIndent
                | Self::DedentedOld
                | Self::IndentedOld
                | Self::DedentedUnlike
                | Self::Crossed
                | Self::OtherKind
                | Self::OtherKindOld
                | Self::OtherKindDedented
        )
    }

    /// Returns true if the quotation has no error.
    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::None | Self::Everywhere | Self::Ends | Self::Whole)
    }

    /// Returns true if edits of this form can have the error.
    pub(super) fn can_disturb(self, ways: &FormProperties) -> bool {
        match self {
            Self::None | Self::Everywhere | Self::Ends | Self::Whole => true,
            _ if !ways.quotes => false,
            Self::Endings | Self::Typo | Self::Stale => true,
            // Text that is not looked up is replaced wherever it stands.
            _ if !ways.looks => false,
            Self::WrongHint | Self::TwiceHinted => ways.hints,
            Self::Twice => !ways.always_hints,
            Self::TypoSimilar => ways.similar,
            _ => true,
        }
    }

    /// Returns true if the dialect promises to find the only place that is left.
    pub(super) fn is_repaired(self, ways: &FormProperties) -> bool {
        match self {
            Self::LineTooMany => ways.edge,
            Self::Numbered | Self::NumberedOld => ways.numbered,
            Self::Typo | Self::Stale => false,
            // Lists of lines are not quoted from the middle of one.
            Self::FirstIndent => ways.context == ContextPlace::Merged,
            _ => ways.looks,
        }
    }

    /// Returns true if only one edit of a payload has the error.
    pub(super) fn is_of_one(self) -> bool {
        matches!(self, Self::LineTooMany | Self::Typo | Self::TypoSimilar | Self::Stale)
    }

    /// Returns true if repeated lines may be written as they were given, because the rung does not change the new
    /// text.
    pub(super) fn writes_as_given(self) -> bool {
        matches!(self, Self::Trailing | Self::Quotes | Self::LineTooMany)
    }
}
