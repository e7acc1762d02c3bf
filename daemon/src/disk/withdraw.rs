//! Rolls a put back: the displaced file returns to its name, and bytes that came there meanwhile are rescued first.
//! The number of rounds is bounded, since another process may keep writing.

use std::io;

use editd_proto::path::FilePath;

use super::Disk;
use super::observation::{self, Observation, hash};
use super::place::ResolvedPath;
use super::put::{RescueSink, held_name};
use super::returning::ReturningFile;
use crate::os::Dir;
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::store::intent::IntendedFile;

/// The number of exchanges after which a target that keeps changing is left alone.
const ROUNDS: usize = 16;

/// Observations of a staged file to which another program appends.
const LOOKS: usize = 4;

impl Disk {
    /// Rolls back one file that was put in place: its target has its old content again, or what another program made
    /// of it. A target that shows the change of another program is not touched: while it is away from its name, a kill
    /// would leave the name without it. If the other program has only appended to it, what it appended follows the old content
    /// instead, so that nothing of the job is left.
    ///
    /// # Errors
    /// Errors of the system; recovery must find out the state.
    pub fn withdraw(
        &self,
        file: IntendedFile<'_>,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<()> {
        match file.how {
            ChangeMethod::Swap => {
                let target = self.observe(place)?;
                let is_appended = is_appended(&file, &target);
                if is_of_others(&file, &target) && !is_appended {
                    return Ok(());
                }
                self.put_back_or_leave(&file, place, rescue, is_appended)
            }
            ChangeMethod::Delete => self.put_back(&file, place, rescue),
            ChangeMethod::Create => self.withdraw_new(file, rescue),
            ChangeMethod::InPlace => self.withdraw_in_place(&file, place),
            ChangeMethod::Nothing | ChangeMethod::Rescued => Ok(()),
        }
    }

    /// Puts the displaced file back under its name. The file that comes out must be the staged one. If another program has
    /// appended to that, its bytes are appended to the file that went in. Any other file that comes out is newer than the
    /// one that went in, so it is rescued and exchanged again. Bytes that the journal does not take go back all the same,
    /// and the error is returned afterwards.
    pub(super) fn put_back(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<()> {
        self.put_back_or_leave(file, place, rescue, false)
    }

    /// The same; but with `is_appended`, a volume without exchange keeps the target, to which another program has appended:
    /// a rename over it would lose those bytes.
    fn put_back_or_leave(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
        is_appended: bool,
    ) -> io::Result<()> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let mut ours: Option<FileMeta> = file.after.clone();
        let mut refused = Ok(());
        for _ in 0..ROUNDS {
            let returning = ReturningFile::look(file, &staging, &staged_name, rescue);
            let back = if ours.is_some() {
                match self.os.exchange(&staging, &staged_name, place.parent(), place.name()) {
                    Err(error) if is_appended && error.kind() == io::ErrorKind::Unsupported => {
                        Ok(ReturnOutcome::Moved)
                    }
                    exchanged => self.exchanged_or_moved(exchanged, file, (&staging, &staged_name), place),
                }
            } else {
                self.move_back(&staging, &staged_name, place)
            };
            let (went_in, rescued) = returning.moved(rescue);
            refused = refused.and(rescued);
            if matches!(back?, ReturnOutcome::Moved) {
                return refused;
            }
            match (observation::observe(&staging, &staged_name)?, &ours) {
                (Observation::Absent, _) => return refused,
                (out, Some(meta)) if out.is(meta) => return refused,
                _ if self.carry_over(file, (&staging, &staged_name), place, went_in.as_ref()) => {
                    return refused;
                }
                // The staged file by number with other content, or another file altogether: it is the newer one.
                _ => ours = went_in,
            }
        }
        refused
    }

    /// Appends what another program has appended to the staged file, while that was at the target, to the file that is back
    /// there. Bytes that cannot be appended come into the journal when the staging folder is emptied: the file with the job's
    /// content must not go back. Returns false if the staged file is not the job's content with more behind it.
    fn carry_over(
        &self,
        file: &FileRecord,
        (staging, staged_name): (&Dir, &[u8]),
        place: &ResolvedPath,
        back: Option<&FileMeta>,
    ) -> bool {
        let mut carried = 0;
        // A program may go on appending to the open file for a moment. What it appends later is found when the staging folder
        // is emptied.
        for _ in 0..LOOKS {
            let Ok(out) = observation::observe(staging, staged_name) else { return carried > 0 };
            let rest = appended(file, &out).and_then(|bytes| bytes.get(carried..));
            let Some(rest) = rest else { return carried > 0 };
            let is_appended = match back {
                Some(back) if !rest.is_empty() => place.parent().append(place.name(), back.identity, rest),
                _ => break,
            };
            if !is_appended.unwrap_or(false) {
                break;
            }
            carried += rest.len();
        }
        true
    }

    /// Appends what another program appended to a file of a job whose rollback was interrupted after its old file was back.
    ///
    /// # Errors
    /// Errors of the system; recovery must find out the state.
    pub fn finish_append(&self, file: IntendedFile<'_>, place: &ResolvedPath) -> io::Result<()> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        if let Some(back) = self.observe(place)?.found() {
            self.carry_over(&file, (&staging, &staged_name), place, Some(&back.meta));
        }
        Ok(())
    }

    /// For file systems without exchange. A file replaces the staged one in one step; anything else cannot, so the
    /// staged one is moved away first.
    fn replace_back(
        &self,
        file: &FileRecord,
        staging: &Dir,
        staged_name: &[u8],
        place: &ResolvedPath,
    ) -> io::Result<ReturnOutcome> {
        if matches!(observation::observe(staging, staged_name)?, Observation::File(_)) {
            match self.os.rename(staging, staged_name, place.parent(), place.name()) {
                // The volume cannot replace a file that is open, if only by the daemon.
                Err(denied) if cfg!(windows) && denied.kind() == io::ErrorKind::PermissionDenied => {}
                other => {
                    other?;
                    return Ok(ReturnOutcome::Moved);
                }
            }
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
        Ok(ReturnOutcome::Exchanged)
    }

    /// Does what an exchange could not do, by its result.
    fn exchanged_or_moved(
        &self,
        exchanged: io::Result<()>,
        file: &FileRecord,
        (staging, staged_name): (&Dir, &[u8]),
        place: &ResolvedPath,
    ) -> io::Result<ReturnOutcome> {
        match exchanged {
            Ok(()) => Ok(ReturnOutcome::Exchanged),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => self.move_back(staging, staged_name, place),
                io::ErrorKind::Unsupported => self.replace_back(file, staging, staged_name, place),
                _ => Err(error),
            },
        }
    }

    /// Moves a file back to a free name. If the name is taken by now, the file there is newer and stays.
    fn move_back(
        &self,
        staging: &Dir,
        staged_name: &[u8],
        place: &ResolvedPath,
    ) -> io::Result<ReturnOutcome> {
        match self.move_noreplace(staging, staged_name, place.parent(), place.name()) {
            Ok(()) => Ok(ReturnOutcome::Moved),
            Err(error) => match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    // The journal has the displaced bytes; another program created the deleted target again.
                    Ok(ReturnOutcome::Moved)
                }
                // The displaced file itself is gone, or the folder of the target: nothing can be put back. A displaced
                // file that is left stays in the staging folder until that is emptied.
                io::ErrorKind::NotFound => Ok(ReturnOutcome::Moved),
                _ => Err(error),
            },
        }
    }

    fn withdraw_new(&self, file: IntendedFile<'_>, rescue: &mut RescueSink<'_>) -> io::Result<()> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        // Its folders may be new: the path may lead elsewhere than when it was resolved.
        let Some(place) = self.find(&file.path)? else { return Ok(()) };
        let target = self.observe(&place)?;
        if is_of_others(&file, &target) && !is_further_name(file, &target) {
            return Ok(());
        }
        match self.move_to_staging(place.parent(), place.name(), &staging, &staged_name) {
            Ok(()) => {}
            // An interrupted call may have moved a file of another program.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let out = observation::observe(&staging, &staged_name)?;
        if matches!(out, Observation::Absent) {
            return Ok(());
        }
        if file.after.as_ref().is_some_and(|after| out.is(after)) || is_further_name(file, &out) {
            self.remove_made(&file.made);
            return Ok(());
        }
        let returning = ReturningFile::look(&file, &staging, &staged_name, rescue);
        let back = self.move_back(&staging, &staged_name, &place);
        let (_, refused) = returning.moved(rescue);
        back.and(refused)
    }

    /// Removes the folders that were created for a file, as far as they are empty.
    pub fn remove_made(&self, made: &[FilePath]) {
        for path in made.iter().rev() {
            let bytes = path.as_bytes();
            let (above, name) = match bytes.iter().rposition(|byte| *byte == b'/') {
                Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..).unwrap_or_default()),
                None => (&[][..], bytes),
            };
            // A folder that is in use by now stays, and so do those above it.
            let removed = self.folder(&FilePath::new(above)).and_then(|dir| dir.remove_dir(name));
            #[cfg(windows)]
            if removed.as_ref().is_err_and(super::put::is_in_use) {
                self.remove_later(made, path);
            }
            if removed.is_err() {
                return;
            }
        }
    }
}

/// Returns true if a target that was put in place has a file of another program, or one that it changed.
fn is_of_others(file: &FileRecord, target: &Observation) -> bool {
    !matches!(target, Observation::Absent) && !file.after.as_ref().is_some_and(|after| target.is(after))
}

/// Returns true if another program has only appended to the staged file of a swap, so that what it appended can follow the old
/// content. Windows has no append that leaves alone what others write meanwhile.
pub fn is_appended(file: &FileRecord, target: &Observation) -> bool {
    cfg!(unix) && appended(file, target).is_some()
}

/// Returns what another program has appended to the staged file of a swap; `None` if the file is another one, or differs in
/// another way.
fn appended<'o>(file: &FileRecord, found: &'o Observation) -> Option<&'o [u8]> {
    let (after, found) = (file.after.as_ref()?, found.found()?);
    // Each rewrite of a file that the job has emptied looks like an append.
    let size = usize::try_from(after.size).ok().filter(|size| *size > 0)?;
    let (ours, rest) = found.bytes.split_at_checked(size)?;
    let is_ours = found.meta.identity == after.identity && !rest.is_empty() && hash(ours) == after.hash;
    is_ours.then_some(rest)
}

/// Returns true if a target is a further name of a file that its job moved. The name can be removed whatever another
/// program has written to the file, since the content has a name without it.
pub fn is_further_name(file: IntendedFile<'_>, target: &Observation) -> bool {
    let moved = file.after.as_ref().map(|after| after.identity);
    target.links() > 1 && target.identity() == moved && file.is_moved()
}

/// The way in which a displaced file went back.
enum ReturnOutcome {
    /// The staging folder now has the file that was at the target.
    Exchanged,
    /// The staging folder has no file, or its bytes are in the journal or come there when it is emptied, and the target belongs
    /// to another program.
    Moved,
}
