//! Taking a put back: what was displaced returns to its name, and whatever came to stand there meanwhile is
//! rescued first. Bounded, since another process may go on for ever.

use std::io;

use editd_proto::path::WirePath;

use super::Disk;
use super::observation::{self, Observation};
use super::place::ResolvedPath;
use super::put::{Rescuer, held_name};
use super::returning::Returning;
use crate::os::Dir;
use crate::store::record::{ChangeMethod, FileMeta, FileRecord};

/// Exchanges after which a target that others keep changing is left as they left it.
const ROUNDS: usize = 16;

impl Disk {
    /// Takes back one file that was put: its target shows *before* again, or what others made of it.
    ///
    /// # Errors
    /// What the system says; recovery must look.
    pub fn withdraw(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut Rescuer<'_>,
    ) -> io::Result<()> {
        match file.how {
            ChangeMethod::Swap | ChangeMethod::Delete => self.put_back(file, place, rescue),
            ChangeMethod::Create => self.withdraw_new(file, rescue),
            ChangeMethod::InPlace => self.withdraw_in_place(file, place),
            ChangeMethod::Nothing | ChangeMethod::Rescued => Ok(()),
        }
    }

    /// Puts the slot's file back under its name. What comes out must be our staged file: if it is another's,
    /// that is newer than what went in, so it is rescued and exchanged again. Bytes that the journal does not
    /// take go back all the same: it is told afterwards.
    pub(super) fn put_back(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut Rescuer<'_>,
    ) -> io::Result<()> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let mut ours: Option<FileMeta> = file.after.clone();
        let mut refused = Ok(());
        for _ in 0..ROUNDS {
            let returning = Returning::look(file, &staging, &staged_name, rescue);
            let back = if ours.is_some() {
                self.exchange_or_move(file, &staging, &staged_name, place)
            } else {
                self.move_back(&staging, &staged_name, place)
            };
            let (went_in, rescued) = returning.moved(rescue);
            refused = refused.and(rescued);
            if matches!(back?, Back::Moved) {
                return refused;
            }
            match (observation::observe(&staging, &staged_name)?, &ours) {
                (Observation::Absent, _) => return refused,
                (out, Some(face)) if out.is(face) => return refused,
                // Ours by number, others' by content, or others' altogether: it is the newer one.
                _ => ours = went_in,
            }
        }
        refused
    }

    /// Without an exchange. A file goes over ours in one step; what is no file cannot, so ours steps aside first.
    fn replace_back(
        &self,
        file: &FileRecord,
        staging: &Dir,
        staged_name: &[u8],
        place: &ResolvedPath,
    ) -> io::Result<Back> {
        if matches!(observation::observe(staging, staged_name)?, Observation::File(_)) {
            self.os.rename(staging, staged_name, place.parent(), place.name())?;
            return Ok(Back::Moved);
        }
        let (_, held) = self.staged_entry(&file.staging, &held_name(&file.staged_name))?;
        match self.move_to_staging(place.parent(), place.name(), staging, &held) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {
                return self.move_back(staging, staged_name, place);
            }
            other => other?,
        }
        self.move_back(staging, staged_name, place)?;
        self.move_to_staging(staging, &held, staging, staged_name)?;
        Ok(Back::Exchanged)
    }

    fn exchange_or_move(
        &self,
        file: &FileRecord,
        staging: &Dir,
        staged_name: &[u8],
        place: &ResolvedPath,
    ) -> io::Result<Back> {
        match self.os.exchange(staging, staged_name, place.parent(), place.name()) {
            Ok(()) => Ok(Back::Exchanged),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => self.move_back(staging, staged_name, place),
                io::ErrorKind::Unsupported => self.replace_back(file, staging, staged_name, place),
                _ => Err(error),
            },
        }
    }

    /// Back to a name that nobody holds; where somebody does by now, theirs is the newer one and stays.
    fn move_back(&self, staging: &Dir, staged_name: &[u8], place: &ResolvedPath) -> io::Result<Back> {
        match self.move_noreplace(staging, staged_name, place.parent(), place.name()) {
            Ok(()) => Ok(Back::Moved),
            Err(error) => match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    // The slot's bytes are in the journal; a deletion's target was made anew by another.
                    Ok(Back::Moved)
                }
                // The slot itself is gone: nothing is left to put back.
                io::ErrorKind::NotFound => Ok(Back::Moved),
                _ => Err(error),
            },
        }
    }

    fn withdraw_new(&self, file: &FileRecord, rescue: &mut Rescuer<'_>) -> io::Result<()> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        // Its folders may be new: where it was put is not where it was resolved.
        let Some(place) = self.find(&file.path)? else { return Ok(()) };
        match self.move_to_staging(place.parent(), place.name(), &staging, &staged_name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        let out = observation::observe(&staging, &staged_name)?;
        if file.after.as_ref().is_some_and(|after| out.is(after)) {
            self.remove_made(&file.made);
            return Ok(());
        }
        let returning = Returning::look(file, &staging, &staged_name, rescue);
        let back = self.move_back(&staging, &staged_name, &place);
        let (_, refused) = returning.moved(rescue);
        back.and(refused)
    }

    /// Takes away the folders that were made for a file, as far as they are empty.
    pub fn remove_made(&self, made: &[WirePath]) {
        for path in made.iter().rev() {
            let bytes = path.as_bytes();
            let (above, name) = match bytes.iter().rposition(|byte| *byte == b'/') {
                Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..).unwrap_or_default()),
                None => (&[][..], bytes),
            };
            // One that somebody uses by now stays, and so do those above it.
            let removed = self.folder(&WirePath::new(above)).and_then(|dir| dir.remove_dir(name));
            if removed.is_err() {
                return;
            }
        }
    }
}

/// How a slot's file went back.
enum Back {
    /// The slot holds what stood at the target.
    Exchanged,
    /// The slot is empty, or its bytes are in the journal and the target is another's.
    Moved,
}
