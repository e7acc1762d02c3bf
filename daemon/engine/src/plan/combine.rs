//! Checks which edits may share an entry, by their kinds only. No file is read.

use editd_types::ErrorCode;

use super::needs::Parsed;
use crate::Refusal;
use crate::op::Op;
use crate::refusal::{malformed, refuse};

/// Returns the edits that contradict another edit of the entry, each with the reason. Of two such edits, the later one
/// comes first.
pub(crate) fn contradictions(ops: &Parsed) -> Vec<(usize, Refusal)> {
    let live: Vec<(usize, &Op)> =
        ops.iter().enumerate().filter_map(|(i, op)| op.as_ref().ok().map(|op| (i, op))).collect();
    // Two edits of the same kind in this list contradict each other, so each search ends early.
    let mut witnesses: Vec<(usize, &Op)> = live.iter().copied().take(2).collect();
    witnesses.extend(live.iter().find(|(_, op)| matches!(op, Op::Copy(_))));
    witnesses.extend(live.iter().find(|(_, op)| !matches!(op, Op::Copy(_))));
    witnesses.extend(live.iter().filter(|(_, op)| rare(op)));
    let mut found: Vec<(usize, Refusal)> = live
        .iter()
        .filter_map(|(i, op)| {
            let others = witnesses.iter().filter(|(j, _)| j != i);
            let clash = others.filter_map(|(j, other)| Some(named(clash(op, other)?, *i, *j))).next()?;
            Some((*i, clash))
        })
        .collect();
    found.sort_by_key(|(i, refusal)| (refusal.other_edit.is_some_and(|other| other as usize > *i), *i));
    found
}

/// Returns true for a kind of which an entry has few edits, so that comparing each edit with them takes linear time.
fn rare(op: &Op) -> bool {
    match op {
        Op::Write(_) | Op::Create(_) => true,
        Op::Copy(_) => false,
        other => !is_text(other),
    }
}

fn named(mut refusal: Refusal, edit: usize, other: usize) -> Refusal {
    refusal.edit = Some(edit as u64 + 1);
    refusal.other_edit = Some(other as u64 + 1);
    refusal
}

fn clash(op: &Op, other: &Op) -> Option<Refusal> {
    one_way(op, other).or_else(|| one_way(other, op))
}

fn one_way(op: &Op, other: &Op) -> Option<Refusal> {
    let contradiction =
        |why: &str| Some(malformed(format!("{why}; list the path a second time for a later step")));
    match (op, other) {
        (Op::Create(_), Op::Write(_)) | (Op::Write(_), Op::Create(_)) => {
            Some(refuse(ErrorCode::Overlap, "`write` makes a missing file; leave out `create`"))
        }
        (Op::Write(_) | Op::Create(_), other) if is_text(other) && !other.adds_at_an_end() => Some(refuse(
            ErrorCode::Overlap,
            "`write` and `create` replace the whole file; only `insert` at start or end goes with them",
        )),
        (Op::Delete, _) => contradiction("`delete` must be the only edit of its entry"),
        (Op::Copy(_), Op::Copy(_)) => None,
        (Op::Copy(_), _) => contradiction("`copy` shares an entry only with other copies"),
        (Op::Create(_), Op::Rename(_)) => {
            contradiction("a file that is created cannot be renamed in the same entry")
        }
        (Op::Rename(_), Op::Rename(_)) => contradiction("a file can be renamed once in an entry"),
        (Op::Chmod(_), Op::Chmod(_)) => contradiction("a file can be given one `mode` in an entry"),
        _ => None,
    }
}

/// Returns true if an edit changes content.
pub(crate) fn is_text(op: &Op) -> bool {
    !matches!(op, Op::Delete | Op::Rename(_) | Op::Copy(_) | Op::Chmod(_))
}
