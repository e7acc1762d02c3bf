//! Watches the folders that subscriptions and read files need, and follows folders as they appear and disappear. It
//! opens folders only through `os`, name by name, so that no link is followed; the only files that it reads are
//! `.gitignore` and `.git/info/exclude`.

use std::collections::BTreeSet;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::names::{os_name, to_wire};
use super::settle::{DuePaths, PathEvents};
use super::source::{EventSource, WatchError};
use super::subjects::{SubscribeError, SubscriptionId, SubscriptionTable};
use super::watcher::ChangeHint;
use crate::limits;
use crate::os::{Access, Dir, DirEntry, FileKind, read_all};

/// Receives each hint at once.
pub(super) type HintSink<'a> = &'a mut dyn FnMut(ChangeHint);

/// The watched folders of one workspace. Paths are below its root, which is the empty path.
///
/// A folder is watched if files in it were read or written, if a subscription reaches it, or if it leads to such a
/// folder: so the keeper sees when one of them is moved, removed or created again.
pub(super) struct FolderKeeper {
    pub(super) root: Dir,
    pub(super) root_path: PathBuf,
    pub(super) source: Box<dyn EventSource>,
    pub(super) subjects: Arc<RwLock<SubscriptionTable>>,
    pub(super) state: WatchedFolders,
}

/// The state of the keeper.
#[derive(Default)]
pub(super) struct WatchedFolders {
    /// The watched folders. All folders above a watched one are watched, too.
    pub(super) watched: BTreeSet<PathBuf>,
    /// Folders in which files were read or written.
    touched: BTreeSet<PathBuf>,
    /// True if a warning about failed or exhausted watches was sent.
    warned: bool,
}

/// The meaning of files that a walk finds: they are new, so that hints are sent, or may have existed before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FoundFiles {
    News,
    Old,
}

impl FolderKeeper {
    /// Watches a folder in which a file was read or written. A hint follows, since the file may have changed in between.
    pub(super) fn touch(&mut self, folder: PathBuf, tell: HintSink<'_>) {
        if self.state.touched.len() < limits::WATCHED_FOLDERS && self.state.touched.insert(folder.clone()) {
            self.lead_to(&folder, tell);
            tell(ChangeHint::Watched(to_wire(&folder)));
        }
    }

    /// Adds a subscription and walks the folders that it reaches. Returns the number of watched folders that a
    /// subscription reaches.
    pub(super) fn subscribe(
        &mut self,
        id: SubscriptionId,
        globs: &[String],
        tell: HintSink<'_>,
    ) -> Result<u64, SubscribeError> {
        self.load_exclude();
        let starts = self.subjects_mut(|subjects| subjects.add(id, globs))?;
        for start in starts {
            for above in start.ancestors().skip(1) {
                self.load_rules(above);
            }
            self.lead_to(&start, tell);
            self.walk(&start, FoundFiles::Old, tell);
        }
        let subjects = self.subjects.read().unwrap_or_else(PoisonError::into_inner);
        Ok(self.state.watched.iter().filter(|folder| subjects.reach(folder)).count() as u64)
    }

    /// Ends a subscription and stops watching the folders that only it needed.
    pub(super) fn unsubscribe(&mut self, id: SubscriptionId) {
        self.subjects_mut(|subjects| subjects.remove(id));
        self.trim();
    }

    /// Handles events that have settled.
    pub(super) fn settled(&mut self, due: DuePaths, tell: HintSink<'_>) {
        for (path, events) in due.paths {
            self.settled_path(&path, events, tell);
        }
        if due.overflow {
            self.start_over(tell);
            tell(ChangeHint::Overflow);
        }
    }

    fn settled_path(&mut self, path: &Path, events: PathEvents, tell: HintSink<'_>) {
        let was_folder = events.removed && self.state.watched.contains(path);
        if was_folder {
            self.forget(path);
            tell(ChangeHint::Below(to_wire(path)));
        }
        if self.kind(path) == Some(FileKind::Dir) {
            // A watched folder also makes events about its own times and mode, which are ignored.
            if !self.state.watched.contains(path) {
                self.walk(path, FoundFiles::News, tell);
            }
        } else if !was_folder {
            if path.file_name().is_some_and(|name| name == ".gitignore") {
                self.rules_changed(path.parent().unwrap_or(Path::new("")), tell);
            }
            self.found(path, events, tell);
        }
    }

    /// Watches a folder and all those above it, as far down as they exist. Each is watched before the next is looked
    /// for, so that the creation of the next one is seen.
    fn lead_to(&mut self, folder: &Path, tell: HintSink<'_>) {
        let mut chain: Vec<&Path> = folder.ancestors().collect();
        chain.reverse();
        for part in chain {
            if self.watch(part, tell).is_none() {
                return;
            }
        }
    }

    /// Watches a folder if it is needed, and every needed folder below. Each is listed after it is watched, so that
    /// no change is missed in between.
    fn walk(&mut self, from: &Path, found: FoundFiles, tell: HintSink<'_>) {
        let mut todo = vec![from.to_path_buf()];
        while let Some(folder) = todo.pop() {
            if !self.wanted(&folder) {
                continue;
            }
            let Some(dir) = self.watch(&folder, tell) else { continue };
            let Ok(names) = dir.list() else { continue };
            self.take_rules(&folder, &dir, &names);
            for listed in names {
                let Some(name) = os_name(&listed.name) else { continue };
                let kind = listed.kind.or_else(|| dir.stat(&listed.name).ok().map(|stat| stat.kind));
                if kind == Some(FileKind::Dir) {
                    todo.push(folder.join(name));
                } else if found == FoundFiles::News {
                    self.found(&folder.join(name), PathEvents { removed: false, changed: true }, tell);
                }
            }
        }
    }

    fn wanted(&self, folder: &Path) -> bool {
        let subjects = self.subjects.read().unwrap_or_else(PoisonError::into_inner);
        leads_into(&self.state.touched, folder)
            || leads_into(subjects.starts(), folder)
            || subjects.reach(folder)
    }

    /// Watches one folder; `None` if it does not exist or cannot be watched. A folder that is watched already is only
    /// opened.
    fn watch(&mut self, folder: &Path, tell: HintSink<'_>) -> Option<Dir> {
        let dir = self.open(folder).ok()?;
        if self.state.watched.contains(folder) {
            return Some(dir);
        }
        if self.state.watched.len() >= limits::SUBSCRIBED_FOLDERS {
            self.warn(tell, format!("more than {} folders to watch", limits::SUBSCRIBED_FOLDERS));
            return None;
        }
        match self.source.watch(&self.absolute(folder)) {
            // The watch was set by name: it counts only if the name still belongs to the opened folder.
            Ok(()) if self.is_still(folder, &dir) => {
                self.state.watched.insert(folder.to_path_buf());
                Some(dir)
            }
            Ok(()) => {
                self.source.unwatch(&self.absolute(folder));
                None
            }
            Err(WatchError::Missing) => None,
            Err(WatchError::Exhausted) => {
                let advice = "the system grants no more watches (on Linux: fs.inotify.max_user_watches)";
                self.warn(tell, advice.to_owned());
                None
            }
            Err(WatchError::Failed(why)) => {
                self.warn(tell, why);
                None
            }
        }
    }

    fn warn(&mut self, tell: HintSink<'_>, why: String) {
        if !std::mem::replace(&mut self.state.warned, true) {
            tell(ChangeHint::Warning(format!("some folders are not watched: {why}")));
        }
    }

    /// Sends a hint for a file if files in its folder were read or written, or a subscription includes it.
    fn found(&self, path: &Path, events: PathEvents, tell: HintSink<'_>) {
        let touched = path.parent().is_some_and(|folder| self.state.touched.contains(folder));
        if touched || self.is_subscribed(path) {
            let hint = if events.changed { ChangeHint::Look } else { ChangeHint::Moved };
            tell(hint(to_wire(path)));
        }
    }

    fn is_subscribed(&self, path: &Path) -> bool {
        !self.subjects.read().unwrap_or_else(PoisonError::into_inner).matching(path).is_empty()
    }

    /// Stops all watches at and below a folder that no longer exists.
    fn forget(&mut self, folder: &Path) {
        let below = self.state.watched.range(folder.to_path_buf()..);
        let gone: Vec<PathBuf> = below.take_while(|path| path.starts_with(folder)).cloned().collect();
        for path in gone {
            self.source.unwatch(&self.absolute(&path));
            self.state.watched.remove(&path);
        }
        self.subjects_mut(|subjects| subjects.ignored.forget(folder));
    }

    /// Stops watches that are no longer needed.
    fn trim(&mut self) {
        let unwanted: Vec<PathBuf> =
            self.state.watched.iter().filter(|path| !self.wanted(path)).cloned().collect();
        for path in unwanted {
            self.state.watched.remove(&path);
            self.source.unwatch(&self.absolute(&path));
        }
    }

    /// Starts again after lost events: the state of the folders is unknown.
    fn start_over(&mut self, tell: HintSink<'_>) {
        for path in std::mem::take(&mut self.state.watched) {
            self.source.unwatch(&self.absolute(&path));
        }
        self.state.warned = false;
        self.walk(Path::new(""), FoundFiles::Old, tell);
    }

    fn rules_changed(&mut self, folder: &Path, tell: HintSink<'_>) {
        self.load_rules(folder);
        self.trim();
        self.walk(folder, FoundFiles::Old, tell);
    }

    fn load_rules(&mut self, folder: &Path) {
        if let Ok(dir) = self.open(folder) {
            let lines = small_file(&dir, b".gitignore");
            self.subjects_mut(|subjects| subjects.ignored.set(folder, lines.as_deref()));
        }
    }

    fn take_rules(&mut self, folder: &Path, dir: &Dir, names: &[DirEntry]) {
        let lines = rule_lines(dir, names);
        self.subjects_mut(|subjects| subjects.ignored.set(folder, lines.as_deref()));
    }

    fn load_exclude(&mut self) {
        let lines = exclude_lines(&self.root);
        self.subjects_mut(|subjects| subjects.ignored.set_exclude(lines.as_deref()));
    }

    fn subjects_mut<T>(&self, change: impl FnOnce(&mut SubscriptionTable) -> T) -> T {
        change(&mut self.subjects.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn absolute(&self, folder: &Path) -> PathBuf {
        if folder.as_os_str().is_empty() { self.root_path.clone() } else { self.root_path.join(folder) }
    }

    fn open(&self, folder: &Path) -> io::Result<Dir> {
        let mut dir = Arc::clone(&self.root);
        for name in folder {
            dir = dir.open_dir(name.as_encoded_bytes())?;
        }
        Ok(dir)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let Some(name) = path.file_name() else { return Some(FileKind::Dir) };
        let folder = self.open(path.parent().unwrap_or(Path::new(""))).ok()?;
        folder.stat(name.as_encoded_bytes()).ok().map(|stat| stat.kind)
    }

    fn is_still(&self, folder: &Path, dir: &Dir) -> bool {
        let now = self.open(folder).and_then(|now| now.stat_self());
        match (now, dir.stat_self()) {
            (Ok(now), Ok(then)) => now.identity == then.identity,
            _ => false,
        }
    }
}

/// Returns the lines of `.git/info/exclude`.
pub(super) fn exclude_lines(root: &Dir) -> Option<Vec<u8>> {
    let info = root.open_dir(b".git").and_then(|git| git.open_dir(b"info")).ok()?;
    small_file(&info, b"exclude")
}

/// Returns the lines of the `.gitignore` of a folder with these names.
pub(super) fn rule_lines(dir: &Dir, names: &[DirEntry]) -> Option<Vec<u8>> {
    let is_there = names.iter().any(|listed| listed.name == b".gitignore");
    if is_there { small_file(dir, b".gitignore") } else { None }
}

fn small_file(dir: &Dir, name: &[u8]) -> Option<Vec<u8>> {
    let file = dir.open_file(name, Access::Read).ok()?;
    read_all(&*file, limits::IGNORE_FILE).ok().filter(|bytes| bytes.len() <= limits::IGNORE_FILE)
}

/// Returns true if a folder is one of these, or above one.
fn leads_into(wanted: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    let mut from = wanted.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
    from.next().is_some_and(|next| next.starts_with(folder))
}
