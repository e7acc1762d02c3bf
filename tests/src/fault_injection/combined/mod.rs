//! Tests of combined events: an outside write and then a power cut, a failed call and then a power cut, an outside
//! write and a failed call, an outside write while no daemon runs, a power cut and then a failed call in the recovery
//! from it. It plays a few of the many combinations, chosen by a seed.
//!
//! *Limitations*, which `STRICT=1` tests, too: a job whose seal was lost in a power cut may be rolled back if others
//! change one of its files and the power is cut once more before the next start, although its client had a reply; on
//! another mount a staged file moves with the folder that others move; a file that others moved, without a flush, may
//! have its old name again after a power cut, without the job that came after the move, and so may one whose further
//! name others took, or that they wrote to through an old descriptor; a mode that others set on a job's file is lost if
//! the job is then rolled back for a failed call; on a system without exchange, a job whose seal was lost may count as
//! applied although another program changed one of its files before, which then lacks the job's change; files in a folder
//! that others moved during a job keep its content where the job is rolled back after a kill. In no case is an older
//! content lost, which is always tested.

pub mod final_state;
pub mod run;

use std::collections::BTreeMap;

use super::crash::{TestReport, disks};
use super::faults::InjectedFault;
use super::outside_writes::action::OutsideAction;
use super::outside_writes::permitted_states::PermittedStates;
use super::sim_scenario::{BaselineRun, SimScenario};
use super::sim_workspace::SimWorkspace;

use crate::sim::{EIO, EMFILE, ENOSPC, FaultDuration, OsCall, SeededRandom};
use run::CombinedRun;

/// A combination of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventCombination {
    /// An outside write during the job; then a kill or a power cut.
    WriteThenCrash,
    /// A failed call; then a kill or a power cut.
    FaultThenCrash,
    /// An outside write and then a failed call; then a kill or a power cut.
    WriteAndFault,
    /// A kill or a power cut, then an outside write, then perhaps another power cut.
    WriteWhileDown,
    /// A kill or a power cut; then a call of the next start fails; then another kill or power cut.
    CrashThenFault,
}

impl EventCombination {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::WriteThenCrash,
        Self::FaultThenCrash,
        Self::WriteAndFault,
        Self::WriteWhileDown,
        Self::CrashThenFault,
    ];
}

/// The extent of a test.
#[derive(Clone, Copy, Debug)]
pub struct CombinedPlan {
    /// The seed of the random choices.
    pub seed: u64,
    /// The combinations to test.
    pub kinds: &'static [EventCombination],
    /// The number of pairs of an outside write and a file of the job, on each disk.
    pub pairs: usize,
    /// The number of runs of each pair.
    pub runs: usize,
    /// The number of images that are examined after each run.
    pub images: usize,
    /// Flushes that report success and do nothing, to test this test.
    pub lies: &'static [OsCall],
    /// The damage that a broken daemon would have done by the end of its recovery, to test this test.
    pub harm: Option<fn(&SimWorkspace, &SimScenario)>,
    /// The number of complaints after which the test stops.
    pub enough: usize,
}

/// The events of one run.
#[derive(Clone, Copy, Debug)]
pub struct RunEvents {
    /// Another process does something before this call.
    pub action: Option<(OutsideAction, u64)>,
    /// A call fails.
    pub fault: Option<InjectedFault>,
    /// Another process does something while no daemon runs.
    pub while_down: Option<OutsideAction>,
    /// A call of the next start fails: this one, modulo the number of its calls.
    pub in_recovery: Option<InjectedFault>,
    /// The process that acts then flushes all the system's files.
    pub flushed: bool,
}

/// Tests a scenario and returns the violations.
#[must_use]
pub fn check(scenario: &SimScenario, plan: &CombinedPlan) -> TestReport {
    let mut report = TestReport::default();
    for (nth, features) in disks(scenario.features).into_iter().enumerate() {
        let scenario = scenario.clone().on(features);
        let seed = SeededRandom::new(plan.seed ^ nth as u64 ^ u64::from(crc(&scenario.name)));
        let mut test = CombinedTest {
            scenario: &scenario,
            plan,
            dice: seed,
            permitted: BTreeMap::new(),
            report: &mut report,
        };
        if let Err(error) = test.all() {
            report.found.push(format!("{}: {error}", scenario.name));
        }
    }
    report
}

/// Tests a scenario with these events alone, `plan.runs` times with other images, on each disk, and returns the violations.
///
/// # Errors
/// If the scenario cannot be played.
pub fn check_events(
    scenario: &SimScenario,
    path: &str,
    events: RunEvents,
    plan: &CombinedPlan,
) -> Result<TestReport, String> {
    let mut report = TestReport::default();
    for features in disks(scenario.features) {
        let scenario = scenario.clone().on(features);
        let baseline = scenario.baseline()?;
        let action = events.action.map(|(action, _)| action).or(events.while_down);
        let permitted = match action {
            Some(action) => PermittedStates::of(&scenario, path, action)?,
            None => None,
        };
        for run in 0..plan.runs as u64 {
            let seed = plan.seed.wrapping_add(run);
            let mut run =
                CombinedRun::new(&scenario, &baseline, path, events, permitted.as_ref(), plan, seed);
            run.all()?;
            report.images += run.images;
            report.found.append(&mut run.found);
        }
    }
    Ok(report)
}

/// Returns another seed for each scenario.
fn crc(name: &str) -> u32 {
    name.bytes().fold(17, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)))
}

/// Returns the numbers of the calls that flush, in a run without events.
fn flushes(baseline: &BaselineRun) -> impl Iterator<Item = u64> {
    let lines = baseline.trace.iter().filter_map(|line| line.split_once(' '));
    lines.filter(|(_, op)| op.starts_with("Sync")).filter_map(|(call, _)| call.parse().ok())
}

struct CombinedTest<'a> {
    scenario: &'a SimScenario,
    plan: &'a CombinedPlan,
    dice: SeededRandom,
    permitted: BTreeMap<(usize, String), Option<PermittedStates>>,
    report: &'a mut TestReport,
}

impl CombinedTest<'_> {
    fn all(&mut self) -> Result<(), String> {
        let baseline = self.scenario.baseline()?;
        for kind in self.plan.kinds {
            for _ in 0..self.plan.pairs {
                let (nth, path) = self.pair(&baseline);
                for _ in 0..self.plan.runs {
                    if self.report.found.len() >= self.plan.enough {
                        return Ok(());
                    }
                    self.run(*kind, &baseline, nth, &path)?;
                }
            }
        }
        Ok(())
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.dice.next_number() % limit.max(1)
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        let at = self.below(of.len() as u64);
        of.get(usize::try_from(at).ok()?).cloned()
    }

    /// The number of an outside write, and a path.
    fn pair(&mut self, baseline: &BaselineRun) -> (usize, String) {
        let nth = usize::try_from(self.below(OutsideAction::ALL.len() as u64)).unwrap_or(0);
        (nth, self.pick(&baseline.paths).unwrap_or_default())
    }

    fn run(
        &mut self,
        kind: EventCombination,
        baseline: &BaselineRun,
        nth: usize,
        path: &str,
    ) -> Result<(), String> {
        let action = OutsideAction::ALL.get(nth).copied().unwrap_or(OutsideAction::Replace);
        let with_action =
            !matches!(kind, EventCombination::FaultThenCrash | EventCombination::CrashThenFault);
        if with_action && !self.permitted.contains_key(&(nth, path.to_owned())) {
            let permitted = PermittedStates::of(self.scenario, path, action)?;
            self.permitted.insert((nth, path.to_owned()), permitted);
        }
        let Some(events) = self.events(kind, baseline, action) else { return Ok(()) };
        let seed = self.dice.next_number();
        let permitted =
            self.permitted.get(&(nth, path.to_owned())).and_then(Option::as_ref).filter(|_| with_action);
        if with_action && permitted.is_none_or(|permitted| permitted.exempt_calls.may_lose(events.action)) {
            return Ok(());
        }
        // A writer that rests longer than the grace time is not noticed where there are no leases.
        let late = events
            .action
            .is_some_and(|(action, call)| action == OutsideAction::AppendHeld && call > baseline.calls[1]);
        if late && !self.scenario.features.leases {
            return Ok(());
        }
        // A call that fails then is as a kill.
        if let (Some(permitted), Some((_, call)), Some(_)) = (permitted, events.action, events.fault)
            && permitted.exempt_calls.may_tear_when_killed(call, permitted.calls[1])
        {
            return Ok(());
        }
        let mut run = CombinedRun::new(self.scenario, baseline, path, events, permitted, self.plan, seed);
        let error = run.all().err();
        self.report.images += run.images;
        let line = |what: String| format!("{}: {events:?} on {path}: {what}", self.scenario.name);
        self.report.found.extend(run.found.drain(..).chain(error).map(line));
        Ok(())
    }

    fn events(
        &mut self,
        kind: EventCombination,
        baseline: &BaselineRun,
        action: OutsideAction,
    ) -> Option<RunEvents> {
        let [first, answered, last] = baseline.calls;
        // Half of all while the job is underway.
        let end = if self.below(2) == 0 { answered } else { last };
        let call = first + 1 + self.below(end - first);
        let later = call + self.below(end.saturating_sub(call) + 1);
        let fault = |call, errno, lasting| InjectedFault { call, errno, lasting };
        // A flush that fails is worth more than another look that does.
        let flushes: Vec<u64> = flushes(baseline).filter(|at| (call..=last).contains(at)).collect();
        let later = if self.below(2) == 0 { self.pick(&flushes).unwrap_or(later) } else { later };
        let errno = self.pick(&[EIO, ENOSPC, EMFILE])?;
        let lasting = self.pick(&[FaultDuration::Once, FaultDuration::Once, FaultDuration::ForEver])?;
        let flushed = self.below(2) == 0;
        let calm = RunEvents { action: None, fault: None, while_down: None, in_recovery: None, flushed };
        Some(match kind {
            EventCombination::WriteThenCrash => RunEvents { action: Some((action, call)), ..calm },
            EventCombination::FaultThenCrash => {
                RunEvents { fault: Some(fault(later, errno, lasting)), ..calm }
            }
            EventCombination::WriteAndFault => {
                let fault = Some(fault(later, errno, lasting));
                RunEvents { action: Some((action, call)), fault, ..calm }
            }
            EventCombination::WriteWhileDown => RunEvents { while_down: Some(action), ..calm },
            EventCombination::CrashThenFault => {
                RunEvents { in_recovery: Some(fault(self.dice.next_number(), errno, lasting)), ..calm }
            }
        })
    }
}
