//! Files in `.editd/staging` that another program replaces: after the intent, at the last moment before the exchange, and
//! before a job is rolled back.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and acts as another program"
)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, Receipt};

use crate::disk::observation::hash;
use crate::os::unix::Unix;
use crate::os::{BootId, Dir, Os};
use crate::state::step::{JobStep, Observer, StepDecision};
use crate::workspace::tests::kit::Bench;

const ONE: &str = "one\n";
const THEIRS: &str = "theirs\n";

type Act = dyn FnMut(&Path) + Send;

/// Another program, which does something with the folder of the workspace before the `nth` move to a target.
struct BeforeMove {
    root: PathBuf,
    nth: AtomicUsize,
    act: Mutex<Box<Act>>,
}

impl BeforeMove {
    fn before_move(&self, to_name: &[u8]) {
        if to_name.ends_with(b".txt") && self.nth.fetch_sub(1, Ordering::SeqCst) == 0 {
            (self.act.lock().unwrap())(&self.root);
        }
    }
}

impl Os for BeforeMove {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        Unix.open_dir(path)
    }
    fn boot_id(&self) -> io::Result<BootId> {
        Unix.boot_id()
    }
    fn began(&self) -> io::Result<i64> {
        Unix.began()
    }
    fn user(&self) -> Option<u32> {
        Unix.user()
    }
    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        self.before_move(b_name);
        Unix.exchange(a, a_name, b, b_name)
    }
    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        self.before_move(to_name);
        Unix.rename_noreplace(from, name, to, to_name)
    }
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        Unix.rename(from, name, to, to_name)
    }
    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        Unix.link(from, name, to, to_name)
    }
}

/// Another program, which does something once after a step of a job.
struct AfterStep(JobStep, PathBuf, Mutex<Option<Box<Act>>>);

impl Observer for AfterStep {
    fn after(&self, step: JobStep) -> StepDecision {
        if step == self.0
            && let Some(mut act) = self.2.lock().unwrap().take()
        {
            act(&self.1);
        }
        StepDecision::Continue
    }
}

/// Replaces the files in `.editd/staging` whose content is `old`.
fn replace_staged(root: &Path, old: &str) {
    let staging = root.join(".editd/staging");
    for staged in std::fs::read_dir(&staging).unwrap() {
        let staged = staged.unwrap().path();
        if std::fs::read_to_string(&staged).unwrap() == old {
            let theirs = root.join("theirs");
            std::fs::write(&theirs, THEIRS).unwrap();
            std::fs::rename(&theirs, &staged).unwrap();
        }
    }
}

/// A bench with `a.txt` and `b.txt`, and another program that acts before the `nth` move to a target.
fn bench(nth: usize, act: impl FnMut(&Path) + Send + 'static) -> Bench {
    let bench = Bench::new();
    bench.put("a.txt", ONE);
    bench.put("b.txt", ONE);
    let root = bench.workspace.root().to_owned();
    let os = BeforeMove { root, nth: AtomicUsize::new(nth), act: Mutex::new(Box::new(act)) };
    bench.reopened(Arc::new(os)).0
}

/// The same for another program that acts after a step.
fn after(step: JobStep, act: impl FnMut(&Path) + Send + 'static) -> Bench {
    let bench = bench(usize::MAX, |_| ());
    let root = bench.workspace.root().to_owned();
    bench.state().observe(Arc::new(AfterStep(step, root, Mutex::new(Some(Box::new(act))))));
    bench
}

fn create(bench: &Bench) -> Receipt {
    let edit = FileEdit { op: "create".into(), text: Some("two\n".into()), ..FileEdit::default() };
    bench.edit("s", "new.txt", edit)
}

/// Replaces `one` in both files.
fn both(bench: &Bench) -> Receipt {
    let edit = FileEdit {
        op: "replace".into(),
        old: Some("one".into()),
        new: Some("two".into()),
        ..FileEdit::default()
    };
    let entry = |path: &str| FileEntry {
        path: path.into(),
        base: Some("any".into()),
        edits: vec![edit.clone()],
        ..FileEntry::default()
    };
    let request = JobRequest { files: vec![entry("a.txt"), entry("b.txt")], ..JobRequest::default() };
    bench.run("s", &bench.workspace.understand(request))
}

/// Returns the contents of the files that were set aside.
fn lost(bench: &Bench) -> Vec<String> {
    bench.list(".editd/lost").iter().map(|name| bench.get(&format!(".editd/lost/{name}"))).collect()
}

#[test]
fn a_staged_file_that_was_replaced_is_set_aside_and_the_job_is_done_with_its_own_content() {
    for step in [JobStep::Stage, JobStep::Intend] {
        let bench = after(step, |root| replace_staged(root, "two\n"));
        let receipt = bench.replace("s", "a.txt", "one", "two");
        assert_eq!(
            (receipt.status, bench.get("a.txt").as_str()),
            (JobStatus::Applied, "two\n"),
            "{receipt:?}"
        );
        assert_eq!(lost(&bench), [THEIRS]);

        let bench = after(step, |root| replace_staged(root, "two\n"));
        let receipt = create(&bench);
        assert_eq!(
            (receipt.status, bench.get("new.txt").as_str()),
            (JobStatus::Applied, "two\n"),
            "{receipt:?}"
        );
        assert_eq!(lost(&bench), [THEIRS]);
    }
}

#[test]
fn a_file_that_went_in_instead_of_the_staged_one_is_a_change_by_another_program() {
    let bench = bench(0, |root| replace_staged(root, "two\n"));
    let receipt = bench.replace("s", "a.txt", "one", "two");
    assert_eq!((receipt.status, bench.get("a.txt").as_str()), (JobStatus::Refused, THEIRS), "{receipt:?}");
    bench.workspace.settle(true);
    let content = bench.state().store.content(hash(ONE.as_bytes()));
    assert_eq!(content.as_deref(), Some(ONE.as_bytes()), "the displaced content is in the journal");

    let bench = self::bench(0, |root| replace_staged(root, "two\n"));
    let receipt = create(&bench);
    assert_eq!((receipt.status, bench.get("new.txt").as_str()), (JobStatus::Refused, THEIRS), "{receipt:?}");
}

#[test]
fn a_replaced_displaced_file_is_not_put_in_place_when_its_job_is_rolled_back() {
    let bench = bench(1, |root| {
        replace_staged(root, ONE);
        std::fs::write(root.join("b.txt"), "other\n").unwrap();
    });
    let receipt = both(&bench);
    assert_eq!(receipt.status, JobStatus::Refused, "{receipt:?}");
    assert_eq!((bench.get("a.txt").as_str(), bench.get("b.txt").as_str()), (ONE, "other\n"));
    assert_eq!(lost(&bench), [THEIRS]);
    bench.workspace.settle(true);
    assert_eq!(bench.list(".editd/staging"), [""; 0]);
}

#[test]
fn a_foreign_file_under_a_staged_name_is_not_deleted_with_a_refused_job() {
    let bench = after(JobStep::Stage, |root| {
        replace_staged(root, "two\n");
        // The job ends before its intent.
        std::fs::rename(root, root.with_file_name("moved")).unwrap();
    });
    let root = bench.workspace.root().to_owned();
    let receipt = bench.replace("s", "a.txt", "one", "two");
    assert_eq!(receipt.status, JobStatus::Refused, "{receipt:?}");
    std::fs::rename(root.with_file_name("moved"), &root).unwrap();
    let staged = bench.list(".editd/staging");
    let contents: Vec<String> =
        staged.iter().map(|name| bench.get(&format!(".editd/staging/{name}"))).collect();
    assert_eq!(contents, [THEIRS]);
}
