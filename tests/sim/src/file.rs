//! The content of a file: as processes see it, as a power cut leaves it at least, and the changes between. It knows
//! no names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::choose::{ChoicePoint, CutChooser};
use super::sparse_bytes::{BLOCK, SECTOR, SparseBytes};

/// A change of content that was not flushed.
#[derive(Clone, Debug)]
enum ContentChange {
    Write { offset: u64, bytes: Arc<[u8]> },
    Zero { offset: u64, len: u64 },
    SetLen(u64),
}

/// One file's content.
#[derive(Clone, Default, Debug)]
pub(super) struct FileData {
    seen: SparseBytes,
    durable: SparseBytes,
    pending: Vec<ContentChange>,
    /// So many of them, the oldest, were to be written by a flush that failed: each lies in one block.
    forgotten: usize,
}

fn apply(data: &mut SparseBytes, change: &ContentChange) {
    match change {
        ContentChange::Write { offset, bytes } => data.write(*offset, bytes),
        ContentChange::Zero { offset, len } => data.zero(*offset, *len),
        ContentChange::SetLen(len) => data.set_len(*len),
    }
}

impl FileData {
    /// A file that stands on the disk.
    pub(super) fn durable(data: SparseBytes) -> Self {
        Self { seen: data.clone(), durable: data, pending: Vec::new(), forgotten: 0 }
    }

    /// The content that processes see.
    pub(super) fn seen(&self) -> &SparseBytes {
        &self.seen
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if bytes.iter().all(|byte| *byte == 0) {
            self.change(ContentChange::Zero { offset, len: bytes.len() as u64 });
        } else {
            self.change(ContentChange::Write { offset, bytes: bytes.into() });
        }
    }

    pub(super) fn set_len(&mut self, len: u64) {
        if len != self.seen.len() {
            self.change(ContentChange::SetLen(len));
        }
    }

    fn change(&mut self, change: ContentChange) {
        apply(&mut self.seen, &change);
        self.pending.push(change);
    }

    /// Makes everything durable, except blocks whose earlier flush failed. If such a block was rewritten since, all of it
    /// is written.
    pub(super) fn flush(&mut self) {
        let written = self.pending.split_off(self.forgotten);
        for change in &written {
            apply(&mut self.durable, change);
        }
        if written.is_empty() || self.pending.is_empty() {
            return;
        }
        let again: BTreeSet<u64> = written.iter().flat_map(blocks).collect();
        for block in &again {
            let content = self.seen.read(block * BLOCK as u64, BLOCK);
            self.durable.write(block * BLOCK as u64, &content);
        }
        self.durable.set_len(self.seen.len());
        self.pending.retain(|old| {
            !matches!(old, ContentChange::SetLen(_)) && !blocks(old).any(|block| again.contains(&block))
        });
        self.forgotten = self.pending.len();
    }

    /// A flush failed: the system forgets that these bytes are to be written.
    pub(super) fn fail_flush(&mut self) {
        self.pending = self.pending.drain(..).flat_map(by_block).collect();
        self.forgotten = self.pending.len();
    }

    /// Returns the content after a power cut.
    pub(super) fn cut(&self, chooser: &mut dyn CutChooser) -> SparseBytes {
        if self.pending.is_empty() {
            return self.durable.clone();
        }
        match chooser.choose(ChoicePoint::File, 3) {
            0 => self.durable.clone(),
            1 => self.seen.clone(),
            _ => self.torn(chooser),
        }
    }

    /// Some length that the file had, and for each sector some content that it had, of the same era: where a
    /// file was shortened, nothing from before shows together with anything from after.
    fn torn(&self, chooser: &mut dyn CutChooser) -> SparseBytes {
        let eras = self.eras();
        let lengths: Vec<(usize, u64)> = eras
            .iter()
            .enumerate()
            .flat_map(|(n, era)| era.lengths.iter().map(move |len| (n, *len)))
            .collect();
        let chosen = chooser.choose(ChoicePoint::Length, lengths.len());
        let Some((era, len)) = lengths.get(chosen).and_then(|(n, len)| Some((eras.get(*n)?, *len))) else {
            return self.durable.clone();
        };
        let open: Vec<(u64, &Vec<Vec<u8>>)> = era
            .sectors
            .iter()
            .filter(|(sector, contents)| **sector * (SECTOR as u64) < len && contents.len() > 1)
            .map(|(sector, contents)| (*sector, contents))
            .collect();
        let counts: Vec<usize> = open.iter().map(|(_, contents)| contents.len()).collect();
        let mut torn = era.start.clone();
        for ((sector, contents), pick) in open.iter().zip(chooser.mixture(&counts)) {
            if let Some(content) = contents.get(pick) {
                torn.write(sector * SECTOR as u64, content);
            }
        }
        torn.set_len(len);
        torn
    }

    fn eras(&self) -> Vec<ContentEra> {
        let mut now = self.durable.clone();
        let mut eras = Vec::new();
        let mut era = ContentEra::new(now.clone());
        for change in &self.pending {
            let touched = touched(&now, change);
            if matches!(change, ContentChange::SetLen(len) if *len < now.len()) {
                apply(&mut now, change);
                eras.push(std::mem::replace(&mut era, ContentEra::new(now.clone())));
                continue;
            }
            apply(&mut now, change);
            if !era.lengths.contains(&now.len()) {
                era.lengths.push(now.len());
            }
            for sector in touched {
                let content = now.padded(sector * SECTOR as u64, SECTOR);
                let start = &era.start;
                let contents = era
                    .sectors
                    .entry(sector)
                    .or_insert_with(|| vec![start.padded(sector * SECTOR as u64, SECTOR)]);
                if !contents.contains(&content) {
                    contents.push(content);
                }
            }
        }
        eras.push(era);
        eras
    }
}

/// The blocks that a change writes to.
fn blocks(change: &ContentChange) -> std::ops::Range<u64> {
    let (offset, len) = match change {
        ContentChange::Write { offset, bytes } => (*offset, bytes.len() as u64),
        ContentChange::Zero { offset, len } => (*offset, *len),
        ContentChange::SetLen(_) => (0, 0),
    };
    let block = BLOCK as u64;
    offset / block..offset.saturating_add(len).div_ceil(block).max(offset / block)
}

/// The same change in parts, one for each block.
fn by_block(change: ContentChange) -> Vec<ContentChange> {
    let part = |offset: u64, len: u64, block: u64| {
        let start = offset.max(block * BLOCK as u64);
        let end = offset.saturating_add(len).min((block + 1) * BLOCK as u64);
        (start, end.saturating_sub(start))
    };
    match &change {
        ContentChange::SetLen(_) => vec![change],
        ContentChange::Zero { offset, len } => blocks(&change)
            .map(|block| part(*offset, *len, block))
            .map(|(offset, len)| ContentChange::Zero { offset, len })
            .collect(),
        ContentChange::Write { offset, bytes } => blocks(&change)
            .filter_map(|block| {
                let (start, len) = part(*offset, bytes.len() as u64, block);
                let from = usize::try_from(start - offset).ok()?;
                let bytes = bytes.get(from..from + usize::try_from(len).ok()?)?;
                Some(ContentChange::Write { offset: start, bytes: bytes.into() })
            })
            .collect(),
    }
}

/// The sectors whose content a change may alter.
fn touched(before: &SparseBytes, change: &ContentChange) -> Vec<u64> {
    let sector = SECTOR as u64;
    match change {
        ContentChange::Write { offset, bytes } => {
            let end = offset.saturating_add(bytes.len() as u64);
            (offset / sector..end.div_ceil(sector)).collect()
        }
        ContentChange::Zero { offset, len } => {
            let end = offset.saturating_add(*len);
            let per_block = (BLOCK / SECTOR) as u64;
            before
                .occupied(*offset, end)
                .flat_map(|block| block * per_block..(block + 1) * per_block)
                .filter(|number| number * sector < end && (number + 1) * sector > *offset)
                .collect()
        }
        ContentChange::SetLen(_) => Vec::new(),
    }
}

/// The states of a file between two truncations.
struct ContentEra {
    start: SparseBytes,
    /// Every length it had.
    lengths: Vec<u64>,
    /// Every content that a changed sector had, oldest first.
    sectors: BTreeMap<u64, Vec<Vec<u8>>>,
}

impl ContentEra {
    fn new(start: SparseBytes) -> Self {
        Self { lengths: vec![start.len()], start, sectors: BTreeMap::new() }
    }
}
