//! Counts the bytes of contents that a transaction holds in memory. It reads nothing.

use super::{FileChange, Transaction};
use crate::limits::CHANGE_HOLDS;

/// Returns the bytes that a transaction holds while it is carried out.
pub(super) fn of_transaction(transaction: &Transaction) -> usize {
    let displaced = transaction.changes.iter().map(before).max().unwrap_or(0);
    transaction.changes.iter().map(of_change).fold(displaced, usize::saturating_add)
}

/// Returns the bytes that a transaction holds once it is sealed: the contents that its hooks are compared with.
pub(super) fn of_sealed(transaction: &Transaction) -> usize {
    let both = |change: &FileChange| before(change).saturating_add(change.after.bytes().len());
    transaction.changes.iter().map(both).fold(0, usize::saturating_add)
}

fn before(change: &FileChange) -> usize {
    change.before.as_ref().map_or(0, |found| found.bytes.len())
}

fn of_change(change: &FileChange) -> usize {
    let both = before(change).saturating_add(change.after.bytes().len());
    // A file that is rewritten in place is journaled from its first changed byte to its end.
    let in_place = change.before.as_ref().is_some_and(|found| found.links > 1);
    let splices = change.splices.iter().map(|splice| splice.old.len() + splice.new.len());
    let journaled = if in_place { both } else { splices.fold(0, usize::saturating_add) };
    both.saturating_add(journaled.saturating_mul(CHANGE_HOLDS))
}
