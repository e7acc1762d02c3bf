//! The refusal of a job that would replace what its session has not seen: with all that is needed to try
//! again without another read, and a receipt for what it has shown.

use std::sync::Arc;

use editd_engine::{Proof, Refusal, State};
use editd_proto::error::{By, Code, Outside, WireError, WouldApply};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;

use super::judge::{Judged, Verdict};
use super::rebase::{self, Obstacle};
use crate::disk::Sight;
use crate::receipt;
use crate::rooms::Rooms;
use crate::store::record::{Record, Seen};
use crate::workspace::Who;

/// Words for a verdict that is not `Fresh`, and, where a rebase was asked for, why there is none.
pub(super) fn refusal(
    rooms: &Rooms,
    who: &Who,
    judged: &Judged,
    path: &WirePath,
    verdict: Verdict,
    why: Option<Obstacle>,
) -> Refusal {
    let sight = judged.snapshot.sights.get(path).unwrap_or(&Sight::Absent);
    let version = sight.hash().map(|hash| hash.version());
    let mut error = match verdict {
        Verdict::Unread => WireError::new(
            Code::Unread,
            format!("this session has not read what it would replace in {path}; read it, or send its version as `base`"),
        ),
        Verdict::Exists => WireError::new(
            Code::Exists,
            format!("{path} exists, and the job expects that it does not; read it and edit what is there"),
        ),
        _ => return stale(rooms, who, judged, path, why),
    }
    .at(path);
    error.version = version;
    Box::new(error)
}

fn stale(rooms: &Rooms, who: &Who, judged: &Judged, path: &WirePath, why: Option<Obstacle>) -> Refusal {
    let sight = judged.snapshot.sights.get(path).unwrap_or(&Sight::Absent);
    let would = would_apply(rooms, judged, path);
    let what = match (sight.found(), would) {
        (Some(_), _) => {
            "changed since it was read; look at the diff, adapt the job, and send it again with `version` as `base`"
        }
        (None, WouldApply::Clean) => "is gone since it was read; send the job again if it shall be made anew",
        (None, WouldApply::Conflict) => {
            "is gone since it was read; leave it out of the job, or make it anew with `write`"
        }
    };
    let message = match why {
        Some(why) => format!("{path} {what} (it was not rebased: {why})"),
        None => format!("{path} {what}"),
    };
    let mut error = WireError::new(Code::Stale, message).at(path);
    error.version = sight.hash().map(|hash| hash.version());
    error.by = Some(by(rooms, path, sight));
    error.would_apply = Some(would);
    if let Some(seen) = judged.seen.get(path) {
        show_change(rooms, who, path, sight, seen, &mut error);
    }
    Box::new(error)
}

/// Adds to a conflict what a stale refusal tells too, so that the job can be adapted without another read.
pub(super) fn conflict(
    rooms: &Rooms,
    who: &Who,
    sight: Option<&Sight>,
    seen: Option<&Seen>,
    refusal: &mut Refusal,
) {
    let (Some(path), Some(sight)) = (refusal.path.clone(), sight) else { return };
    refusal.version = sight.hash().map(|hash| hash.version());
    refusal.by = Some(by(rooms, &path, sight));
    if let Some(seen) = seen {
        show_change(rooms, who, &path, sight, seen, refusal);
    }
}

/// Shows what changed since a session's read, and renews its receipt for what was shown.
fn show_change(rooms: &Rooms, who: &Who, path: &WirePath, sight: &Sight, seen: &Seen, error: &mut WireError) {
    let old = match seen.hash {
        None => Some(Vec::new()),
        Some(hash) => rooms.store.content(hash),
    };
    let now = rooms.clock.wall_ms();
    let file = |bytes: Arc<[u8]>| State::File { bytes, mode: 0o644 };
    let before = match (&old, seen.hash) {
        (Some(bytes), Some(_)) => file(bytes.clone().into()),
        _ => State::Absent,
    };
    let Some(old) = old else { return };
    let renewed = match sight.found() {
        None => {
            error.diff = Some(editd_engine::unified_diff(path, &before, &State::Absent).0);
            receipt::absent(now)
        }
        Some(found) => {
            let (diff, omitted) = editd_engine::unified_diff(path, &before, &file(found.bytes.clone()));
            error.diff = Some(diff);
            if omitted > 0 {
                return;
            }
            // The diff has shown every line that differs from what the session knows.
            let splices = editd_engine::splices_between(&old, &found.bytes);
            rooms.store.keep_content(found.face.hash, &found.bytes);
            receipt::renewed(seen, found.face.hash, &old, &splices, now)
        }
    };
    // A receipt that is not renewed costs the session a read, nothing else.
    let _ = rooms.store.append(&[Record::Seen(receipt::of(who, path, renewed))]);
}

/// Who made what is there.
fn by(rooms: &Rooms, path: &WirePath, sight: &Sight) -> By {
    let outside = By::Outside(Outside::Outside);
    let Ok(Some((id, left))) = rooms.store.last_of(path) else { return outside };
    if left != sight.hash() {
        return outside;
    }
    match rooms.store.summary(id) {
        Ok(Some(entry)) if entry.kind != EntryKind::External => By::Entry(id),
        _ => outside,
    }
}

/// Whether the job would apply to what is there now; where it replaces what it does not quote, that it finds its
/// lines says nothing, and what counts is whether it could be merged.
fn would_apply(rooms: &Rooms, judged: &Judged, path: &WirePath) -> WouldApply {
    let request = &judged.snapshot.request;
    let mut alone = request.clone();
    alone.partial = false;
    alone.diff = Some(false);
    alone.files.retain(|entry| entry.path == *path);
    let whole = if alone.files.is_empty() { request } else { &alone };
    let blind = whole.files.iter().any(|entry| matches!(editd_engine::proof(entry), Ok(Proof::Blind)));
    if let Some(would) = blind.then(|| rebase::trial(rooms, judged, whole, path)).flatten() {
        return would;
    }
    let world = &judged.snapshot.world;
    match editd_engine::plan(whole, world, &rooms.options(world.files.keys())) {
        Ok(_) => WouldApply::Clean,
        Err(_) => WouldApply::Conflict,
    }
}
