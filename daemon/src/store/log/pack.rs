//! Packs segments that are no longer written to ([`packed`](super::packed)), and unpacks one. Every segment has its old or
//! its new form at every moment, and both hold the same records.

use std::io;

use super::erase::{blanked, record_ranges};
use super::file::LogFile;
use super::header::SegmentHeader;
use super::packed::{
    BLOCK_BYTES, HEAD, PACKED_FORMAT, TRAILER, encode_table, encode_trailer, stored_size, table_len,
};
use super::read::fill;
use super::segment::{self, ReadSegment, failure};
use super::writer::Log;
use crate::os::{Dir, File, Os};
use crate::store::StoreError;
use crate::sync::lock;

/// The level of zstd: higher ones were seen to gain little.
const LEVEL: i32 = 3;

impl Log {
    /// Returns the oldest segment that can be packed and was not examined yet: it is flushed and followed by another.
    pub fn packable(&self) -> Option<u64> {
        let (flushed, examined) = (self.flushed().segment(), lock(&self.examined));
        self.segments().into_iter().map(|(id, _)| id).find(|id| *id < flushed && !examined.contains(id))
    }

    /// Packs a segment that is followed by another, unless it is packed already, is damaged, or would not get clearly
    /// smaller. Returns true if it was packed. No segment may be dropped meanwhile.
    ///
    /// # Errors
    /// Errors of the system: the segment is as it was, or packed.
    pub fn pack(&self, id: u64) -> Result<bool, StoreError> {
        lock(&self.examined).insert(id);
        let failed = |e: io::Error| failure("packed", id, &e);
        let plain = segment::read(&self.dir, id).map_err(failed)?;
        // Damage stays where it is, for `salvage`.
        let Ok(kept) = record_ranges(&self.dir, id) else { return Ok(false) };
        if plain.is_packed() {
            return Ok(false);
        }
        let Some(size) = self.write_packed(plain, &kept).map_err(failed)? else { return Ok(false) };
        self.resized(id, size);
        Ok(true)
    }

    /// Writes the packed form of a segment and puts it in its place. Returns its size; `None` if nothing is gained.
    fn write_packed(&self, plain: ReadSegment, kept: &[(u64, u64)]) -> io::Result<Option<u64>> {
        let mut head = [0; HEAD as usize];
        fill(&plain, &mut head, 0)?;
        let Some(header) = SegmentHeader::decode(&head, plain.id) else { return Ok(None) };
        let name = segment::name(plain.id);
        let file = fresh(&self.dir, &name)?;
        let blocks = plain.len.div_ceil(u64::from(BLOCK_BYTES));
        let table = table_len(usize::try_from(blocks).unwrap_or_default());
        let (mut at, mut sizes) = (HEAD + table as u64, Vec::new());
        blanked(&plain, BLOCK_BYTES as usize, kept, &mut |_, bytes, _| {
            let shorter = zstd::bulk::compress(bytes, LEVEL).ok();
            let shorter = shorter.filter(|shorter| shorter.len() < bytes.len() - bytes.len() / 8);
            let is_plain = shorter.is_none();
            let stored = shorter.as_deref().unwrap_or(bytes);
            file.write_all_at(stored, at)?;
            at += stored.len() as u64;
            sizes.push(stored_size(u32::try_from(stored.len()).unwrap_or_default(), is_plain));
            Ok(())
        })?;
        let size = at + table as u64 + TRAILER;
        if size > plain.stored - plain.stored / 4 {
            self.dir.remove_file(fresh_name(&name).as_bytes())?;
            return Ok(None);
        }
        let table = encode_table(plain.id, plain.len, &sizes);
        let packed = SegmentHeader { format: PACKED_FORMAT, ..header }.encode();
        file.write_all_at(packed.get(..HEAD as usize).unwrap_or_default(), 0)?;
        file.write_all_at(&table, HEAD)?;
        file.write_all_at(&table, at)?;
        file.write_all_at(&encode_trailer(table.len()), at + table.len() as u64)?;
        same(&plain, &ReadSegment::of(plain.id, LogFile::new(file.clone())?)?, kept)?;
        file.sync_all()?;
        // Some file systems of Windows replace no file that is open.
        drop(plain);
        place(&*self.os, &self.dir, &name)?;
        Ok(Some(size))
    }
}

/// Puts the plain form of a packed segment in its place. Does nothing if it is not packed.
///
/// # Errors
/// Errors of the system.
pub fn unpack(os: &dyn Os, dir: &Dir, id: u64) -> io::Result<()> {
    let packed = segment::read(dir, id)?;
    if !packed.is_packed() {
        return Ok(());
    }
    let name = segment::name(id);
    let file = fresh(dir, &name)?;
    blanked(&packed, BLOCK_BYTES as usize, &[(0, packed.len)], &mut |at, bytes, _| {
        file.write_all_at(bytes, at)
    })?;
    file.sync_all()?;
    drop(packed);
    place(os, dir, &name)
}

/// Fails if the kept bytes of two forms of a segment differ.
fn same(plain: &ReadSegment, packed: &ReadSegment, kept: &[(u64, u64)]) -> io::Result<()> {
    let differs = || io::Error::other("what was written differs from the segment");
    if packed.len != plain.len {
        return Err(differs());
    }
    let mut other = Vec::new();
    blanked(plain, BLOCK_BYTES as usize, kept, &mut |at, bytes, _| {
        other.resize(bytes.len(), 0);
        let filled = fill(packed, &mut other, at)?;
        if filled == bytes.len() && other == bytes { Ok(()) } else { Err(differs()) }
    })
}

fn fresh_name(name: &str) -> String {
    format!("{name}.new")
}

/// Creates the file that will take the place of a segment.
pub(super) fn fresh(dir: &Dir, name: &str) -> io::Result<File> {
    let fresh = fresh_name(name);
    match dir.remove_file(fresh.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    dir.create_file(fresh.as_bytes(), 0o600)
}

/// Puts the flushed file in the place of the segment.
pub(super) fn place(os: &dyn Os, dir: &Dir, name: &str) -> io::Result<()> {
    os.rename(dir, fresh_name(name).as_bytes(), dir, name.as_bytes())?;
    dir.sync()
}
