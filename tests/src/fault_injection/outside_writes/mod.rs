//! Tests of outside writes: at every call of a job, and of its settling, another process does something to a file of
//! the job. Its bytes are afterwards at their path or in the journal, and the job was applied before it, after it, or
//! not at all.

pub mod action;
pub mod append_to_all;
pub mod exempt_calls;
pub mod permitted_states;
pub mod two_writers;

use std::sync::{Arc, Mutex, PoisonError};

use editd_proto::error::ErrorCode;
use editd_proto::message::{JobStatus, Receipt};
use memchr::memmem;

use super::content_log::{AT_START, ContentLog, removed_by};
use super::crash::TestReport;
use super::crash_image::{CrashImage, CutSample, ImageRecorder};
use super::sim_scenario::{BaselineRun, KEY, SimScenario};
use super::sim_workspace::SimWorkspace;
use super::strict;
use super::visible_files::VisibleFiles;
use crate::sim::{HookTiming, OutsideFile, OutsideProcess, SeededRandom, SnapshotNode};
use action::OutsideAction;
use exempt_calls::ExemptCalls;
use permitted_states::PermittedStates;

/// The extent of a test.
#[derive(Clone, Copy, Debug)]
pub struct OutsideWritePlan {
    /// The seed of the random choices.
    pub seed: u64,
    /// One of this number of outside writes is tested, on average.
    pub one_in: u64,
    /// The number of kills after each outside write at most.
    pub kills: usize,
    /// The number of complaints after which the test stops.
    pub enough: usize,
}

/// A descriptor that the other process keeps.
type HeldFile = Arc<Mutex<Option<OutsideFile>>>;

/// The words by which what was written is known again.
pub(super) fn tag(nth: u64) -> String {
    format!("foreign-{nth}-bytes")
}

/// Returns the calls before which an outside write on the files of a scenario may be lost, as `disk` documents them.
#[must_use]
pub fn exempt_calls(baseline: &BaselineRun) -> ExemptCalls {
    ExemptCalls::of(&baseline.trace).after(baseline.calls[0])
}

/// Plays a scenario with every outside write on one of its files at every call.
#[must_use]
pub fn check(
    scenario: &SimScenario,
    path: &str,
    actions: &[OutsideAction],
    plan: &OutsideWritePlan,
) -> TestReport {
    let mut report = TestReport::default();
    let mut dice = SeededRandom::new(plan.seed);
    for action in actions {
        let permitted = match PermittedStates::of(scenario, path, *action) {
            Ok(Some(permitted)) => permitted,
            Ok(None) => continue,
            Err(error) => {
                report.found.push(format!("{}: {action:?}: {error}", scenario.name));
                continue;
            }
        };
        let [first, answered, last] = permitted.calls;
        for call in first + 1..=last {
            if report.found.len() >= plan.enough {
                return report;
            }
            // A writer that rests longer than the grace time is not noticed where there are no leases.
            let unnoticed =
                *action == OutsideAction::AppendHeld && call > answered && !scenario.features.leases;
            let exempt = unnoticed
                || permitted.exempt_calls.contain(*action, call)
                || permitted.exempt_calls.rewrites() && action.reads();
            if exempt || !dice.next_number().is_multiple_of(plan.one_in) {
                continue;
            }
            let mut run = OutsideWriteRun {
                scenario,
                path,
                action: *action,
                call,
                permitted: &permitted,
                found: Vec::new(),
                images: 0,
            };
            if let Err(error) = run.all(plan, &mut dice) {
                run.found.push(error);
            }
            report.images += run.images;
            let line = |what| format!("{}: {action:?} on {path} at call {call}: {what}", scenario.name);
            report.found.extend(run.found.into_iter().map(line));
        }
    }
    report
}

/// One outside write at one call.
struct OutsideWriteRun<'a> {
    scenario: &'a SimScenario,
    path: &'a str,
    action: OutsideAction,
    call: u64,
    permitted: &'a PermittedStates,
    found: Vec<String>,
    images: usize,
}

/// The result of the outside write.
#[derive(Default)]
struct ActionNotes {
    done: Option<Result<(), String>>,
    content_log: ContentLog,
}

impl OutsideWriteRun<'_> {
    fn all(&mut self, plan: &OutsideWritePlan, dice: &mut SeededRandom) -> Result<(), String> {
        let machine = self.scenario.machine();
        let workspace = self.scenario.begin(&machine)?;
        let held: HeldFile = Arc::new(Mutex::new(self.action.prepare(&machine.outside(), self.path)));
        let recorder = ImageRecorder::new(CutSample { limit: 0, seed: plan.seed });
        let notes = self.schedule(&workspace, &held, (plan.kills > 0).then(|| recorder.clone()));
        let receipt = workspace.send(&self.scenario.job, KEY);
        workspace.settle();
        let ActionNotes { done, content_log } = std::mem::take(&mut *lock(&notes));
        if let Some(Err(error)) = done {
            // What cannot be done does no harm.
            let _not_done = error;
            return Ok(());
        }
        lock(&held).take();
        workspace.release();
        if !workspace.settle() {
            self.found.push("it never settles".to_owned());
        }
        if done.is_some() {
            self.images += 1;
            self.check_state(&workspace, Some(&receipt), &content_log, "")?;
        }
        drop(workspace);
        let [_, answered, _] = self.permitted.calls;
        let torn = self.permitted.exempt_calls.may_tear_when_killed(self.call, answered);
        let kills = if torn { 0 } else { plan.kills };
        let images = sample(recorder.finish(&machine), kills, dice);
        images.iter().try_for_each(|image| self.killed(image, &content_log))
    }

    /// Schedules the outside write, and images after it.
    fn schedule(
        &self,
        workspace: &SimWorkspace,
        held: &HeldFile,
        recorder: Option<ImageRecorder>,
    ) -> Arc<Mutex<ActionNotes>> {
        let mut content_log = ContentLog::default();
        content_log.add_files(AT_START, &VisibleFiles::of(&self.scenario.machine()), |_, _| true);
        content_log.add_files("before the job", &VisibleFiles::of(&workspace.machine), |_, _| true);
        content_log.add_removed(workspace.removed());
        if self.action == OutsideAction::Append {
            content_log.permit_appends();
        }
        let notes = Arc::new(Mutex::new(ActionNotes { done: None, content_log }));
        let (noted, held, action) = (Arc::clone(&notes), Arc::clone(held), self.action);
        let (path, same) = (self.path.to_owned(), workspace.machine.clone());
        workspace.machine.at_call(self.call, HookTiming::Before, move |outside| {
            // Where a job has put a copy in its place, the file that was held is theirs all the same.
            let had = lock(&held).as_ref().map(OutsideFile::read);
            let run = |outside: &OutsideProcess| action.run(outside, lock(&held).as_ref(), &path, &tag(0));
            let (ran, taken) = removed_by(outside, run);
            let mut notes = lock(&noted);
            notes.done = Some(ran.map_err(|error| error.to_string()));
            notes.content_log.add_removed(taken);
            notes.content_log.add_removed(had);
            if let Some(bytes) = action.wrote(outside, lock(&held).as_ref(), &path) {
                notes.content_log.add("what others wrote", &bytes, false);
            }
            drop(notes);
            if let Some(recorder) = recorder {
                recorder.record_from_this_call(&same);
            }
        });
        notes
    }

    /// Checks a kill of the daemon after the outside write.
    fn killed(&mut self, image: &CrashImage, content_log: &ContentLog) -> Result<(), String> {
        self.images += 1;
        let when = format!("{image:?}: ");
        let workspace = restarted(self.scenario, image, &mut self.found)?;
        self.check_state(&workspace, None, content_log, &when)
    }

    fn check_state(
        &mut self,
        workspace: &SimWorkspace,
        receipt: Option<&Receipt>,
        content_log: &ContentLog,
        when: &str,
    ) -> Result<(), String> {
        let PermittedStates { alone, on_top, below, journaled, .. } = self.permitted;
        let view = VisibleFiles::of(&workspace.machine);
        let held = !self.action.writes() || is_held(workspace, &view, &tag(0))?;
        if !held {
            self.found.push(format!("{when}what was written is lost; {}", describe(receipt)));
        }
        let lost = content_log.lost(&workspace.machine, false)?;
        self.found.extend(lost.into_iter().map(|what| format!("{when}{what}; {}", describe(receipt))));
        if receipt
            .and_then(|receipt| receipt.error.as_ref())
            .is_some_and(|error| error.code == ErrorCode::Internal)
        {
            self.found.push(format!("{when}a mistake of the daemon: {}", describe(receipt)));
        }
        let applied =
            receipt.map(|receipt| matches!(receipt.status, JobStatus::Applied | JobStatus::Partial));
        let may = |view: &VisibleFiles| match applied {
            // On another mount a slot goes with the folder, and what was put there cannot be taken back.
            Some(false) if self.action == OutsideAction::MoveFolder && !strict() => {
                view.files == alone.files
                    || self.permitted.rolled_back_around(view, self.action.reach(self.path))
            }
            Some(false) => view.files == alone.files,
            Some(true) => [on_top, below, journaled].iter().any(|end| view.files == end.files),
            None => {
                let reach = self.action.reach(self.path);
                // After a kill, recovery does not find the job's files in a folder that was moved meanwhile.
                let in_moved = self.action == OutsideAction::MoveFolder;
                // Without exchange, a second name that is made between two calls of a move looks like another move.
                let as_moved = self.action == OutsideAction::Link && !self.scenario.features.exchange;
                self.permitted.contain(view)
                    || (as_moved && self.permitted.rolled_back_without(view, self.path))
                    || self.permitted.rolled_back_around(view, reach)
                    || (in_moved && self.permitted.rolled_back_except(view, reach))
            }
        };
        if !may(&view) {
            let against =
                |name: &str, end: &VisibleFiles| format!("{name}: {}", view.differences(end, &[]).join(", "));
            self.found.push(format!(
                "{when}what stands is no order of the two; {}; {}; {}",
                describe(receipt),
                against("the outside write alone would be", alone),
                against("the job alone would be", journaled),
            ));
        }
        Ok(())
    }
}

/// Chooses some of the images.
fn sample(mut images: Vec<CrashImage>, kills: usize, dice: &mut SeededRandom) -> Vec<CrashImage> {
    while images.len() > kills {
        let at = usize::try_from(dice.next_number()).unwrap_or(usize::MAX) % images.len();
        images.remove(at);
    }
    images
}

/// Starts the next daemon on an image, and waits until all entries are settled.
fn restarted(
    scenario: &SimScenario,
    image: &CrashImage,
    found: &mut Vec<String>,
) -> Result<SimWorkspace, String> {
    let opened = scenario.open(&image.machine);
    let workspace = opened.map_err(|error| format!("{image:?}: cannot be opened: {error}"))?;
    if !workspace.settle() {
        found.push(format!("{image:?}: it never settles"));
    }
    Ok(workspace)
}

fn describe(receipt: Option<&Receipt>) -> String {
    match receipt {
        None => "killed".to_owned(),
        Some(receipt) => {
            let error = receipt.error.as_ref().map(|error| (&error.code, &error.message));
            format!("{:?} {error:?}", receipt.status)
        }
    }
}

/// Returns true if the bytes are in a file of the workspace or in an entry of the journal.
pub(super) fn is_held(workspace: &SimWorkspace, view: &VisibleFiles, word: &str) -> Result<bool, String> {
    let in_file = |seen: &SnapshotNode| match seen {
        SnapshotNode::File { bytes, .. } => memmem::find(bytes, word.as_bytes()).is_some(),
        _ => false,
    };
    Ok(view.files.values().any(in_file) || is_in_journal(workspace, word)?)
}

/// Returns true if the diff of an entry has the text.
///
/// # Errors
/// If the journal cannot be read.
pub fn is_in_journal(workspace: &SimWorkspace, word: &str) -> Result<bool, String> {
    for entry in workspace.entries()? {
        if workspace.show(entry.id)?.changes.iter().any(|change| change.diff.contains(word)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
