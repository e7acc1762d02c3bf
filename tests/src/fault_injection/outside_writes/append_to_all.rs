//! A program that appends to all files of a job at once, before each call of the job, so that the job meets another
//! change of each file while it rolls back. Afterwards, what was appended is in a file or in the journal, and without it
//! the files show the job in all of them or in none.

use std::sync::{Arc, Mutex};

use editd_proto::message::JobStatus;
use memchr::memmem;

use super::action::OutsideAction;
use super::{OutsideWritePlan, describe, exempt_calls, is_held, lock, restarted, sample, tag};
use crate::fault_injection::content_log::{AT_START, ContentLog, removed_by};
use crate::fault_injection::crash::TestReport;
use crate::fault_injection::crash_image::{CrashImage, CutSample, ImageRecorder};
use crate::fault_injection::sim_scenario::{BaselineRun, KEY, SimScenario};
use crate::fault_injection::sim_workspace::{ROOT, SimWorkspace};
use crate::fault_injection::visible_files::VisibleFiles;
use crate::sim::{HookTiming, OutsideProcess, SeededRandom, SnapshotNode};

/// Plays a scenario with such a program before each of its calls.
#[must_use]
pub fn check(scenario: &SimScenario, plan: &OutsideWritePlan) -> TestReport {
    let mut report = TestReport::default();
    let baseline = match scenario.baseline() {
        Ok(baseline) => baseline,
        Err(error) => {
            report.found.push(format!("{}: {error}", scenario.name));
            return report;
        }
    };
    let exempt = exempt_calls(&baseline);
    let mut dice = SeededRandom::new(plan.seed);
    let [first, answered, last] = baseline.calls;
    for call in first + 1..=last {
        if report.found.len() >= plan.enough {
            break;
        }
        if exempt.contain(OutsideAction::Append, call) || !dice.next_number().is_multiple_of(plan.one_in) {
            continue;
        }
        let kills = if exempt.may_tear_when_killed(call, answered) { 0 } else { plan.kills };
        let mut run = AppendRun { scenario, baseline: &baseline, call, found: Vec::new(), images: 0 };
        if let Err(error) = run.play(kills, plan.seed, &mut dice) {
            run.found.push(error);
        }
        report.images += run.images;
        let line = |what| format!("{}: appended to all at call {call}: {what}", scenario.name);
        report.found.extend(run.found.into_iter().map(line));
    }
    report
}

/// The program before one call.
struct AppendRun<'a> {
    scenario: &'a SimScenario,
    baseline: &'a BaselineRun,
    call: u64,
    found: Vec<String>,
    images: usize,
}

/// The changes that the program made.
#[derive(Clone, Default)]
struct Appended {
    tags: Vec<String>,
    contents: ContentLog,
}

impl AppendRun<'_> {
    fn play(&mut self, kills: usize, seed: u64, dice: &mut SeededRandom) -> Result<(), String> {
        let machine = self.scenario.machine();
        let workspace = self.scenario.begin(&machine)?;
        let recorder = ImageRecorder::new(CutSample { limit: 0, seed });
        let appended = self.schedule(&workspace, (kills > 0).then(|| recorder.clone()));
        let receipt = workspace.send(&self.scenario.job, KEY);
        workspace.release();
        if !workspace.settle() {
            self.found.push("it never settles".to_owned());
        }
        let appended = lock(&appended).clone();
        if appended.tags.is_empty() {
            return Ok(());
        }
        self.images += 1;
        let applied = matches!(receipt.status, JobStatus::Applied | JobStatus::Partial);
        self.check_state(&workspace, &appended, Some(applied), &describe(Some(&receipt)))?;
        drop(workspace);
        let images = sample(recorder.finish(&machine), kills, dice);
        images.iter().try_for_each(|image| self.killed(image, &appended))
    }

    /// Schedules the program, and images after it.
    fn schedule(&self, workspace: &SimWorkspace, recorder: Option<ImageRecorder>) -> Arc<Mutex<Appended>> {
        let mut contents = ContentLog::default();
        contents.add_files(AT_START, &VisibleFiles::of(&self.scenario.machine()), |_, _| true);
        contents.add_files("before the job", &VisibleFiles::of(&workspace.machine), |_, _| true);
        contents.add_removed(workspace.removed());
        contents.permit_appends();
        let appended = Arc::new(Mutex::new(Appended { tags: Vec::new(), contents }));
        let (noted, paths) = (Arc::clone(&appended), self.baseline.paths.clone());
        let same = workspace.machine.clone();
        workspace.machine.at_call(self.call, HookTiming::Before, move |outside| {
            let mut noted = lock(&noted);
            let (tags, removed) = removed_by(outside, |outside| append_to(outside, &paths));
            noted.tags = tags;
            noted.contents.add_removed(removed);
            for path in &paths {
                if let Ok(bytes) = outside.read(&format!("{ROOT}/{path}")) {
                    noted.contents.add(&format!("{path} with what was appended"), &bytes, false);
                }
            }
            drop(noted);
            if let Some(recorder) = recorder {
                recorder.record_from_this_call(&same);
            }
        });
        appended
    }

    /// Checks a kill of the daemon after the program.
    fn killed(&mut self, image: &CrashImage, appended: &Appended) -> Result<(), String> {
        self.images += 1;
        let workspace = restarted(self.scenario, image, &mut self.found)?;
        self.check_state(&workspace, appended, None, &format!("{image:?}"))
    }

    /// Checks the files; `applied` is `None` if the daemon was killed.
    fn check_state(
        &mut self,
        workspace: &SimWorkspace,
        appended: &Appended,
        applied: Option<bool>,
        when: &str,
    ) -> Result<(), String> {
        let view = VisibleFiles::of(&workspace.machine);
        for tag in &appended.tags {
            if !is_held(workspace, &view, tag)? {
                self.found.push(format!("{when}: {tag:?} is lost"));
            }
        }
        let lost = appended.contents.lost(&workspace.machine, false)?;
        self.found.extend(lost.into_iter().map(|what| format!("{when}: {what}")));
        let BaselineRun { before, after, .. } = self.baseline;
        let (stripped, appended_to) = without(&view, &appended.tags);
        let shows = |end: &VisibleFiles| {
            // A file that the job made, and to which others appended, is not removed.
            let kept = |path: &String| !before.files.contains_key(path) && appended_to.contains(path);
            let paths = stripped.files.keys().chain(end.files.keys());
            paths.filter(|path| !kept(path)).all(|path| stripped.files.get(path) == end.files.get(path))
        };
        let permitted = match applied {
            // Without exchange, a file to which others appended stays as it is, also if the job is tried again.
            _ if !self.scenario.features.exchange => true,
            Some(true) => shows(after),
            Some(false) => shows(before),
            None => shows(before) || shows(after),
        };
        if !permitted {
            let [before, after] = [before, after].map(|end| stripped.differences(end, &[]).join(", "));
            self.found.push(format!(
                "{when}: neither before the job ({before}) nor after it ({after}); {applied:?}"
            ));
        }
        Ok(())
    }
}

/// Appends to each of the files that is there, and returns what was appended.
fn append_to(outside: &OutsideProcess, paths: &[String]) -> Vec<String> {
    let mut tags = Vec::new();
    for (path, nth) in paths.iter().zip(0..) {
        let name = format!("{ROOT}/{path}");
        let Ok(bytes) = outside.read(&name) else { continue };
        let line_break = if memmem::find(&bytes, b"\r\n").is_some() { "\r\n" } else { "\n" };
        let tag = format!("{}{line_break}", tag(nth));
        if outside.append(&name, tag.as_bytes()).is_ok() {
            tags.push(tag);
        }
    }
    tags
}

/// Returns the files without what was appended, and the paths of those that have it.
fn without(view: &VisibleFiles, tags: &[String]) -> (VisibleFiles, Vec<String>) {
    let mut view = view.clone();
    let mut with = Vec::new();
    for (path, node) in &mut view.files {
        let SnapshotNode::File { bytes, .. } = node else { continue };
        for tag in tags {
            while let Some(at) = memmem::find(bytes, tag.as_bytes()) {
                bytes.drain(at..at + tag.len());
                with.push(path.clone());
            }
        }
    }
    (view, with)
}
