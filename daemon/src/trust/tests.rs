//! The commands that may run, and the changes after which they may not. Uses a real folder.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::config::CommandKind;
use crate::disk::Disk;
use crate::limits;
use crate::os::Os;
use crate::os::unix::Unix;

struct Yard {
    _folder: tempfile::TempDir,
    root: PathBuf,
    state: PathBuf,
    disk: Disk,
    trust: CommandTrust,
}

/// A time long after everything that is written here.
const LATER: u64 = u64::MAX;

fn trust_at(state: &Path, root: &Path) -> CommandTrust {
    let os: Arc<dyn Os> = Arc::new(Unix);
    let dir = os.open_dir(state).unwrap();
    CommandTrust::new(os, dir, state, root)
}

impl Yard {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, state) = (base.join("w"), base.join("state"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&state).unwrap();
        let disk = Disk::open(Arc::new(Unix), &root).unwrap();
        let trust = trust_at(&state, &root);
        Self { _folder: folder, root, state, disk, trust }
    }

    fn write(&self, name: &str) {
        std::fs::write(self.root.join(".editd.toml"), config(name)).unwrap();
    }

    fn observe(&self) -> WorkspaceCommands {
        self.trust.observe(&self.disk, LATER)
    }

    fn runs(&self) -> Vec<String> {
        self.observe().runnable(CommandKind::Validator).map(|command| command.name.clone()).collect()
    }
}

fn config(name: &str) -> String {
    format!("[[validator]]\nname = \"{name}\"\nfiles = [\"*.py\"]\ncommand = [\"true\"]\n")
}

#[test]
fn nothing_runs_before_its_very_content_was_recorded() {
    let yard = Yard::new();
    assert_eq!(yard.observe().hash(), None);
    yard.write("a");
    assert_eq!((yard.observe().trusted(), yard.runs()), (false, vec![]));
    let left_out = yard.observe().left_out([&"x/y.py".into()]).unwrap();
    assert!(left_out.contains(": a;") && left_out.contains("editctl trust"), "{left_out}");
    assert_eq!(yard.observe().left_out([&"y.rs".into()]), None, "the job's files are none of its");
    let hash = yard.observe().hash().unwrap();
    yard.trust.record(hash).unwrap();
    assert_eq!((yard.observe().trusted(), yard.runs()), (true, vec!["a".to_owned()]));
    assert_eq!(yard.observe().left_out([&"y.py".into()]), None);
    yard.write("b");
    assert_eq!((yard.observe().trusted(), yard.runs()), (false, vec![]));
    yard.write("a");
    assert_eq!(yard.runs(), ["a"]);
    yard.trust.revoke().unwrap();
    assert_eq!((yard.observe().trusted(), yard.runs()), (false, vec![]));
}

#[test]
fn a_change_is_seen_though_size_and_times_are_the_same() {
    let yard = Yard::new();
    yard.write("a");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = u64::try_from(now.as_millis()).unwrap();
    let first = yard.trust.observe(&yard.disk, now);
    yard.trust.record(first.hash().unwrap()).unwrap();
    for name in ["b", "c", "d", "e"] {
        // Within one tick of the file system's clock.
        yard.write(name);
        let workspace_commands = yard.trust.observe(&yard.disk, now);
        assert_eq!(
            (workspace_commands.all().first().unwrap().name.as_str(), workspace_commands.trusted()),
            (name, false)
        );
    }
}

#[test]
fn the_record_outlives_the_daemon_and_serves_no_other_workspace() {
    let yard = Yard::new();
    yard.write("a");
    yard.trust.record(yard.observe().hash().unwrap()).unwrap();
    assert!(trust_at(&yard.state, &yard.root).observe(&yard.disk, LATER).trusted());
    assert!(!trust_at(&yard.state, &yard.root.join("other")).observe(&yard.disk, LATER).trusted());
    assert!(!yard.state.join("trust.new").exists());
    for damage in ["", "editd trust 2\n", "blake3:00\n", "editd trust 1\n\u{0}\n"] {
        std::fs::write(yard.state.join("trust"), damage).unwrap();
        assert!(!trust_at(&yard.state, &yard.root).observe(&yard.disk, LATER).trusted(), "{damage:?}");
    }
}

#[test]
fn a_record_that_a_job_could_write_counts_for_nothing() {
    let yard = Yard::new();
    yard.write("a");
    let hash = yard.observe().hash().unwrap();
    yard.trust.record(hash).unwrap();
    let inside = yard.root.join("state");
    std::fs::create_dir(&inside).unwrap();
    std::fs::copy(yard.state.join("trust"), inside.join("trust")).unwrap();
    let trust = trust_at(&inside, &yard.root);
    assert!(!trust.observe(&yard.disk, LATER).trusted());
    assert!(matches!(trust.record(hash), Err(TrustRecordError::Inside)));
}

#[test]
fn links_and_what_is_wrong_bring_no_command() {
    let yard = Yard::new();
    yard.write("a");
    yard.trust.record(yard.observe().hash().unwrap()).unwrap();
    let file = yard.root.join(".editd.toml");
    let real = yard.root.join("real.toml");
    std::fs::rename(&file, &real).unwrap();
    symlink("real.toml", &file).unwrap();
    let workspace_commands = yard.observe();
    assert!(workspace_commands.problem().unwrap().contains("link") && workspace_commands.all().is_empty());
    assert!(workspace_commands.left_out([]).unwrap().contains("left out"));
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, config("a") + "shell = \"sh\"\n").unwrap();
    let why = yard.observe().problem().unwrap().to_owned();
    assert!(why.contains("line 5") && why.contains("shell"), "{why}");
    std::fs::write(&file, format!("{} = 1", "x".repeat(limits::CONFIG / 2))).unwrap();
    assert!(yard.observe().problem().unwrap().len() < 4 * limits::TRUST_MESSAGE);
    std::fs::write(&file, " ".repeat(limits::CONFIG + 1)).unwrap();
    assert!(yard.observe().problem().unwrap().contains("bytes"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(yard.observe().problem().is_some() && yard.runs().is_empty());
    std::fs::remove_dir(&file).unwrap();
    assert_eq!((yard.observe().problem(), yard.observe().hash()), (None, None));
    yard.write("a");
    assert_eq!(yard.runs(), ["a"]);
}

#[test]
fn only_the_last_hashes_are_kept() {
    let yard = Yard::new();
    let mut first = None;
    for n in 0..=limits::TRUSTED {
        yard.write(&n.to_string());
        let hash = yard.observe().hash().unwrap();
        first.get_or_insert(hash);
        yard.trust.record(hash).unwrap();
        yard.trust.record(hash).unwrap();
    }
    let again = trust_at(&yard.state, &yard.root);
    assert!(again.observe(&yard.disk, LATER).trusted());
    yard.write("1");
    assert!(again.observe(&yard.disk, LATER).trusted());
    yard.write("0");
    assert_eq!(again.observe(&yard.disk, LATER).hash(), first);
    assert!(!again.observe(&yard.disk, LATER).trusted());
}

#[test]
fn the_observed_configuration_is_used_again_for_a_moment_and_not_after_a_decision() {
    let yard = Yard::new();
    yard.write("one");
    let names = |commands: &WorkspaceCommands| -> Vec<String> {
        commands.runnable(CommandKind::Validator).map(|command| command.name.clone()).collect()
    };
    let recent = |now_ms| names(&yard.trust.recent(&yard.disk, now_ms));
    let hash = yard.observe().hash().unwrap();
    yard.trust.record(hash).unwrap();
    let seen = LATER - 1000;
    assert_eq!(recent(seen), ["one"], "a decision is effective at once");
    yard.write("two");
    assert_eq!(recent(seen + limits::COMMANDS_RECENT_MS), ["one"]);
    assert_eq!(recent(seen - 1), Vec::<String>::new(), "the clock was set back, so the file is read");
    assert_eq!(recent(seen + 1), Vec::<String>::new());
    yard.write("one");
    assert_eq!(recent(seen + 2 * limits::COMMANDS_RECENT_MS), ["one"]);
    yard.trust.revoke().unwrap();
    assert_eq!(recent(seen + 2 * limits::COMMANDS_RECENT_MS), Vec::<String>::new());
}
