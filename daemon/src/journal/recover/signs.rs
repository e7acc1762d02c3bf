//! Tells from records and from the files after a power cut how far a job got, and who wrote a file. Pure.

use super::contents::IntactContents;
use crate::os::FileIdentity;
use crate::record::{ChangeMethod, FileMeta, FileRecord};

/// The unit in which a disk loses or keeps data, bytes.
const BLOCK: usize = 512;

/// Returns `Some(true)` if a job had put its file in place, as far as target and staged file tell after another
/// program changed the target, and `Some(false)` if it had not. Names reach the disk in the order in which they were
/// given, and no staged file is removed before its entry's seal is durable. `None` if nothing tells: a file that is
/// rewritten in place has no staged file.
pub fn was_put(
    file: &FileRecord,
    target: Option<FileIdentity>,
    staged_name: Option<FileIdentity>,
) -> Option<bool> {
    let is = |one: Option<FileIdentity>, meta: &Option<FileMeta>| match (one, meta) {
        (Some(one), Some(meta)) => same_file(one, meta.identity),
        _ => false,
    };
    match file.how {
        ChangeMethod::InPlace | ChangeMethod::Nothing | ChangeMethod::Rescued => None,
        ChangeMethod::Swap | ChangeMethod::Create | ChangeMethod::Delete if is(target, &file.after) => {
            Some(true)
        }
        ChangeMethod::Swap | ChangeMethod::Create if is(staged_name, &file.after) => Some(false),
        ChangeMethod::Swap | ChangeMethod::Delete if is(target, &file.before) => Some(false),
        // If it was moved away, it has the staged name.
        ChangeMethod::Delete => Some(staged_name.is_some()),
        ChangeMethod::Swap if staged_name.is_some() => Some(true),
        ChangeMethod::Create => Some(true),
        // The power cut removed the name of the staged file, and so everything after it; or the file of another
        // program was put back over it.
        ChangeMethod::Swap => Some(false),
    }
}

/// The same for a file that is rewritten in place, if another program only appended to it; otherwise `None`.
pub fn was_rewritten(file: &FileRecord, found: &[u8]) -> Option<bool> {
    let [splice] = file.splices.as_slice() else { return None };
    let (prefix, tail) = found.split_at_checked(usize::try_from(splice.at).ok()?)?;
    let is = |side: &[u8], meta: &Option<FileMeta>| {
        tail.starts_with(side)
            && meta
                .as_ref()
                .is_some_and(|meta| crate::disk::observation::hash(&[prefix, side].concat()) == meta.hash)
    };
    match (is(&splice.old, &file.before), is(&splice.new, &file.after)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        // If one side is the beginning of the other, the longer one is the one that was appended to.
        (true, true) => Some(splice.new.len() > splice.old.len()),
        (false, false) => None,
    }
}

/// Returns true if this is the file that was staged for a record, whole or torn. If the staged content cannot be
/// rebuilt any more, the file counts as torn if it still has the time at which it was staged; no file is deleted only
/// because of that.
pub fn is_own(file: &FileRecord, meta: &FileMeta, found: &[u8], contents: &IntactContents) -> bool {
    file.after.as_ref().is_some_and(|after| {
        let as_staged = match contents.get(after.hash) {
            Some(written) => meta.hash == after.hash || is_torn(found, written),
            None => meta.modified == after.modified,
        };
        same_file(meta.identity, after.identity) && as_staged
    })
}

/// Returns true if the file with the staged name is neither the one staged for a record nor the one it displaced as
/// checked, whole or torn: another program changed it before the job's swap, or wrote to it afterwards.
pub fn is_theirs(file: &FileRecord, staged_name: &FileMeta, found: &[u8], contents: &IntactContents) -> bool {
    let (Some(before), ChangeMethod::Swap | ChangeMethod::Delete) = (&file.before, file.how) else {
        return false;
    };
    let staged = file.after.as_ref().is_some_and(|after| same_file(staged_name.identity, after.identity));
    let as_checked = staged_name.hash == before.hash
        && (staged_name.mode, staged_name.uid, staged_name.gid) == (before.mode, before.uid, before.gid);
    // Before those bytes it may have had others, which were never flushed.
    let older = same_file(staged_name.identity, before.identity)
        && staged_name.modified <= before.modified
        && staged_name.hash != before.hash;
    let torn = || contents.get(before.hash).is_some_and(|written| is_torn(found, written));
    !(staged || as_checked || older || (staged_name.hash != before.hash && torn()))
}

/// Returns true if the staged name has neither file of the record: another program put its file at the path before
/// the job's swap. For a file of the record, only its content shows a write, and not when that came ([`is_theirs`]).
pub fn is_another(file: &FileRecord, staged_name: FileIdentity) -> bool {
    [&file.before, &file.after].into_iter().flatten().all(|meta| !same_file(staged_name, meta.identity))
}

/// Returns true if a change came in this run of the machine, which `began` after a job of an earlier run was
/// intended. All are nanoseconds since 1970 by one clock; if that was set in between, they contradict each other, and
/// the result is false.
pub fn is_later(began: i64, intended: i64, changed: i64, now: i64) -> bool {
    intended < began && began <= changed && changed <= now
}

/// Returns true if a power cut could have made `found` from `written`.
pub fn is_torn(found: &[u8], written: &[u8]) -> bool {
    found.len() <= written.len()
        && found
            .chunks(BLOCK)
            .zip(written.chunks(BLOCK))
            .all(|(found, written)| written.starts_with(found) || found.iter().all(|byte| *byte == 0))
}

/// Returns true if two identities from different runs of the machine belong to one file. The device number may change
/// with a restart (seen with btrfs and network mounts); inode number and birth time stay.
pub fn same_file(one: FileIdentity, other: FileIdentity) -> bool {
    one.ino == other.ino && one.born == other.born
}

#[cfg(test)]
mod tests;
