//! Promises *atomic*, *durable*, *once* and *undo is exact* through power cuts on real file systems: a real daemon
//! works for clients on a disk whose every write is recorded; then the disk is set to many of the states that a power
//! cut could leave, and a new daemon starts on each. A third of the recoveries is cut once more.
//!
//! `CUTS=N` sets the number of cuts on each file system (18; the command in tests/README.md takes 400); `SEED=N` which.

mod faults;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use editd_tests::counters::{self, CounterClient};
use editd_tests::power::{FileSystem, LogPosition, LoopMount, OperationLog, Recording, absent, mounted};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::wait;

/// Clients that write while the disk is recorded.
const CLIENTS: usize = 3;
/// The time for which the clients work. The daemon is killed in the middle, so that a recovery is recorded, too.
const WORK: Duration = Duration::from_millis(2_500);

/// The position of the recording of the disk at which a client had the answer to a step.
struct AnsweredStep {
    position: usize,
    client: usize,
    step: u64,
}

/// The recording.
struct PowerRecording {
    log: OperationLog,
    answered: Vec<AnsweredStep>,
    /// Before this, the clients' files were not there yet.
    begin: usize,
    start: FileTree,
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// `None`, and a word about it, where such a file system may not be mounted, as in most containers.
fn record(top: &Path, kind: FileSystem) -> Option<PowerRecording> {
    let recording = match Recording::begin(top, kind) {
        Err(why) if why.contains("not permitted") || why.contains("unknown filesystem") => {
            println!("no power cuts on {kind:?}: {why}; skipped");
            return None;
        }
        begun => begun.unwrap(),
    };
    let told = recording.log();
    let mut daemon = TestDaemon::at(&top.join("disk"));
    for client in 0..CLIENTS {
        CounterClient::new(client).prepare(&daemon);
    }
    // One client's files have second names: they are rewritten in place.
    let linked = daemon.workspace().join("linked");
    std::fs::create_dir(&linked).unwrap();
    for file in 0..counters::FILES {
        let name = daemon.workspace().join(counters::name(0, file));
        std::fs::hard_link(name, linked.join(file.to_string())).unwrap();
    }
    let start = FileTree::of(daemon.workspace());
    daemon.start();
    rustix::fs::sync();
    let begin = told.now();
    let answered = work(&mut daemon, &told);
    daemon.kill();
    drop(daemon);
    Some(PowerRecording { log: recording.end(), answered, begin, start })
}

fn work(daemon: &mut TestDaemon, told: &LogPosition) -> Vec<AnsweredStep> {
    let socket = daemon.socket();
    let done = AtomicBool::new(false);
    let answered = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (socket, done, answered) = (&socket, &done, &answered);
            scope.spawn(move || {
                CounterClient::new(client).run(socket, done, |step| {
                    let position = told.now();
                    let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
                    answered.push(AnsweredStep { position, client, step });
                })
            });
        }
        wait::pause(WORK / 2);
        daemon.kill_and_start();
        wait::pause(WORK / 2);
        done.store(true, Ordering::Relaxed);
    });
    answered.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Checks a disk after a power cut.
fn judge(
    daemon: &TestDaemon,
    recorded: &PowerRecording,
    position: usize,
    thorough: bool,
) -> Result<(), String> {
    let before = recorded.answered.iter().filter(|one| one.position <= position);
    let mut owed = [0; CLIENTS];
    for one in before {
        owed[one.client] = owed[one.client].max(one.step);
    }
    for (client, owed) in owed.into_iter().enumerate() {
        let came = counters::shown(daemon, client)?;
        if came != owed && came != owed + 1 {
            return Err(format!("client {client} had the answer to step {owed}; its files say {came}"));
        }
        counters::check(daemon, client, came)?;
        let back = if thorough { came } else { came.min(2) };
        counters::undo(daemon, client, usize::try_from(back).unwrap())?;
        let left = counters::shown(daemon, client)?;
        if left != came - back {
            return Err(format!("client {client}: {back} of {came} steps taken back, its files say {left}"));
        }
    }
    if thorough {
        let differences = recorded.start.differences(&FileTree::of(daemon.workspace()));
        if !differences.is_empty() {
            return Err(format!("all taken back: {differences:?}"));
        }
    }
    Ok(())
}

/// Mounts what a cut leaves; or what a second one does in the recovery from it.
fn cut_once_or_twice(
    top: &Path,
    kind: FileSystem,
    log: &OperationLog,
    position: usize,
    twice: bool,
    dice: &mut fastrand::Rng,
) -> Result<LoopMount, String> {
    if !twice {
        return mounted(top, kind, log, position, dice);
    }
    let recording = Recording::again(top, kind, log, position, dice)?;
    let mut daemon = TestDaemon::at(&top.join("disk"));
    daemon.start();
    daemon.kill();
    drop(daemon);
    let recovery = recording.end();
    let position = dice.usize(..=recovery.position());
    mounted(top, kind, &recovery, position, dice)
}

fn cuts_leave_whole_jobs(kind: FileSystem) {
    if let Some(why) = absent(kind) {
        println!("no power cuts on {kind:?}: {why}; skipped");
        return;
    }
    let scratch = tempfile::Builder::new().prefix("editd-power-").tempdir().unwrap();
    let top = scratch.path().canonicalize().unwrap();
    let Some(recorded) = record(&top, kind) else { return };
    let (log, begin) = (&recorded.log, recorded.begin);
    let steps = recorded.answered.len();
    println!("{kind:?}: {steps} jobs, {} writes, {} flushes", log.position() - begin, log.flushes());
    assert!(steps > 20, "hardly anything was done");
    assert!(log.flushes() > steps / 8, "what was answered was not flushed");
    let mut dice = fastrand::Rng::with_seed(number("SEED", 1));
    let (mut found, mut unmounted) = (Vec::new(), 0);
    let cuts = number("CUTS", 18);
    for nth in 0..cuts {
        let position = dice.usize(begin..=log.position());
        let seed = dice.u64(..);
        let mut cut = fastrand::Rng::with_seed(seed);
        let disk = match cut_once_or_twice(&top, kind, log, position, nth % 3 == 2, &mut cut) {
            Err(why) if why.contains("cannot mount") || why.contains("wrong fs type") => {
                println!("{kind:?} itself does not stand this cut: {why}");
                unmounted += 1;
                continue;
            }
            mounted => mounted.unwrap(),
        };
        let mut daemon = TestDaemon::at(&top.join("disk"));
        daemon.start();
        if let Err(what) = judge(&daemon, &recorded, position, nth % 8 == 7) {
            found.push(format!(
                "cut at {position} of {}, seed {seed}: {what}\n{}",
                log.position(),
                daemon.said()
            ));
        }
        daemon.kill();
        drop(daemon);
        drop(disk);
    }
    assert!(unmounted * 6 < cuts, "{unmounted} of {cuts} cuts left nothing to look at");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn ext4_loses_no_answered_job_and_no_part_of_one() {
    cuts_leave_whole_jobs(FileSystem::Ext4);
}

#[test]
fn xfs_loses_no_answered_job_and_no_part_of_one() {
    cuts_leave_whole_jobs(FileSystem::Xfs);
}

#[test]
fn btrfs_loses_no_answered_job_and_no_part_of_one() {
    cuts_leave_whole_jobs(FileSystem::Btrfs);
}
