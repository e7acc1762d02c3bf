//! Another process replaces files in `.editd/staging` while jobs run. No reply says `applied` for a content that the job did
//! not write, and no file of that process is lost.
//!
//! `EDITS=…` sets the number of jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, journal_contents};

/// Replaces each staged file once by a file of its own, until it is told to end. Returns its own contents.
fn replace_staged(staging: &Path, own: &Path, ended: &AtomicBool) -> BTreeSet<String> {
    let (mut done, mut given) = (BTreeSet::new(), BTreeSet::new());
    while !ended.load(Ordering::Relaxed) {
        thread::yield_now();
        let Ok(listed) = fs::read_dir(staging) else { continue };
        for staged in listed.flatten() {
            let name = staged.file_name();
            // Every other file is left alone, so that some jobs are done.
            if !done.insert(name) || done.len() % 2 == 0 {
                continue;
            }
            let text = format!("theirs {}\n", done.len());
            let theirs = own.join(done.len().to_string());
            fs::write(&theirs, &text).unwrap();
            // A name that is gone by now is made anew, and that file is not lost either.
            fs::rename(&theirs, staged.path()).unwrap();
            given.insert(text);
        }
    }
    given
}

/// Ends the other process when it is dropped, also by a failed assertion.
struct EndGuard<'a>(&'a AtomicBool);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn contents(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).unwrap();
    listed.map(|one| String::from_utf8_lossy(&fs::read(one.unwrap().path()).unwrap()).into_owned()).collect()
}

#[test]
fn no_job_is_applied_with_a_content_that_another_process_staged() {
    let edits = std::env::var("EDITS").map_or(60, |edits| edits.parse().unwrap());
    let mut daemon = TestDaemon::started();
    let own: PathBuf = daemon.folder("theirs");
    fs::create_dir(&own).unwrap();
    let staging = daemon.workspace().join(".editd/staging");
    let ended = AtomicBool::new(false);
    let mut found = BTreeSet::new();
    let mut told = BTreeMap::new();
    let given = thread::scope(|scope| {
        let theirs = scope.spawn(|| replace_staged(&staging, &own, &ended));
        let end = EndGuard(&ended);
        let mut client = daemon.client("s");
        for n in 0..edits {
            let path = if n % 3 == 0 { format!("new-{n}") } else { "same".to_owned() };
            let text = format!("job {n}\n");
            let reply = client.ask_json(kind::EDIT, &jobs::write(&path, &text));
            let status = jobs::status(&reply).to_owned();
            let present = fs::read(daemon.workspace().join(&path)).unwrap_or_default();
            let present = String::from_utf8_lossy(&present).into_owned();
            if status == "applied" {
                assert_eq!(present, text, "{reply}");
            }
            found.extend(present.starts_with("theirs").then_some(present));
            *told.entry(status).or_insert(0) += 1;
        }
        drop(end);
        theirs.join().unwrap()
    });
    daemon.stop();
    found.extend(contents(&staging));
    found.extend(contents(&daemon.workspace().join(".editd/lost")));
    journal_contents::each(&daemon, |entry| {
        let sides = [&entry.before, &entry.after].into_iter().flatten();
        found.extend(sides.map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
    });
    eprintln!("{} staged files were replaced; {told:?}", given.len());
    let lost: Vec<&String> = given.difference(&found).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(!given.is_empty(), "no staged file was replaced");
    assert!(told.contains_key("applied"), "{told:?}");
}
