//! Finds what belongs to a file in the log: its names, the hashes of its contents, and the entries that have them. It
//! changes nothing.
//!
//! A path is another name of the file if a receipt says that the file was moved from or to it, or if its first change in
//! the log, its creation or its deletion has a content that the file had: a copy, or a move by another program. Any other
//! path that had such a content loses that content only. A content that is empty or one line break connects nothing.
//!
//! *Calling sequence*: [`FileTrace::begin`] before each pass over the log, [`FileTrace::see`] for each record; passes are
//! repeated while [`FileTrace::has_grown`].
//!
//! *Limitations*: a job that both moved and changed a file, and that recovery completed, connects no names.

use std::collections::{BTreeSet, HashSet};

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::Receipt;
use editd_proto::path::FilePath;

use super::{names, whole_entry};
use crate::record::{CheckpointEntry, ClipboardRecord, Entry, FileMeta, FileRecord, ReadReceipt, Record};

/// Contents that many files have.
const BLANK: [&[u8]; 3] = [b"", b"\n", b"\r\n"];

/// The names, contents and entries of a file in the log.
pub(super) struct FileTrace<'t> {
    /// The path that was asked for.
    path: &'t FilePath,
    /// Detached jobs that have not ended.
    waiting: &'t BTreeSet<JobId>,
    /// The contents that are kept.
    kept: HashSet<ContentHash>,
    blank: HashSet<ContentHash>,
    /// The paths that had a change in this pass.
    changed: HashSet<FilePath>,
    grown: bool,
    /// True if a record names the path.
    pub(super) known: bool,
    /// The path, and all other names of the file.
    pub(super) names: BTreeSet<FilePath>,
    /// The hashes of all contents that the file had under any name.
    pub(super) hashes: HashSet<ContentHash>,
    /// The names that staged and displaced files of it had.
    pub(super) staged_names: HashSet<String>,
    /// Entries with contents of it, and detached jobs that have not ended and may quote it.
    pub(super) entries: BTreeSet<JobId>,
    /// Those of `entries` that are detached jobs.
    pub(super) jobs: BTreeSet<JobId>,
    /// The kept contents that no record of another file names.
    pub(super) unattributed: HashSet<ContentHash>,
}

impl<'t> FileTrace<'t> {
    /// Creates a trace that only has the path.
    pub(super) fn of(
        path: &'t FilePath,
        waiting: &'t BTreeSet<JobId>,
        kept: HashSet<ContentHash>,
    ) -> FileTrace<'t> {
        FileTrace {
            path,
            waiting,
            kept,
            blank: BLANK.map(hash_of).into(),
            changed: HashSet::new(),
            grown: true,
            known: false,
            names: [path.clone()].into(),
            hashes: HashSet::new(),
            staged_names: HashSet::new(),
            entries: BTreeSet::new(),
            jobs: BTreeSet::new(),
            unattributed: HashSet::new(),
        }
    }

    /// Returns true if the last pass has found a name or a content: another one may find more in earlier records.
    pub(super) fn has_grown(&self) -> bool {
        self.grown
    }

    /// Begins a pass.
    pub(super) fn begin(&mut self) {
        self.grown = false;
        self.changed.clear();
        self.entries.clear();
        self.jobs.clear();
        self.unattributed.clone_from(&self.kept);
    }

    /// Takes a record.
    pub(super) fn see(&mut self, record: &Record) {
        if let Some(entry) = whole_entry(record) {
            self.see_entry(entry);
        }
        match record {
            Record::Seal(seal) => self.see_moves(&seal.receipt),
            Record::Checkpoint(CheckpointEntry { receipt: Some(receipt), .. }) => self.see_moves(receipt),
            Record::Clip(clip) => self.known |= clip.origin.as_ref() == Some(self.path),
            Record::ReadReceipt(seen) => {
                let ReadReceipt { path, hash, numbered, .. } = seen;
                let hashes: Vec<ContentHash> =
                    hash.iter().copied().chain(numbered.iter().map(|lines| lines.hash)).collect();
                self.see_path(path, &hashes, false);
            }
            // Its request is needed to run it, and may quote the file.
            Record::Queued(job) if self.waiting.contains(&job.id) && self.are_named_in(&job.payload) => {
                self.jobs.insert(job.id);
                self.entries.insert(job.id);
            }
            _ => {}
        }
    }

    /// Returns true if some bytes contain the last component of one of the names.
    pub(super) fn are_named_in(&self, bytes: &[u8]) -> bool {
        self.names.iter().any(|path| names(path, bytes))
    }

    /// Returns true if a change has a content of the file.
    pub(super) fn has_content_in(&self, file: &FileRecord) -> bool {
        let has =
            |meta: &Option<FileMeta>| meta.as_ref().is_some_and(|meta| self.hashes.contains(&meta.hash));
        self.names.contains(&file.path) || has(&file.before) || has(&file.after)
    }

    /// Returns true if a clipboard was cut from the file or has a whole content of it.
    pub(super) fn has_clip(&self, clip: &ClipboardRecord) -> bool {
        let Some(bytes) = &clip.bytes else { return false };
        let is_cut = clip.origin.as_ref().is_some_and(|origin| self.names.contains(origin));
        is_cut || self.hashes.contains(&hash_of(bytes))
    }

    fn see_entry(&mut self, entry: &Entry) {
        let hashes = |file: &FileRecord| -> Vec<ContentHash> {
            [&file.before, &file.after].into_iter().flatten().map(|meta| meta.hash).collect()
        };
        let mut of_file = vec![false; entry.files.len()];
        // A file later in the list may connect an earlier one.
        loop {
            let found = of_file.iter().filter(|of_file| **of_file).count();
            for (file, of_file) in entry.files.iter().zip(&mut of_file) {
                let connects =
                    file.before.is_none() != file.after.is_none() || !self.changed.contains(&file.path);
                *of_file = self.see_path(&file.path, &hashes(file), connects);
            }
            if of_file.iter().filter(|of_file| **of_file).count() == found {
                break;
            }
        }
        self.changed.extend(entry.files.iter().map(|file| file.path.clone()));
        let files = entry.files.iter().zip(&of_file).filter(|(_, of_file)| **of_file);
        self.staged_names.extend(files.map(|(file, _)| file.staged_name.clone()));
        let mut origins = entry.clips.iter().filter_map(|clip| clip.origin.as_ref());
        if of_file.contains(&true) || origins.any(|origin| self.names.contains(origin)) {
            self.entries.insert(entry.id);
        }
    }

    /// Takes contents that a path had; `connects` if one of them makes it a name of the file. Returns true if a content is
    /// one of the file.
    fn see_path(&mut self, path: &FilePath, hashes: &[ContentHash], connects: bool) -> bool {
        self.known |= path == self.path;
        let is_name = self.names.contains(path);
        let of_file = is_name || hashes.iter().any(|hash| self.hashes.contains(hash));
        if of_file && (is_name || connects) {
            self.add_name(path);
            for hash in hashes.iter().filter(|hash| !self.blank.contains(hash)) {
                self.grown |= self.hashes.insert(*hash);
            }
        } else {
            for hash in hashes {
                self.unattributed.remove(hash);
            }
        }
        of_file
    }

    fn see_moves(&mut self, receipt: &[u8]) {
        let Ok(receipt) = rmp_serde::from_slice::<Receipt>(receipt) else { return };
        for file in receipt.files {
            let Some(to) = file.to else { continue };
            if self.names.contains(&file.path) || self.names.contains(&to) {
                self.add_name(&file.path);
                self.add_name(&to);
            }
        }
    }

    fn add_name(&mut self, path: &FilePath) {
        if !self.names.contains(path) {
            self.names.insert(path.clone());
            self.grown = true;
        }
    }
}

/// Returns true if a job moved a file.
pub(super) fn has_moves(receipt: &Receipt) -> bool {
    receipt.files.iter().any(|file| file.to.is_some())
}

fn hash_of(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(bytes).as_bytes())
}
