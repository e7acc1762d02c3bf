//! Puts a staged file in place, and checks the file that went in and the one that it displaced. Bytes of another program
//! go back at once.

use std::io;

use super::flush::PutFile;
use super::observation::{self, Observation};
use super::place::{ResolveError, ResolvedPath};
use super::staged::{check_put, open_staged};
use super::{Disk, FileSnapshot};
use crate::os::{FileIdentity, FileKind};
use crate::record::{ChangeMethod, FileRecord};
use crate::store::intent::{Intended, IntendedFile};

/// Bytes that no journal entry has, found in a file that was moved.
pub struct RescuedBytes<'a> {
    /// The file whose name they had.
    pub of: &'a FileRecord,
    /// The bytes.
    pub found: &'a FileSnapshot,
}

/// Stores rescued bytes in the log, before the file that holds them is moved again.
pub type RescueSink<'a> = dyn FnMut(RescuedBytes<'_>) -> io::Result<()> + 'a;

/// Proof that the staged file, and no other, was put in place and displaced only the checked file.
#[must_use]
pub struct Swapped<'i> {
    file: IntendedFile<'i>,
    put: PutResult,
}

impl Swapped<'_> {
    /// Returns the identity of the displaced file, which has the staged name now; `None` if there is none.
    pub fn displaced(&self) -> Option<FileIdentity> {
        self.put.displaced
    }
}

/// The files of a put that was done.
#[derive(Default)]
pub(super) struct PutResult {
    /// The file that went in, if it was opened.
    left: Option<PutFile>,
    /// The identity of the displaced file.
    displaced: Option<FileIdentity>,
}

/// Proof that every file of an entry was put in place.
#[must_use]
pub struct AllSwapped {
    entry: Intended,
    left: Vec<Option<PutFile>>,
}

impl AllSwapped {
    /// Returns the proof; `None` unless there is a proof for each file of the entry, in its order.
    pub fn of(intended: &Intended, proofs: Vec<Swapped<'_>>) -> Option<Self> {
        let all = proofs.len() == intended.files.len()
            && proofs
                .iter()
                .zip(&intended.files)
                .all(|(proof, file)| std::ptr::eq(proof.file.record(), file));
        // Settling keeps no more files open.
        let open = proofs
            .into_iter()
            .enumerate()
            .map(|(nth, proof)| proof.put.left.filter(|_| nth < crate::limits::HELD));
        all.then(|| Self { entry: intended.clone(), left: open.collect() })
    }

    /// Returns the entry.
    pub fn entry(&self) -> &Intended {
        &self.entry
    }

    /// Returns the files that went in, as far as they are open.
    pub fn into_left(self) -> Vec<Option<PutFile>> {
        self.left
    }
}

/// The reason why a file was not put in place: the target is as another program left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwapRefusal {
    /// It has other bytes, another mode or owner, or more names; or it has a file that is not the staged one.
    Changed,
    /// It no longer exists.
    Vanished,
    /// It exists although it did not before.
    Appeared,
    /// It is no longer a file.
    Special(FileKind),
    /// It is on another mount than the staged file.
    OtherMount,
    /// The target is as it was; another program's file has the staged name.
    Replaced,
    /// The target is as it was; another program has it open in a way that lets nobody move it, as only Windows permits.
    InUse,
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
        self.put_checked(file, place, None, rescue)
    }

    /// Puts a file in place as [`Disk::put`] does, for a job that checked the file at the target and still has it open. If
    /// the job displaces this very file, that is read through the open handle.
    ///
    /// # Errors
    /// As [`Disk::put`].
    pub fn put_checked<'i>(
        &self,
        file: IntendedFile<'i>,
        place: &ResolvedPath,
        checked: Option<&FileSnapshot>,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<Swapped<'i>, SwapRefusal>> {
        let put = match file.how {
            ChangeMethod::Swap => self.put_by_exchange(&file, place, checked, rescue),
            ChangeMethod::Create => self.put_new(&file, place),
            ChangeMethod::Delete => self.put_away(&file, place, checked, rescue),
            ChangeMethod::InPlace => {
                self.put_in_place(&file, place).map(|put| put.map(|()| PutResult::default()))
            }
            ChangeMethod::Nothing | ChangeMethod::Rescued => Ok(Ok(PutResult::default())),
        };
        Ok(put?.map(|put| Swapped { file, put }))
    }

    fn put_by_exchange(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        checked: Option<&FileSnapshot>,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<PutResult, SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let staged = match open_staged(&staging, &staged_name, file)? {
            Ok(staged) => staged,
            Err(foreign) => return Ok(Err(foreign)),
        };
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
        // At once: a foreign file at the target may also be one that was put there since.
        let left = check_put((place.parent(), place.name()), file, staged)?;
        let displaced = match self.look_behind(file, place, checked, rescue)? {
            Ok(displaced) => displaced,
            Err(foreign) => return Ok(Err(foreign)),
        };
        Ok(left.map(|left| PutResult { left, displaced }))
    }

    /// Observes the displaced file and returns its identity; a file that was not checked goes back at once.
    fn look_behind(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        checked: Option<&FileSnapshot>,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<Option<FileIdentity>, SwapRefusal>> {
        if let Some(checked) = checked
            && self.is_checked(file, checked).unwrap_or(false)
        {
            return Ok(Ok(Some(checked.meta.identity)));
        }
        let foreign = match self.observe_staged(&file.staging, &file.staged_name) {
            Ok(observation) => match check_displaced(&observation, file) {
                None => return Ok(Ok(observation.identity())),
                Some(foreign) => foreign,
            },
            // The disk failed: nothing is known about the displaced file, and no other program is to blame.
            Err(error) => {
                self.put_back(file, place, rescue)?;
                return if is_in_use(&error) { Ok(Err(SwapRefusal::InUse)) } else { Err(error) };
            }
        };
        self.put_back(file, place, rescue)?;
        Ok(Err(foreign))
    }

    /// Returns true if the displaced file is the one that the job checked, with the same content and metadata. The content is
    /// read through the handle by which it was checked.
    fn is_checked(&self, file: &FileRecord, checked: &FileSnapshot) -> io::Result<bool> {
        let (dir, name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let stat = dir.stat(&name)?;
        let meta = &checked.meta;
        let is_same = file.before.as_ref() == Some(meta)
            && (stat.kind, stat.identity) == (FileKind::File, meta.identity)
            && (stat.size, stat.mode, stat.uid, stat.gid) == (meta.size, meta.mode, meta.uid, meta.gid)
            // A deletion removes one name; an exchange would separate the names.
            && (stat.links <= 1 || file.how == ChangeMethod::Delete);
        Ok(is_same && checked.is_unwritten()?)
    }

    /// For file systems without exchange: first the displaced file gets the staged name through a link.
    fn put_by_link(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<Result<(), SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let (_, held) = self.staged_entry(&file.staging, &held_name(&file.staged_name))?;
        match observation::observe(place.parent(), place.name()) {
            Ok(observation) => {
                if let Some(foreign) = check_displaced(&observation, file) {
                    return Ok(Err(foreign));
                }
            }
            Err(error) if is_in_use(&error) => return Ok(Err(SwapRefusal::InUse)),
            Err(error) => return Err(error),
        }
        // Before the link: as long as another program does not share the file, no name of it can be removed.
        #[cfg(windows)]
        if self.check_shared(place, false).is_err() {
            return Ok(Err(SwapRefusal::InUse));
        }
        // Nothing can rename a folder over a file.
        let folder = staging.stat(&staged_name)?.kind == FileKind::Dir;
        let linked = match folder {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => self.os.link(place.parent(), place.name(), &staging, &held),
        };
        match linked {
            Ok(()) => {
                match self.os.rename(&staging, &staged_name, place.parent(), place.name()) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        staging.remove_file(&held)?;
                        return Ok(Err(SwapRefusal::InUse));
                    }
                    other => other?,
                }
                self.os.rename(&staging, &held, &staging, &staged_name)?;
            }
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
            Err(_) => {
                // Neither exchange nor links, or a folder: moves the target away, then the new file in.
                match self.move_to_staging(place.parent(), place.name(), &staging, &held) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        return Ok(Err(SwapRefusal::InUse));
                    }
                    other => other?,
                }
                match self.move_noreplace(&staging, &staged_name, place.parent(), place.name()) {
                    Err(error) if is_in_use(&error) => {
                        self.move_noreplace(&staging, &held, place.parent(), place.name())?;
                        return Ok(Err(SwapRefusal::InUse));
                    }
                    other => other?,
                }
                self.os.rename(&staging, &held, &staging, &staged_name)?;
            }
        }
        Ok(Ok(()))
    }

    fn put_new(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<Result<PutResult, SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        let staged = match open_staged(&staging, &staged_name, file)? {
            Ok(staged) => staged,
            Err(foreign) => return Ok(Err(foreign)),
        };
        let parent = match place.ensure_folders(self.mask) {
            Ok((parent, _)) => parent,
            Err(error) => return foreign_folder(error),
        };
        match self.move_noreplace(&staging, &staged_name, &parent, place.name()) {
            Ok(()) => {
                let left = check_put((&parent, place.name()), file, staged)?;
                Ok(left.map(|left| PutResult { left, displaced: None }))
            }
            Err(error) => match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(Err(SwapRefusal::Appeared)),
                // Its folder was removed, perhaps by an undo.
                io::ErrorKind::NotFound => Ok(Err(SwapRefusal::Vanished)),
                io::ErrorKind::CrossesDevices => Ok(Err(SwapRefusal::OtherMount)),
                io::ErrorKind::WouldBlock => Ok(Err(SwapRefusal::InUse)),
                _ => Err(error),
            },
        }
    }

    fn put_away(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
        checked: Option<&FileSnapshot>,
        rescue: &mut RescueSink<'_>,
    ) -> io::Result<Result<PutResult, SwapRefusal>> {
        let (staging, staged_name) = self.staged_entry(&file.staging, &file.staged_name)?;
        match self.move_to_staging(place.parent(), place.name(), &staging, &staged_name) {
            Ok(()) => {}
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => return Ok(Err(SwapRefusal::Vanished)),
                io::ErrorKind::CrossesDevices => return Ok(Err(SwapRefusal::OtherMount)),
                io::ErrorKind::AlreadyExists => return Ok(Err(SwapRefusal::Replaced)),
                io::ErrorKind::WouldBlock => return Ok(Err(SwapRefusal::InUse)),
                _ => return Err(error),
            },
        }
        let looked = self.look_behind(file, place, checked, rescue)?;
        Ok(looked.map(|displaced| PutResult { left: None, displaced }))
    }
}

/// The end of the temporary name of a displaced file on file systems without exchange.
pub(super) const HELD: &str = ".held";

/// Returns the temporary name of a displaced file on file systems without exchange.
pub(super) fn held_name(staged_name: &str) -> String {
    format!("{staged_name}{HELD}")
}

/// Returns true if another program has a file open without sharing it, as only Windows permits.
pub(super) fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && error.kind() == io::ErrorKind::WouldBlock
}

/// Returns `None` if a displaced file is the checked one.
fn check_displaced(observation: &Observation, file: &FileRecord) -> Option<SwapRefusal> {
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
fn foreign_folder(error: ResolveError) -> io::Result<Result<PutResult, SwapRefusal>> {
    match error {
        ResolveError::Denied(_) => Err(io::ErrorKind::PermissionDenied.into()),
        ResolveError::Io { error, .. } => match error.kind() {
            io::ErrorKind::NotFound => Ok(Err(SwapRefusal::Vanished)),
            _ => Err(error),
        },
        _ => Ok(Err(SwapRefusal::Special(FileKind::Other))),
    }
}
