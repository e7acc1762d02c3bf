//! Compares the result of a diff of one file in editd with that of the other tools, and judges whether editd is
//! right. It draws nothing.

use std::ops::Range;
use std::sync::Arc;

use editd_engine::dialect::{PayloadContext, PayloadJob, PayloadRequest, translate};
use editd_engine::{
    FileState, PlanOptions, Refusal, WorkspaceSnapshot, needs_of_input as needs, plan_input as plan,
};
use editd_proto::message::JobRequest;
use editd_proto::path::FilePath;

use super::damage::{DiffDamage, PatchText};
use super::tools::DiffTools;

/// A diff and what it is applied to.
#[derive(Clone, Debug)]
pub struct DiffTrial {
    /// The content that the diff was made of.
    pub base: String,
    /// The content that the author made of it.
    pub author: String,
    /// The present content.
    pub there: String,
    /// The diff as it is sent.
    pub diff: String,
    /// The damage to the diff since it was made.
    pub damage: DiffDamage,
}

/// The difference between editd and the other tools.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DiffResult {
    /// The result of editd is the clean merge.
    Merged,
    /// The result of editd is that of another tool; there is no clean merge, or it is something else.
    AsOthers,
    /// The changes touch each other, so that there is more than one merge: every hunk replaced the only place that has
    /// its lines, or the result has all changes of both sides.
    Touching,
    /// The headers have no numbers, and every hunk replaced the only place that has its lines: others changed the place
    /// that was meant, and nothing says so.
    Unnumbered,
    /// Refused, as by a tool beside it.
    Refused,
    /// Refused, where both other tools write the clean merge.
    Needless,
    /// Refused, where both other tools write something, but no clean merge.
    Careful,
    /// Written, and none of the above.
    Wrong,
}

/// Returns the result of a payload: each path that it changes, with `None` for a file that is gone.
///
/// # Errors
/// The refusal.
pub fn planned(payload: &str, files: &[(&str, &str)]) -> Result<Vec<(String, Option<String>)>, Refusal> {
    let setting = PayloadContext { path: None, roots: &[], limit: usize::MAX };
    let PayloadRequest::Job(PayloadJob { files: entries, .. }) =
        translate(Some("unified-diff"), payload, &setting)?.request
    else {
        panic!("a diff asks for no view");
    };
    let job = JobRequest { files: entries, ..JobRequest::default() };
    let mut world = WorkspaceSnapshot::default();
    for path in needs(&job)?.paths {
        world.files.insert(path, FileState::Absent);
    }
    for (path, content) in files {
        let bytes = Arc::from(content.as_bytes());
        world.files.insert(FilePath::from(*path), FileState::File { bytes, mode: 0o644 });
    }
    let plan = plan(&job, &world, &PlanOptions::default())?;
    let text = |state: FileState| match state {
        FileState::File { bytes, .. } => Some(String::from_utf8_lossy(&bytes).into_owned()),
        FileState::Absent => None,
    };
    Ok(plan.changes.into_iter().map(|change| (change.path.to_string(), text(change.after))).collect())
}

/// Applies a diff in every tool.
pub fn judge(tools: &DiffTools, trial: &DiffTrial) -> (DiffResult, String) {
    let made = planned(&trial.diff, &[("f", &trial.there)]);
    let merged = tools.merge(&trial.there, &trial.base, &trial.author);
    let others = [tools.git_apply(&trial.there, &trial.diff), tools.gnu_patch(&trial.there, &trial.diff)];
    let written = match made {
        Ok(changes) => changes.into_iter().next().map_or(Some(trial.there.clone()), |(_, after)| after),
        Err(refusal) => {
            let all =
                |content: &Option<String>| others.iter().all(|other| other.is_some() && other == content);
            let judged = match &merged {
                merged if merged.is_some() && all(merged) => DiffResult::Needless,
                _ if others.iter().all(Option::is_some) => DiffResult::Careful,
                _ => DiffResult::Refused,
            };
            return (judged, refusal.message.clone());
        }
    };
    let judged = if written == merged {
        DiffResult::Merged
    } else if others.contains(&written) {
        DiffResult::AsOthers
    } else if (merged.is_none() && written == only_places(trial))
        || written.as_ref().is_some_and(|written| merged_touching(trial).contains(written))
    {
        DiffResult::Touching
    } else if trial.damage == DiffDamage::Bare && written == only_places(trial) {
        DiffResult::Unnumbered
    } else {
        DiffResult::Wrong
    };
    (judged, written.unwrap_or_default())
}

/// The largest table of a longest common subsequence, in cells; larger files are not compared.
const LCS_CELLS: usize = 25_000_000;

/// A change: the lines of the base that it replaces, and the new ones.
type BaseChange<'a> = (Range<usize>, Vec<&'a str>);

/// Returns the contents that have all changes of both sides where these touch, but none changes a line of the other's:
/// lines that both insert at one place may stand in both orders, and lines that repeat those beside them may have come
/// above or below these.
fn merged_touching(trial: &DiffTrial) -> Vec<String> {
    let [base, there, author] =
        [&trial.base, &trial.there, &trial.author].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut results = Vec::new();
    for from_end in [false, true] {
        let [there, author] = [&there, &author].map(|after| changes(&base, after, from_end));
        for order in [[&there, &author], [&author, &there]] {
            results.extend(merged(&base, order.into_iter().flatten().cloned().collect()));
        }
    }
    results
}

/// Returns the changes between two contents by their longest common subsequence. Of repeated lines the last ones are
/// the same if `from_end`, else the first ones.
fn changes<'a>(base: &[&str], after: &[&'a str], from_end: bool) -> Vec<BaseChange<'a>> {
    let (rows, columns) = (base.len(), after.len());
    if rows * columns > LCS_CELLS {
        return vec![(0..rows, after.to_vec())];
    }
    let same = |row: usize, column: usize| {
        if from_end {
            base[row] == after[column]
        } else {
            base[rows - 1 - row] == after[columns - 1 - column]
        }
    };
    let mut common = vec![0u32; (rows + 1) * (columns + 1)];
    let cell = |row: usize, column: usize| row * (columns + 1) + column;
    for row in 1..=rows {
        for column in 1..=columns {
            common[cell(row, column)] = if same(row - 1, column - 1) {
                common[cell(row - 1, column - 1)] + 1
            } else {
                common[cell(row - 1, column)].max(common[cell(row, column - 1)])
            };
        }
    }
    let (mut row, mut column, mut kept) = (rows, columns, vec![(rows, columns)]);
    while row > 0 && column > 0 {
        if same(row - 1, column - 1) {
            (row, column) = (row - 1, column - 1);
            kept.push((row, column));
        } else if common[cell(row - 1, column)] >= common[cell(row, column - 1)] {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    if from_end {
        kept.reverse();
    } else {
        kept = kept.iter().skip(1).map(|(row, column)| (rows - 1 - row, columns - 1 - column)).collect();
        kept.push((rows, columns));
    }
    let (mut next, mut found) = ((0, 0), Vec::new());
    for (row, column) in kept {
        if next != (row, column) {
            found.push((next.0..row, after[next.1..column].to_vec()));
        }
        next = (row + 1, column + 1);
    }
    found
}

/// Applies changes to the base; `None` if one changes a line of another. Insertions at one place keep their order.
fn merged(base: &[&str], mut changes: Vec<BaseChange<'_>>) -> Option<String> {
    // Lines that come before a line stand above those that replace it.
    changes.sort_by_key(|(old, _)| (old.start, !old.is_empty(), old.end));
    changes.dedup();
    let (mut text, mut at) = (String::new(), 0);
    for (old, new) in &changes {
        text.extend(base.get(at..old.start)?.iter().chain(new).copied());
        at = old.end;
    }
    text.extend(base.get(at..)?.iter().copied());
    Some(text)
}

/// Returns the content if each hunk replaces the lines at the place that it names, or else at the only place that has
/// just its lines.
fn only_places(trial: &DiffTrial) -> Option<String> {
    let mut lines: Vec<&str> = trial.there.lines().collect();
    let patch = PatchText::read(&trial.diff);
    let mut found: Vec<(usize, &super::damage::HunkText)> = Vec::new();
    for hunk in &patch.hunks {
        let old = hunk.side('-');
        let named = usize::try_from(hunk.numbers[0]).ok()?.checked_sub(1);
        if let Some(place) = named.filter(|at| lines.get(*at..*at + old.len()) == Some(&old)) {
            found.push((place, hunk));
            continue;
        }
        let mut places = lines.windows(old.len().max(1)).enumerate();
        let place = places.by_ref().find(|(_, window)| *window == old)?.0;
        if places.any(|(_, window)| window == old) {
            return None;
        }
        found.push((place, hunk));
    }
    found.sort_by_key(|(place, _)| *place);
    for (place, hunk) in found.into_iter().rev() {
        lines.splice(place..place + hunk.side('-').len(), hunk.side('+'));
    }
    let mut text = lines.join("\n");
    if trial.there.ends_with('\n') {
        text.push('\n');
    }
    Some(text)
}
