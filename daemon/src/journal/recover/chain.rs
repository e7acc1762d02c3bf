//! The unsettled records of one path, and what stands there and in their slots after a power cut. It looks, and
//! changes nothing.

use std::collections::BTreeSet;
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::WirePath;

use super::contents::Contents;
use super::decide::{Action, Behind, Shown, decide, is_torn, outlived, same_file};
use super::mend::{find, shown};
use crate::disk::{Found, Place, Sight};
use crate::rooms::Rooms;
use crate::store::record::{Entry, FileRecord};

/// One unsettled record.
#[derive(Clone, Copy)]
pub struct Link<'a> {
    /// Its entry.
    pub entry: &'a Entry,
    /// It.
    pub file: &'a FileRecord,
    /// Whether its entry is sealed.
    pub sealed: bool,
}

/// A path and its unsettled records, oldest first.
pub struct Chain<'a> {
    /// The path.
    pub path: &'a WirePath,
    /// Its records.
    pub links: Vec<Link<'a>>,
    /// What came behind them.
    pub behind: Behind,
}

/// What recovery sees of a path, and what it does about it.
pub struct Case {
    /// Where it is.
    pub place: Place,
    /// What stands there.
    pub target: Sight,
    /// What the journal has of it.
    pub contents: Contents,
    /// What to do.
    pub action: Action,
}

impl<'a> Chain<'a> {
    /// The records.
    pub fn records(&self) -> Vec<&'a FileRecord> {
        self.links.iter().map(|link| link.file).collect()
    }

    /// The slots of its records.
    pub fn slots(&self) -> impl Iterator<Item = &Link<'a>> {
        self.links.iter().filter(|link| !link.file.slot.is_empty())
    }

    /// The newest record that is not taken back.
    pub fn newest(&self, refused: &BTreeSet<JobId>) -> Option<&Link<'a>> {
        self.links.iter().rev().find(|link| !refused.contains(&link.entry.id))
    }

    /// The records that are taken back: the last ones, since no job goes on a path whose last one has not ended.
    pub fn refused(&self, refused: &BTreeSet<JobId>) -> &[Link<'a>] {
        let standing = self.links.iter().rposition(|link| !refused.contains(&link.entry.id));
        self.links.get(standing.map_or(0, |at| at + 1)..).unwrap_or_default()
    }

    /// The newest record, if its job may have come to no end: only that can be taken back.
    pub fn unsealed(&self, refused: &BTreeSet<JobId>) -> Option<&Link<'a>> {
        self.links.last().filter(|link| !link.sealed && !refused.contains(&link.entry.id))
    }

    /// Looks at the path and decides; `None` where it leads elsewhere.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, rooms: &Rooms, refused: &BTreeSet<JobId>) -> io::Result<Option<Case>> {
        let Some(place) = self.place(rooms)? else { return Ok(None) };
        let target = rooms.disk.look(&place)?;
        let mut contents = Contents::default();
        if let Sight::File(found) = &target {
            contents.add(found.bytes.clone());
        }
        for link in self.slots() {
            if let Sight::File(found) = rooms.disk.look_slot(&link.file.staging, &link.file.slot)? {
                contents.add(found.bytes.clone());
            }
        }
        let records = self.records();
        contents.reach(&records);
        let seen = match &target {
            Sight::Absent => Shown::Absent,
            Sight::File(found) => shown(found),
            Sight::TooLarge(_) | Sight::Unreadable(_) | Sight::Other(_) => Shown::Strange,
        };
        let action = decide(&records, self.refused(refused).len(), self.behind, &seen, &contents);
        Ok(Some(Case { place, target, contents, action }))
    }

    /// Where the path is; `None` where it leads elsewhere.
    ///
    /// # Errors
    /// What the system says.
    pub fn place(&self, rooms: &Rooms) -> io::Result<Option<Place>> {
        self.links.last().map_or(Ok(None), |link| find(rooms, link.file))
    }

    /// Whether bytes are in the journal once recovery is done, or are what a cut left of such bytes.
    pub fn explains(&self, found: &Found, contents: &Contents, refused: &BTreeSet<JobId>) -> bool {
        let of_the_chain = self.links.iter().any(|link| {
            let Link { entry, file, .. } = link;
            // What a refused job made is in no entry: only its own file is known.
            let after = file.after.as_ref().map(|after| (after, !refused.contains(&entry.id)));
            file.before.iter().map(|before| (before, true)).chain(after).any(|(state, anywhere)| {
                let same = same_file(state.identity, found.face.identity);
                let torn = || contents.get(state.hash).is_some_and(|whole| is_torn(&found.bytes, whole));
                (state.hash == found.face.hash && (anywhere || same)) || (same && torn())
            })
        });
        of_the_chain || outlived(&self.records(), &found.face)
    }
}
