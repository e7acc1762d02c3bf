//! Background threads of the daemon during a job, on the simulated machine: settling, checks of hints, flushes and
//! upkeep run between any two calls of the job. The job is applied, no outside change is invented, and kills and
//! power cuts have the same results as without them.
//!
//! `EXHAUSTIVE=1` and `SCENARIO=…` as for `outside_writes`.

use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use editd_proto::message::JobStatus;
use editd_tests::fault_injection::crash_check::{CheckDepth, check_image};
use editd_tests::fault_injection::crash_image::{CrashImage, CrashKind, ReplyState};
use editd_tests::fault_injection::sim_scenario::{BaselineRun, KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::fault_injection::{chosen, exhaustive};
use editd_tests::sim::HookTiming;

/// Power cuts that are looked at behind one run.
const CUTS: usize = 2;
/// The time for which a job waits for the other thread. If that one waits for a lock of the job, both continue
/// concurrently.
const BESIDE: Duration = Duration::from_millis(20);

/// All that other threads of the daemon do in the end.
fn background_work(workspace: &SimWorkspace, paths: &[String]) {
    workspace.inner.settle(true);
    for path in paths {
        let _event = workspace.inner.observe(&path.as_str().into());
    }
    let _flushed = workspace.inner.flush();
    workspace.inner.upkeep();
    workspace.inner.settle(true);
}

/// The side that is interrupted by the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FirstThread {
    Job,
    Housekeeping,
}

/// One begins, and before one of its calls the other runs.
fn beside(
    scenario: &SimScenario,
    baseline: &BaselineRun,
    first: FirstThread,
    call: u64,
) -> Result<Vec<String>, String> {
    let machine = scenario.machine();
    let workspace = Arc::new(scenario.begin(&machine)?);
    let answered = Arc::new(Mutex::new(None));
    let job: Box<dyn FnOnce() + Send> = {
        let (workspace, scenario, answered) =
            (Arc::clone(&workspace), scenario.clone(), Arc::clone(&answered));
        Box::new(move || *answered.lock().unwrap() = Some(workspace.send(&scenario.job, KEY)))
    };
    let upkeep: Box<dyn FnOnce() + Send> = {
        let (workspace, paths) = (Arc::clone(&workspace), baseline.paths.clone());
        Box::new(move || background_work(&workspace, &paths))
    };
    let (begins, interrupts) = if first == FirstThread::Job { (job, upkeep) } else { (upkeep, job) };
    let running: Arc<Mutex<Option<JoinHandle<()>>>> = Arc::default();
    let started = Arc::clone(&running);
    machine.at_call(call, HookTiming::Before, move |_| {
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            interrupts();
            let _late = tell.send(());
        });
        let _in_time = told.recv_timeout(BESIDE);
        *started.lock().unwrap() = Some(thread);
    });
    begins();
    let thread = running.lock().unwrap().take();
    thread.map_or(Ok(()), JoinHandle::join).map_err(|_| "it panicked")?;
    // Housekeeping may have had no such call.
    let Some(receipt) = answered.lock().unwrap().take() else { return Ok(Vec::new()) };
    if receipt.status != JobStatus::Applied {
        return Err(format!("{:?}: {:?}", receipt.status, receipt.error));
    }
    let mut found = Vec::new();
    let mut look = |when: &str, crash: CrashKind, machine, depth| {
        let image = CrashImage { answer: ReplyState::Applied, crash, effects: 0, call: when.into(), machine };
        found.extend(check_image(scenario, baseline, &image, depth));
    };
    for when in ["answered", "settled"] {
        for (nth, machine) in machine.cuts(CUTS, call).into_iter().enumerate() {
            look(when, CrashKind::Cut(nth), machine, CheckDepth::Quick);
        }
        look(when, CrashKind::Kill, machine.fork(), CheckDepth::Quick);
        workspace.settle();
    }
    Ok(found)
}

/// The calls of background_work that nobody interrupts.
fn calls_of_background_work(scenario: &SimScenario, baseline: &BaselineRun) -> std::ops::RangeInclusive<u64> {
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let begun = machine.calls();
    background_work(&workspace, &baseline.paths);
    begun + 1..=machine.calls()
}

fn all_hold(scenarios: Vec<SimScenario>) {
    let mut found = Vec::new();
    let step = if exhaustive() { 1 } else { 7 };
    for scenario in chosen(scenarios) {
        let baseline = scenario.baseline().unwrap();
        let of_the_job = baseline.calls[0] + 1..=baseline.calls[1];
        for (first, calls) in [
            (FirstThread::Job, of_the_job),
            (FirstThread::Housekeeping, calls_of_background_work(&scenario, &baseline)),
        ] {
            for call in calls.step_by(step) {
                let complaints =
                    beside(&scenario, &baseline, first, call).unwrap_or_else(|error| vec![error]);
                let told = |what| format!("{}, {first:?} first, call {call}: {what}", scenario.name);
                found.extend(complaints.into_iter().map(told));
            }
        }
    }
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn background_work_may_run_between_any_two_calls_of_a_job() {
    all_hold(SimScenario::thorough());
}
