//! The contents available to recovery: found intact somewhere, or rebuilt from those with the splices of the journal.
//! Each is verified by its hash, never by its path. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use editd_engine::Splice;
use editd_proto::ids::ContentHash;

use crate::disk::observation::hash;
use crate::record::{FileMeta, FileRecord};

/// Intact contents by their hashes.
#[derive(Default)]
pub struct IntactContents {
    by_hash: HashMap<ContentHash, Arc<[u8]>>,
}

impl IntactContents {
    /// Adds a content that was read.
    pub fn add(&mut self, bytes: Arc<[u8]>) {
        self.by_hash.insert(hash(&bytes), bytes);
    }

    /// Adds contents.
    pub fn extend(&mut self, all: impl IntoIterator<Item = Arc<[u8]>>) {
        all.into_iter().for_each(|bytes| self.add(bytes));
    }

    /// Returns the content with this hash.
    pub fn get(&self, hash: ContentHash) -> Option<&Arc<[u8]>> {
        self.by_hash.get(&hash)
    }

    /// Rebuilds every state of a chain that can be reached: forward through the splices, and backward.
    pub fn reach(&mut self, chain: &[&FileRecord]) {
        for file in chain {
            self.step(file.before.as_ref(), file.after.as_ref(), &file.splices, is_whole(file));
        }
        for file in chain.iter().rev() {
            let back = editd_engine::invert(&file.splices);
            let whole = covers(&back, file.after.as_ref());
            self.step(file.after.as_ref(), file.before.as_ref(), &back, whole);
        }
    }

    fn step(&mut self, from: Option<&FileMeta>, to: Option<&FileMeta>, splices: &[Splice], whole: bool) {
        let Some(to) = to else { return };
        if self.by_hash.contains_key(&to.hash) {
            return;
        }
        let base = match from {
            None => Some(Vec::new()),
            Some(meta) => match self.by_hash.get(&meta.hash) {
                Some(bytes) => Some(bytes.to_vec()),
                // A splice that covers the whole file has its old content.
                None if whole => splices.first().map(|splice| splice.old.clone()),
                None => None,
            },
        };
        let rebuilt = base.and_then(|base| editd_engine::apply(&base, splices));
        if let Some(bytes) = rebuilt
            && hash(&bytes) == to.hash
        {
            self.by_hash.insert(to.hash, bytes.into());
        }
    }
}

/// Returns true if a record has the whole file, old and new.
pub fn is_whole(file: &FileRecord) -> bool {
    covers(&file.splices, file.before.as_ref())
}

fn covers(splices: &[Splice], meta: Option<&FileMeta>) -> bool {
    match (splices, meta) {
        ([one], Some(meta)) => {
            one.at == 0 && one.old.len() as u64 == meta.size && hash(&one.old) == meta.hash
        }
        _ => false,
    }
}
