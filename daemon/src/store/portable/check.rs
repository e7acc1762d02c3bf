//! Checks of what an imported file says: nothing of it is trusted. Pure. Each error says what is wrong.

use editd_engine::Splice;
use editd_proto::limits;
use editd_proto::path::FilePath;

use super::NUMBER;
use super::line::{EntryLine, FileLine, PartLine};
use crate::record::{FileMeta, FileRecord};

/// The bytes of a label or a name. Clients may give names of `limits::NAME` bytes; labels of the daemon contain a path.
pub const TEXT: usize = 64 * 1024;

/// The greatest time, in milliseconds since 1970: the end of the year 9999.
const TIME: u64 = 253_402_300_799_999;

/// The most files of an entry. Jobs have at most `limits::FILES`.
const FILES: u64 = 1_000_000;

/// The most entries that an entry names, and parts of them.
const NAMED: (usize, usize) = (100_000, 10_000);

/// The most hunks of a file.
const HUNKS: u32 = 100_000_000;

/// The folder of the daemon in a workspace.
const OWN: &[u8] = b".editd";

/// Checks a number of an entry.
pub fn number(id: u64) -> Result<u64, String> {
    match id {
        1..=NUMBER => Ok(id),
        _ => Err(format!("{id} is not the number of an entry")),
    }
}

/// Checks a time.
pub fn time(ms: u64) -> Result<u64, String> {
    if ms <= TIME { Ok(ms) } else { Err(format!("the time {ms} is after the year 9999")) }
}

/// Checks the length of a name.
pub fn text<'t>(what: &str, text: &'t str) -> Result<&'t str, String> {
    if text.len() <= TEXT { Ok(text) } else { Err(format!("the {what} is longer than {TEXT} bytes")) }
}

/// Returns a path that stays in the workspace and is not the daemon's.
pub fn path(bytes: &[u8]) -> Result<FilePath, String> {
    let path = FilePath::new(bytes);
    if bytes.len() > limits::PATH {
        return Err(format!("a path has {} bytes; the limit is {}", bytes.len(), limits::PATH));
    }
    if bytes.starts_with(b"/") {
        return Err(format!("the path {path} is absolute; paths of a journal are relative to the workspace"));
    }
    let mut components = bytes.split(|byte| *byte == b'/');
    if bytes.contains(&0) || components.any(|name| name.is_empty() || name == b"." || name == b"..") {
        return Err(format!("the path {path:?} is not the path of a file in a workspace"));
    }
    if bytes.split(|byte| *byte == b'/').next().is_some_and(|first| first.eq_ignore_ascii_case(OWN)) {
        return Err(format!("the path {path} belongs to editd itself"));
    }
    Ok(path)
}

/// Checks the line of an entry that follows the entry `after`.
pub fn entry(line: &EntryLine, after: u64) -> Result<(), String> {
    number(line.id)?;
    if line.id <= after {
        return Err(format!("entry {} follows entry {after}; entries are in ascending order", line.id));
    }
    time(line.time)?;
    text("session", &line.session)?;
    text("client", &line.client)?;
    text("key", line.key.as_deref().unwrap_or_default())?;
    line.queued.map(number).transpose()?;
    if line.files > FILES {
        return Err(format!("entry {} has {} files; the limit is {FILES}", line.id, line.files));
    }
    if line.of.len() > NAMED.0 || line.parts.len() > NAMED.1 {
        return Err(format!("entry {} names too many other entries", line.id));
    }
    match line.of.iter().find(|of| **of == 0 || **of >= line.id) {
        Some(of) => Err(format!("entry {} names entry {of}, which is not before it", line.id)),
        None => line.parts.iter().try_for_each(part),
    }
}

fn part(part: &PartLine) -> Result<(), String> {
    let mut after = 0;
    let runs = part.hunks.iter().all(|&(first, last)| {
        let ascends = first > after && first <= last && last <= part.total;
        after = last;
        ascends
    });
    let file = part.file >= 1 && part.file <= part.files && u64::from(part.files) <= FILES;
    if runs && file && part.total <= HUNKS {
        Ok(())
    } else {
        Err("a part is not that of an entry".to_owned())
    }
}

/// Checks the order of the line of a file.
pub fn file_line(line: &FileLine, entry: u64, number: u64) -> Result<(), String> {
    if (line.entry, line.file) != (entry, number) {
        return Err(format!(
            "file {} of entry {} is where file {number} of entry {entry} should be",
            line.file, line.entry
        ));
    }
    if line.absent.is_some() && (line.changes > 0 || line.extents > 0) {
        return Err("a file has changes that are absent".to_owned());
    }
    Ok(())
}

/// Checks the changes of a file as a whole: their order and bounds, and the hashes of contents that they make up.
pub fn file(file: &FileRecord) -> Result<(), String> {
    let size = |meta: &Option<FileMeta>| meta.as_ref().map_or(0, |meta| meta.size);
    let mut end = 0;
    for splice in &file.splices {
        let next = splice.at.checked_add(splice.old.len() as u64);
        // The size before may be unknown, so it is no bound.
        match next.filter(|next| splice.at >= end && *next <= limits::FILE as u64) {
            Some(next) => end = next,
            None => return Err(format!("the changes of {} are out of order, or too far", file.path)),
        }
    }
    let [Splice { at: 0, old, new }] = file.splices.as_slice() else { return Ok(()) };
    let whole = |meta: &Option<FileMeta>, bytes: &[u8], other: &[u8], other_size: u64| match meta {
        // The change is the whole content only if it covers all of the other one.
        Some(meta) => {
            meta.size != bytes.len() as u64
                || other.len() as u64 != other_size
                || blake3::hash(bytes).as_bytes() == meta.hash.as_bytes()
        }
        None => true,
    };
    if whole(&file.before, old, old, size(&file.before)) && whole(&file.after, new, old, size(&file.before)) {
        Ok(())
    } else {
        Err(format!("a content of {} does not have the hash that the file states", file.path))
    }
}
