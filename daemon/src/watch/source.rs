//! The source of events: notify behind a trait, so that tests can make events up. It keeps no state and only drops
//! events that cannot mean a change.

use std::path::{Path, PathBuf};

use super::settle::PathEvents;
use notify::event::{AccessKind, AccessMode, EventKind, Flag, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher as _};

/// An event of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RawEvent {
    /// A change at an absolute path.
    At(PathBuf, PathEvents),
    /// Events were lost.
    Lost,
}

/// The reason why a folder is not watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum WatchError {
    /// It does not exist any more.
    Missing,
    /// The system grants no more watches.
    Exhausted,
    /// Another error of the system.
    Failed(String),
}

/// Watches of the system on single folders.
pub(super) trait EventSource: Send {
    /// Watches the names in a folder, by its absolute path.
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError>;
    /// Stops watching a folder; does nothing for one that is not watched.
    fn unwatch(&mut self, folder: &Path);
}

/// Watches with notify. On systems whose watches cover a tree, the workspace is watched once, and the keeper drops
/// events of other folders.
pub(super) struct NotifySource {
    watcher: RecommendedWatcher,
    tree: Option<PathBuf>,
    rooted: bool,
}

/// True if this system watches whole trees at once (and single folders poorly).
const TREES: bool = cfg!(any(target_os = "macos", windows));

impl NotifySource {
    /// Starts notify's thread. `sink` is called on it: it must not block, and must not call this.
    pub(super) fn new(
        root: &Path,
        mut sink: impl FnMut(RawEvent) + Send + 'static,
    ) -> Result<Self, WatchError> {
        let handler = move |event| read(event, &mut sink);
        let config = Config::default().with_follow_symlinks(false).with_event_kinds(kinds());
        let watcher = RecommendedWatcher::new(handler, config).map_err(|error| plain(&error))?;
        Ok(Self { watcher, tree: TREES.then(|| root.to_path_buf()), rooted: false })
    }
}

/// Returns the kinds of events that can mean a change. Without the openings of files, a read wakes no thread.
fn kinds() -> EventKindMask {
    EventKindMask::CREATE | EventKindMask::REMOVE | EventKindMask::ALL_MODIFY | EventKindMask::ACCESS_CLOSE
}

impl EventSource for NotifySource {
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
        match &self.tree {
            Some(_) if self.rooted => Ok(()),
            Some(root) => {
                self.watcher.watch(root, RecursiveMode::Recursive).map_err(|error| plain(&error))?;
                self.rooted = true;
                Ok(())
            }
            None => self.watcher.watch(folder, RecursiveMode::NonRecursive).map_err(|error| plain(&error)),
        }
    }

    fn unwatch(&mut self, folder: &Path) {
        if self.tree.is_none() {
            // The system drops watches of removed folders itself, and then returns an error here.
            let _ = self.watcher.unwatch(folder);
        }
    }
}

/// A source without watches, used if notify cannot start.
pub(super) struct NoEventSource;

impl EventSource for NoEventSource {
    fn watch(&mut self, _: &Path) -> Result<(), WatchError> {
        Err(WatchError::Exhausted)
    }

    fn unwatch(&mut self, _: &Path) {}
}

fn plain(error: &notify::Error) -> WatchError {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => WatchError::Missing,
        ErrorKind::MaxFilesWatch => WatchError::Exhausted,
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => WatchError::Missing,
        _ => WatchError::Failed(error.to_string()),
    }
}

fn read(event: notify::Result<notify::Event>, sink: &mut impl FnMut(RawEvent)) {
    let Ok(event) = event else {
        // The event that could not be read is unknown.
        return sink(RawEvent::Lost);
    };
    if event.attrs.flag() == Some(Flag::Rescan) {
        return sink(RawEvent::Lost);
    }
    let (removed, changed) = match event.kind {
        // A read is no change. A file that was open for writing and is closed may have changed.
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => (false, true),
        EventKind::Access(_) => return,
        EventKind::Remove(_) => (true, true),
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) => (true, TREES),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => (false, TREES),
        // Both halves were reported already.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) if !TREES => return,
        _ => (false, true),
    };
    for path in event.paths {
        sink(RawEvent::At(path, PathEvents { removed, changed }));
    }
}
