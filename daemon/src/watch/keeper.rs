//! Keeps the right folders watched: walks what subscriptions reach, follows folders as they come and go.
//! It opens folders only through the seam, name by name, so that no link is followed; it reads no file but
//! `.gitignore`.

use std::collections::BTreeSet;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::names::{os_name, to_wire};
use super::settle::DuePaths;
use super::source::{EventSource, WatchError};
use super::subjects::{SubscribeError, SubscriptionId, SubscriptionTable};
use super::watcher::ChangeHint;
use crate::limits;
use crate::os::{Access, Dir, FileKind, Listed, read_all};

/// Takes a hint as soon as there is one.
pub(super) type HintSink<'a> = &'a mut dyn FnMut(ChangeHint);

/// The watched folders of one workspace. Paths are below its root, which is the empty path.
///
/// A folder is wanted where files in it were read or written, where a subscription reaches it, and where it
/// leads to such a folder: so it is seen when one of them is moved, removed or comes back.
pub(super) struct Keeper {
    pub(super) root: Dir,
    pub(super) root_path: PathBuf,
    pub(super) source: Box<dyn EventSource>,
    pub(super) subjects: Arc<RwLock<SubscriptionTable>>,
    pub(super) state: WatchedFolders,
}

/// What the keeper remembers.
#[derive(Default)]
pub(super) struct WatchedFolders {
    /// Folders with a watch. With a folder stand all those above it.
    pub(super) watched: BTreeSet<PathBuf>,
    /// Folders in which files were read or written.
    touched: BTreeSet<PathBuf>,
    /// Whether it was said that watches ran out, or failed.
    warned: bool,
}

/// Whether files that are found are news, or were there before anybody asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    News,
    Old,
}

impl Keeper {
    /// Watches a folder in which a file was read or written.
    pub(super) fn touch(&mut self, folder: PathBuf, tell: HintSink<'_>) {
        if self.state.touched.len() < limits::WATCHED_FOLDERS && self.state.touched.insert(folder.clone()) {
            self.lead_to(&folder, tell);
        }
    }

    /// Lets a folder go that was touched, unless something else wants it.
    pub(super) fn untouch(&mut self, folder: &Path) {
        if self.state.touched.remove(folder) {
            self.trim();
        }
    }

    /// Adds a subscription and walks the folders that it reaches. Returns how many watched folders some
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
            self.walk(&start, Found::Old, tell);
        }
        let subjects = self.subjects.read().unwrap_or_else(PoisonError::into_inner);
        Ok(self.state.watched.iter().filter(|folder| subjects.reach(folder)).count() as u64)
    }

    /// Ends a subscription and lets the folders go that only it wanted.
    pub(super) fn unsubscribe(&mut self, id: SubscriptionId) {
        self.subjects_mut(|subjects| subjects.remove(id));
        self.trim();
    }

    /// What the events that have settled mean.
    pub(super) fn settled(&mut self, due: DuePaths, tell: HintSink<'_>) {
        for (path, removed) in due.paths {
            self.settled_path(&path, removed, tell);
        }
        if due.overflow {
            self.start_over(tell);
            tell(ChangeHint::Overflow);
        }
    }

    fn settled_path(&mut self, path: &Path, removed: bool, tell: HintSink<'_>) {
        let was_folder = removed && self.state.watched.contains(path);
        if was_folder {
            self.forget(path);
            tell(ChangeHint::Below(to_wire(path)));
        }
        if self.kind(path) == Some(FileKind::Dir) {
            // A watched folder makes events about its own times and mode as well: those are no news.
            if !self.state.watched.contains(path) {
                self.walk(path, Found::News, tell);
            }
        } else if !was_folder {
            if path.file_name().is_some_and(|name| name == ".gitignore") {
                self.rules_changed(path.parent().unwrap_or(Path::new("")), tell);
            }
            self.found(path, tell);
        }
    }

    /// Watches a folder and all those above it, as far down as they are there. Each is watched before the
    /// next is looked for, so that the next one's coming is seen.
    fn lead_to(&mut self, folder: &Path, tell: HintSink<'_>) {
        let mut chain: Vec<&Path> = folder.ancestors().collect();
        chain.reverse();
        for part in chain {
            if self.watch(part, tell).is_none() {
                return;
            }
        }
    }

    /// Watches a folder where it is wanted, and every wanted folder below. Each is listed after it is
    /// watched, so that nothing falls between.
    fn walk(&mut self, from: &Path, found: Found, tell: HintSink<'_>) {
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
                } else if found == Found::News {
                    self.found(&folder.join(name), tell);
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

    /// Watches one folder; `None` where it is not there or cannot be watched. A folder that is watched is
    /// opened only.
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
            // The watch was set by name: it counts only if the name still stands for what was opened.
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

    /// A file that somebody may want to know of.
    fn found(&self, path: &Path, tell: HintSink<'_>) {
        let touched = path.parent().is_some_and(|folder| self.state.touched.contains(folder));
        if touched || self.is_subscribed(path) {
            tell(ChangeHint::Look(to_wire(path)));
        }
    }

    fn is_subscribed(&self, path: &Path) -> bool {
        !self.subjects.read().unwrap_or_else(PoisonError::into_inner).matching(path).is_empty()
    }

    /// Lets every watch go at and below a folder that is not there any more.
    fn forget(&mut self, folder: &Path) {
        let below = self.state.watched.range(folder.to_path_buf()..);
        let gone: Vec<PathBuf> = below.take_while(|path| path.starts_with(folder)).cloned().collect();
        for path in gone {
            self.source.unwatch(&self.absolute(&path));
            self.state.watched.remove(&path);
        }
        self.subjects_mut(|subjects| subjects.ignored.forget(folder));
    }

    /// Lets every watch go that nobody wants any more.
    fn trim(&mut self) {
        let unwanted: Vec<PathBuf> =
            self.state.watched.iter().filter(|path| !self.wanted(path)).cloned().collect();
        for path in unwanted {
            self.state.watched.remove(&path);
            self.source.unwatch(&self.absolute(&path));
        }
    }

    /// After lost events: nothing that is remembered of folders is known to be so.
    fn start_over(&mut self, tell: HintSink<'_>) {
        for path in std::mem::take(&mut self.state.watched) {
            self.source.unwatch(&self.absolute(&path));
        }
        self.state.warned = false;
        self.walk(Path::new(""), Found::Old, tell);
    }

    fn rules_changed(&mut self, folder: &Path, tell: HintSink<'_>) {
        self.load_rules(folder);
        self.trim();
        self.walk(folder, Found::Old, tell);
    }

    fn load_rules(&mut self, folder: &Path) {
        if let Ok(dir) = self.open(folder) {
            let lines = small_file(&dir, b".gitignore");
            self.subjects_mut(|subjects| subjects.ignored.set(folder, lines.as_deref()));
        }
    }

    fn take_rules(&mut self, folder: &Path, dir: &Dir, names: &[Listed]) {
        let there = names.iter().any(|listed| listed.name == b".gitignore");
        let lines = if there { small_file(dir, b".gitignore") } else { None };
        self.subjects_mut(|subjects| subjects.ignored.set(folder, lines.as_deref()));
    }

    fn load_exclude(&mut self) {
        let info = self.root.open_dir(b".git").and_then(|git| git.open_dir(b"info"));
        let lines = info.ok().and_then(|info| small_file(&info, b"exclude"));
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

pub(super) fn small_file(dir: &Dir, name: &[u8]) -> Option<Vec<u8>> {
    let file = dir.open_file(name, Access::Read).ok()?;
    read_all(&*file, limits::IGNORE_FILE).ok().filter(|bytes| bytes.len() <= limits::IGNORE_FILE)
}

/// Whether a folder is one of these, or lies above one.
fn leads_into(wanted: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    let mut from = wanted.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
    from.next().is_some_and(|next| next.starts_with(folder))
}
