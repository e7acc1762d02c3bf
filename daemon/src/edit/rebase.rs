//! Rebase: a stale entry of a job that asks for it is planned on the content that its session knew, and that plan is
//! moved onto the present content: each edit to the present place of its quotation, the others by a merge of lines.
//! This module finds the older content; the engine moves the edits.
//!
//! *Limitations*: only changes of text are merged. An edit that removes, creates or moves a file, or stores a part of
//! it in a clipboard, is about the whole file or its present content: such an entry stays stale.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{
    EditFacts, FileState, Job, JobEntry, Plan, PlanOptions, Refusal, StaleFiles, WorkspaceSnapshot,
};
use editd_proto::error::{ErrorCode, RequestError, WouldApply};
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::expects::{Expectation, expectation, sha256};
use super::shown::ChangeSinceRead;
use super::staleness::CheckedJob;
use crate::disk::{FileSnapshot, Observation};
use crate::journal::past;
use crate::limits::{JOB_BYTES, THEIRS_NEAR, THEIRS_SHOWN};
use crate::receipt;
use crate::record::ReadReceipt;
use crate::state::WorkspaceState;

/// The older content that a stale entry is planned on.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// Its bytes.
    pub(super) bytes: Arc<[u8]>,
    /// Their hash.
    pub(super) hash: ContentHash,
}

/// The reason why a stale entry is not merged, as the end of a sentence.
pub(super) type Obstacle = &'static str;

/// The base is unknown, or retention removed it.
pub(super) const NOT_STORED: Obstacle = "the base content of the job is no longer stored";

/// Returns the content that an entry expects, if it is still stored.
pub(super) fn base(
    state: &WorkspaceState,
    path: &FilePath,
    expects: &Expectation,
    seen: Option<&ReadReceipt>,
    observation: &Observation,
    patience: &past::PastBudget,
) -> Result<Base, Obstacle> {
    let Some(found) = observation.found() else {
        return Err("a file that no longer exists cannot be merged");
    };
    let read = seen.and_then(|seen| seen.hash);
    let direct = match expects {
        Expectation::Blake3(hex) => from_hex(hex),
        _ => read,
    };
    let kept = direct
        .and_then(|hash| Some((hash, past::kept(state, hash)?)))
        .filter(|(hash, bytes)| names(expects, *hash, bytes));
    let meant = |hash: ContentHash, bytes: &[u8]| names(expects, hash, bytes);
    let now = Some((found.meta.hash, &*found.bytes));
    // A version that the job names may be older than what the session has read.
    let since = match (expects, seen) {
        (Expectation::Receipt(_), Some(seen)) => past::since(seen),
        _ => 0,
    };
    match (expects, kept) {
        (Expectation::Receipt(_), _) if read.is_none() => Err("there was no file when it was looked at"),
        (_, Some((hash, bytes))) => Ok(Base { bytes: bytes.into(), hash }),
        (_, None) => match past::content(state, (path, since), now, patience, &meant) {
            Some((hash, bytes)) => Ok(Base { bytes: bytes.into(), hash }),
            None => Err(NOT_STORED),
        },
    }
}

/// Returns true if an expectation names a content.
pub(super) fn names(expects: &Expectation, hash: ContentHash, bytes: &[u8]) -> bool {
    match expects {
        Expectation::Any => true,
        Expectation::Absent => false,
        Expectation::Version(tag) => hash.version().0 == *tag,
        Expectation::Blake3(hex) => hash.hex() == *hex,
        Expectation::Sha256(hex) => sha256(bytes) == *hex,
        Expectation::Receipt(seen) => seen.as_ref().is_some_and(|seen| seen.hash == Some(hash)),
    }
}

fn from_hex(hex: &str) -> Option<ContentHash> {
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(ContentHash::from_bytes(digest))
}

/// Returns the reasons why the changes of paths that have a base cannot be merged.
pub(super) fn obstacles(job: &Job, bases: &BTreeMap<FilePath, Base>) -> BTreeMap<FilePath, Obstacle> {
    let mut found = BTreeMap::new();
    for entry in job.entries.iter().filter(|_| !bases.is_empty()) {
        for to in entry.targets().filter(|to| bases.contains_key(to)) {
            found.insert(to.clone(), "the job puts another file in its place");
        }
        if let Some(why) = bases.get(&entry.path).and_then(|base| obstacle(entry, base)) {
            found.insert(entry.path.clone(), why);
        }
    }
    found
}

fn obstacle(entry: &JobEntry, base: &Base) -> Option<Obstacle> {
    if entry.edits().any(EditFacts::is_about_file) {
        return Some("only changes of text are merged, not operations on whole files");
    }
    if entry.edits().any(EditFacts::stores_clipboard) {
        return Some("edits that store text in a clipboard are not merged");
    }
    if entry.edits().filter_map(EditFacts::written_text).any(|text| is_text_of(base, text)) {
        return Some("it writes the content that was read, which a merge would leave out");
    }
    let other = entry.base.is_some()
        && expectation(entry, None).is_ok_and(|expects| !names(&expects, base.hash, &base.bytes));
    other.then_some("its entries name different contents as their base")
}

/// Returns true if a text is that of a base, whatever its line breaks and its byte order mark.
fn is_text_of(base: &Base, text: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace('\r', "");
    std::str::from_utf8(&base.bytes).is_ok_and(|base| plain(base) == plain(text))
}

/// Returns the bytes of a job's bases with one more base.
///
/// # Errors
/// `too_large` if they would be more than [`JOB_BYTES`].
pub(super) fn held(bytes: usize, base: &Base) -> Result<usize, Refusal> {
    let held = bytes.saturating_add(base.bytes.len());
    if held <= JOB_BYTES {
        return Ok(held);
    }
    let message =
        format!("the contents to merge for this job have more than {JOB_BYTES} bytes; split the job");
    let mut error = RequestError::new(ErrorCode::TooLarge, message);
    error.limit = Some(JOB_BYTES as u64);
    Err(Box::new(error))
}

/// Replaces files of a world by their bases, and returns the present states.
pub(super) fn stand_on(
    world: &mut WorkspaceSnapshot,
    bases: &BTreeMap<FilePath, Base>,
) -> BTreeMap<FilePath, FileState> {
    let mut current = BTreeMap::new();
    for (path, base) in bases {
        let Some(FileState::File { mode, .. }) = world.files.get(path) else { continue };
        let older = FileState::File { bytes: base.bytes.clone(), mode: *mode };
        if let Some(now) = world.files.insert(path.clone(), older) {
            current.insert(path.clone(), now);
        }
    }
    current
}

/// Moves a plan onto the present contents. Returns the refusals of the files for which that is not possible.
pub(super) fn onto(
    state: &WorkspaceState,
    checked: &CheckedJob,
    current: &BTreeMap<FilePath, FileState>,
    plan: &mut Plan,
) -> Vec<Refusal> {
    if current.is_empty() {
        return Vec::new();
    }
    let (job, clips) = (&checked.snapshot.request.job, &checked.snapshot.world.clips);
    let options = PlanOptions { room: Some(checked.room), ..state.options(current.keys()) };
    editd_engine::rebase(plan, StaleFiles { job, clips, current }, job.diff != Some(false), &options)
}

/// Adds to the outcomes of rebased files the changes of others near the edits. Returns the session's read receipts for
/// the present contents, with the lines that these diffs show.
pub(super) fn tell_theirs(
    state: &WorkspaceState,
    checked: &CheckedJob,
    plan: &mut Plan,
) -> BTreeMap<FilePath, ReadReceipt> {
    let mut receipts = BTreeMap::new();
    let now = state.clock.wall_ms();
    for outcome in &mut plan.files {
        let path = &outcome.path;
        let observation =
            checked.snapshot.observations.get(path).filter(|_| checked.bases.contains_key(path));
        let Some(found) = observation.and_then(Observation::found) else { continue };
        let seen = checked.seen.get(path);
        if seen.is_some_and(|seen| seen.hash == Some(found.meta.hash)) {
            outcome
                .warnings
                .push("the edit names an older version: it was merged with the later changes".to_owned());
            continue;
        }
        outcome.warnings.extend(left_by_all(checked, path, found));
        let near: Vec<(u64, u64)> = outcome.edits.iter().filter_map(|edit| edit.lines).collect();
        let since_read = seen.map(|seen| ChangeSinceRead::find(state, checked, seen, found));
        let old = since_read.as_ref().and_then(|known| known.old.as_deref());
        let old = old.or_else(|| checked.bases.get(path).map(|base| &*base.bytes)).unwrap_or_default();
        let file = |bytes: Arc<[u8]>| FileState::File { bytes, mode: 0o644 };
        let states = (file(old.into()), file(found.bytes.clone()));
        let room = (THEIRS_SHOWN, Some(THEIRS_NEAR));
        let diff = editd_engine::nearby_diff(path, &states.0, &states.1, &near, room);
        outcome.warnings.push(match diff.text.as_str() {
            _ if differ_in_breaks(&states.0, &states.1) => {
                "the edit was merged with a change of the file's line breaks by others".to_owned()
            }
            "" => "the edit was merged with later changes by others, none of them near the edit".to_owned(),
            text => format!("the edit was merged with later changes by others; near it:\n{text}"),
        });
        if let Some((seen, since_read)) = seen.zip(since_read) {
            let shown = since_read.renewed(seen, found, (&diff.shown, false), now);
            receipts.insert(path.clone(), receipt::of_session(&seen.session, path, shown));
        }
    }
    receipts
}

/// Returns true if two contents are the same but for carriage returns.
fn differ_in_breaks(old: &FileState, new: &FileState) -> bool {
    let (FileState::File { bytes: old, .. }, FileState::File { bytes: new, .. }) = (old, new) else {
        return false;
    };
    let rest = |bytes: &Arc<[u8]>| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
    old != new && rest(old) == rest(new)
}

/// Returns a warning if an edit of every occurrence, planned on an older content, leaves some that others added.
fn left_by_all(checked: &CheckedJob, path: &FilePath, found: &FileSnapshot) -> Option<String> {
    let base = String::from_utf8_lossy(&checked.bases.get(path)?.bytes);
    let now = String::from_utf8_lossy(&found.bytes);
    let entries = checked.snapshot.request.job.entries.iter().filter(|entry| entry.path == *path);
    let texts = entries.flat_map(JobEntry::edits).filter_map(EditFacts::replaces_all);
    let added = |text: &str| now.matches(text).count().saturating_sub(base.matches(text).count());
    match texts.map(added).sum::<usize>() {
        0 => None,
        1 => Some("1 occurrence that others added was left: send the edit again to replace it".to_owned()),
        left => Some(format!(
            "{left} occurrences that others added were left: send the edit again to replace them"
        )),
    }
}

/// Returns the result that merging a stale entry would have; `None` if it is of a kind that is never merged.
pub(super) fn trial(
    state: &WorkspaceState,
    checked: &CheckedJob,
    alone: &Job,
    path: &FilePath,
) -> Option<WouldApply> {
    let entry = alone.entries.iter().find(|entry| entry.path == *path)?;
    let seen = checked.seen.get(path);
    let expects = expectation(entry, seen.cloned()).ok()?;
    let base = base(state, path, &expects, seen, checked.snapshot.observations.get(path)?, &checked.patience)
        .ok()?;
    let room = checked.room.checked_sub(base.bytes.len())?;
    let bases = BTreeMap::from([(path.clone(), base)]);
    if !obstacles(alone, &bases).is_empty() {
        return None;
    }
    let needs = editd_engine::needs(alone).ok()?;
    let whole = &checked.snapshot.world;
    let files = needs.paths.into_iter().filter_map(|path| whole.files.get_key_value(&path));
    let clips = needs.clips.iter().filter_map(|name| whole.clips.get_key_value(name));
    let pair = |(name, what): (&String, &Vec<u8>)| (name.clone(), what.clone());
    let mut world = WorkspaceSnapshot {
        files: files.map(|(path, state)| (path.clone(), state.clone())).collect(),
        clips: clips.map(pair).collect(),
    };
    let current = stand_on(&mut world, &bases);
    let options = PlanOptions { room: Some(room), ..state.options(world.files.keys()) };
    // A job that does not fit the content that was read may fit the present one.
    let mut plan = editd_engine::plan(alone, &world, &options).ok()?;
    let stale = StaleFiles { job: alone, clips: &world.clips, current: &current };
    Some(if editd_engine::rebase(&mut plan, stale, false, &options).is_empty() {
        WouldApply::Clean
    } else {
        WouldApply::Conflict
    })
}
