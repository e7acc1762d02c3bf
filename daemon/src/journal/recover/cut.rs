//! After a power cut: every path of the open entries is brought to what the newest of them says, from whatever
//! intact state is left; then all of it is flushed, settled, and only then are the slots emptied.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;

use super::contents::Contents;
use super::decide::{Action, Shown, decide, is_torn, outlived, same_file};
use super::mend::{find, seal_records, shown};
use crate::disk::put::Rescue;
use crate::disk::stage::{Mode, StageError};
use crate::disk::{Found, Place, Sight};
use crate::journal::{external, settle};
use crate::rooms::{Rooms, lock};
use crate::store::record::{Entry, Face, FileRecord, How, Record, Settle};

/// A path and its unsettled records, oldest first, each with its entry.
type Chain<'a> = Vec<(JobId, &'a FileRecord)>;

/// Recovers every entry that an earlier run of the machine left open. Returns what people should know.
///
/// # Errors
/// What the system says; nothing was deleted, and recovery may be tried again.
pub fn after_cut(rooms: &Rooms, open: &[(Arc<Entry>, bool)]) -> io::Result<Vec<String>> {
    let mut chains: BTreeMap<&WirePath, Chain<'_>> = BTreeMap::new();
    for (entry, _) in open {
        for file in &entry.files {
            chains.entry(&file.path).or_default().push((entry.id, file));
        }
    }
    let mut notes = Vec::new();
    let mut diverged = BTreeSet::new();
    let mut work = Work::default();
    for (path, chain) in &chains {
        match recover_path(rooms, path, chain, &mut work)? {
            Outcome::Stands => {}
            Outcome::Redone => notes.push(format!("{path}: what the power cut took was written again")),
            Outcome::Diverged => {
                notes.push(format!("{path}: holds bytes that no job wrote; it was left as it is"));
                diverged.extend(chain.last().map(|(id, _)| *id));
            }
        }
    }
    flush(rooms, &chains, &work)?;
    let mut records = Vec::new();
    for (entry, sealed) in open {
        if !sealed {
            records.extend(seal_records(rooms, entry));
        }
        records.push(Record::Settle(Settle { id: entry.id, diverged: diverged.contains(&entry.id) }));
    }
    let settled = rooms.store.append(&records).and_then(|at| rooms.store.flush(at));
    let _durable = settled.map_err(io::Error::other)?;
    // Others may have opened a file in the moment in which it had a name: the slots are emptied with the care that
    // settling takes.
    for (id, file, hash) in work.slots {
        settle::leave_slot(rooms, id, file, hash);
    }
    Ok(notes)
}

/// Whether what stands at a path is what a hook left there, after the jobs that are not settled.
fn made_by_hook(rooms: &Rooms, path: &WirePath, seen: &Shown) -> bool {
    let Shown::File { face, .. } = seen else { return false };
    let Ok(Some((id, Some(left)))) = rooms.store.last_of(path) else { return false };
    let kind = rooms.store.summary(id).ok().flatten().map(|entry| entry.kind);
    left == face.hash && kind == Some(EntryKind::Hook)
}

/// What recovery has made and seen, to be tidied up once everything is settled.
#[derive(Default)]
struct Work {
    /// Slots whose bytes the journal has, and what they were seen to hold.
    slots: Vec<(JobId, FileRecord, Option<ContentHash>)>,
}

enum Outcome {
    Stands,
    Redone,
    Diverged,
}

fn recover_path(rooms: &Rooms, path: &WirePath, chain: &Chain<'_>, work: &mut Work) -> io::Result<Outcome> {
    let records: Vec<&FileRecord> = chain.iter().map(|(_, file)| *file).collect();
    let Some(place) = records.last().map(|file| find(rooms, file)).transpose()?.flatten() else {
        set_slots_aside(rooms, &records)?;
        return Ok(Outcome::Diverged);
    };
    let target = part_names(rooms, &records, &place)?;
    let mut contents = Contents::default();
    if let Sight::File(found) = &target {
        contents.add(found.bytes.clone());
    }
    for file in &records {
        if let Sight::File(found) = rooms.disk.look_slot(&file.staging, &file.slot)? {
            contents.add(found.bytes.clone());
        }
    }
    contents.reach(&records);
    let seen = match &target {
        Sight::Absent => Shown::Absent,
        Sight::File(found) => shown(found),
        Sight::TooLarge(_) | Sight::Unreadable(_) | Sight::Other(_) => Shown::Strange,
    };
    let action = decide(&records, &seen, &contents);
    if let (Action::Rebuild(..) | Action::Remove, Some(found)) = (&action, target.found()) {
        keep_unexplained(rooms, chain, found, &contents)?;
    }
    let outcome = match action {
        Action::Done => Outcome::Stands,
        Action::Leave if made_by_hook(rooms, path, &seen) => Outcome::Stands,
        Action::Leave => Outcome::Diverged,
        Action::RewriteInPlace(bytes, face) => {
            let was = target.found().map_or(&face, |found| &found.face);
            rooms.disk.rewrite(&place, was, &bytes, face.mode)?;
            Outcome::Redone
        }
        Action::Rebuild(bytes, face) => rebuild(rooms, &place, target.found(), &bytes, &face, work)?,
        Action::Remove => {
            let record =
                synthetic(path, target.found(), None, How::Delete, rooms.next_slot(), &place, rooms)?;
            put(rooms, &record, &place, work)?
        }
    };
    if matches!(outcome, Outcome::Diverged) {
        // Nothing here is understood well enough to throw anything away.
        set_slots_aside(rooms, &records)?;
        return Ok(outcome);
    }
    let newest = records.last().and_then(|file| file.after.as_ref());
    lock(&rooms.known).saw(path, newest, true);
    keep_slots(rooms, chain, &contents, work)?;
    Ok(outcome)
}

/// Looks at a target. After a cut one inode may stand under the target's and a slot's name (seen on btrfs):
/// exchanging those does nothing, so the slot's name goes first; the file stays under its other one.
fn part_names(rooms: &Rooms, records: &[&FileRecord], place: &Place) -> io::Result<Sight> {
    let target = rooms.disk.look(place)?;
    let Sight::File(found) = &target else { return Ok(target) };
    let identity = found.face.identity;
    let mut parted = false;
    for file in records.iter().filter(|file| !file.slot.is_empty()) {
        if let Sight::File(other) = rooms.disk.look_slot(&file.staging, &file.slot)?
            && other.face.identity == identity
        {
            rooms.disk.unstage(&file.staging, &file.slot);
            parted = true;
        }
    }
    if parted { rooms.disk.look(place) } else { Ok(target) }
}

/// Writes a content anew: into a fresh slot, flushed before it is exchanged, so that it cannot be torn again.
fn rebuild(
    rooms: &Rooms,
    place: &Place,
    target: Option<&Found>,
    bytes: &[u8],
    face: &Face,
    work: &mut Work,
) -> io::Result<Outcome> {
    let slot = rooms.next_slot();
    let staged = match rooms.disk.stage(place, target, bytes, Mode::Exact(face.mode), &slot) {
        Ok(staged) => staged,
        // Only its own user can write it anew.
        Err(StageError::Owner | StageError::ReadOnly) => return Ok(Outcome::Diverged),
        Err(StageError::Io(error)) => return Err(error),
    };
    rooms.disk.flush_slot(&staged.staging, &slot)?;
    rooms.disk.flush_slots(&staged.staging)?;
    let how = if target.is_some() { How::Swap } else { How::Create };
    let record = synthetic(place.path(), target, Some(staged.face), how, slot, place, rooms)?;
    put(rooms, &record, place, work)
}

fn put(rooms: &Rooms, record: &FileRecord, place: &Place, work: &mut Work) -> io::Result<Outcome> {
    let mut rescue = |rescue: Rescue<'_>| external::rescue(rooms, &rescue);
    let put = rooms.disk.put(record, place, &mut rescue)?;
    work.slots.push((JobId(0), record.clone(), None));
    Ok(match put {
        Ok(_) => Outcome::Redone,
        Err(_) => Outcome::Diverged,
    })
}

/// The record by which recovery puts a file: what it found there is what may be displaced.
fn synthetic(
    path: &WirePath,
    target: Option<&Found>,
    after: Option<Face>,
    how: How,
    slot: String,
    place: &Place,
    rooms: &Rooms,
) -> io::Result<FileRecord> {
    Ok(FileRecord {
        path: path.clone(),
        before: target.map(|found| found.face.clone()),
        after,
        splices: Vec::new(),
        how,
        slot,
        staging: rooms.disk.staging_of(place)?,
        made: Vec::new(),
        added: 0,
        removed: 0,
    })
}

/// Bytes that are about to be displaced, and that no entry explains, go into the journal first.
fn keep_unexplained(rooms: &Rooms, chain: &Chain<'_>, found: &Found, contents: &Contents) -> io::Result<()> {
    match chain.last() {
        Some((id, file)) if !explained(chain, found, contents) => {
            external::rescue_late(rooms, file, *id, found)
        }
        _ => Ok(()),
    }
}

/// Marks the chain's slots for emptying. What neither the journal nor a torn write explains goes into the
/// journal first.
fn keep_slots(rooms: &Rooms, chain: &Chain<'_>, contents: &Contents, work: &mut Work) -> io::Result<()> {
    for (id, file) in chain.iter().filter(|(_, file)| !file.slot.is_empty()) {
        match rooms.disk.look_slot(&file.staging, &file.slot)? {
            Sight::Absent => {}
            Sight::File(found) => {
                if !explained(chain, &found, contents) {
                    external::rescue_late(rooms, file, *id, &found)?;
                }
                work.slots.push((*id, (*file).clone(), Some(found.face.hash)));
            }
            Sight::TooLarge(_) | Sight::Unreadable(_) | Sight::Other(_) => {
                rooms.disk.set_aside(&file.staging, &file.slot, rooms.clock.wall_ms())?;
            }
        }
    }
    Ok(())
}

/// Keeps the slots of a path that could not be recovered where people find them.
fn set_slots_aside(rooms: &Rooms, records: &[&FileRecord]) -> io::Result<()> {
    for file in records.iter().filter(|file| !file.slot.is_empty()) {
        rooms.disk.set_aside(&file.staging, &file.slot, rooms.clock.wall_ms())?;
    }
    Ok(())
}

fn explained(chain: &Chain<'_>, found: &Found, contents: &Contents) -> bool {
    let records: Vec<&FileRecord> = chain.iter().map(|(_, file)| *file).collect();
    let mut states = records.iter().flat_map(|file| [&file.before, &file.after]).flatten();
    let of_the_chain = states.any(|state| {
        state.hash == found.face.hash
            || (same_file(state.identity, found.face.identity)
                && contents.get(state.hash).is_some_and(|written| is_torn(&found.bytes, written)))
    });
    of_the_chain || outlived(&records, &found.face)
}

/// Flushes every target, its folders, and the folders of the slots.
fn flush(rooms: &Rooms, chains: &BTreeMap<&WirePath, Chain<'_>>, work: &Work) -> io::Result<()> {
    for chain in chains.values() {
        let newest = chain.last().map(|(_, file)| find(rooms, file)).transpose()?.flatten();
        let Some(place) = newest else { continue };
        rooms.disk.flush_file(&place)?;
        let made: Vec<WirePath> = chain.iter().flat_map(|(_, file)| file.made.iter().cloned()).collect();
        rooms.disk.flush_folders(&place, &made)?;
    }
    for (_, file, _) in &work.slots {
        rooms.disk.flush_slots(&file.staging)?;
    }
    Ok(())
}
