//! Promise *atomic* if other programs change a file while the daemon is down and the machine restarts, and the files
//! that recovery does not change: on the simulated machine, also if recovery itself is ended at any effect.
//!
//! These tests are no case files: they end the job after each of its system calls, and then act between two chosen
//! system calls of recovery. A case file can name only the steps of a job.
//!
//! `EXHAUSTIVE=1` tests all calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use editd_proto::message::ReadRequest;
use editd_tests::fault_injection::exhaustive;
use editd_tests::fault_injection::outside_writes::action::OutsideAction;
use editd_tests::fault_injection::outside_writes::is_in_journal;
use editd_tests::fault_injection::requests::{append, create, delete, file, job, replace};
use editd_tests::fault_injection::sim_scenario::{BaselineRun, KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::{SimWorkspace, test_caller};
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::scenario::format::numbered_lines as text;
use editd_tests::sim::{
    EACCES, Fault, FaultDuration, HookTiming, OsCall, OutsideProcess, SeededRandom, SimMachine, SnapshotNode,
    crashes,
};
use memchr::memmem;

const TAG: &str = "foreign-bytes";

fn put(outside: &OutsideProcess, path: &str, bytes: &[u8]) {
    outside.write(&format!("/w/{path}"), bytes).unwrap();
}

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/sub").unwrap();
    put(outside, "a.txt", &text("a", 700));
    put(outside, "b.txt", &text("b", 1500));
    put(outside, "sub/c.txt", &text("c", 600));
    put(outside, "one.txt", &text("linked", 900));
    outside.link("/w/one.txt", "/w/two.txt").unwrap();
}

fn scenarios() -> Vec<SimScenario> {
    let mixed = vec![
        file("a.txt", vec![append("b is gone\n")]),
        file("b.txt", vec![delete()]),
        file("new/d.txt", vec![create("d\n")]),
    ];
    let linked =
        vec![file("a.txt", vec![append("more\n")]), file("two.txt", vec![replace("line 3 of", "third of")])];
    let both = vec![file("a.txt", vec![append("x\n")]), file("b.txt", vec![append("y\n")])];
    let edits = ["a.txt", "b.txt", "sub/c.txt"].map(|path| file(path, vec![append("more\n")]));
    vec![
        SimScenario::new("edits", files, job(edits.into())),
        SimScenario::new("mixed", files, job(mixed)),
        SimScenario::new("linked", files, job(linked)),
        SimScenario::new("on top of another", files, job(both))
            .after(vec![job(vec![file("b.txt", vec![replace("line 5 of", "fifth of")])])]),
    ]
}

/// The job is killed behind each of its effects.
fn killed(scenario: &SimScenario) -> Vec<SimMachine> {
    let mut all = Vec::new();
    for nth in 0.. {
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        let last = machine.effects() + nth;
        machine.stop_after(last);
        let _receipt = workspace.send(&scenario.job, KEY);
        let ended = machine.effects() < last;
        all.push(machine.kill());
        if ended {
            break;
        }
    }
    all
}

/// The actions of processes that have opened no file before the job.
fn immediate_actions() -> impl Iterator<Item = OutsideAction> {
    OutsideAction::ALL.into_iter().filter(|action| *action != OutsideAction::AppendHeld)
}

/// Everything reaches the disk, and the machine starts again.
fn reboot(machine: &SimMachine) -> SimMachine {
    machine.settle();
    machine.power_cut(&mut SeededRandom::new(1))
}

struct RecoveryCheck<'a> {
    scenario: &'a SimScenario,
    baseline: &'a BaselineRun,
    path: &'a str,
    action: OutsideAction,
    /// True if the action came after the restart: the cut may have removed every change of an answered job.
    later: bool,
}

impl RecoveryCheck<'_> {
    /// Opens the workspace on this machine and returns the violations; `when` describes the case in each of them.
    fn run(&self, machine: &SimMachine, when: &str) -> Vec<String> {
        let found = self.all(machine).unwrap_or_else(|error| vec![error]);
        let line =
            |what| format!("{}: {:?} on {}, {when}: {what}", self.scenario.name, self.action, self.path);
        found.into_iter().map(line).collect()
    }

    fn all(&self, machine: &SimMachine) -> Result<Vec<String>, String> {
        let workspace = SimWorkspace::open(machine).map_err(|error| format!("cannot be opened: {error}"))?;
        let mut found = Vec::new();
        let applied = has_entry(&workspace)?;
        self.whole(&VisibleFiles::of(machine), applied, &mut found);
        if self.action.writes() && !holds(&workspace, TAG)? {
            found.push("what others wrote is lost".to_owned());
        }
        if !workspace.settle() {
            found.push("it never settles".to_owned());
        }
        let settled = VisibleFiles::of(machine);
        if !settled.staged_files.is_empty() {
            found.push(format!("settled, these staged_files are left: {:?}", settled.staged_files));
        }
        self.whole(&settled, applied, &mut found);
        drop(workspace);
        let again = SimWorkspace::open(&machine.kill())?;
        if has_entry(&again)? != applied {
            found.push("opened again, it is on the other side".to_owned());
        }
        Ok(found.into_iter().map(|what| format!("{what}; notes: {:?}", again.notes)).collect())
    }

    /// The other files are all before or all after, and the changed one is no half either.
    fn whole(&self, view: &VisibleFiles, applied: bool, found: &mut Vec<String>) {
        let should = if applied { &self.baseline.after } else { &self.baseline.before };
        // One file with two names.
        let linked = |path: &str| ["one.txt", "two.txt"].contains(&path);
        let theirs = |path: &String| {
            path.starts_with(self.path) || path.contains(".moved") || (linked(self.path) && linked(path))
        };
        let except: Vec<String> =
            view.files.keys().chain(should.files.keys()).filter(|path| theirs(path)).cloned().collect();
        found.extend(
            view.differences(should, &except).iter().map(|what| format!("{what} (applied: {applied})")),
        );
        let path = if linked(self.path) { "two.txt" } else { self.path };
        let bytes = |view: &VisibleFiles| match view.files.get(path) {
            Some(SnapshotNode::File { bytes, .. }) => {
                Some(String::from_utf8_lossy(bytes).replace(&format!("{TAG}\n"), ""))
            }
            _ => None,
        };
        // Nothing tells whether a file had been rewritten in place before others wrote it anew.
        let told = !self.later && (!linked(path) || self.action == OutsideAction::Append);
        if applied && told && bytes(view).is_some() && bytes(view) == bytes(&self.baseline.before) {
            found.push(format!("applied, but {path} was never changed"));
        }
    }
}

fn has_entry(workspace: &SimWorkspace) -> Result<bool, String> {
    Ok(workspace.entries()?.iter().any(|entry| entry.key.as_deref() == Some(KEY)))
}

/// Returns true if the bytes are in a file (also a staged or set aside one) or in the journal.
fn holds(workspace: &SimWorkspace, word: &str) -> Result<bool, String> {
    let everything = workspace.machine.snapshot("/w").map_err(|error| error.to_string())?;
    let within = |bytes: &[u8]| memmem::find(bytes, word.as_bytes()).is_some();
    let in_file = |seen: &SnapshotNode| matches!(seen, SnapshotNode::File { bytes, .. } if within(bytes));
    Ok(everything.0.values().any(in_file) || is_in_journal(workspace, word)?)
}

/// Calls `play` for each outside write on each file of a job that was killed at any effect, after a restart of the
/// machine.
fn each(mut play: impl FnMut(&RecoveryCheck<'_>, &SimMachine, usize)) {
    for scenario in scenarios() {
        let baseline = scenario.baseline().unwrap();
        let killed = killed(&scenario);
        for path in &baseline.paths {
            for action in immediate_actions() {
                let check =
                    RecoveryCheck { scenario: &scenario, baseline: &baseline, path, action, later: false };
                for (nth, machine) in killed.iter().enumerate() {
                    let machine = machine.fork();
                    if action.run(&machine.outside(), None, path, TAG).is_ok() {
                        play(&check, &machine, nth);
                    }
                }
            }
        }
    }
}

fn none(found: &[String]) {
    let few: Vec<&String> = found.iter().take(20).collect();
    assert!(found.is_empty(), "{} complaints, of which {few:#?}", found.len());
}

#[test]
fn a_job_is_atomic_with_outside_actions_between_a_kill_and_a_reboot() {
    let mut found = Vec::new();
    each(|check, machine, nth| {
        found.extend(check.run(&reboot(machine), &format!("killed behind effect {nth}, rebooted")));
    });
    none(&found);
}

#[test]
fn a_job_is_atomic_if_that_recovery_is_ended_at_any_effect() {
    let one_in = if exhaustive() { 1 } else { 61 };
    let mut dice = SeededRandom::new(5);
    let mut found = Vec::new();
    each(|check, machine, nth| {
        if !dice.next_number().is_multiple_of(one_in) {
            return;
        }
        let open = |machine: &SimMachine| drop(SimWorkspace::open(machine));
        crashes(&reboot(machine), 3, nth as u64, open, |run| {
            let when =
                format!("killed behind effect {nth}, rebooted, recovery ended: {:?}", run.interruption);
            found.extend(check.run(&run.machine, &when));
        });
    });
    none(&found);
}

#[test]
fn a_job_is_atomic_with_outside_actions_during_recovery() {
    let one_in = if exhaustive() { 4 } else { 97 };
    let mut dice = SeededRandom::new(6);
    let mut found = Vec::new();
    for scenario in scenarios() {
        let baseline = scenario.baseline().unwrap();
        // A file that is rewritten in place is not looked at again in the moment of writing.
        let paths = baseline.paths.iter().filter(|path| !["one.txt", "two.txt"].contains(&path.as_str()));
        let killed: Vec<SimMachine> = killed(&scenario).iter().map(reboot).collect();
        let paths: Vec<&String> = paths.collect();
        for (nth, machine) in killed.iter().enumerate() {
            let whole = machine.fork();
            drop(SimWorkspace::open(&whole));
            for call in 1..=whole.calls() {
                for path in &paths {
                    for action in immediate_actions() {
                        if !dice.next_number().is_multiple_of(one_in) {
                            continue;
                        }
                        let machine = machine.fork();
                        let (theirs, done) = ((*path).clone(), Arc::new(AtomicBool::new(false)));
                        let told = Arc::clone(&done);
                        machine.at_call(call, HookTiming::Before, move |outside| {
                            told.store(action.run(outside, None, &theirs, TAG).is_ok(), Ordering::Relaxed);
                        });
                        drop(SimWorkspace::open(&machine));
                        if !done.load(Ordering::Relaxed) {
                            continue;
                        }
                        let check = RecoveryCheck {
                            scenario: &scenario,
                            baseline: &baseline,
                            path,
                            action,
                            later: true,
                        };
                        let when =
                            format!("killed behind effect {nth}, rebooted, at call {call} of recovery");
                        found.extend(check.run(&machine.kill(), &when));
                    }
                }
            }
        }
    }
    none(&found);
}

/// The seal that the answer stands for may be lost with the power; what others change is then no reason to take the job
/// back.
#[test]
fn an_answered_job_survives_outside_actions_before_a_power_cut() {
    let cuts = if exhaustive() { 400 } else { 24 };
    let mut found = Vec::new();
    for scenario in scenarios() {
        let baseline = scenario.baseline().unwrap();
        for path in &baseline.paths {
            for action in immediate_actions() {
                let machine = scenario.machine();
                let workspace = scenario.begin(&machine).unwrap();
                assert_eq!(workspace.send(&scenario.job, KEY).error, None);
                if action.run(&machine.outside(), None, path, TAG).is_err() {
                    continue;
                }
                let mut states = machine.cuts(cuts, 9);
                workspace.settle();
                states.extend(machine.cuts(cuts, 10));
                for (nth, state) in states.iter().enumerate() {
                    let workspace = SimWorkspace::open(state).unwrap();
                    let check = RecoveryCheck {
                        scenario: &scenario,
                        baseline: &baseline,
                        path,
                        action,
                        later: false,
                    };
                    let mut wrong = Vec::new();
                    check.whole(&VisibleFiles::of(state), true, &mut wrong);
                    if !has_entry(&workspace).unwrap() {
                        wrong.push("the answered job is gone".to_owned());
                    }
                    let line = |what| {
                        format!(
                            "{}: {action:?} on {path}, {nth}: {what} {:?}",
                            scenario.name, workspace.notes
                        )
                    };
                    found.extend(wrong.into_iter().map(line));
                }
            }
        }
    }
    none(&found);
}

/// A file that the job displaced stays open for writing, so that its entry stays open; others, and another job, change
/// the files later.
#[test]
fn later_changes_in_the_journal_survive_recovery() {
    let scenario =
        SimScenario::new("later", files, job(vec![file("b.txt", vec![replace("line 4 of", "fourth of")])]))
            .after(vec![job(vec![
                file("a.txt", vec![append("more\n")]),
                file("b.txt", vec![append("more\n")]),
            ])]);
    let machine = scenario.machine();
    let outside = machine.outside();
    let held = ["a.txt", "b.txt"].map(|path| outside.open(&format!("/w/{path}")).unwrap());
    let workspace = scenario.begin(&machine).unwrap();
    workspace.settle();
    put(&outside, "a.txt", b"");
    let read = ReadRequest { path: "a.txt".into(), lines: None, symbol: None, body: false, seen: None };
    workspace.inner.read(&test_caller(), &read).unwrap();
    assert_eq!(workspace.send(&scenario.job, KEY).error, None);
    workspace.settle();
    assert_ne!(workspace.inner.counts().unsettled, 0, "the held files keep the first job open");
    workspace.inner.close();
    let (view, entries) = (VisibleFiles::of(&machine), workspace.entries().unwrap().len());
    drop(workspace);
    drop(held);

    let machine = reboot(&machine.kill());
    let workspace = SimWorkspace::open(&machine).unwrap();
    assert_eq!(workspace.notes, Vec::<String>::new());
    assert_eq!(VisibleFiles::of(&machine).differences(&view, &[]), Vec::<String>::new());
    let after = workspace.entries().unwrap();
    let diverged = after.iter().filter(|entry| entry.diverged).count();
    assert_eq!((diverged, after.len()), (0, entries));
    assert!(workspace.settle() && VisibleFiles::of(&machine).staged_files.is_empty());
}

#[test]
fn an_unreadable_folder_is_named_with_a_remedy_and_nothing_changes() {
    let scenario = SimScenario::new(
        "denied",
        files,
        job(vec![file("a.txt", vec![append("x\n")]), file("sub/c.txt", vec![append("x\n")])]),
    );
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    machine.at_next(OsCall::Exchange, 0, HookTiming::After, {
        let same = machine.clone();
        move |_| drop(same.kill())
    });
    let _receipt = workspace.send(&scenario.job, KEY);
    drop(workspace);
    let machine = reboot(&machine.kill());
    let denied = machine.fork();
    let opened = denied.fork();
    drop(SimWorkspace::open(&opened).unwrap());
    let trace = opened.trace();
    let call =
        trace.iter().position(|call| call.contains("OpenDir") && call.contains("sub")).unwrap() as u64 + 1;
    denied.fail(Fault {
        at: call,
        lasting: FaultDuration::ForEver,
        only: vec![OsCall::OpenDir],
        errno: EACCES,
        written: 0,
    });
    let Err(error) = SimWorkspace::open(&denied) else { panic!("it was opened") };
    assert!(error.contains("sub/c.txt") && error.contains("make it readable"), "{error}");
    assert_eq!(VisibleFiles::of(&denied).files, VisibleFiles::of(&machine).files);
    denied.remove_faults();
    let denied = denied.kill();
    denied.pass(Duration::from_secs(1));
    let workspace = SimWorkspace::open(&denied).unwrap();
    assert!(has_entry(&workspace).unwrap(), "{:?}", workspace.notes);
}
