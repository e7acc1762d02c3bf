//! The daemon's own folder: opens `.editd`, which git ignores, takes its lock, and creates what is missing in it:
//! `staging` for staged and displaced files, and `lost` for files that were set aside. It uses nothing there that
//! another user owns or can write, and writes to no file that has a second name.
//!
//! A repository may contain a folder `.editd`. Entries of it that cannot be the daemon's own are renamed to `aside-…`
//! in it, and none is deleted.

use std::io;

use super::scratch::CHECK;
use super::standing::{LockOwner, RootError};
use crate::os::{Access, Dir, File, FileIdentity, FileKind, Os, Stat, read_all};

/// The daemon's own folder in the workspace.
pub(super) const OWN: &[u8] = b".editd";
pub(super) const STAGING: &[u8] = b"staging";
pub(super) const LOST: &[u8] = b"lost";
pub(super) const LOCK: &[u8] = b"lock";
const PROBE: &[u8] = b"probe";
const GIT: &[u8] = b".git";
const IGNORE: &[u8] = b".gitignore";
/// The content of `.gitignore`: git ignores the whole folder, and rules of deeper folders count for nothing.
const IGNORE_ALL: &[u8] = b"*\n";

/// The other files that the daemon writes there: see `beside`.
const FILES: [&[u8]; 4] = [IGNORE, PROBE, b"beside", b"beside.new"];
/// The folders that it makes there.
const FOLDERS: [&[u8]; 4] = [STAGING, LOST, b"unflushed", CHECK];

/// The permission bits by which other users can write.
const OTHERS_WRITE: u32 = 0o022;
/// The most times that entries are checked again after a repair.
const REPAIRS: usize = 3;
/// The most entries that are set aside under one name.
const ASIDE: usize = 1000;
/// The most bytes of an entry's name in the name under which it is set aside: a longer one has no room.
const ASIDE_NAME: usize = 200;

/// The daemon's own folder, opened.
pub(super) struct OwnFolder {
    dir: Dir,
    pub(super) staging: Dir,
    pub(super) lost: Dir,
    /// Held while the workspace is open, so that no second daemon serves it.
    lock: File,
    /// As it was before its entries were last checked.
    checked: OwnSignature,
}

/// The metadata by which changes of other programs in `.editd` are noticed without opening anything. A file that is put
/// in place of another changes the time of the folder; `.gitignore` may also be rewritten in place.
#[derive(Clone, PartialEq, Eq)]
struct OwnSignature {
    folder: (FileIdentity, i64),
    ignore: Option<(FileIdentity, u64, i64)>,
}

impl OwnSignature {
    /// Reads the metadata of the folder `.editd` of the workspace, and of `.gitignore` in the folder `own`.
    fn read(root: &Dir, own: &Dir) -> io::Result<Self> {
        let folder = root.stat(OWN)?;
        let ignore = own.stat(IGNORE).ok();
        Ok(Self {
            folder: (folder.identity, folder.modified),
            ignore: ignore.map(|found| (found.identity, found.size, found.modified)),
        })
    }
}

impl OwnFolder {
    /// Returns true if another program may have changed an entry since the entries were last checked. A folder that is
    /// gone is made again with the next staged file.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) fn is_changed(&self, root: &Dir) -> io::Result<bool> {
        match OwnSignature::read(root, &self.dir) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(false),
            found => Ok(found? != self.checked),
        }
    }

    /// Counts the entries as checked, although they could not be repaired: the next change is examined again.
    pub(super) fn pass(&mut self, root: &Dir) {
        if let Ok(now) = OwnSignature::read(root, &self.dir) {
            self.checked = now;
        }
    }

    /// Opens the folder, creates it if it is missing, and takes its lock. Also returns the mask for new files.
    ///
    /// # Errors
    /// `RootError::Locked` if another daemon has the lock, `RootError::Foreign` and `RootError::Exposed` if another
    /// user owns or can write a part of it.
    pub(super) fn open(os: &dyn Os, root: &Dir) -> Result<(Self, u32), RootError> {
        Self::open_again(os, root, None)
    }

    /// The same for a daemon that has opened the folder before, and may still have its lock.
    ///
    /// # Errors
    /// As [`OwnFolder::open`].
    pub(super) fn open_again(
        os: &dyn Os,
        root: &Dir,
        before: Option<&Self>,
    ) -> Result<(Self, u32), RootError> {
        let io = |source| RootError::Io { what: "look at .editd", source };
        let mut opened = Self::check_and_open(os, root, before)?;
        // An entry that was made or repaired is checked once more: another program may have changed it meanwhile.
        for _ in 0..REPAIRS {
            if !opened.0.is_changed(root).map_err(io)? {
                break;
            }
            opened = Self::check_and_open(os, root, Some(&opened.0))?;
        }
        Ok(opened)
    }

    fn check_and_open(os: &dyn Os, root: &Dir, before: Option<&Self>) -> Result<(Self, u32), RootError> {
        let io = |what| move |source| RootError::Io { what, source };
        match root.stat(OWN) {
            Ok(found) if found.kind != FileKind::Dir => return Err(RootError::NoFolder),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io("look at .editd in the workspace")(error));
            }
            _ => {}
        }
        let own = folder(root, OWN).map_err(io("make .editd in the workspace"))?;
        let folder_checks = OwnChecks { os, own: &own };
        folder_checks.folder(&own, ".editd")?;
        let held = before.map(|before| &before.lock).filter(|held| folder_checks.is_lock(held));
        let lock = held.map_or_else(|| folder_checks.lock(), |held| Ok(held.clone()))?;
        folder_checks.file(PROBE).map_err(io("look at the files in .editd"))??;
        let mask = mask_of(&own).map_err(io("make a file in .editd"))?;
        let checked = OwnSignature::read(root, &own).map_err(io("look at .editd"))?;
        for name in FILES {
            folder_checks.file(name).map_err(io("look at the files in .editd"))??;
        }
        folder_checks.no_repository().map_err(io("look at .editd/.git"))??;
        folder_checks.ignore_itself().map_err(io("write .editd/.gitignore"))?;
        for name in FOLDERS {
            folder_checks.folder_entry(name)?;
        }
        let staging = folder(&own, STAGING).map_err(io("make .editd/staging"))?;
        let lost = folder(&own, LOST).map_err(io("make .editd/lost"))?;
        // Staged files survive a power cut only in folders that were flushed.
        own.sync().map_err(io("flush .editd"))?;
        root.sync().map_err(io("flush the workspace's folder"))?;
        Ok((Self { dir: own, staging, lost, lock, checked }, mask))
    }
}

/// Checks that a part of `.editd` belongs to the daemon's user.
///
/// # Errors
/// `RootError::Foreign` if not.
pub(super) fn check_owner(os: &dyn Os, found: &Stat, name: &str) -> Result<(), RootError> {
    match os.user() {
        Some(user) if user != found.uid => {
            Err(RootError::Foreign { name: name.to_owned(), owner: found.uid, user })
        }
        _ => Ok(()),
    }
}

/// The checks of the entries of `.editd`.
struct OwnChecks<'a> {
    os: &'a dyn Os,
    own: &'a Dir,
}

impl OwnChecks<'_> {
    /// Checks a folder, and makes it private: in a repository, it is readable to others, who could then read files that
    /// come from private folders.
    fn folder(&self, dir: &Dir, name: &str) -> Result<(), RootError> {
        let io = |source| RootError::Io { what: "look at the folders in .editd", source };
        let found = dir.stat_self().map_err(io)?;
        check_owner(self.os, &found, name)?;
        if self.os.user().is_none() || found.mode & 0o077 == 0 {
            return Ok(());
        }
        if found.mode & OTHERS_WRITE != 0 && self.keeps_modes() {
            return Err(RootError::Exposed { name: name.to_owned() });
        }
        dir.set_mode(0o700).map_err(io)
    }

    /// Checks a folder in `.editd`, if it exists. Anything else with its name is set aside.
    fn folder_entry(&self, name: &[u8]) -> Result<(), RootError> {
        let io = |source| RootError::Io { what: "look at the folders in .editd", source };
        let shown = shown(name);
        match self.own.stat(name) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(io(error)),
            Ok(found) if found.kind == FileKind::Dir => {
                self.folder(&self.own.open_dir(name).map_err(io)?, &shown)
            }
            Ok(found) => {
                check_owner(self.os, &found, &shown)?;
                self.set_aside(name).map_err(io)
            }
        }
    }

    /// Checks a file in `.editd`, if it exists. A file that cannot be the daemon's own is set aside.
    fn file(&self, name: &[u8]) -> io::Result<Result<(), RootError>> {
        let found = match self.own.stat(name) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(Ok(())),
            found => found?,
        };
        if let Err(foreign) = check_owner(self.os, &found, &shown(name)) {
            return Ok(Err(foreign));
        }
        if !self.is_own_file(&found) {
            self.set_aside(name)?;
        }
        Ok(Ok(()))
    }

    /// Sets `.git` aside: git takes a folder with it for another repository, and then counts no `.gitignore` in it.
    fn no_repository(&self) -> io::Result<Result<(), RootError>> {
        match self.own.stat(GIT) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => Ok(Ok(())),
            Err(error) => Err(error),
            Ok(found) => match check_owner(self.os, &found, &shown(GIT)) {
                Ok(()) => self.set_aside(GIT).map(Ok),
                foreign => Ok(foreign),
            },
        }
    }

    /// Returns true if the daemon may have made the file: a regular one with one name, which others cannot write.
    fn is_own_file(&self, found: &Stat) -> bool {
        let exposed = self.os.user().is_some() && found.mode & OTHERS_WRITE != 0 && self.keeps_modes();
        found.kind == FileKind::File && found.links <= 1 && !exposed
    }

    /// Returns true if an open file is the one with the lock's name.
    fn is_lock(&self, held: &File) -> bool {
        let identity = held.stat().map(|held| held.identity).ok();
        self.own.stat(LOCK).is_ok_and(|found| Some(found.identity) == identity)
    }

    /// Takes the lock. A lock that cannot be the daemon's own is set aside, unless another daemon has locked it.
    fn lock(&self) -> Result<File, RootError> {
        let io = |what| move |source| RootError::Io { what, source };
        match self.own.stat(LOCK) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io("look at .editd/lock")(error)),
            Ok(found) => {
                check_owner(self.os, &found, &shown(LOCK))?;
                if !self.is_own_file(&found) {
                    if found.kind == FileKind::File {
                        // Released when it is closed.
                        let held = self.own.open_file(LOCK, Access::Read).map_err(io("open .editd/lock"))?;
                        self.take(&held)?;
                    }
                    self.set_aside(LOCK).map_err(io("set .editd/lock aside"))?;
                }
            }
        }
        let lock = open_or_create(self.own, LOCK).map_err(io("open .editd/lock"))?;
        self.take(&lock)?;
        Ok(lock)
    }

    fn take(&self, lock: &File) -> Result<(), RootError> {
        let taken = lock.try_lock().map_err(|source| RootError::Io { what: "lock .editd/lock", source })?;
        if taken { Ok(()) } else { Err(RootError::Locked(LockOwner::of(self.own, lock))) }
    }

    /// Makes git ignore the folder. A `.gitignore` with other rules is set aside.
    fn ignore_itself(&self) -> io::Result<()> {
        let file = open_or_create(self.own, IGNORE)?;
        // A power cut may have kept the name and lost the content.
        match read_all(&*file, IGNORE_ALL.len())?.as_slice() {
            IGNORE_ALL => Ok(()),
            [] => file.write_all_at(IGNORE_ALL, 0),
            _ => {
                self.set_aside(IGNORE)?;
                self.own.create_file(IGNORE, 0o600)?.write_all_at(IGNORE_ALL, 0)
            }
        }
    }

    fn set_aside(&self, name: &[u8]) -> io::Result<()> {
        set_aside(self.os, self.own, (self.own, name), &shown(name))
    }

    /// Returns false if the file system has no permission bits of its own, so that every file seems open to others. If
    /// that cannot be told, returns true.
    fn keeps_modes(&self) -> bool {
        probe(self.own, 0o600).map_or(true, |mode| mode & 0o077 == 0)
    }
}

/// Gives an entry of the folder `own`, or of a folder in it, a free name in `own`. `shown`: its path for messages.
pub(super) fn set_aside(os: &dyn Os, own: &Dir, (from, name): (&Dir, &[u8]), shown: &str) -> io::Result<()> {
    for nth in 1..=ASIDE {
        let to = [format!("aside-{nth}-").as_bytes(), name.get(..ASIDE_NAME).unwrap_or(name)].concat();
        match own.stat(&to) {
            Ok(_) => {}
            Err(free) if free.kind() == io::ErrorKind::NotFound => {
                let to_shown = self::shown(&to);
                tracing::warn!("{shown} was not made by editd; it was renamed to {to_shown}");
                return os.rename(from, name, own, &to);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("{shown} cannot be renamed; remove .editd/aside-*")))
}

/// Returns the path of an entry of `.editd`, for messages.
pub(super) fn shown(name: &[u8]) -> String {
    format!(".editd/{}", String::from_utf8_lossy(name))
}

/// Returns the mode of a file that is created with a mode.
fn probe(own: &Dir, mode: u32) -> io::Result<u32> {
    match own.remove_file(PROBE) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mode = own.create_file(PROBE, mode)?.stat()?.mode;
    own.remove_file(PROBE)?;
    Ok(mode)
}

/// Returns the process's mask for new files, read from a file created for this.
fn mask_of(own: &Dir) -> io::Result<u32> {
    Ok(0o777 & !probe(own, 0o777)?)
}

pub(super) fn folder(parent: &Dir, name: &[u8]) -> io::Result<Dir> {
    match parent.create_dir(name, 0o700) {
        Ok(()) => {}
        Err(exists) if exists.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    parent.open_dir(name)
}

pub(super) fn open_or_create(dir: &Dir, name: &[u8]) -> io::Result<File> {
    match dir.create_file(name, 0o600) {
        Err(exists) if exists.kind() == io::ErrorKind::AlreadyExists => {
            let file = dir.open_file(name, Access::Write)?;
            if file.stat()?.links > 1 {
                let message = format!("{} has a second name elsewhere; remove it from .editd", shown(name));
                return Err(io::Error::other(message));
            }
            Ok(file)
        }
        other => other,
    }
}
