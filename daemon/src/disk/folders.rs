//! The workspace's folder and the folders of staged files: it opens folders, and moves and observes names in them. It
//! checks nothing that `.editd` contains; `own` does.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use editd_proto::path::FilePath;

use super::doubt::FailedFlushes;
use super::linked::LinkedNames;
use super::lost::LostCount;
use super::observation::{self, Observation};
use super::own::{self, OWN, OwnFolder, STAGING};
use super::place::{ResolveError, ResolvedPath, WorkspaceRoot, names, resolve, resolve_link};
use super::reserved::OwnEntries;
use super::stage::StagedOwner;
use super::standing::RootError;
use crate::os::{Dir, FileIdentity, FileKind, LOCK_WAIT, Os, while_locked};
use crate::record::StagingFolder;

/// The prefix of a staged file's name among the workspace's own files.
pub(super) const BESIDE: &str = ".editd-slot-";

/// The files of the workspace.
pub struct Disk {
    pub(super) os: Arc<dyn Os>,
    pub(super) root: WorkspaceRoot,
    own: RwLock<OwnFolder>,
    /// Permission bits that new folders do not get.
    pub(super) mask: u32,
    staging_device: u64,
    pub(super) staged_owner: StagedOwner,
    /// The identity of the workspace's folder when it was last read. No other folder gets it while that is open.
    pub(super) root_identity: Mutex<FileIdentity>,
    /// Folders that are on another mount although they have the same device number.
    pub(super) beside: Mutex<BTreeSet<FilePath>>,
    /// Folders on other mounts that are in `.editd/beside`.
    pub(super) noted: Mutex<BTreeSet<FilePath>>,
    /// The address at which the daemon listens, once known.
    pub(super) address: Mutex<Vec<u8>>,

    /// Files that were set aside on other mounts: folder and name.
    pub(super) lost_beside: Mutex<BTreeSet<(FilePath, String)>>,
    pub(super) lost_count: LostCount,
    pub(super) linked: Mutex<LinkedNames>,
    /// Folders that are removed once no program has them open.
    #[cfg(windows)]
    pub(super) busy_folders: super::busy_folders::BusyFolders,
    pub(super) doubted: Mutex<FailedFlushes>,
    /// Flushes of files since the start.
    pub(super) flushes: AtomicU64,
}

impl Disk {
    /// Opens a workspace by its absolute path, creates `.editd` if it is missing, and takes its lock.
    ///
    /// # Errors
    /// `RootError::Locked` if another daemon has it.
    pub fn open(os: Arc<dyn Os>, root: &Path) -> Result<Self, RootError> {
        let io = |what| move |source| RootError::Io { what, source };
        let dir = os.open_dir(root).map_err(io("open the workspace"))?;
        let is_locked = |opened: &Result<_, _>| matches!(opened, Err(RootError::Locked(_)));
        let (own, mask) = while_locked(LOCK_WAIT, || OwnFolder::open(&*os, &dir), is_locked)?;
        let staging_device = own.staging.stat_self().map_err(io("look at .editd/staging"))?.identity.dev;
        let boot = os.boot_id().map_err(io("ask which run of the machine this is"))?;
        let doubted = dir.open_dir(OWN).and_then(|own| FailedFlushes::open(&own, boot));
        let doubted = doubted.map_err(io("look into .editd/unflushed"))?;
        let root = WorkspaceRoot::open(Arc::clone(&os), root).map_err(io("look at the workspace"))?;
        let root_identity = root.dir().stat_self().map_err(io("look at the workspace"))?.identity;
        root.reserve(dir.open_dir(OWN).and_then(OwnEntries::list).map_err(io("look into .editd"))?);
        Ok(Self {
            os,
            root,
            own: RwLock::new(own),
            mask,
            staging_device,
            staged_owner: StagedOwner::default(),
            root_identity: Mutex::new(root_identity),
            beside: Mutex::default(),
            noted: Mutex::default(),
            address: Mutex::default(),

            lost_beside: Mutex::default(),
            lost_count: LostCount::default(),
            linked: Mutex::default(),
            #[cfg(windows)]
            busy_folders: super::busy_folders::BusyFolders::default(),
            doubted: Mutex::new(doubted),
            flushes: AtomicU64::new(0),
        })
    }

    /// Reserves the state folder, which may be in the workspace: no path leads into it.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn reserve_state(&self, state: &Path, folder: Dir) -> io::Result<()> {
        let name = state.file_name().map(|name| name.as_encoded_bytes()).unwrap_or_default();
        self.root.reserve_state(name, folder)
    }

    /// Returns the mount of the workspace; see [`crate::os::OsDir::mount`].
    ///
    /// # Errors
    /// Errors of the system.
    pub fn mount(&self) -> io::Result<Option<u64>> {
        self.root.dir().mount()
    }

    /// Returns the workspace's folder, for walking it.
    pub fn top(&self) -> &Dir {
        self.root.dir()
    }

    /// Returns the beginning of an absolute path that names the workspace's folder, as through a link above it.
    pub fn root_name(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.root.other_name(path).map(<[u8]>::to_vec)
    }

    /// Returns true if a name is that of a staged file, which may lie among the workspace's own files.
    pub fn is_staged_name(name: &[u8]) -> bool {
        name.starts_with(BESIDE.as_bytes())
    }

    fn own(&self) -> RwLockReadGuard<'_, OwnFolder> {
        self.own.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens `.editd` by its name: another program may have removed it, or put another folder in its place.
    pub(super) fn own_dir(&self) -> io::Result<Dir> {
        let dir = self.root.dir().open_dir(OWN)?;
        own::check_owner(&*self.os, &dir.stat_self()?, ".editd").map_err(io::Error::other)?;
        Ok(dir)
    }

    pub(super) fn lost_dir(&self) -> Dir {
        self.own().lost.clone()
    }

    /// Creates the daemon's own folder again after it was removed (as by `git clean -dfx`).
    pub(super) fn renew(&self) -> io::Result<()> {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        let standing = self.root.dir().open_dir(OWN).and_then(|dir| dir.open_dir(STAGING));
        if let Ok(standing) = standing
            && standing.stat_self()?.identity == own.staging.stat_self()?.identity
        {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.reopen(&mut own).map_err(io::Error::other)?;
        tracing::warn!(".editd was removed from the workspace; it was created again");
        Ok(())
    }

    /// Opens `.editd/lost` by its name, and makes it if it is missing.
    pub(super) fn renew_lost(&self) -> io::Result<()> {
        let dir = self.own_dir()?;
        let lost = own::folder(&dir, own::LOST)?;
        dir.sync()?;
        self.own.write().unwrap_or_else(PoisonError::into_inner).lost = lost;
        Ok(())
    }

    fn reopen(&self, own: &mut OwnFolder) -> Result<(), RootError> {
        let (anew, _) = OwnFolder::open_again(&*self.os, self.root.dir(), Some(own))?;
        let listed = self.root.dir().open_dir(OWN).and_then(OwnEntries::list);
        self.root.reserve(listed.map_err(|source| RootError::Io { what: "look into .editd", source })?);
        *own = anew;
        self.announce_again();
        Ok(())
    }

    /// Checks `.editd` as a start does, if another program changed it since: a checkout or a pull of a repository that has
    /// such a folder replaces entries of it.
    ///
    /// # Errors
    /// As for [`Disk::open`]; the next call reports an error other than `RootError::Locked` only after another change.
    pub fn check_own(&self) -> Result<(), RootError> {
        let io = |source| RootError::Io { what: "look at .editd", source };
        if !self.own().is_changed(self.root.dir()).map_err(io)? {
            return Ok(());
        }
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have checked it meanwhile.
        if !own.is_changed(self.root.dir()).map_err(io)? {
            return Ok(());
        }
        let checked = self.reopen(&mut own);
        if !matches!(checked, Ok(()) | Err(RootError::Locked(_))) {
            own.pass(self.root.dir());
        }
        checked
    }

    /// Resolves a path, following links, but never out of the workspace.
    ///
    /// # Errors
    /// See [`ResolveError`].
    pub fn resolve(&self, path: &FilePath) -> Result<ResolvedPath, ResolveError> {
        resolve(&self.root, path)
    }

    /// The same, but a link as last component is refused instead of followed.
    ///
    /// # Errors
    /// See [`ResolveError`].
    pub fn resolve_link(&self, path: &FilePath) -> Result<ResolvedPath, ResolveError> {
        resolve_link(&self.root, path)
    }

    /// Resolves a path of the journal as it is now; `None` if it leads elsewhere, or to something that is not a file.
    ///
    /// # Errors
    /// Errors that may not occur the next time: the caller concludes nothing from them.
    pub fn find(&self, path: &FilePath) -> io::Result<Option<ResolvedPath>> {
        match self.resolve_link(path) {
            Ok(place) => Ok(Some(place)),
            Err(ResolveError::Io { error, .. }) => Err(error),
            Err(error @ ResolveError::Denied(_)) => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, error.to_string()))
            }
            Err(error @ ResolveError::Changing(_)) => Err(io::Error::other(error.to_string())),
            Err(_) => Ok(None),
        }
    }

    /// Observes the file at a place.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn observe(&self, place: &ResolvedPath) -> io::Result<Observation> {
        self.observe_within(place, editd_proto::limits::FILE)
    }

    /// The same, but a file above `most` bytes is `Observation::TooLarge`.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn observe_within(&self, place: &ResolvedPath, most: usize) -> io::Result<Observation> {
        if !place.missing().is_empty() {
            return Ok(Observation::Absent);
        }
        observation::observe_within(place.parent(), place.name(), most)
    }

    /// Returns the staging folder for a place: neither `rename` nor an exchange crosses mounts.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn staging_of(&self, place: &ResolvedPath) -> io::Result<StagingFolder> {
        let folder = parent_path(place);
        let same = place.device()? == self.staging_device;
        let known = self.beside.lock().unwrap_or_else(PoisonError::into_inner).contains(&folder);
        if same && !known {
            return Ok(StagingFolder::Root);
        }
        self.note_beside(&folder)?;
        Ok(StagingFolder::Folder(folder))
    }

    /// Moves a name to one that must be free. If the file system cannot do that in one step, a link is used, which
    /// fails in the same way if the name is taken; in between, the file has both names.
    pub(super) fn move_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        match self.os.rename_noreplace(from, name, to, to_name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                // A folder cannot have a second name, and a rename replaces nothing but an empty folder.
                if from.stat(name)?.kind == FileKind::Dir {
                    return self.os.rename(from, name, to, to_name);
                }
                self.os.link(from, name, to, to_name)?;
                from.remove_file(name)
            }
            other => other,
        }
    }

    /// Moves a name to a staged name, which is free since no staged name is used twice. On a system that cannot
    /// refuse to replace, a link and an unlinking could remove what another program put there in between; a plain
    /// move cannot.
    pub(super) fn move_to_staging(
        &self,
        from: &Dir,
        name: &[u8],
        to: &Dir,
        staged_name: &[u8],
    ) -> io::Result<()> {
        match self.os.rename_noreplace(from, name, to, staged_name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => match to.stat(staged_name) {
                Err(free) if free.kind() == io::ErrorKind::NotFound => {
                    self.os.rename(from, name, to, staged_name)
                }
                Err(error) => Err(error),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            },
            other => other,
        }
    }

    /// Returns the folder and the name of a staged file.
    pub(super) fn staged_entry(
        &self,
        staging: &StagingFolder,
        staged_name: &str,
    ) -> io::Result<(Dir, Vec<u8>)> {
        match staging {
            StagingFolder::Root => Ok((self.own().staging.clone(), staged_name.as_bytes().to_vec())),
            StagingFolder::Folder(path) => {
                let dir = self.folder(path)?;
                Ok((dir, format!("{BESIDE}{staged_name}").into_bytes()))
            }
        }
    }

    /// Observes a staged file.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn observe_staged(&self, staging: &StagingFolder, staged_name: &str) -> io::Result<Observation> {
        if staged_name.is_empty() {
            // A file that is rewritten in place has no staged file.
            return Ok(Observation::Absent);
        }
        match self.staged_entry(staging, staged_name) {
            Ok((dir, name)) => observation::observe(&dir, &name),
            Err(gone) if is_gone(&gone) => Ok(Observation::Absent),
            Err(error) => Err(error),
        }
    }

    /// Opens a folder of the workspace by its path. As in resolving, the folders above it need not be readable.
    pub(super) fn folder(&self, path: &FilePath) -> io::Result<Dir> {
        let mut dir = self.root.dir().clone();
        let mut names = names(path.as_bytes()).peekable();
        while let Some(name) = names.next() {
            dir = if names.peek().is_some() { dir.open_passage(name)? } else { dir.open_dir(name)? };
        }
        Ok(dir)
    }

    /// Returns true if a folder looks like the folder of a git repository, or of one of its worktrees.
    pub fn is_git_folder(&self, path: &FilePath) -> bool {
        let found =
            names(path.as_bytes()).try_fold(self.root.dir().clone(), |dir, name| dir.open_passage(name));
        let Ok(dir) = found else { return false };
        let has = |name: &[u8]| dir.stat(name).is_ok();
        has(b"HEAD") && (has(b"commondir") || has(b"objects") && has(b"refs"))
    }

    /// Returns true if the folder of a path exists and is reached without links.
    ///
    /// # Errors
    /// Errors of the system if that cannot be told.
    pub fn has_folder(&self, path: &FilePath) -> io::Result<bool> {
        match self.folder(&path.folder()) {
            Err(gone) if is_gone(&gone) || crate::os::is_link(&gone) => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Returns the names in `.editd/staging`.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn staged_names(&self) -> io::Result<Vec<String>> {
        let listed = self.own().staging.list()?;
        Ok(listed.into_iter().map(|one| String::from_utf8_lossy(&one.name).into_owned()).collect())
    }

    /// Removes a name in `.editd/staging` if its file has another one, so nothing is lost. A kill leaves such names
    /// where a move is a link and an unlinking, and a file with two names would be rewritten in place.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn unname_second(&self, staged_name: &str) -> io::Result<()> {
        match self.own().staging.stat(staged_name.as_bytes()) {
            Ok(stat) if stat.kind == FileKind::File && stat.links > 1 => {
                self.own().staging.remove_file(staged_name.as_bytes())
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the path of the folder of a place that exists: its own, or the nearest above it.
pub(crate) fn parent_path(place: &ResolvedPath) -> FilePath {
    let names: Vec<&[u8]> = place.path().as_bytes().split(|byte| *byte == b'/').collect();
    let above = names.len().saturating_sub(1).saturating_sub(place.missing().len());
    FilePath::new(names.get(..above).unwrap_or_default().join(&b'/'))
}

/// Returns true if the error says that a folder no longer exists, or that its name now belongs to something else.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
