//! The record of one file of an entry: a record without content, one whose contents were forgotten, and the changed
//! ranges as planned. Pure.

use std::borrow::Cow;

use editd_engine::Splice;
use editd_proto::path::FilePath;

use super::{ChangeMethod, FileMeta, FileRecord, SpliceExtent, StagingFolder};

/// The only extent of a file whose contents were removed from the journal. No change has it.
const FORGOTTEN: SpliceExtent = (u64::MAX, u64::MAX, u64::MAX);

impl FileRecord {
    /// Creates the record of a file that is put in place as it is staged, without its content.
    #[must_use]
    pub fn without_content(
        path: FilePath,
        before: Option<FileMeta>,
        after: Option<FileMeta>,
        how: ChangeMethod,
        (staging, staged_name): (StagingFolder, String),
    ) -> Self {
        Self {
            path,
            before,
            after,
            splices: Vec::new(),
            how,
            staged_name,
            staging,
            made: Vec::new(),
            added: 0,
            removed: 0,
            extents: Vec::new(),
            attributes: None,
        }
    }

    /// Returns true if the change leaves a file under its staged name, which is removed when the entry is settled.
    #[must_use]
    pub fn is_staged(&self) -> bool {
        !matches!(self.how, ChangeMethod::InPlace | ChangeMethod::Nothing | ChangeMethod::Rescued)
    }

    /// Returns true if the contents of the change were removed from the journal: nothing can be computed from it.
    #[must_use]
    pub fn is_forgotten(&self) -> bool {
        self.extents == [FORGOTTEN]
    }

    /// Removes the contents of the change. Everything else remains, also the hashes.
    pub fn forget_contents(&mut self) {
        self.splices.clear();
        self.extents = vec![FORGOTTEN];
        self.attributes = None;
    }

    /// Returns the changed ranges as planned. `before` and `after` are the whole contents, or the parts of them from
    /// the offset `from` on.
    #[must_use]
    pub fn planned(&self, before: &[u8], after: &[u8], from: u64) -> Cow<'_, [Splice]> {
        if self.extents.is_empty() {
            return Cow::Borrowed(&self.splices);
        }
        let cut = |bytes: &[u8], at: u64, size: u64| {
            let at = usize::try_from(at.checked_sub(from)?).ok()?;
            Some(bytes.get(at..at.checked_add(usize::try_from(size).ok()?)?)?.to_vec())
        };
        let (mut gone, mut come) = (0_u64, 0_u64);
        let splice = |&(at, old, new): &SpliceExtent| {
            let made = at.checked_sub(gone)?.checked_add(come)?;
            (gone, come) = (gone.checked_add(old)?, come.checked_add(new)?);
            Some(Splice {
                at: at.checked_sub(from)?,
                old: cut(before, at, old)?,
                new: cut(after, made, new)?,
            })
        };
        let planned: Option<Vec<Splice>> = self.extents.iter().map(splice).collect();
        planned.map_or(Cow::Borrowed(&self.splices), Cow::Owned)
    }
}
