//! Outside writes: the actions of another process on a file, with bytes that differ from all others.

use std::io;

use crate::fault_injection::sim_workspace::ROOT;
use crate::sim::{OutsideFile, OutsideProcess};

/// One thing that another process does, all at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutsideAction {
    /// A new file is renamed over it, with what it holds and more.
    Replace,
    /// The same, with other bytes alone.
    ReplaceAlone,
    /// It is cut to nothing and written anew, with what it held and more.
    Rewrite,
    /// The same, with other bytes alone.
    RewriteAlone,
    /// It is opened, and something is added.
    Append,
    /// Something is added through a descriptor that was opened before the job.
    AppendHeld,
    /// A new file is exchanged with it.
    Exchange,
    /// It is moved to a backup's name, and made anew.
    Backup,
    /// It is taken away.
    Delete,
    /// Its mode is changed.
    Chmod,
    /// It gets another name.
    Link,
    /// A symbolic link is put in its place; it is moved away.
    Symlink,
    /// A folder is put in its place; it is moved away.
    Folder,
    /// It is moved away, and stays so.
    MoveAway,
    /// Its folder is moved away with all that is in it.
    MoveFolder,
}

impl OutsideAction {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Replace,
        Self::ReplaceAlone,
        Self::Rewrite,
        Self::RewriteAlone,
        Self::Append,
        Self::AppendHeld,
        Self::Exchange,
        Self::Backup,
        Self::Delete,
        Self::Chmod,
        Self::Link,
        Self::Symlink,
        Self::Folder,
        Self::MoveAway,
        Self::MoveFolder,
    ];

    /// Returns true if it writes bytes that nobody else wrote.
    #[must_use]
    pub fn writes(self) -> bool {
        !matches!(self, Self::Delete | Self::Chmod | Self::Link | Self::Symlink | Self::Folder)
            && !matches!(self, Self::MoveAway | Self::MoveFolder)
    }

    /// Returns true if the name is free afterwards. A power cut may free a name in the same way.
    #[must_use]
    pub fn frees(self) -> bool {
        matches!(self, Self::Delete | Self::MoveAway | Self::MoveFolder)
    }

    /// Returns true if it moves the file to another name. A power cut may give the file its old name back.
    #[must_use]
    pub fn moves(self) -> bool {
        matches!(self, Self::Backup | Self::Symlink | Self::Folder | Self::MoveAway | Self::MoveFolder)
    }

    /// Returns true if it writes through a descriptor that was opened before the job.
    #[must_use]
    pub fn holds(self) -> bool {
        self == Self::AppendHeld
    }

    /// Returns true if the bytes that it writes depend on those that it just read. If the file is being rewritten in
    /// place, it may have read a mixture.
    #[must_use]
    pub fn reads(self) -> bool {
        matches!(self, Self::Replace | Self::Rewrite | Self::Exchange | Self::Backup)
    }

    /// The file as it left it, where it wrote something.
    #[must_use]
    pub fn wrote(self, outside: &OutsideProcess, held: Option<&OutsideFile>, path: &str) -> Option<Vec<u8>> {
        match held {
            Some(held) => Some(held.read()),
            None if self.writes() => outside.read(&format!("{ROOT}/{path}")).ok(),
            None => None,
        }
    }

    /// Returns the common prefix of all names that it touches.
    #[must_use]
    pub fn reach(self, path: &str) -> &str {
        match (self, path.rsplit_once('/')) {
            (Self::MoveFolder, Some((folder, _))) => folder,
            _ => path,
        }
    }

    /// Opens the file before the job if it writes through an old descriptor; `None` if the file is absent.
    #[must_use]
    pub fn prepare(self, outside: &OutsideProcess, path: &str) -> Option<OutsideFile> {
        let path = format!("{ROOT}/{path}");
        let wanted = self.holds() && outside.stat(&path).is_ok();
        wanted.then(|| outside.open(&path).ok()).flatten()
    }

    /// Does it.
    ///
    /// # Errors
    /// The system error. The action was incomplete and wrote nothing.
    pub fn run(
        self,
        outside: &OutsideProcess,
        held: Option<&OutsideFile>,
        path: &str,
        tag: &str,
    ) -> io::Result<()> {
        let path = format!("{ROOT}/{path}");
        let tag = format!("{tag}\n");
        let more = || [tag.as_bytes(), &outside.read(&path).unwrap_or_default()].concat();
        match self {
            Self::Replace => outside.replace(&path, &more()),
            Self::ReplaceAlone => outside.replace(&path, tag.as_bytes()),
            Self::Rewrite => outside.write(&path, &more()),
            Self::RewriteAlone => outside.write(&path, tag.as_bytes()),
            Self::Append => outside.append(&path, tag.as_bytes()),
            Self::AppendHeld => held.ok_or(io::ErrorKind::NotFound)?.append(tag.as_bytes()),
            Self::Exchange => {
                outside.stat(&path)?;
                let theirs = format!("{path}.theirs");
                outside.write(&theirs, &more())?;
                outside.exchange(&theirs, &path)
            }
            Self::Backup => {
                let all = more();
                outside.rename(&path, &format!("{path}~"))?;
                outside.write(&path, &all)
            }
            Self::Delete => outside.remove(&path),
            Self::Chmod => outside.chmod(&path, 0o711),
            Self::Link => outside.link(&path, &format!("{path}.link")),
            Self::Symlink => {
                outside.rename(&path, &format!("{path}~"))?;
                outside.symlink("elsewhere", &path)
            }
            Self::Folder => {
                outside.rename(&path, &format!("{path}~"))?;
                outside.mkdir(&path)
            }
            Self::MoveAway => outside.rename(&path, &format!("{path}.moved")),
            Self::MoveFolder => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                if folder == ROOT {
                    return Err(io::ErrorKind::InvalidInput.into());
                }
                outside.rename(folder, &format!("{folder}.moved"))
            }
        }
    }
}
