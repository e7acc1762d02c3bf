//! Puts a staged file in place and observes what it displaced. Bytes of another program go back at once.

use std::io;

use super::Disk;
use super::observation::{self, Observation};
use super::place::{ResolveError, ResolvedPath};
use crate::os::FileKind;
use crate::record::{ChangeMethod, FileRecord};
use crate::store::intent::{Intended, IntendedFile};

/// Bytes that no journal entry has, found in a file that was moved.
pub struct RescuedBytes<'a> {
    /// The file whose name they had.
    pub of: &'a FileRecord,
    /// The bytes.
    pub found: &'a super::FileSnapshot,
}

/// Stores rescued bytes in the log, before the file that holds them is moved again.
pub type RescueSink<'a> = dyn FnMut(RescuedBytes<'_>) -> io::Result<()> + 'a;

/// Proof that a file was put in place and displaced only the checked file.
#[derive(Debug)]
#[must_use]
pub struct Swapped<'i>(IntendedFile<'i>);

/// Proof that every file of an entry was put in place.
#[derive(Debug)]
#[must_use]
pub struct AllSwapped(Intended);

impl AllSwapped {
    /// Returns the proof; `None` unless there is a proof for each file of the entry, in its order.
    pub fn of(intended: &Intended, proofs: &[Swapped<'_>]) -> Option<Self> {
        let all = proofs.len() == intended.files.len()
            && proofs.iter().zip(&intended.files).all(|(proof, file)| std::ptr::eq(proof.0.record(), file));
        all.then(|| Self(intended.clone()))
    }

    /// Returns the entry.
    pub fn entry(&self) -> &Intended {
        &self.0
    }
}

/// The reason why a file was not put in place: the target is as another program left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwapRefusal {
    /// It has other bytes, another mode or owner, or more names.
    Changed,
    /// It no longer exists.
    Vanished,
    /// It exists although it did not before.
    Appeared,
    /// It is no longer a file.
    Special(FileKind),
    /// It is on another mount than the staged file.
    OtherMount,
}

impl Disk {
    /// Puts one file of an intended entry in place.
    ///
    /// # Errors
    /// The inner error: another program changed the target, which is as it was. The outer: the system failed, and
    /// recovery must find out the state.
    pub fn put<'i>(
        &self,
        file: IntendedFile<'i>,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<Swapped<'i>, SwapRefusal>> {
        let put = match file.how {
            ChangeMethod::Swap => self.put_by_exchange(&file, place, rescue),
            ChangeMethod::Create => self.put_new(&file, place),
            ChangeMethod::Delete => self.put_away(&file, place, rescue),
            ChangeMethod::InPlace => self.put_in_place(&file, place),
            ChangeMethod::Nothing | ChangeMethod::Rescued => Ok(Ok(())),
        };
        Ok(put?.map(|()| Swapped(file)))
    }

    fn put_by_exchange(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<(), SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        match self.os.exchange(&staging, &staged_name, place.parent(), place.name()) {
            Ok(()) => {}
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
                io::ErrorKind::CrossesDevices => return Ok(Err(SwapRefusal::OtherMount)),
                io::ErrorKind::Unsupported => {
                    if let Err(foreign) = self.put_by_link(file, place)? {
                        return Ok(Err(foreign));
                    }
                }
                _ => return Err(error),
            },
        }
        self.look_behind(file, place, rescue)
    }

    /// Observes the displaced file; a file that was not checked goes back at once.
    fn look_behind(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<(), SwapRefusal>> {
        let foreign = match self.observe_staged(&file.staging, &file.staged_name) {
            Ok(observation) => match judge_displaced(&observation, file) {
                None => return Ok(Ok(())),
                Some(foreign) => foreign,
            },
            // The disk failed: nothing is known about the displaced file, and no other program is to blame.
            Err(error) => {
                self.put_back(file, place, rescue)?;
                return Err(error);
            }
        };
        self.put_back(file, place, rescue)?;
        Ok(Err(foreign))
    }

    /// For file systems without exchange: first the displaced file gets the staged name through a link.
    fn put_by_link(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<Result<(), SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let (_, held) = self.staged_entry(&file.staging, &held_name(&file.staged_name))?;
        match observation::observe(place.parent(), place.name()) {
            Ok(observation) => {
                if let Some(foreign) = judge_displaced(&observation, file) {
                    return Ok(Err(foreign));
                }
            }
            Err(error) => return Err(error),
        }
        match self.os.link(place.parent(), place.name(), &staging, &held) {
            Ok(()) => {
                self.os.rename(&staging, &staged_name, place.parent(), place.name())?;
                self.os.rename(&staging, &held, &staging, &staged_name)?;
            }
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
            Err(_) => {
                // Neither exchange nor links: moves the target away, then the new file in.
                self.move_to_staging(place.parent(), place.name(), &staging, &held)?;
                self.move_noreplace(&staging, &staged_name, place.parent(), place.name())?;
                self.os.rename(&staging, &held, &staging, &staged_name)?;
            }
        }
        Ok(Ok(()))
    }

    fn put_new(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<Result<(), SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let parent = match place.ensure_folders(self.mask) {
            Ok((parent, _)) => parent,
            Err(error) => return foreign_folder(error),
        };
        match self.move_noreplace(&staging, &staged_name, &parent, place.name()) {
            Ok(()) => Ok(Ok(())),
            Err(error) => match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(Err(SwapRefusal::Appeared)),
                // Its folder was removed, perhaps by an undo.
                io::ErrorKind::NotFound => Ok(Err(SwapRefusal::Vanished)),
                io::ErrorKind::CrossesDevices => Ok(Err(SwapRefusal::OtherMount)),
                _ => Err(error),
            },
        }
    }

    fn put_away(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<(), SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        match self.move_to_staging(place.parent(), place.name(), &staging, &staged_name) {
            Ok(()) => {}
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
                io::ErrorKind::CrossesDevices => return Ok(Err(SwapRefusal::OtherMount)),
                _ => return Err(error),
            },
        }
        self.look_behind(file, place, rescue)
    }
}

/// The end of the temporary name of a displaced file on file systems without exchange.
pub(super) const HELD: &str = ".held";

/// Returns the temporary name of a displaced file on file systems without exchange.
pub(super) fn held_name(staged_name: &str) -> String {
    format!("{staged_name}{HELD}")
}

/// Returns `None` if a displaced file is the checked one.
fn judge_displaced(observation: &Observation, file: &FileRecord) -> Option<SwapRefusal> {
    let before = file.before.as_ref();
    match observation {
        // A deletion removes one name; an exchange would separate the names.
        Observation::File(found) if found.links > 1 && file.how != ChangeMethod::Delete => {
            Some(SwapRefusal::Changed)
        }
        Observation::File(found) => match before {
            Some(meta) if found.shows(meta) => None,
            _ => Some(SwapRefusal::Changed),
        },
        Observation::TooLarge(_) | Observation::Unreadable(_) => Some(SwapRefusal::Changed),
        Observation::Other(kind) => Some(SwapRefusal::Special(*kind)),
        Observation::Absent => Some(SwapRefusal::Vanished),
    }
}

/// Maps a folder that became something else during a job to a refusal, and other errors to those of the system.
fn foreign_folder(error: ResolveError) -> io::Result<Result<(), SwapRefusal>> {
    match error {
        ResolveError::Denied(_) => Err(io::ErrorKind::PermissionDenied.into()),
        ResolveError::Io { error, .. } => match error.kind() {
            io::ErrorKind::NotFound => Ok(Err(SwapRefusal::Vanished)),
            _ => Err(error),
        },
        _ => Ok(Err(SwapRefusal::Special(FileKind::Other))),
    }
}
