//! One run: the job of a scenario with its events, and the final states that follow. It notes the contents in
//! between; `final_state` checks them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use editd::testing::content_hash;
use editd_proto::error::ErrorCode;
use editd_proto::message::{Durability, JobStatus, Receipt};

use super::final_state::FinalState;
use super::{CombinedPlan, RunEvents};
use crate::fault_injection::content_log::{AT_START, ContentLog, removed_by};
use crate::fault_injection::crash_image::{CrashImage, CrashKind, CutSample, ImageRecorder, ReplyState};
use crate::fault_injection::faults::InjectedFault;
use crate::fault_injection::outside_writes::action::OutsideAction;
use crate::fault_injection::outside_writes::permitted_states::PermittedStates;
use crate::fault_injection::outside_writes::tag;
use crate::fault_injection::sim_scenario::{BaselineRun, KEY, SimScenario};
use crate::fault_injection::sim_workspace::{ROOT, SimWorkspace};
use crate::fault_injection::visible_files::VisibleFiles;
use crate::sim::{HookTiming, OutsideFile, OutsideProcess, SeededRandom, SimMachine};

/// The power cuts to test after one effect.
const CUTS: usize = 5;
/// One of this number of effects is tested.
const ONE_IN: u64 = 6;

/// One run of a scenario.
pub(super) struct CombinedRun<'a> {
    pub(super) scenario: &'a SimScenario,
    pub(super) baseline: &'a BaselineRun,
    /// The file to which others do something.
    pub(super) path: &'a str,
    pub(super) events: RunEvents,
    /// The permitted states of that path; `None` if no other process does anything.
    pub(super) permitted: Option<&'a PermittedStates>,
    pub(super) plan: &'a CombinedPlan,
    dice: SeededRandom,
    seed: u64,
    pub(super) found: Vec<String>,
    pub(super) images: usize,
}

/// The notes taken while the machine runs.
struct RunNotes {
    /// True if the outside write was done; `None` before.
    done: Option<bool>,
    content_log: ContentLog,
    held: Option<OutsideFile>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> CombinedRun<'a> {
    pub(super) fn new(
        scenario: &'a SimScenario,
        baseline: &'a BaselineRun,
        path: &'a str,
        events: RunEvents,
        permitted: Option<&'a PermittedStates>,
        plan: &'a CombinedPlan,
        seed: u64,
    ) -> Self {
        let dice = SeededRandom::new(seed);
        Self { scenario, baseline, path, events, permitted, plan, dice, seed, found: Vec::new(), images: 0 }
    }

    pub(super) fn all(&mut self) -> Result<(), String> {
        let machine = self.scenario.machine();
        machine.lie_about(self.plan.lies);
        let at_first = VisibleFiles::of(&machine);
        let workspace = self.scenario.begin(&machine)?;
        let notes = Arc::new(Mutex::new(self.begun(&workspace, &at_first)));
        let recorder = ImageRecorder::new(CutSample { limit: CUTS, seed: self.seed }).one_in(ONE_IN);
        self.schedule(&machine, &notes, &recorder);
        let receipt = workspace.send(&self.scenario.job, KEY);
        let answer = self.answer(&workspace, &receipt);
        let at_answer = VisibleFiles::of(&machine);
        recorder.answered(&machine, answer);
        if workspace.inner.flush().is_ok() && answer == ReplyState::Applied {
            recorder.answered(&machine, ReplyState::Sealed);
        }
        workspace.settle();
        machine.remove_faults();
        workspace.settle();
        lock(&notes).held.take();
        workspace.release();
        workspace.settle();
        let (done, log_before_reply) = {
            let notes = lock(&notes);
            (notes.done, notes.content_log.clone())
        };
        let content_log = self.answered(&log_before_reply, answer, &at_answer, &receipt);
        // What cannot be done does no harm.
        if self.events.action.is_some() && done != Some(true) {
            return Ok(());
        }
        if workspace.inner.failed().is_none() {
            let error = receipt.error.as_ref().map(|error| (&error.code, &error.message));
            let told = format!("still running, {:?} {error:?}", receipt.status);
            let (cut, stable, untold, when) = (false, true, false, told);
            let mut state = FinalState { run: self, answer, cut, stable, untold, when, found: Vec::new() };
            state.running(&workspace, &content_log)?;
            let found = state.found;
            self.found.extend(found);
        }
        drop(workspace);
        let images = self.chosen(recorder.finish(&machine));
        images.iter().try_for_each(|image| {
            let waiting = image.answer == ReplyState::Waiting;
            self.ended(image, if waiting { &log_before_reply } else { &content_log })
        })
    }

    /// Adds the contents at the moment of the reply. The content that the job made must be kept, too; what it made in
    /// an attempt that failed is not promised.
    fn answered(
        &self,
        waiting: &ContentLog,
        answer: ReplyState,
        view: &VisibleFiles,
        receipt: &Receipt,
    ) -> ContentLog {
        let mut content_log = waiting.clone();
        if answer == ReplyState::Applied {
            let promised = self.scenario.durability() != Durability::Relaxed;
            let made = |bytes: &[u8]| {
                let version = content_hash(bytes).version();
                receipt.files.iter().any(|file| file.after.as_ref() == Some(&version))
            };
            let linked = self.is_linked();
            let theirs = |path: &str| {
                let named = self.reach().is_some_and(|reach| path.starts_with(reach));
                named || (linked && self.has_links(path))
            };
            content_log.add_files("when it was answered", view, |path, bytes| {
                promised && (self.events.flushed || made(bytes) || !theirs(path))
            });
        }
        content_log
    }

    /// Notes the contents at the start of the job.
    fn begun(&self, workspace: &SimWorkspace, at_first: &VisibleFiles) -> RunNotes {
        // A cut may take what nobody had flushed, and tear what a relaxed job writes.
        let relaxed = self.scenario.durability() == Durability::Relaxed;
        let torn = if relaxed { self.baseline.paths.as_slice() } else { &[] };
        let old = |path: &str, _: &[u8]| {
            !self.scenario.young_paths.iter().chain(torn).any(|uncertain| uncertain == path)
        };
        let mut content_log = ContentLog::default();
        content_log.add_files(AT_START, at_first, old);
        content_log.add_files("before the job", &VisibleFiles::of(&workspace.machine), old);
        content_log.add_removed(workspace.removed());
        let action = self.events.action.map(|(action, _)| action);
        let held = action.and_then(|action| action.prepare(&workspace.machine.outside(), self.path));
        RunNotes { done: None, content_log, held }
    }

    /// Returns the common prefix of all names that others touch.
    pub(super) fn reach(&self) -> Option<&'a str> {
        Some(self.action()?.reach(self.path))
    }

    /// Returns the outside write of this run.
    pub(super) fn action(&self) -> Option<OutsideAction> {
        self.events.action.map(|(action, _)| action).or(self.events.while_down)
    }

    /// Returns true if the file that others touch has another name, or gets one by the job.
    pub(super) fn is_linked(&self) -> bool {
        self.reach().is_some() && self.has_links(self.path)
    }

    pub(super) fn has_links(&self, path: &str) -> bool {
        self.baseline.before.has_links(path) || self.baseline.after.has_links(path)
    }

    fn schedule(&self, machine: &SimMachine, notes: &Arc<Mutex<RunNotes>>, recorder: &ImageRecorder) {
        let RunEvents { action, fault, flushed, .. } = self.events;
        if let Some(fault) = fault {
            machine.fail_call(fault.call, fault.errno, fault.lasting);
        }
        let (recorder, same) = (recorder.clone(), machine.clone());
        let first = match (action, fault) {
            (Some((_, call)), _) => call,
            (None, Some(fault)) => fault.call,
            (None, None) => return recorder.record(machine),
        };
        let (notes, path) = (Arc::clone(notes), self.path.to_owned());
        machine.at_call(first, HookTiming::Before, move |outside| {
            if let Some((action, _)) = action {
                let mut notes = lock(&notes);
                let RunNotes { content_log, held, done } = &mut *notes;
                *done = Some(perform(action, outside, held.as_ref(), &path, flushed, content_log));
            }
            recorder.record_from_this_call(&same);
        });
    }

    fn answer(&mut self, workspace: &SimWorkspace, receipt: &Receipt) -> ReplyState {
        let error = receipt.error.as_ref();
        if error.is_some_and(|error| error.code == ErrorCode::Internal) {
            self.found.push(format!("a mistake of the daemon: {error:?}"));
        }
        let says = |words: &str| error.is_some_and(|error| error.message.contains(words));
        if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) || says("was applied") {
            ReplyState::Applied
        } else if workspace.inner.failed().is_some()
            || receipt.status == JobStatus::Unchanged
            || ["could not be rolled back yet", "the next start decides"].iter().any(|words| says(words))
        {
            ReplyState::Unsure
        } else {
            ReplyState::Refused
        }
    }

    fn chosen(&mut self, mut images: Vec<CrashImage>) -> Vec<CrashImage> {
        let answered = self.permitted.map_or(0, |permitted| permitted.calls[1]);
        if let (Some((_, call)), Some(permitted)) = (self.events.action, self.permitted)
            && permitted.exempt_calls.may_tear_when_killed(call, answered)
        {
            images.clear();
        }
        while images.len() > self.plan.images {
            let at = usize::try_from(self.dice.next_number()).unwrap_or(usize::MAX) % images.len();
            images.remove(at);
        }
        images
    }

    /// Starts a process one of whose calls fails, and ends it. The disk is whole again afterwards.
    fn failed_start(&mut self, machine: &SimMachine, fault: InjectedFault) -> (SimMachine, CrashKind) {
        let measured = machine.fork();
        if let Ok(workspace) = self.scenario.open(&measured) {
            workspace.settle();
        }
        machine.fail_call(1 + fault.call % measured.calls().max(1), fault.errno, fault.lasting);
        if let Ok(workspace) = self.scenario.open(machine) {
            workspace.settle();
        }
        machine.remove_faults();
        let cuts = machine.cuts(CUTS, self.seed);
        let nth = usize::try_from(self.dice.next_number()).unwrap_or(0) % (cuts.len() * 2);
        match cuts.into_iter().nth(nth) {
            Some(after) => (after, CrashKind::Cut(nth)),
            None => (machine.kill(), CrashKind::Kill),
        }
    }

    /// Checks an image on which the process has ended: another process may act, then the next one starts.
    fn ended(&mut self, image: &CrashImage, content_log: &ContentLog) -> Result<(), String> {
        let mut machine = image.machine.fork();
        let mut content_log = content_log.clone();
        let mut cut = image.crash != CrashKind::Kill;
        let mut stable = !cut || self.events.flushed;
        let mut when = format!("{image:?}");
        let mut untold = false;
        if let Some(action) = self.events.while_down {
            let outside = machine.outside();
            if !perform(action, &outside, None, self.path, self.events.flushed, &mut content_log) {
                return Ok(());
            }
            // What stood there when they came, the first cut may have made of it.
            stable = !cut;
            let cuts = machine.cuts(CUTS, self.seed);
            let nth = usize::try_from(self.dice.next_number()).unwrap_or(0) % (cuts.len() * 2);
            if let Some(after) = cuts.into_iter().nth(nth) {
                machine = after;
                untold = cut && image.answer != ReplyState::Sealed;
                cut = true;
                stable &= self.events.flushed;
                when = format!("{when}, then {:?}", CrashKind::Cut(nth));
            }
        }
        if let Some(fault) = self.events.in_recovery {
            let (after, crash) = self.failed_start(&machine, fault);
            machine = after;
            cut |= crash != CrashKind::Kill;
            stable = !cut || self.events.flushed;
            when = format!("{when}, then a start with a fault, then {crash:?}");
        }
        self.images += 1;
        let answer = image.answer;
        let mut state = FinalState { run: self, answer, cut, stable, untold, when, found: Vec::new() };
        let done = state.started(&machine, &content_log);
        let found = state.found;
        self.found.extend(found);
        done
    }
}

/// Performs an outside write and notes the contents that it removed and wrote; returns false if it fails.
fn perform(
    action: OutsideAction,
    outside: &OutsideProcess,
    held: Option<&OutsideFile>,
    path: &str,
    flushed: bool,
    content_log: &mut ContentLog,
) -> bool {
    // Where a job has put a copy in its place, the file that was held is theirs all the same.
    content_log.add_removed(held.map(OutsideFile::read));
    let (done, taken) = removed_by(outside, |outside| action.run(outside, held, path, &tag(0)));
    content_log.add_removed(taken);
    if action == OutsideAction::Append {
        content_log.permit_appends();
    }
    if done.is_err() {
        return false;
    }
    if let Some(bytes) = action.wrote(outside, held, path) {
        content_log.add(&format!("what others wrote to {ROOT}/{path}"), &bytes, flushed);
    }
    !flushed || outside.sync().is_ok()
}
