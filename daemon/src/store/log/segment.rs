//! Segment files: their names, reading one whatever its form, and preparing one for use. It knows nothing of records.

use std::io;

use super::file::{LogFile, is_of_the_disk};
use super::packed::{HEAD, PackedFile};
use super::position::align;
use super::read::fill_file;
use super::{BLOCK, header::HEADER};
use editd_proto::system_error::{in_words, is_out_of_descriptors};

use crate::os::{Access, Dir, File, Stat};
use crate::store::StoreError;

/// Bytes that are written at once while a segment is prepared.
const CHUNK: usize = 256 * 1024;

/// A segment that is open for writing. It is not packed.
#[derive(Clone)]
pub struct LogSegment {
    /// Its number.
    pub id: u64,
    /// Its file.
    pub file: File,
    /// Its bytes, all of them allocated.
    pub len: u64,
    /// Device and inode number of its file. No other file can get them while it is open.
    pub identity: (u64, u64),
}

/// Returns the name of a segment's file.
pub fn name(id: u64) -> String {
    format!("{id:016x}.log")
}

/// Returns the number of the segment with this file name.
pub fn number(name: &[u8]) -> Option<u64> {
    let digits = name.strip_suffix(b".log").filter(|digits| digits.len() == 16)?;
    let plain = digits.iter().all(|d| d.is_ascii_digit() || (b'a'..=b'f').contains(d));
    u64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| plain)?, 16).ok()
}

/// Returns the numbers of all segments in the folder, ascending.
pub fn list(dir: &Dir) -> io::Result<Vec<u64>> {
    let mut ids: Vec<u64> = dir.list()?.iter().filter_map(|listed| number(&listed.name)).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Returns the size of a segment that has room for a group of this size.
pub fn length_for(size: u64, group: u64) -> u64 {
    size.max(align(HEADER.saturating_add(group), BLOCK))
}

/// A segment that is open for reading.
pub struct ReadSegment {
    /// Its number.
    pub id: u64,
    /// Its bytes, unpacked.
    pub len: u64,
    /// Its bytes on the disk.
    pub stored: u64,
    form: SegmentForm,
}

/// The form of a segment.
pub enum SegmentForm {
    /// As it was written.
    Plain(LogFile),
    /// Compressed.
    Packed(PackedFile),
}

impl ReadSegment {
    /// Returns the segment in an open file.
    pub fn of(id: u64, file: LogFile) -> io::Result<Self> {
        let stored = file.size;
        let mut head = [0; HEAD as usize];
        let filled = fill_file(&file, &mut head, 0)?;
        let form = PackedFile::of(file, id, head.get(..filled).unwrap_or_default())?;
        let len = match &form {
            SegmentForm::Plain(_) => stored,
            SegmentForm::Packed(packed) => packed.len(),
        };
        Ok(Self { id, len, stored, form })
    }

    /// Returns the parts of its file that the disk could not read so far.
    pub fn unreadable(&self) -> Vec<(u64, u64)> {
        match &self.form {
            SegmentForm::Plain(file) => file.unreadable(),
            SegmentForm::Packed(packed) => packed.unreadable(),
        }
    }

    /// Returns true if it is packed.
    pub fn is_packed(&self) -> bool {
        matches!(self.form, SegmentForm::Packed(_))
    }

    /// Returns true if it is packed, and its header or one of its tables is damaged.
    pub fn is_table_damaged(&self) -> bool {
        matches!(&self.form, SegmentForm::Packed(packed) if packed.is_damaged)
    }

    /// Reads up to `buf.len()` bytes at an offset; 0 at the end.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.form {
            SegmentForm::Plain(file) => file.read_at(buf, offset),
            SegmentForm::Packed(packed) => packed.read_at(buf, offset),
        }
    }
}

/// Opens a segment for reading.
pub fn read(dir: &Dir, id: u64) -> io::Result<ReadSegment> {
    ReadSegment::of(id, LogFile::new(dir.open_file(name(id).as_bytes(), Access::Read)?)?)
}

/// Opens a segment for reading around what the disk cannot read.
pub fn read_around(dir: &Dir, id: u64) -> io::Result<ReadSegment> {
    ReadSegment::of(id, LogFile::around(dir.open_file(name(id).as_bytes(), Access::Read)?)?)
}

/// Opens a segment for writing. The caller knows that it is not packed.
pub fn open(dir: &Dir, id: u64) -> io::Result<LogSegment> {
    let file = dir.open_file(name(id).as_bytes(), Access::Write)?;
    let found = file.stat()?;
    Ok(LogSegment { id, file, len: found.size, identity: identity(&found) })
}

/// Creates a segment of at least `len` allocated bytes, or lengthens one that was left behind. It and its name are
/// durable afterwards, so that a later flush of it writes no metadata.
pub fn prepare(dir: &Dir, id: u64, len: u64) -> io::Result<LogSegment> {
    let name = name(id);
    let file = match dir.create_file(name.as_bytes(), 0o600) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            dir.open_file(name.as_bytes(), Access::Write)?
        }
        other => other?,
    };
    let found = file.stat()?;
    let mut filled = found.size;
    let zeros = vec![0; CHUNK];
    while filled < len {
        let room = usize::try_from(len - filled).unwrap_or(CHUNK).min(CHUNK);
        file.write_all_at(zeros.get(..room).unwrap_or_default(), filled)?;
        filled += room as u64;
    }
    file.sync_all()?;
    dir.sync()?;
    Ok(LogSegment { id, file, len: filled, identity: identity(&found) })
}

/// Returns the device and inode number of a file.
pub fn identity(found: &Stat) -> (u64, u64) {
    (found.identity.dev, found.identity.ino)
}

/// Returns true if the folder of the log was removed.
pub fn is_removed(dir: &Dir) -> bool {
    dir.stat_self().is_ok_and(|found| found.links == 0)
}

/// Removes a segment's file.
pub fn remove(dir: &Dir, id: u64) -> io::Result<()> {
    match dir.remove_file(name(id).as_bytes()) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The error of a failed call on a file of the log; `what` is a participle (`read`).
pub fn failure(what: &str, id: u64, e: &io::Error) -> StoreError {
    StoreError::Io(format!("the journal's file log/{} could not be {what}: {}", name(id), in_words(e)).into())
}

/// The error of a segment that cannot be made: nothing was written, and a later attempt may succeed.
pub fn no_room(id: u64, e: &io::Error) -> StoreError {
    let remedy = match e.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on the disk of the state folder"
        }
        _ => "repair that",
    };
    StoreError::Io(format!("{}; {remedy}, then send it again", failure("made", id, e)).into())
}

/// The error of a failed read of a file of the log, with the remedy.
pub fn unreadable(what: &str, id: u64, e: &io::Error) -> StoreError {
    let todo = if is_of_the_disk(e) {
        "; nothing is changed: check the disk, and try again; if it cannot be read then either, run `editctl stop`, then \
         `editctl salvage`, which keeps all that can be read"
    } else if is_out_of_descriptors(e) {
        "; nothing is changed: raise the limit (`ulimit -n`), or try again when fewer files are open"
    } else {
        "; nothing is changed: repair that, and try again"
    };
    StoreError::Io(
        format!("the journal's file log/{} could not be {what}: {}{todo}", name(id), in_words(e)).into(),
    )
}
