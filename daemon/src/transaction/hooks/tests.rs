//! Changes that other programs make between a job and its hooks are kept. No command is started here: that needs a daemon.
#![expect(clippy::disallowed_methods, reason = "a test acts as another program")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_proto::message::{Durability, EntryKind, HistoryRequest, JobStatus, Receipt, TrustRequest};

use super::*;
use crate::caller::Caller;
use crate::disk::observation::hash;
use crate::journal::external::made_by_hook;
use crate::os::unix::Unix;
use crate::os::{BootId, Dir, Os};
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::state::step::{JobStep, Observer, StepDecision};
use crate::transaction::{Origin, Transaction};
use crate::workspace::tests::kit::Bench;

/// Writes a file as another program would, right after a step.
struct Other {
    step: JobStep,
    file: PathBuf,
}

impl Observer for Other {
    fn after(&self, step: JobStep) -> StepDecision {
        if step == self.step {
            std::fs::write(&self.file, "others\n").unwrap_or_default();
        }
        StepDecision::Continue
    }
}

/// A bench whose workspace brings a trusted hook for `*.txt`, with another program that writes `a.txt` after a step.
fn bench(stdout: bool, step: JobStep) -> Bench {
    let bench = unobserved(stdout);
    let file = bench.workspace.root().join("a.txt");
    bench.workspace.set_observer(Arc::new(Other { step, file }));
    bench
}

/// A bench whose workspace brings a trusted hook for `*.txt`.
fn unobserved(stdout: bool) -> Bench {
    let bench = Bench::new();
    let config = format!(
        "[[after_write]]\nname = \"never\"\nfiles = [\"*.txt\"]\nstdout = {stdout}\ncommand = [\"false\", \"{{path}}\"]\n"
    );
    bench.put(".editd.toml", &config);
    let hash = bench.workspace.trust(&TrustRequest::default()).unwrap().hash;
    assert!(bench.workspace.trust(&TrustRequest { hash, revoke: false }).unwrap().trusted);
    bench.put("a.txt", "a\n");
    bench
}

fn kinds(bench: &Bench) -> Vec<EntryKind> {
    let history =
        bench.workspace.history(&Caller::of_session("s", "test"), &HistoryRequest::default()).unwrap();
    history.entries.iter().rev().map(|entry| entry.kind).collect()
}

fn warned(receipt: &Receipt) -> String {
    receipt.hooks.iter().flat_map(|hook| hook.warnings.clone()).collect::<Vec<_>>().join(" ")
}

#[test]
fn changes_of_other_programs_before_a_hook_are_not_the_hooks() {
    for stdout in [false, true] {
        let bench = bench(stdout, JobStep::Seal);
        let receipt = bench.append("s", "a.txt", "b\n");
        assert_eq!(receipt.status, JobStatus::Applied);
        assert!(warned(&receipt).contains("a.txt: another program changed it"), "{receipt:?}");
        assert!(receipt.hooks.iter().all(|hook| hook.job.is_none()), "{receipt:?}");
        assert_eq!(kinds(&bench), [EntryKind::Edit, EntryKind::External]);
        assert_eq!(bench.get("a.txt"), "others\n");
    }
}

#[test]
fn changes_of_other_programs_after_the_hooks_are_found_as_ever() {
    let bench = bench(true, JobStep::Hooks);
    bench.append("s", "a.txt", "b\n");
    assert_eq!(kinds(&bench), [EntryKind::Edit]);
    assert!(bench.workspace.observe(&"a.txt".into()).is_some());
    assert_eq!(kinds(&bench), [EntryKind::Edit, EntryKind::External]);
}

/// The machine after a power cut that took nothing.
struct Restarted;

impl Os for Restarted {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        Unix.open_dir(path)
    }
    fn boot_id(&self) -> io::Result<BootId> {
        Ok(BootId([7; 16]))
    }
    fn began(&self) -> io::Result<i64> {
        Unix.began()
    }
    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        Unix.exchange(a, a_name, b, b_name)
    }
    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        Unix.rename_noreplace(from, name, to, to_name)
    }
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        Unix.rename(from, name, to, to_name)
    }
    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        Unix.link(from, name, to, to_name)
    }
}

#[test]
fn after_a_power_cut_what_a_hook_left_stands_and_no_job_has_diverged() {
    for journaled in [true, false] {
        let bench = Bench::new();
        bench.put("a.txt", "a\n");
        let job = bench.append("s", "a.txt", "b\n").job.unwrap();
        let entry = bench.state().store.entry(job).unwrap().unwrap();
        bench.put("a.txt", "formatted\n");
        if journaled {
            let file = entry.files.first().unwrap();
            let after = file.after.clone().map(|meta| FileMeta { hash: hash(b"formatted\n"), ..meta });
            let record =
                FileRecord { before: file.after.clone(), after, how: ChangeMethod::Nothing, ..file.clone() };
            made_by_hook(bench.state(), &entry, "fmt", vec![record], Vec::new()).unwrap();
        }
        let (bench, notes) = bench.reopened(Arc::new(Restarted));
        assert_eq!(notes.iter().any(|note| note.contains("no job wrote")), !journaled, "{notes:?}");
        let history =
            bench.workspace.history(&Caller::of_session("s", "test"), &HistoryRequest::default()).unwrap();
        let diverged = history.entries.iter().any(|entry| entry.diverged);
        assert_eq!((diverged, bench.get("a.txt")), (!journaled, "formatted\n".to_owned()));
    }
}

/// Panics after a step.
struct Panics(JobStep);

impl Observer for Panics {
    fn after(&self, step: JobStep) -> StepDecision {
        assert!(step != self.0, "a mistake of editd's own");
        StepDecision::Continue
    }
}

/// A job that was just sealed, and that changed one file.
fn sealed(bench: &Bench, path: &str) -> SealedTransaction {
    let job = bench.append("s", path, "b\n");
    let entry = bench.state().store.entry(job.job.unwrap()).unwrap().unwrap();
    let origin = Origin {
        kind: EntryKind::Edit,
        caller: Caller::of_session("s", "test"),
        key: None,
        request: hash(b""),
        label: None,
        of: Vec::new(),
        parts: Vec::new(),
        durability: Durability::Durable,
        queued: None,
    };
    let (changes, clips, files, seen) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
    let unmade = Vec::new();
    let transaction = Transaction {
        origin,
        changes,
        clips,
        files,
        error: None,
        seen,
        unmade,
        rebased: false,
        diffs: true,
        dialect_reply: None,
    };
    SealedTransaction { transaction, receipt: job, entry: entry.into() }
}

#[test]
fn a_mistake_in_the_midst_of_writing_what_a_hook_made_leaves_nothing_open() {
    for step in [JobStep::Stage, JobStep::Intend, JobStep::Swap, JobStep::Seal] {
        let bench = unobserved(true);
        let hook =
            bench.state().workspace_commands().runnable(CommandKind::AfterWrite).next().unwrap().clone();
        let sealed = sealed(&bench, "other");
        let place = bench.state().disk.resolve(&"a.txt".into()).unwrap();
        let found = bench.state().disk.observe(&place).unwrap().found().unwrap().clone();
        let mut context = HookContext {
            state: bench.state(),
            sealed: &sealed,
            files: [("a.txt".into(), JobFile::of(&found))].into(),
            fresh: vec!["a.txt".into()],
            began: Duration::ZERO,
            runs: 0,
            workspace_commands: bench.state().workspace_commands(),
        };
        bench.workspace.set_observer(Arc::new(Panics(step)));
        let mut outcome = silent(&hook);
        let made = [("a.txt".into(), b"formatted\n".to_vec())].into();
        rewritten::commit(&mut context, &hook, made, &mut outcome).unwrap();
        let unsealed = bench.state().store.open_entries().into_iter().filter(|(_, sealed)| !sealed);
        assert_eq!(unsealed.count(), 0, "after {step:?}");
        let done = step >= JobStep::Swap;
        assert_eq!((outcome.job.is_some(), outcome.files.len()), (done, usize::from(done)), "{outcome:?}");
        assert_eq!(outcome.warnings.concat().contains("editd made a mistake"), !done, "{outcome:?}");
        let expected: &[u8] = if done { b"formatted\n" } else { &found.bytes };
        assert_eq!(bench.get("a.txt").as_bytes(), expected, "after {step:?}");
    }
}
