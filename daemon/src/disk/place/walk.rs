//! Walks from the root to a path, step by step. It opens folders and reads links, and changes nothing.

use std::io::ErrorKind;

use editd_proto::path::FilePath;

use super::parts::{climbs_out, ends_as_folder, into_root, names};
use super::{OWN_FOLDER, ResolveError, ResolvedPath, WorkspaceRoot};
use crate::disk::alias;
use crate::disk::own::LOCK;
use crate::limits;
use crate::os::{Dir, FileKind, OsDir, Stat, is_link};

/// Resolves a client's path to a regular file, or to no file yet. Links are followed, also the last one.
///
/// # Errors
/// [`ResolveError`] for anything that is not a file inside the workspace.
pub fn resolve(root: &WorkspaceRoot, path: &FilePath) -> Result<ResolvedPath, ResolveError> {
    PathWalk::begin(root, path.as_bytes(), true)?.run()
}

/// As [`resolve`], but a link at the end is refused with [`ResolveError::IsLink`].
///
/// # Errors
/// As for [`resolve`].
pub fn resolve_link(root: &WorkspaceRoot, path: &FilePath) -> Result<ResolvedPath, ResolveError> {
    PathWalk::begin(root, path.as_bytes(), false)?.run()
}

struct PathWalk<'a> {
    root: &'a WorkspaceRoot,
    follow_last: bool,
    /// The remaining components, last first.
    ahead: Vec<Vec<u8>>,
    /// True if the last component must be a folder, because a slash follows it.
    folder: bool,
    /// The open folders below the root.
    behind: Vec<WalkedFolder>,
    /// Further folders, which do not exist.
    missing: Vec<Vec<u8>>,
    /// The bytes of the names in both, each with its slash.
    length: usize,
    links: usize,
    again: usize,
    /// True if one entry of `behind` stands for several folders.
    jumped: bool,
    /// The device of the last folder, if it is known.
    device: Option<u64>,
}

/// An open folder on the way.
struct WalkedFolder {
    /// Its name in the one before; several if they were passed at once.
    name: Vec<u8>,
    dir: Dir,
    /// False if it may not be listed or flushed, only passed.
    readable: bool,
}

/// The end of a walk.
enum WalkEnd {
    Absent(Vec<u8>),
    File(Vec<u8>, Stat),
}

impl<'a> PathWalk<'a> {
    fn begin(root: &'a WorkspaceRoot, path: &[u8], follow_last: bool) -> Result<Self, ResolveError> {
        if path.len() > editd_proto::limits::PATH {
            return Err(ResolveError::TooLong(editd_proto::limits::PATH));
        }
        if path.contains(&0) {
            return Err(ResolveError::Nul);
        }
        if names(path).any(|name| name == b"..") {
            return Err(ResolveError::Parent);
        }
        if path.is_empty() {
            return Err(ResolveError::Empty);
        }
        #[cfg(windows)]
        super::windows_form(path)?;
        let inside = match path.first() {
            Some(b'/') => into_root(root, path).ok_or(ResolveError::Outside { link: None })?,
            _ => names(path).collect(),
        };
        if inside.is_empty() {
            return Err(ResolveError::IsFolder(FilePath::from(".")));
        }
        Ok(Self {
            root,
            follow_last,
            ahead: inside.into_iter().rev().map(<[u8]>::to_vec).collect(),
            folder: ends_as_folder(path),
            behind: Vec::new(),
            missing: Vec::new(),
            length: 0,
            links: 0,
            again: 0,
            jumped: false,
            device: None,
        })
    }

    fn run(mut self) -> Result<ResolvedPath, ResolveError> {
        self.jump();
        loop {
            let Some(name) = self.ahead.pop() else {
                // Only a link's target can end in a folder without naming it: "..", "." or the root.
                return Err(ResolveError::IsFolder(self.path(None)));
            };
            if name == b".." {
                self.climb()?;
                continue;
            }
            if name.len() > limits::COMPONENT {
                return Err(ResolveError::TooLong(limits::COMPONENT));
            }
            // A short path through a link may lead to a long one, which no message or record could hold.
            if self.length + name.len() > editd_proto::limits::PATH {
                return Err(ResolveError::TooLong(editd_proto::limits::PATH));
            }
            if self.is_reserved(&name) {
                return Err(ResolveError::Reserved);
            }
            let end = if self.ahead.is_empty() { self.last(name)? } else { self.through(name)? };
            match end {
                Some(WalkEnd::Absent(_)) if self.folder => return Err(ResolveError::TrailingSlash),
                Some(WalkEnd::File(name, _)) if self.folder => {
                    return Err(ResolveError::NotAFolder(self.path(Some(&name))));
                }
                Some(WalkEnd::Absent(name)) => return self.arrive(name, None),
                Some(WalkEnd::File(name, stat)) => return self.arrive(name, Some(stat)),
                None => {}
            }
        }
    }

    /// Takes all steps but the last one at once, if each leads to a real folder of the root's mount. Otherwise it takes
    /// none. No folder on the way can be the daemon's own: beside mounts, only [`alias::may_be`] names lead to it. Nor can one be the state folder.
    fn jump(&mut self) {
        let Some((_last, above)) = self.ahead.split_first() else { return };
        let is_plain = |name: &Vec<u8>| {
            let may_be_own = alias::may_be(name, OWN_FOLDER) || self.root.may_be_state(name);
            name.len() <= limits::COMPONENT && name != b".." && !may_be_own
        };
        if above.is_empty() || !above.iter().all(is_plain) {
            return;
        }
        let names: Vec<Vec<u8>> = above.iter().rev().cloned().collect();
        let Ok((dir, stat)) = self.root.dir().open_below(&names) else { return };
        let length = names.iter().map(|name| name.len() + 1).sum::<usize>();
        if self.root.is_reserved(&stat) || length > editd_proto::limits::PATH {
            return;
        }
        self.length = length;
        self.ahead.truncate(1);
        self.behind.push(WalkedFolder { name: names.join(&b'/'), dir, readable: true });
        self.jumped = true;
        self.device = Some(stat.identity.dev);
    }

    /// Goes back to the root, to take the steps of the jump one by one.
    fn return_to_root(&mut self, name: Vec<u8>) {
        self.jumped = false;
        self.device = None;
        self.length = 0;
        self.ahead.push(name);
        let names = self.behind.drain(..).next().map(|folder| folder.name).unwrap_or_default();
        self.ahead.extend(names.split(|byte| *byte == b'/').rev().map(<[u8]>::to_vec));
    }

    /// Takes a step that is not the last one.
    fn through(&mut self, name: Vec<u8>) -> Result<Option<WalkEnd>, ResolveError> {
        if !self.missing.is_empty() {
            self.lack(name);
            return Ok(None);
        }
        // It usually is a folder: try that first, and find out the kind only if it is none.
        let error = match self.here().open_dir(&name) {
            Ok(dir) => return self.enter(name, dir, true).map(|()| None),
            Err(error) => error,
        };
        match error.kind() {
            ErrorKind::NotFound => self.lack(name),
            // What is below it may be permitted nevertheless.
            ErrorKind::PermissionDenied => match self.here().open_passage(&name) {
                Ok(dir) => self.enter(name, dir, false)?,
                Err(_) => return Err(self.failed(&name, error)),
            },
            _ if error.kind() == ErrorKind::NotADirectory || is_link(&error) => match self.observe(&name)? {
                Some(FileKind::Link) => self.follow(name)?,
                // It became a folder or was removed since.
                Some(FileKind::Dir) | None => self.once_more(name)?,
                Some(FileKind::File | FileKind::Other) => {
                    return Err(ResolveError::NotAFolder(self.path(Some(&name))));
                }
            },
            _ => return Err(self.failed(&name, error)),
        }
        Ok(None)
    }

    /// Goes into an open folder.
    fn enter(&mut self, name: Vec<u8>, dir: Dir, readable: bool) -> Result<(), ResolveError> {
        let stat = dir.stat_self().map_err(|error| self.failed(&name, error))?;
        if self.root.is_reserved(&stat) {
            return Err(ResolveError::Reserved);
        }
        let name = self.own_name(name)?;
        self.length += name.len() + 1;
        self.behind.push(WalkedFolder { name, dir, readable });
        self.device = Some(stat.identity.dev);
        Ok(())
    }

    /// Takes the last step.
    fn last(&mut self, name: Vec<u8>) -> Result<Option<WalkEnd>, ResolveError> {
        if !self.missing.is_empty() {
            return Ok(Some(WalkEnd::Absent(name)));
        }
        let stat = match self.here().stat(&name) {
            Ok(stat) => stat,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(WalkEnd::Absent(name))),
            Err(error) => return Err(self.failed(&name, error)),
        };
        if self.root.is_reserved(&stat) {
            return Err(ResolveError::Reserved);
        }
        match stat.kind {
            FileKind::File => Ok(Some(WalkEnd::File(self.own_name(name)?, stat))),
            FileKind::Dir => Err(ResolveError::IsFolder(self.path(Some(&name)))),
            FileKind::Other => Err(ResolveError::Special(self.path(Some(&name)))),
            // With a slash after it, it means the folder that it leads to.
            FileKind::Link if self.follow_last || self.folder => self.follow(name).map(|()| None),
            FileKind::Link => {
                let target = self.here().read_link(&name);
                let path = self.path(Some(&name));
                match target {
                    Ok(target) => Err(ResolveError::IsLink { path, target: FilePath::new(target) }),
                    Err(error) if changed(&error) => self.once_more(name).map(|()| None),
                    Err(error) => Err(ResolveError::of(path, error)),
                }
            }
        }
    }

    /// Replaces a link's name by its target.
    fn follow(&mut self, name: Vec<u8>) -> Result<(), ResolveError> {
        if self.jumped {
            // The target may go back through the folders on the way.
            self.return_to_root(name);
            return Ok(());
        }
        self.links += 1;
        if self.links > limits::LINKS {
            return Err(ResolveError::Links);
        }
        let target = match self.here().read_link(&name) {
            Ok(target) => target,
            Err(error) if changed(&error) => return self.once_more(name),
            Err(error) => return Err(ResolveError::of(self.path(Some(&name)), error)),
        };
        let link = self.path(Some(&name));
        let inside: Vec<&[u8]> = match target.first() {
            None => return Err(ResolveError::Dangling(link)),
            Some(b'/') => {
                let inside = into_root(self.root, &target)
                    .ok_or(ResolveError::Outside { link: Some(link.clone()) })?;
                self.behind.clear();
                self.device = None;
                self.length = 0;
                inside
            }
            Some(_) => names(&target).collect(),
        };
        // Only the further steps show whether it leaves the root, but the link is known here.
        let depth = self.behind.len();
        if climbs_out(depth, &inside) {
            return Err(ResolveError::Outside { link: Some(link) });
        }
        if self.ahead.is_empty() {
            self.folder |= ends_as_folder(&target);
        }
        self.ahead.extend(inside.into_iter().rev().map(<[u8]>::to_vec));
        if self.ahead.len() > editd_proto::limits::PATH {
            return Err(ResolveError::TooLong(editd_proto::limits::PATH));
        }
        Ok(())
    }

    /// Goes back to the folder before.
    fn climb(&mut self) -> Result<(), ResolveError> {
        if let Some(name) = self.missing.last() {
            return Err(ResolveError::Dangling(self.path(Some(name))));
        }
        let left = self.behind.pop().ok_or(ResolveError::Outside { link: None })?;
        self.length -= left.name.len() + 1;
        self.device = None;
        Ok(())
    }

    /// Continues in a folder that does not exist.
    fn lack(&mut self, name: Vec<u8>) {
        self.length += name.len() + 1;
        self.missing.push(name);
    }

    /// Repeats a step because another program changed the folders on the way.
    fn once_more(&mut self, name: Vec<u8>) -> Result<(), ResolveError> {
        self.again += 1;
        if self.again > limits::RESOLVE_AGAIN {
            return Err(ResolveError::Changing(self.path(Some(&name))));
        }
        self.ahead.push(name);
        Ok(())
    }

    fn observe(&self, name: &[u8]) -> Result<Option<FileKind>, ResolveError> {
        match self.here().stat(name) {
            Ok(stat) => Ok(Some(stat.kind)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Maps an error of the system at a name here.
    fn failed(&self, name: &[u8], error: std::io::Error) -> ResolveError {
        let denied = error.kind() == ErrorKind::PermissionDenied;
        let folder = denied && self.behind.last().is_some_and(|folder| !folder.readable);
        ResolveError::of(self.path((!folder).then_some(name)), error)
    }

    fn here(&self) -> &dyn OsDir {
        self.behind.last().map_or(&**self.root.dir(), |folder| &*folder.dir)
    }

    /// Returns true for the name of the daemon's folder, also on file systems that ignore case, and for that of the folder
    /// of a daemon that serves a workspace inside this one: a folder of this name with a lock.
    fn is_reserved(&self, name: &[u8]) -> bool {
        if !self.missing.is_empty() || !alias::may_be(name, OWN_FOLDER) {
            return false;
        }
        let identity = |name: &[u8]| self.here().stat(name).ok().map(|stat| stat.identity);
        let is_own =
            name == OWN_FOLDER || identity(OWN_FOLDER).is_some_and(|own| identity(name) == Some(own));
        let is_root = self.behind.is_empty();
        is_own && (is_root || self.here().open_passage(name).is_ok_and(|own| own.stat(LOCK).is_ok()))
    }

    /// Returns the name of a file here as the file has it: a path with other case leads to the same file.
    fn own_name(&self, name: Vec<u8>) -> Result<Vec<u8>, ResolveError> {
        match self.here().own_name(&name) {
            Ok(own) => Ok(own.unwrap_or(name)),
            // It was removed since: the next step shows that.
            Err(gone) if gone.kind() == ErrorKind::NotFound => Ok(name),
            Err(error) => Err(self.failed(&name, error)),
        }
    }

    /// Returns the path of a name here, or of this folder.
    fn path(&self, name: Option<&[u8]>) -> FilePath {
        let behind = self.behind.iter().map(|folder| folder.name.as_slice());
        let path: Vec<&[u8]> = behind.chain(self.missing.iter().map(Vec::as_slice)).chain(name).collect();
        if path.is_empty() { FilePath::from(".") } else { FilePath::new(path.join(&b'/')) }
    }

    fn arrive(mut self, name: Vec<u8>, stat: Option<Stat>) -> Result<ResolvedPath, ResolveError> {
        let path = self.path(Some(&name));
        if self.behind.last().is_some_and(|folder| !folder.readable) {
            // What is put there could not be flushed.
            self.missing.clear();
            return Err(ResolveError::Denied(self.path(None)));
        }
        let parent = self.behind.last().map_or(self.root.dir(), |folder| &folder.dir).clone();
        let device = if self.behind.is_empty() { Some(self.root.device) } else { self.device };
        Ok(ResolvedPath { parent, device, name, path, stat, missing: self.missing })
    }
}

/// Returns true if the link was replaced or removed.
fn changed(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound)
}
