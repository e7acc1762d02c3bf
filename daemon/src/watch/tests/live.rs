//! The whole watcher on real folders. Each test waits for the hints it needs, with a generous time limit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::os::unix::Unix;
use crate::watch::subjects::SubscribeError;
use crate::watch::{ChangeHint, Watcher};

struct Real(Instant);

impl Clock for Real {
    fn wall_ms(&self) -> u64 {
        0
    }
    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

struct Live {
    folder: tempfile::TempDir,
    watcher: Watcher,
    hints: mpsc::Receiver<ChangeHint>,
}

impl Live {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (sink, hints) = mpsc::channel();
        let clock = Arc::new(Real(Instant::now()));
        let root = folder.path().canonicalize().unwrap();
        let watcher = Watcher::start(&Unix, clock, &root, move |hint| {
            let _ = sink.send(hint);
        });
        Self { folder, watcher: watcher.unwrap(), hints }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Waits for hints for all of these; returns the other hints.
    fn wait_for<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<ChangeHint> {
        let mut missing: BTreeSet<&str> = names.into_iter().collect();
        let mut others = Vec::new();
        while !missing.is_empty() {
            let hint = self.hints.recv_timeout(Duration::from_secs(30));
            assert!(hint.is_ok(), "no hint at {missing:?}; others: {others:?}");
            let hint = hint.unwrap();
            match &hint {
                ChangeHint::Look(path) | ChangeHint::Moved(path)
                    if missing.remove(path.display().as_str()) => {}
                _ => others.push(hint),
            }
        }
        others
    }
}

#[test]
fn a_file_written_in_a_watched_folder_is_hinted_at() {
    let live = Live::new();
    fs::create_dir(live.folder.path().join("src")).unwrap();
    assert_eq!(live.watcher.subscribe(1, &["src/*.rs".into()]), Ok(1));
    live.write("src/a.rs", "1");
    live.wait_for(["src/a.rs"]);
    fs::rename(live.folder.path().join("src/a.rs"), live.folder.path().join("src/b.rs")).unwrap();
    live.wait_for(["src/a.rs", "src/b.rs"]);
    fs::remove_file(live.folder.path().join("src/b.rs")).unwrap();
    live.wait_for(["src/b.rs"]);
    assert_eq!(live.watcher.matches(&"src/b.rs".into()), [1]);
    assert_eq!(live.watcher.matches(&"b.rs".into()), [0; 0]);
}

#[test]
fn no_file_in_new_folders_is_missed() {
    let live = Live::new();
    live.watcher.subscribe(1, &[]).unwrap();
    let mut names = Vec::new();
    for top in 0..20 {
        let folder = format!("t{top}/a/b/c");
        fs::create_dir_all(live.folder.path().join(&folder)).unwrap();
        for file in 0..10 {
            names.push(format!("{folder}/f{file}"));
            live.write(names.last().unwrap(), "x");
        }
        names.push(format!("t{top}/a/f"));
        live.write(names.last().unwrap(), "x");
    }
    live.wait_for(names.iter().map(String::as_str));
    // The answer comes after all hints that were sent before.
    assert_eq!(live.watcher.subscribe(2, &["nothing".into()]), Ok(1 + 20 * 4));
    assert_eq!(live.watcher.len(), 1 + 20 * 4);
}

#[test]
fn a_touched_folder_that_is_replaced_is_still_watched() {
    let live = Live::new();
    let src = live.folder.path().join("src");
    fs::create_dir(&src).unwrap();
    live.watcher.watch_folder(&"src".into());
    assert!(live.watcher.subscribe(9, &["nothing".into()]).is_ok(), "orders are obeyed in order");
    for round in 0..20 {
        live.write("src/a", "1");
        live.wait_for(["src/a"]);
        let other = live.folder.path().join(format!("new{round}"));
        fs::create_dir(&other).unwrap();
        fs::write(other.join("b"), "1").unwrap();
        fs::remove_dir_all(&src).unwrap();
        fs::rename(&other, &src).unwrap();
        live.wait_for(["src/b"]);
    }
}

#[test]
fn reading_is_no_news_and_nothing_wakes_an_idle_watcher() {
    let live = Live::new();
    live.write("a", "1");
    live.watcher.subscribe(1, &[]).unwrap();
    for _ in 0..50 {
        fs::read(live.folder.path().join("a")).unwrap();
        fs::read_dir(live.folder.path()).unwrap().count();
    }
    live.write("end", "1");
    assert_eq!(live.wait_for(["end"]), []);
}

#[test]
fn a_file_that_is_only_moved_is_told_from_one_that_is_written() {
    let live = Live::new();
    live.write("from", "1");
    fs::create_dir(live.folder.path().join("src")).unwrap();
    live.watcher.subscribe(1, &["src/**".into()]).unwrap();
    let hint = || live.hints.recv_timeout(Duration::from_secs(30)).unwrap();
    let moved = |to: &str| fs::rename(live.folder.path().join("from"), live.folder.path().join(to)).unwrap();
    moved("src/a");
    assert_eq!(hint(), ChangeHint::Moved("src/a".into()));
    live.write("from", "2");
    moved("src/a");
    live.write("src/a", "3");
    assert_eq!(hint(), ChangeHint::Look("src/a".into()));
}

#[test]
fn names_that_are_not_unicode_are_hinted_at_as_they_are() {
    use std::os::unix::ffi::OsStrExt;
    let live = Live::new();
    live.watcher.subscribe(1, &[]).unwrap();
    let name = b"caf\xe9\n";
    fs::write(live.folder.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    let hint = live.hints.recv_timeout(Duration::from_secs(30)).unwrap();
    let path = editd_proto::FilePath::new(name.to_vec());
    assert_eq!(hint, ChangeHint::Look(path.clone()));
    assert_eq!(live.watcher.matches(&path), [1]);
}

#[test]
fn a_bad_subscription_is_refused_and_a_dropped_watcher_ends() {
    let live = Live::new();
    assert!(matches!(live.watcher.subscribe(1, &["../x".into()]), Err(SubscribeError::BadGlob { .. })));
    live.watcher.subscribe(1, &[]).unwrap();
    assert_eq!(live.watcher.subscribe(1, &[]), Err(SubscribeError::Exists));
    live.watcher.unsubscribe(1);
    assert_eq!(live.watcher.subscribe(1, &[]), Ok(1));
    drop(live.watcher);
    assert!(live.hints.recv().is_err(), "the sink is gone with the thread");
}

#[test]
fn a_workspace_that_is_not_there_is_an_error() {
    let clock = Arc::new(Real(Instant::now()));
    assert!(Watcher::start(&Unix, clock, Path::new("/nonexistent/workspace"), |_| {}).is_err());
}

#[test]
#[ignore = "a measurement; run it in a release build with --ignored --nocapture"]
fn a_hundred_thousand_files() {
    let live = Live::new();
    for folder in 0..10_000 {
        let name = format!("d{}/e{}/f{folder}", folder % 20, folder % 500);
        fs::create_dir_all(live.folder.path().join(&name)).unwrap();
        for file in 0..10 {
            live.write(&format!("{name}/{file}.rs"), "");
        }
    }
    let resident = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let (before, start) = (resident(), Instant::now());
    let folders = live.watcher.subscribe(1, &[]).unwrap();
    println!("{folders} folders ready in {:?}, {} KiB", start.elapsed(), resident() - before);
}
