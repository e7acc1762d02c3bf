//! `judge`: may this session replace what is there? A pure verdict for each file entry from what the entry
//! expects, what is there, what the session has seen and what the edits quote.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use editd_engine::{Proof, Refusal};
use editd_proto::error::{Code, WireError};
use editd_proto::ids::ContentHash;
use editd_proto::message::{Edit, FileEntry, OnStale};
use editd_proto::path::WirePath;
use sha2::{Digest, Sha256};

use super::errors::{Halt, store_refusal};
use super::intend::Underway;
use super::rebase::{self, Base};
use super::snapshot::Snapshot;
use super::stale;
use crate::config::Unread;
use crate::disk::Sight;
use crate::journal::external;
use crate::journal::known::Ticket;
use crate::journal::past::Patience;
use crate::limits::{JOB_HOLDS, REFUSED_DIFFS};
use crate::rooms::Rooms;
use crate::store::record::Seen;
use crate::workspace::Who;

/// What an entry expects to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expectation {
    /// Anything.
    Any,
    /// No file.
    Absent,
    /// A content with this short tag.
    Version(String),
    /// The content with this hash.
    Blake3(String),
    /// The content with this SHA-256.
    Sha256(String),
    /// What the session has last seen, if it has seen it.
    Receipt(Option<Seen>),
}

/// What is to be done with an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It may replace all of it.
    Fresh,
    /// It may replace the lines that its session has seen.
    WhereSeen,
    /// What is there is not what it expects.
    Stale,
    /// Its session has not read what it would replace.
    Unread,
    /// It expects nothing there, and there is something.
    Exists,
}

/// A job that may replace what it replaces.
pub(super) struct Judged {
    pub(super) snapshot: Snapshot,
    /// What the session has seen of each path.
    pub(super) seen: BTreeMap<WirePath, Seen>,
    /// Entries (by index) that may only touch lines that were seen.
    pub(super) where_seen: BTreeSet<WirePath>,
    /// Older contents that stale entries are planned on, where the job asks for that.
    pub(super) bases: BTreeMap<WirePath, Base>,
    /// What may still be spent on finding those.
    pub(super) patience: Patience,
    /// With `partial`: entries (by index) that are left out, and why.
    pub(super) skipped: BTreeMap<usize, Refusal>,
    /// Bytes of the contents that were found.
    pub(super) held: usize,
    /// Bytes that may be held besides.
    pub(super) room: usize,
    /// Bytes that the diffs of refusals may still have in all.
    pub(super) diffs: Cell<usize>,
}

/// Judges every entry of a job.
///
/// # Errors
/// [`Halt::Heavier`] where older contents that it is to be merged from are more than the job may hold.
pub(super) fn judge(
    rooms: &Rooms,
    underway: &Underway<'_>,
    who: &Who,
    snapshot: Snapshot,
) -> Result<Judged, Halt> {
    let found = snapshot.sights.values().filter_map(Sight::found);
    let found = found.map(|found| found.bytes.len()).sum::<usize>();
    let mut judged = Judged {
        held: found,
        diffs: Cell::new(REFUSED_DIFFS),
        room: underway.room().saturating_sub(found),
        seen: seen_of(rooms, who, &snapshot)?,
        snapshot,
        where_seen: BTreeSet::new(),
        bases: BTreeMap::new(),
        patience: Patience::whole(),
        skipped: BTreeMap::new(),
    };
    judged.skipped.append(&mut judged.snapshot.skipped);
    for (path, sight) in &judged.snapshot.sights {
        let seen = judged.seen.get(path).map(|seen| seen.hash);
        external::note(rooms, path, sight, Ticket::Lane, seen, true);
    }
    let mut targets = Targets::default();
    let mut held = 0;
    for (index, entry) in judged.snapshot.request.files.iter().enumerate() {
        if judged.skipped.contains_key(&index) {
            continue;
        }
        match judge_entry(rooms, who, &judged, entry, &targets) {
            Ok((verdict, base)) => {
                if let Some(base) = base {
                    if !judged.bases.contains_key(&entry.path) {
                        held = rebase::held(held, &base)?;
                        underway.cover(judged.held.saturating_add(held).saturating_mul(JOB_HOLDS))?;
                    }
                    judged.bases.insert(entry.path.clone(), base);
                }
                if verdict == Verdict::WhereSeen {
                    judged.where_seen.insert(entry.path.clone());
                }
                targets.note(&judged.snapshot, entry);
            }
            Err(refusal) if judged.snapshot.request.partial => {
                judged.skipped.insert(index, refusal);
            }
            Err(refusal) => return Err(refusal.into()),
        }
    }
    leave_out_unmergeable(rooms, who, &mut judged)?;
    // A later stage of a path that was left out has nothing to stand on.
    let left_out: BTreeMap<WirePath, Refusal> = judged
        .skipped
        .iter()
        .filter_map(|(index, refusal)| {
            let entry = judged.snapshot.request.files.get(*index)?;
            Some((entry.path.clone(), refusal.clone()))
        })
        .collect();
    for (index, entry) in judged.snapshot.request.files.iter().enumerate() {
        if let Some(refusal) = left_out.get(&entry.path) {
            judged.skipped.entry(index).or_insert_with(|| refusal.clone());
        }
    }
    judged.bases.retain(|path, _| !left_out.contains_key(path));
    Ok(judged)
}

/// What the entries so far have brought where.
#[derive(Default)]
struct Targets {
    /// Paths whose content the job may replace without another word: its entry has named the base, or the job itself
    /// has put something there.
    free: BTreeSet<WirePath>,
    /// Where renamed files were, where that is not so: who replaces what is there now must know what was there.
    came: BTreeMap<WirePath, WirePath>,
}

impl Targets {
    /// The path whose content in the world is what stands at a path by now.
    fn origin<'p>(&'p self, path: &'p WirePath) -> &'p WirePath {
        self.came.get(path).unwrap_or(path)
    }

    /// Notes what a judged entry puts where.
    fn note(&mut self, snapshot: &Snapshot, entry: &FileEntry) {
        if entry.base.is_some() {
            self.free.insert(entry.path.clone());
        }
        let origin = self.origin(&entry.path).clone();
        for edit in &entry.edits {
            let Some(to) = surely_put(snapshot, edit) else { continue };
            if edit.op == "rename" && !self.free.contains(&entry.path) {
                self.free.remove(to);
                self.came.insert(to.clone(), origin.clone());
            } else if edit.overwrite == Some(true) || !self.came.contains_key(to) {
                self.came.remove(to);
                self.free.insert(to.clone());
            }
        }
    }
}

/// Where an edit puts something that the job itself brings. A refused edit puts nothing there, and with `partial` the
/// others go on: then what is there must have been judged, or nothing be there.
fn surely_put<'j>(snapshot: &Snapshot, edit: &'j Edit) -> Option<&'j WirePath> {
    let to = edit.to.as_ref()?;
    let judged = edit.overwrite == Some(true);
    let nothing = snapshot.sights.get(to).is_none_or(|sight| sight.found().is_none());
    (judged || nothing || !snapshot.request.partial).then_some(to)
}

/// Refuses what a base was found for and what cannot be merged all the same.
fn leave_out_unmergeable(rooms: &Rooms, who: &Who, judged: &mut Judged) -> Result<(), Refusal> {
    let request = &judged.snapshot.request;
    let mut refusals: BTreeMap<WirePath, Refusal> = BTreeMap::new();
    for (path, why) in rebase::obstacles(request, &judged.bases) {
        let refusal = stale::refusal(rooms, who, judged, &path, Verdict::Stale, Some(why));
        if !request.partial {
            return Err(refusal);
        }
        refusals.insert(path, refusal);
    }
    for (index, entry) in request.files.iter().enumerate().filter(|_| !refusals.is_empty()) {
        let targets = entry.edits.iter().filter_map(|edit| edit.to.as_ref());
        let mut paths = std::iter::once(&entry.path).chain(targets);
        if let Some(refusal) = paths.find_map(|path| refusals.get(path)) {
            judged.skipped.insert(index, refusal.clone());
        }
    }
    Ok(())
}

fn seen_of(rooms: &Rooms, who: &Who, snapshot: &Snapshot) -> Result<BTreeMap<WirePath, Seen>, Refusal> {
    let mut seen = BTreeMap::new();
    for path in snapshot.places.keys() {
        if let Some(one) = rooms.store.seen(&who.session, path).map_err(|error| store_refusal(&error))? {
            seen.insert(path.clone(), one);
        }
    }
    Ok(seen)
}

fn judge_entry(
    rooms: &Rooms,
    who: &Who,
    judged: &Judged,
    entry: &FileEntry,
    targets: &Targets,
) -> Result<(Verdict, Option<Base>), Refusal> {
    let sight = |path| judged.snapshot.sights.get(path).unwrap_or(&Sight::Absent);
    let seen = |path| judged.seen.get(path).cloned();
    let mut verdict = Verdict::Fresh;
    let mut base = None;
    let origin = if entry.base.is_some() { &entry.path } else { targets.origin(&entry.path) };
    let moved = *origin != entry.path;
    if entry.base.is_some() || !targets.free.contains(&entry.path) {
        let expects = expectation(entry, seen(origin))?;
        let proof = editd_engine::proof(entry)?;
        verdict = verdict_of(&expects, sight(origin), proof, rooms.settings.unread);
        let mut why = None;
        if moved && verdict == Verdict::WhereSeen {
            // Which lines are meant is only known where the file was.
            verdict = Verdict::Unread;
        }
        if !moved && verdict == Verdict::Stale && judged.snapshot.request.on_stale == OnStale::Rebase {
            let seen = judged.seen.get(&entry.path);
            let known = judged.bases.get(&entry.path);
            let known = known.filter(|base| rebase::names(&expects, base.hash, &base.bytes)).cloned();
            let find = || {
                let sight = sight(&entry.path);
                rebase::base(rooms, &entry.path, &expects, seen, sight, &judged.patience)
            };
            match known.map_or_else(find, Ok) {
                Ok(found) => {
                    verdict = as_seen(&expects, proof);
                    base = Some(found);
                }
                Err(obstacle) => why = Some(obstacle),
            }
        }
        if !matches!(verdict, Verdict::Fresh | Verdict::WhereSeen) {
            return Err(stale::refusal(rooms, who, judged, origin, verdict, why));
        }
    }
    for edit in entry.edits.iter().filter(|edit| edit.overwrite == Some(true)) {
        let Some(to) = edit.to.as_ref().map(|to| targets.origin(to)) else { continue };
        let expects = match entry.base.as_deref() {
            Some("any") => Expectation::Any,
            _ => Expectation::Receipt(seen(to)),
        };
        let over = verdict_of(&expects, sight(to), Proof::Blind, rooms.settings.unread);
        match over {
            Verdict::Fresh => {}
            Verdict::WhereSeen => return Err(stale::refusal(rooms, who, judged, to, Verdict::Unread, None)),
            other => return Err(stale::refusal(rooms, who, judged, to, other, None)),
        }
    }
    Ok((verdict, base))
}

/// The rule itself.
pub(super) fn verdict_of(expects: &Expectation, sight: &Sight, proof: Proof, unread: Unread) -> Verdict {
    let Some(found) = sight.found() else {
        return match expects {
            Expectation::Any | Expectation::Absent | Expectation::Receipt(None) => Verdict::Fresh,
            Expectation::Receipt(Some(seen)) if seen.hash.is_none() => Verdict::Fresh,
            Expectation::Version(_)
            | Expectation::Blake3(_)
            | Expectation::Sha256(_)
            | Expectation::Receipt(Some(_)) => Verdict::Stale,
        };
    };
    let hash = found.face.hash;
    let fresh = |same: bool| if same { Verdict::Fresh } else { Verdict::Stale };
    match expects {
        Expectation::Any => Verdict::Fresh,
        Expectation::Absent => Verdict::Exists,
        Expectation::Version(tag) => fresh(hash.version().0 == *tag),
        Expectation::Blake3(hex) => fresh(hash.hex() == *hex),
        Expectation::Sha256(hex) => fresh(sha256(&found.bytes) == *hex),
        Expectation::Receipt(Some(seen)) if seen.hash != Some(hash) => Verdict::Stale,
        Expectation::Receipt(Some(_)) => as_seen(expects, proof),
        Expectation::Receipt(None) => match (proof, unread) {
            (Proof::NotNeeded, _) | (_, Unread::Allow) | (Proof::Quoted, Unread::Anchored) => Verdict::Fresh,
            (Proof::Quoted | Proof::Blind, _) => Verdict::Unread,
        },
    }
}

/// What may be done with the content that an entry expects.
fn as_seen(expects: &Expectation, proof: Proof) -> Verdict {
    match expects {
        Expectation::Receipt(Some(seen)) if !seen.ranges.is_empty() && proof == Proof::Blind => {
            Verdict::WhereSeen
        }
        _ => Verdict::Fresh,
    }
}

/// What an entry's `base` says.
pub(super) fn expectation(entry: &FileEntry, seen: Option<Seen>) -> Result<Expectation, Refusal> {
    let Some(base) = entry.base.as_deref() else { return Ok(Expectation::Receipt(seen)) };
    let hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let lower = base.to_ascii_lowercase();
    match (lower.as_str(), lower.split_once(':')) {
        ("any", _) => Ok(Expectation::Any),
        ("absent", _) => Ok(Expectation::Absent),
        (_, Some(("blake3", digest))) if hex(digest, 64) => Ok(Expectation::Blake3(digest.to_owned())),
        (_, Some(("sha256", digest))) if hex(digest, 64) => Ok(Expectation::Sha256(digest.to_owned())),
        (tag, None) if hex(tag, 12) => Ok(Expectation::Version(tag.to_owned())),
        _ => Err(Box::new(
            WireError::new(
                Code::Malformed,
                format!(
                    "base {base:?} is none of a version (12 hexadecimal digits), `blake3:` or `sha256:` with \
                     64 digits, `any`, `absent`"
                ),
            )
            .at(&entry.path),
        )),
    }
}

/// SHA-256 of a content, 64 hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    ContentHash::from_bytes(digest).hex()
}
