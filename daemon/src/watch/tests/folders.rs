//! The keeper with real folders and made-up events: the folders it watches, and the hints it sends.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use crate::os::Os;
use crate::watch::ChangeHint;
use crate::watch::keeper::{FolderKeeper, WatchedFolders};
use crate::watch::settle::{DuePaths, PathEvents};
use crate::watch::source::{EventSource, WatchError};

#[derive(Default)]
struct Fake {
    watched: Arc<Mutex<BTreeSet<PathBuf>>>,
    grants: usize,
}

impl EventSource for Fake {
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
        let mut watched = self.watched.lock().unwrap();
        if watched.len() >= self.grants {
            return Err(WatchError::Exhausted);
        }
        assert!(watched.insert(folder.to_path_buf()), "{folder:?} twice");
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        self.watched.lock().unwrap().remove(folder);
    }
}

struct Stage {
    folder: TempDir,
    keeper: FolderKeeper,
    watched: Arc<Mutex<BTreeSet<PathBuf>>>,
    told: Vec<ChangeHint>,
}

impl Stage {
    fn new(folders: &[&str]) -> Self {
        Self::granting(folders, usize::MAX)
    }

    fn granting(folders: &[&str], grants: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in folders {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let watched = Arc::default();
        let keeper = FolderKeeper {
            root: crate::os::unix::Unix.open_dir(folder.path()).unwrap(),
            root_path: folder.path().to_path_buf(),
            source: Box::new(Fake { watched: Arc::clone(&watched), grants }),
            subjects: Arc::default(),
            state: WatchedFolders::default(),
        };
        Self { folder, keeper, watched, told: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn touch(&mut self, name: &str) {
        let told = &mut self.told;
        self.keeper.touch(name.into(), &mut |hint| told.push(hint));
        // Its files may have changed before it was watched.
        assert_eq!(self.told.pop(), Some(ChangeHint::Watched(name.into())));
    }

    fn subscribe(&mut self, id: u64, glob: &str) -> u64 {
        let told = &mut self.told;
        self.keeper.subscribe(id, &[glob.to_owned()], &mut |hint| told.push(hint)).unwrap()
    }

    fn event(&mut self, name: &str, removed: bool) {
        self.events(name, PathEvents { removed, changed: true });
    }

    fn events(&mut self, name: &str, events: PathEvents) {
        let due = DuePaths { paths: vec![(name.into(), events)], overflow: false };
        let told = &mut self.told;
        self.keeper.settled(due, &mut |hint| told.push(hint));
    }

    fn told(&mut self) -> Vec<String> {
        let mut told: Vec<String> = std::mem::take(&mut self.told)
            .into_iter()
            .map(|hint| match hint {
                ChangeHint::Look(path) => path.to_string(),
                ChangeHint::Moved(path) => format!("{path} moved"),
                ChangeHint::Below(path) => format!("{path}/"),
                ChangeHint::Watched(path) => format!("{path}/*"),
                ChangeHint::Overflow => "overflow".into(),
                ChangeHint::Warning(_) => "warning".into(),
            })
            .collect();
        told.sort();
        told
    }

    fn watched(&self) -> Vec<String> {
        let watched = self.watched.lock().unwrap();
        let below = |path: &PathBuf| path.strip_prefix(self.folder.path()).unwrap().display().to_string();
        assert_eq!(watched.len(), self.keeper.state.watched.len());
        watched.iter().map(below).collect()
    }
}

#[test]
fn a_touched_folder_is_watched_with_those_that_lead_to_it() {
    let mut stage = Stage::new(&["a/b/c", "a/x", "d"]);
    stage.touch("a/b");
    assert_eq!(stage.watched(), ["", "a", "a/b"]);
    stage.event("a/b/file", false);
    stage.events("a/b/file", PathEvents::default());
    stage.event("a/file", false);
    stage.event("file", false);
    assert_eq!(stage.told(), ["a/b/file", "a/b/file moved"], "only what is in the folder itself");
}

#[test]
fn a_touched_folder_that_is_moved_away_is_told_and_watched_again_when_it_is_back() {
    let mut stage = Stage::new(&["a/b"]);
    stage.write("a/b/file", "1");
    stage.touch("a/b");
    fs::rename(stage.path("a"), stage.path("z")).unwrap();
    stage.event("a", true);
    stage.event("z", false);
    assert_eq!(stage.told(), ["a/"]);
    assert_eq!(stage.watched(), [""]);
    fs::rename(stage.path("z"), stage.path("a")).unwrap();
    stage.event("z", true);
    stage.event("a", false);
    assert_eq!(stage.told(), ["a/b/file"]);
    assert_eq!(stage.watched(), ["", "a", "a/b"]);
}

#[test]
fn a_folder_removed_and_made_again_at_once_is_watched_anew() {
    let mut stage = Stage::new(&["a/b"]);
    stage.subscribe(1, "**");
    fs::remove_dir_all(stage.path("a")).unwrap();
    fs::create_dir(stage.path("a")).unwrap();
    stage.write("a/new", "");
    stage.event("a", true);
    assert_eq!(stage.told(), ["a/", "a/new"]);
    assert_eq!(stage.watched(), ["", "a"]);
}

#[test]
fn a_touched_folder_that_is_not_there_yet_is_watched_when_it_comes() {
    let mut stage = Stage::new(&[]);
    stage.touch("new/deep");
    assert_eq!(stage.watched(), [""]);
    fs::create_dir_all(stage.path("new/deep/er")).unwrap();
    stage.write("new/deep/file", "");
    stage.event("new", false);
    assert_eq!(stage.watched(), ["", "new", "new/deep"]);
    assert_eq!(stage.told(), ["new/deep/file"]);
}

#[test]
fn a_subscription_watches_what_its_glob_reaches_and_git_does_not_ignore() {
    let mut stage = Stage::new(&["src/x", "target/debug", "docs", ".git/refs", ".editd", "src/gen"]);
    stage.write(".gitignore", "/target\n");
    stage.write("src/.gitignore", "gen/\n");
    assert_eq!(stage.subscribe(1, "**"), 4);
    assert_eq!(stage.watched(), ["", "docs", "src", "src/x"]);
    assert_eq!(stage.subscribe(2, "target/**"), 6);
    assert_eq!(stage.watched(), ["", "docs", "src", "src/x", "target", "target/debug"]);
    stage.keeper.unsubscribe(1);
    assert_eq!(stage.watched(), ["", "target", "target/debug"]);
    stage.keeper.unsubscribe(2);
    assert!(stage.watched().is_empty());
}

#[test]
fn ignore_files_above_the_globs_folder_are_obeyed() {
    let mut stage = Stage::new(&["src/out", "src/in"]);
    stage.write(".gitignore", "out/\n");
    stage.subscribe(1, "src/**");
    assert_eq!(stage.watched(), ["", "src", "src/in"]);
}

#[test]
fn a_changed_ignore_file_changes_what_is_watched() {
    let mut stage = Stage::new(&["gen", "src"]);
    stage.subscribe(1, "**");
    assert_eq!(stage.watched(), ["", "gen", "src"]);
    stage.write(".gitignore", "gen\n");
    stage.event(".gitignore", false);
    assert_eq!(stage.watched(), ["", "src"]);
    fs::remove_file(stage.path(".gitignore")).unwrap();
    stage.event(".gitignore", true);
    assert_eq!(stage.watched(), ["", "gen", "src"]);
}

#[test]
fn new_folders_are_walked_since_their_first_files_make_no_event() {
    let mut stage = Stage::new(&["src"]);
    stage.subscribe(1, "**/*.rs");
    fs::create_dir_all(stage.path("src/new/deep")).unwrap();
    for name in ["src/new/a.rs", "src/new/deep/b.rs", "src/new/deep/c.py"] {
        stage.write(name, "");
    }
    stage.event("src/new", false);
    assert_eq!(stage.told(), ["src/new/a.rs", "src/new/deep/b.rs"]);
    assert_eq!(stage.watched(), ["", "src", "src/new", "src/new/deep"]);
}

#[test]
fn no_link_is_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("inner")).unwrap();
    let mut stage = Stage::new(&["src"]);
    std::os::unix::fs::symlink(outside.path(), stage.path("src/link")).unwrap();
    stage.subscribe(1, "**");
    stage.touch("src/link");
    stage.touch("src/link/inner");
    assert_eq!(stage.watched(), ["", "src"]);
    fs::remove_dir(stage.path("src")).unwrap_err();
    fs::rename(stage.path("src"), stage.path("moved")).unwrap();
    std::os::unix::fs::symlink(outside.path(), stage.path("src")).unwrap();
    stage.event("src", true);
    assert_eq!(stage.watched(), [""], "the link in the folder's place is not entered");
}

#[test]
fn watches_that_run_out_are_told_once_and_the_rest_goes_on() {
    let mut stage = Stage::granting(&["a", "b", "c", "d"], 3);
    stage.subscribe(1, "**");
    stage.touch("d");
    assert_eq!(stage.told(), ["warning"]);
    assert_eq!(stage.watched().len(), 3);
}

#[test]
fn after_lost_events_every_watch_is_set_anew() {
    let mut stage = Stage::new(&["a/b", "c"]);
    stage.subscribe(1, "a/**");
    stage.touch("c");
    fs::remove_dir_all(stage.path("a/b")).unwrap();
    fs::create_dir_all(stage.path("a/d")).unwrap();
    let told = &mut stage.told;
    let due = DuePaths { paths: Vec::new(), overflow: true };
    stage.keeper.settled(due, &mut |hint| told.push(hint));
    assert_eq!(stage.told(), ["overflow"]);
    assert_eq!(stage.watched(), ["", "a", "a/d", "c"]);
}

#[test]
fn after_lost_events_the_rules_are_read_again() {
    let mut stage = Stage::new(&["gen"]);
    stage.write(".gitignore", "gen\n");
    stage.subscribe(1, "**");
    assert_eq!(stage.watched(), [""]);
    fs::remove_file(stage.path(".gitignore")).unwrap();
    let told = &mut stage.told;
    let due = DuePaths { paths: Vec::new(), overflow: true };
    stage.keeper.settled(due, &mut |hint| told.push(hint));
    assert_eq!(stage.watched(), ["", "gen"]);
}

#[test]
fn a_removed_ignored_or_foreign_path_tells_nobody() {
    let mut stage = Stage::new(&["src"]);
    stage.write(".gitignore", "*.log\n");
    stage.subscribe(1, "**/*.log");
    stage.subscribe(2, "src/*.rs");
    stage.event("src/a.log", false);
    stage.event("other/a.rs", true);
    assert!(stage.told().is_empty());
    stage.event("src/a.rs", true);
    assert_eq!(stage.told(), ["src/a.rs"]);
}
