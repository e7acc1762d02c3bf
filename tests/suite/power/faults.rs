//! Power cuts and kills while the disk fails, and bit rot before the next start: every run ends in *intact and served*,
//! *reported and salvaged* or *refused with instructions*. No answered job is lost without a report, and no file is torn.
//!
//! `FAULTS=N` sets the number of cuts on each file system (4; the command in tests/README.md takes 120); `SEED=N` which.
//! After one cut of three, a bit of the stored state flips. btrfs reports that as a failed read of the block.
//!
//! *Limitations*: if the salvage reports that records are lost, files that the cut had torn may stay torn, since their
//! contents were in these records. A flipped bit in the last flushed records cannot be told from a power cut, so that their
//! jobs may be missing without a report. Both are counted.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use editd_proto::message::kind;
use editd_tests::counters::{self, CounterClient};
use editd_tests::fault_injection::bit_rot::is_unproven;
use editd_tests::power::{
    DiskFault, DiskFaults, FailingCalls, FileSystem, LogPosition, LoopMount, OperationLog, Recording, absent,
    flip_stored_bit, mounted,
};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::wait;
use serde_json::{Value, json};

use super::{AnsweredStep, CLIENTS, number};

/// The time for which the clients work before the disk fails, and afterwards.
const WORK: Duration = Duration::from_millis(500);
/// Cuts that are examined of one recording.
const CUTS_OF_ONE: u64 = 4;
/// One of so many cuts is followed by bit rot.
const ROT_ONE_IN: u64 = 3;

/// The clients' work on a disk that failed at some time.
struct FaultyRecording {
    log: OperationLog,
    answered: Vec<AnsweredStep>,
    /// Before this, the clients' files were not there yet.
    begin: usize,
    /// From here on the disk failed.
    faulty: usize,
    /// The calls of the disk that failed.
    failed: u64,
    /// Refusals that a failing disk does not explain.
    unexplained: Vec<String>,
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum RunEnd {
    Served,
    Salvaged,
    /// Salvaged, with a report of lost records, and a file whose content was in them.
    SalvagedWithLosses,
    /// Served without the last flushed records, in which a bit had flipped.
    CutOff,
    Refused,
}

#[derive(Default)]
struct EndCounts {
    served: u64,
    salvaged: u64,
    with_losses: u64,
    /// Served without the last flushed records, in which a bit had flipped.
    cut_off: u64,
    refused: u64,
    /// The file system did not mount.
    unmounted: u64,
    rotten: u64,
    failed_calls: u64,
    kills: u64,
}

fn fault(dice: &mut fastrand::Rng) -> DiskFault {
    let calls = [FailingCalls::Writes, FailingCalls::Flushes, FailingCalls::All][dice.usize(..3)];
    let times = [1, 3, u64::MAX][dice.usize(..3)];
    DiskFault { calls, one_in: [1, 1, 4][dice.usize(..3)], times }
}

fn record(
    top: &Path,
    kind: FileSystem,
    dice: &mut fastrand::Rng,
    counts: &mut EndCounts,
) -> Result<FaultyRecording, String> {
    let recording = Recording::begin(top, kind)?;
    let told = recording.log();
    let faults = recording.faults();
    let mut daemon = TestDaemon::at(&top.join("disk"));
    for client in 0..CLIENTS {
        CounterClient::new(client).prepare(&daemon);
    }
    daemon.start();
    rustix::fs::sync();
    let begin = told.now();
    let killed = dice.bool();
    let (answered, faulty, unexplained) = work(&mut daemon, &told, &faults, dice, killed);
    counts.kills += u64::from(killed);
    daemon.kill();
    drop(daemon);
    let failed = faults.failed();
    counts.failed_calls += failed;
    Ok(FaultyRecording { log: recording.end(), answered, begin, faulty, failed, unexplained })
}

/// Lets the clients work, the disk fail and, in half of all runs, the daemon be killed and started on the failing disk.
fn work(
    daemon: &mut TestDaemon,
    told: &LogPosition,
    faults: &DiskFaults,
    dice: &mut fastrand::Rng,
    killed: bool,
) -> (Vec<AnsweredStep>, usize, Vec<String>) {
    let socket = daemon.socket();
    let done = AtomicBool::new(false);
    let answered = Mutex::new(Vec::new());
    let refusals = Mutex::new(BTreeSet::new());
    let mut faulty = 0;
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (socket, done, answered, refusals) = (&socket, &done, &answered, &refusals);
            scope.spawn(move || {
                let all = CounterClient::new(client).run_on_failing_disk(socket, done, |step| {
                    let position = told.now();
                    let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
                    answered.push(AnsweredStep { position, client, step });
                });
                refusals.lock().unwrap_or_else(PoisonError::into_inner).extend(all);
            });
        }
        wait::pause(WORK.mul_f64(0.3 + dice.f64()));
        faulty = told.now();
        let fault = fault(dice);
        faults.begin(fault, dice.u64(..));
        wait::pause(WORK / 2);
        if killed {
            daemon.kill();
            // It may not start on such a disk, or hang; it must not do harm.
            let _refused = catch_unwind(AssertUnwindSafe(|| daemon.try_start()));
        }
        wait::pause(WORK / 2);
        done.store(true, Ordering::Relaxed);
    });
    let refusals = refusals.into_inner().unwrap_or_else(PoisonError::into_inner);
    let unexplained = refusals.into_iter().filter(|one| one.contains("step")).collect();
    (answered.into_inner().unwrap_or_else(PoisonError::into_inner), faulty, unexplained)
}

/// A file of the state folder in which a bit may flip.
fn stored_file(daemon: &TestDaemon, dice: &mut fastrand::Rng) -> Option<PathBuf> {
    let state = daemon.folder("state").join("editd");
    let mut waiting = vec![state];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { waiting.push(path) } else { files.push(path) }
        }
    }
    // Mostly the log: the rest can be rebuilt.
    files.sort();
    let log: Vec<PathBuf> =
        files.iter().filter(|path| path.extension().is_some_and(|e| e == "log")).cloned().collect();
    let of_log = dice.u8(..4) > 0;
    dice.choice(if of_log { log } else { files })
}

/// Starts a daemon after the cut and checks what it serves. Without damage that it reports, every answered job is there;
/// with it, at least no file is torn.
fn end_of(
    daemon: &mut TestDaemon,
    recorded: &FaultyRecording,
    position: usize,
    rotten: bool,
) -> Result<RunEnd, String> {
    let refused = daemon.try_start().err();
    if let Some(said) = &refused {
        if !["editctl salvage", "repair", "free some space"].iter().any(|words| said.contains(words)) {
            return Err(format!("it does not start, and does not say what to do: {said}"));
        }
        if !rotten {
            return Err(format!("it does not start although nothing stored was changed: {said}"));
        }
    } else {
        let found = daemon.client("checks").ask_json(kind::CHECK, &json!({}));
        if !is_reported(&found) {
            return judge(daemon, recorded, position).map(|()| RunEnd::Served);
        }
        daemon.stop();
    }
    let output = daemon.editctl().args(["--json", "salvage"]).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return if rotten && refused.is_some() {
            Ok(RunEnd::Refused)
        } else {
            Err(format!("it cannot be salvaged: {}", String::from_utf8_lossy(&output.stderr)))
        };
    }
    daemon.try_start().map_err(|said| format!("not even after a salvage: {said}"))?;
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let damage: Vec<&str> =
        report["damage"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if damage.iter().all(|one| one.contains("no record is lost")) {
        let judged = judge(daemon, recorded, position).map(|()| RunEnd::Salvaged);
        return judged.map_err(|why| format!("{why} after the salvage of {damage:?}"));
    }
    // The records of answered jobs, and contents that they had, may be among those that the salvage reports as lost.
    let is_whole = (0..CLIENTS).all(|client| counters::shown(daemon, client).is_ok());
    Ok(if is_whole { RunEnd::Salvaged } else { RunEnd::SalvagedWithLosses })
}

/// Returns true if `doctor` reports damage of the log or lost entries.
fn is_reported(found: &Value) -> bool {
    let findings = found["findings"].as_array().into_iter().flatten();
    let mut reported = findings.filter(|finding| {
        finding["subject"] == "losses" || (finding["subject"] == "log" && finding["severity"] != "ok")
    });
    reported.next().is_some()
}

/// The words of a complaint about answered jobs that are missing.
const FEWER: &str = "the files only have the steps up to";

fn judge(daemon: &TestDaemon, recorded: &FaultyRecording, position: usize) -> Result<(), String> {
    let mut owed = [0; CLIENTS];
    for one in recorded.answered.iter().filter(|one| one.position <= position) {
        owed[one.client] = owed[one.client].max(one.step);
    }
    for (client, owed) in owed.into_iter().enumerate() {
        let came = counters::shown(daemon, client)?;
        if came < owed {
            return Err(format!("client {client} had the answer to step {owed}; {FEWER} {came}"));
        }
        if came > owed + 1 {
            return Err(format!("client {client} had the answer to step {owed}; its files say {came}"));
        }
        counters::check(daemon, client, came)?;
        let back = came.min(2);
        counters::undo(daemon, client, usize::try_from(back).unwrap())?;
        let left = counters::shown(daemon, client)?;
        if left != came - back {
            return Err(format!("client {client}: {back} of {came} steps undone, its files say {left}"));
        }
    }
    Ok(())
}

/// Cuts the power once, perhaps flips a stored bit, and examines the next start. `None` if the file system itself does not
/// survive.
fn examine(
    top: &Path,
    kind: FileSystem,
    recorded: &FaultyRecording,
    dice: &mut fastrand::Rng,
    counts: &mut EndCounts,
) -> Result<Option<RunEnd>, String> {
    let from = if dice.u8(..4) == 0 { recorded.begin } else { recorded.faulty.min(recorded.log.position()) };
    let position = dice.usize(from..=recorded.log.position());
    let mount = |result: Result<LoopMount, String>| match result {
        Err(why) if why.contains("cannot mount") || why.contains("wrong fs type") => Ok(None),
        other => other.map(Some),
    };
    let Some(mut disk) = mount(mounted(top, kind, &recorded.log, position, dice))? else { return Ok(None) };
    let mut daemon = TestDaemon::at(&top.join("disk"));
    let (mut rot, mut unproven) = (None, false);
    if dice.u64(..ROT_ONE_IN) == 0
        && let Some(file) = stored_file(&daemon, dice)
    {
        drop(daemon);
        let bytes = fs::read(&file).unwrap_or_default();
        let (again, flipped) = flip_stored_bit(top, kind, disk, &file, dice)?;
        disk = again;
        unproven =
            flipped.is_some_and(|at| file.extension().is_some_and(|e| e == "log") && is_unproven(&bytes, at));
        rot = flipped.map(|at| (file, at));
        daemon = TestDaemon::at(&top.join("disk"));
    }
    counts.rotten += u64::from(rot.is_some());
    let mut end = end_of(&mut daemon, recorded, position, rot.is_some());
    if unproven && end.as_ref().is_err_and(|what| what.contains(FEWER)) {
        end = Ok(RunEnd::CutOff);
    }
    let said = daemon.said();
    daemon.kill();
    drop(daemon);
    drop(disk);
    end.map(Some).map_err(|what| {
        let failed = recorded.failed;
        format!(
            "{kind:?}, cut at {position} of {}, {failed} failed calls, {rot:?}: {what}\n{said}",
            recorded.log.position()
        )
    })
}

fn faults_leave_whole_jobs_or_a_report(kind: FileSystem) {
    if let Some(why) = absent(kind) {
        println!("no faults on {kind:?}: {why}; skipped");
        return;
    }
    let mut dice = fastrand::Rng::with_seed(number("SEED", 1));
    let (mut counts, mut found) = (EndCounts::default(), Vec::new());
    let cuts = number("FAULTS", 4);
    for nth in 0..cuts.div_ceil(CUTS_OF_ONE) {
        let scratch = tempfile::Builder::new().prefix("editd-power-").tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let recorded = match record(&top, kind, &mut dice, &mut counts) {
            Err(why) if why.contains("not permitted") || why.contains("unknown filesystem") => {
                println!("no faults on {kind:?}: {why}; skipped");
                return;
            }
            recorded => recorded.unwrap(),
        };
        found.extend(recorded.unexplained.iter().map(|one| format!("{kind:?}: {one}")));
        for _ in 0..CUTS_OF_ONE.min(cuts - nth * CUTS_OF_ONE) {
            match examine(&top, kind, &recorded, &mut dice, &mut counts) {
                Ok(Some(RunEnd::Served)) => counts.served += 1,
                Ok(Some(RunEnd::Salvaged)) => counts.salvaged += 1,
                Ok(Some(RunEnd::SalvagedWithLosses)) => counts.with_losses += 1,
                Ok(Some(RunEnd::CutOff)) => counts.cut_off += 1,
                Ok(Some(RunEnd::Refused)) => counts.refused += 1,
                Ok(None) => counts.unmounted += 1,
                Err(what) => found.push(what),
            }
        }
    }
    let EndCounts { served, salvaged, with_losses, cut_off, refused, unmounted, rotten, failed_calls, kills } =
        counts;
    println!(
        "{kind:?}: {cuts} cuts, {failed_calls} failed calls, {kills} kills on the failing disk, {rotten} flipped bits: \
         {served} intact and served, {salvaged} reported and salvaged, {with_losses} with a file whose content was lost, {cut_off} cut off, {refused} refused with instructions, \
         {unmounted} not mounted, {} complaints",
        found.len()
    );
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn ext4_with_faults_loses_nothing_without_a_report() {
    faults_leave_whole_jobs_or_a_report(FileSystem::Ext4);
}

#[test]
fn xfs_with_faults_loses_nothing_without_a_report() {
    faults_leave_whole_jobs_or_a_report(FileSystem::Xfs);
}

#[test]
fn btrfs_with_faults_loses_nothing_without_a_report() {
    faults_leave_whole_jobs_or_a_report(FileSystem::Btrfs);
}
