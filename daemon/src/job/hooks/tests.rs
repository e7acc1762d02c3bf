//! What others do between a job and its hooks stays theirs. No command is started here: that needs a daemon.
#![expect(clippy::disallowed_methods, reason = "a test acts as another program")]

use std::path::PathBuf;
use std::sync::Arc;

use editd_proto::message::{EntryKind, HistoryRequest, Receipt, Status, TrustRequest};

use crate::job::step::{Go, Observer, Step};
use crate::workspace::tests::kit::Bench;

/// Writes a file as another program would, right after a step.
struct Other {
    step: Step,
    file: PathBuf,
}

impl Observer for Other {
    fn after(&self, step: Step) -> Go {
        if step == self.step {
            std::fs::write(&self.file, "others\n").unwrap_or_default();
        }
        Go::On
    }
}

/// A bench whose workspace brings a trusted hook for `*.txt`, with another program that writes `a.txt` after a step.
fn bench(stdout: bool, step: Step) -> Bench {
    let bench = Bench::new();
    let config = format!(
        "[[after_write]]\nname = \"never\"\nfiles = [\"*.txt\"]\nstdout = {stdout}\ncommand = [\"false\", \"{{path}}\"]\n"
    );
    bench.put(".editd.toml", &config);
    let hash = bench.workspace.trust(&TrustRequest::default()).unwrap().hash;
    assert!(bench.workspace.trust(&TrustRequest { hash, revoke: false }).unwrap().trusted);
    bench.put("a.txt", "a\n");
    let file = bench.workspace.root().join("a.txt");
    bench.workspace.set_observer(Arc::new(Other { step, file }));
    bench
}

fn kinds(bench: &Bench) -> Vec<EntryKind> {
    let history = bench.workspace.history(&HistoryRequest::default()).unwrap();
    history.entries.iter().rev().map(|entry| entry.kind).collect()
}

fn warned(receipt: &Receipt) -> String {
    receipt.hooks.iter().flat_map(|hook| hook.warnings.clone()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_another_program_wrote_before_a_hook_is_not_the_hooks() {
    for stdout in [false, true] {
        let bench = bench(stdout, Step::Seal);
        let receipt = bench.append("s", "a.txt", "b\n");
        assert_eq!(receipt.status, Status::Applied);
        assert!(warned(&receipt).contains("a.txt: another program changed it"), "{receipt:?}");
        assert!(receipt.hooks.iter().all(|hook| hook.job.is_none()), "{receipt:?}");
        assert_eq!(kinds(&bench), [EntryKind::Edit, EntryKind::External]);
        assert_eq!(bench.get("a.txt"), "others\n");
    }
}

#[test]
fn what_another_program_wrote_after_the_hooks_is_found_as_ever() {
    let bench = bench(true, Step::Hooks);
    bench.append("s", "a.txt", "b\n");
    assert_eq!(kinds(&bench), [EntryKind::Edit]);
    assert!(bench.workspace.look(&"a.txt".into()).is_some());
    assert_eq!(kinds(&bench), [EntryKind::Edit, EntryKind::External]);
}
