//! Who has read what: receipts as values. What a session has seen of a file moves with the changes that it has
//! made or been shown. Pure.

pub mod ranges;

use editd_engine::Splice;
use editd_proto::ids::ContentHash;
use editd_proto::path::WirePath;

use crate::store::record::Seen;
use crate::workspace::Who;

/// The ranges of a receipt for a file of which no line was shown: no line has the number 0.
pub const NO_LINES: (u64, u64) = (0, 0);

/// What a session has seen of one content, before it is somebody's receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Which content; `None`: that nothing is there.
    pub hash: Option<ContentHash>,
    /// Which lines; all where empty.
    pub ranges: Vec<(u64, u64)>,
    /// When, milliseconds since 1970.
    pub time: u64,
}

/// Makes it a session's receipt for a path.
pub fn of(who: &Who, path: &WirePath, shown: Shown) -> Seen {
    let Shown { hash, ranges, time } = shown;
    Seen { session: who.session.clone(), path: path.clone(), hash, ranges, time }
}

/// The receipt after a change that its session made or was shown: lines that were seen are seen still, where
/// they stand now, and so are the new ones.
pub fn renewed(seen: &Seen, after: ContentHash, before: &[u8], splices: &[Splice], time: u64) -> Shown {
    let ranges = if seen.ranges.is_empty() {
        Vec::new()
    } else {
        match ranges::moved(&seen.ranges, before, splices) {
            none if none.is_empty() => vec![NO_LINES],
            some => some,
        }
    };
    Shown { hash: Some(after), ranges, time }
}

/// The receipt for a file that its session had not seen, after it changed it: it knows what it wrote, and the
/// whole of a file that it wrote whole.
pub fn first(after: ContentHash, before: &[u8], splices: &[Splice], time: u64) -> Shown {
    let replaced: usize = splices.iter().map(|splice| splice.old.len()).sum();
    let ranges = match ranges::moved(&[], before, splices) {
        _ if replaced == before.len() => Vec::new(),
        none if none.is_empty() => vec![NO_LINES],
        some => some,
    };
    Shown { hash: Some(after), ranges, time }
}

/// The receipt for a path where nothing is.
pub const fn absent(time: u64) -> Shown {
    Shown { hash: None, ranges: Vec::new(), time }
}

/// The receipt of a read that adds to an earlier one of the same content.
pub fn added(earlier: Option<&Seen>, hash: ContentHash, lines: Option<(u64, u64)>, time: u64) -> Shown {
    let ranges = match (lines, earlier) {
        (None, _) => Vec::new(),
        (Some(_), Some(seen)) if seen.hash == Some(hash) && seen.ranges.is_empty() => Vec::new(),
        (Some(range), Some(seen)) if seen.hash == Some(hash) => {
            ranges::union(seen.ranges.iter().copied().chain([range]).collect())
        }
        (Some(range), _) => vec![range],
    };
    Shown { hash: Some(hash), ranges, time }
}
