//! The properties of a workspace that is opened on an image of a machine whose process was ended: the job is applied
//! to all its files or to none, a reply holds, nothing else changed, and undo is exact.

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{Durability, EntryKind, EntrySummary, JobStatus, UndoRequest};

use super::crash_image::{CrashImage, CrashKind, ReplyState};
use super::sim_scenario::{BaselineRun, ChangeRequest, KEY, SimScenario};
use super::sim_workspace::SimWorkspace;
use super::visible_files::VisibleFiles;

/// The complaint about files with other links than expected.
pub const LINKS_DIFFER: &str = "these files have lost or won names";

/// The state of the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JobState {
    NotApplied,
    Applied(JobId),
}

/// One look at one image.
struct ImageCheck<'a> {
    scenario: &'a SimScenario,
    baseline: &'a BaselineRun,
    image: &'a CrashImage,
    found: Vec<String>,
}

/// The thoroughness of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckDepth {
    /// Checks the files and the journal.
    Quick,
    /// Also: settling, opening again, the same key again, undo.
    Full,
}

/// Opens an image and says what is not as it must be. The image is used up.
#[must_use]
pub fn check_image(
    scenario: &SimScenario,
    baseline: &BaselineRun,
    image: &CrashImage,
    depth: CheckDepth,
) -> Vec<String> {
    let mut check = ImageCheck { scenario, baseline, image, found: Vec::new() };
    if let Err(error) = check.run(depth) {
        check.found.push(error);
    }
    check.found.iter().map(|what| format!("{}: {image:?}: {what}", scenario.name)).collect()
}

impl ImageCheck<'_> {
    fn run(&mut self, depth: CheckDepth) -> Result<(), String> {
        let machine = &self.image.machine;
        let workspace = self.scenario.open(machine).map_err(|error| format!("cannot be opened: {error}"))?;
        let state = self.journal(&workspace, "")?;
        self.files(&VisibleFiles::of(machine), state, "");
        let owed = self.image.answer == ReplyState::Applied
            && (self.image.crash == CrashKind::Kill || self.scenario.durability() != Durability::Relaxed);
        if owed && state == JobState::NotApplied {
            self.found.push(format!("the answered job is gone; notes: {:?}", workspace.notes));
        }
        if self.image.answer == ReplyState::Refused && state != JobState::NotApplied {
            self.found.push("the refused job is there".to_owned());
        }
        self.clips(&workspace, state)?;
        if depth == CheckDepth::Quick {
            return Ok(());
        }
        self.settled(&workspace, state);
        drop(workspace);
        let machine = machine.kill();
        let again =
            self.scenario.open(&machine).map_err(|error| format!("cannot be opened again: {error}"))?;
        if self.journal(&again, "opened again, ")? != state {
            self.found.push("opened again, it is on the other state".to_owned());
        }
        self.files(&VisibleFiles::of(&machine), state, "opened again, ");
        drop(again);
        self.sent_again(state)?;
        if let JobState::Applied(id) = state {
            self.undone(id)?;
        }
        Ok(())
    }

    /// Checks the journal: it has every earlier job, has the tested job or not, and records no outside change that
    /// did not happen.
    fn journal(&mut self, workspace: &SimWorkspace, when: &str) -> Result<JobState, String> {
        let entries = workspace.entries()?;
        for id in self.baseline.priors.iter().filter(|id| entries.iter().all(|entry| entry.id != **id)) {
            self.found.push(format!("{when}the earlier entry {id} is gone"));
        }
        let told = |entry: &EntrySummary| format!("{:?} {} {:?}", entry.kind, entry.id, entry.label);
        let exempt = self.exempt();
        for entry in entries.iter().filter(|entry| entry.kind == EntryKind::External || entry.diverged) {
            // A cut may take the outside entry, which nobody flushed: then the entry below it shows the outside change.
            let known = !entry.diverged || self.baseline.priors.contains(&entry.id);
            let theirs = |path: &String| known && self.baseline.others.contains(path);
            // What a cut leaves of bytes that nobody flushed is no file that anybody wrote.
            let may = |path: String| exempt.contains(&path) || theirs(&path);
            if !entry.files.iter().all(|file| may(file.path.display())) {
                let diverged = if entry.diverged { "diverged" } else { "invented" };
                let notes = &workspace.notes;
                self.found.push(format!("{when}{diverged}: {}; notes: {notes:?}", told(entry)));
            }
        }
        let tested = entries.iter().find(|entry| entry.key.as_deref() == Some(KEY));
        Ok(tested.map_or(JobState::NotApplied, |entry| JobState::Applied(entry.id)))
    }

    /// Paths of which nothing can be asked where the job is not there: bytes that nobody had flushed were lost with
    /// the power.
    fn exempt(&self) -> Vec<String> {
        match self.image.crash {
            CrashKind::Kill => Vec::new(),
            CrashKind::Cut(_) if self.scenario.durability() == Durability::Relaxed => {
                self.baseline.paths.clone()
            }
            CrashKind::Cut(_) => self.scenario.young_paths.clone(),
        }
    }

    fn files(&mut self, view: &VisibleFiles, state: JobState, when: &str) {
        let (should, except) = match state {
            JobState::NotApplied => (&self.baseline.before, self.exempt()),
            JobState::Applied(_) => (&self.baseline.after, Vec::new()),
        };
        let differences = view.differences(should, &except);
        let what = differences.into_iter().map(|what| format!("{when}{what} ({state:?})"));
        self.found.extend(what);
    }

    fn clips(&mut self, workspace: &SimWorkspace, state: JobState) -> Result<(), String> {
        let should = match state {
            JobState::NotApplied => &self.baseline.clips_before,
            JobState::Applied(_) => &self.baseline.clips_after,
        };
        let clips = workspace.clips()?;
        if clips != *should {
            self.found.push(format!("clipboards are {clips:?} instead of {should:?}"));
        }
        Ok(())
    }

    /// Settling comes to an end, leaves no slot, and changes nothing.
    fn settled(&mut self, workspace: &SimWorkspace, state: JobState) {
        if !workspace.settle() {
            self.found.push("it never settles".to_owned());
        }
        let view = VisibleFiles::of(&workspace.machine);
        if !view.staged_files.is_empty() {
            self.found.push(format!("settled, these staged_files are left: {:?}", view.staged_files));
        }
        self.files(&view, state, "settled, ");
        let should = if state == JobState::NotApplied { &self.baseline.before } else { &self.baseline.after };
        let parted = should.links.iter().filter(|(path, links)| view.links.get(*path) != Some(links));
        let except = if state == JobState::NotApplied { self.exempt() } else { Vec::new() };
        let parted: Vec<&String> =
            parted.map(|(path, _)| path).filter(|path| !except.contains(path)).collect();
        if !parted.is_empty() {
            self.found.push(format!("settled, {LINKS_DIFFER}: {parted:?}"));
        }
    }

    /// The same key is the same job: done once, whether it was there or not.
    fn sent_again(&mut self, state: JobState) -> Result<(), String> {
        if state == JobState::NotApplied && !self.exempt().is_empty() {
            return Ok(());
        }
        let machine = self.image.machine.fork();
        let workspace = self.scenario.open(&machine)?;
        let receipt = workspace.send(&self.scenario.job, KEY);
        let right = match state {
            JobState::NotApplied => receipt.status == JobStatus::Applied && !receipt.repeated,
            JobState::Applied(id) => receipt.repeated && receipt.job == Some(id),
        };
        // A cut may take receipts and outside entries, which nobody flushed: then the job is refused, or planned on the
        // present content in place of a merge.
        let cut = self.image.crash != CrashKind::Kill;
        if cut && right && self.baseline.rebased && !receipt.rebased && !receipt.repeated {
            return Ok(());
        }
        let code = receipt.error.as_ref().map(|error| error.code);
        if cut
            && state == JobState::NotApplied
            && matches!(code, Some(ErrorCode::Unread | ErrorCode::Stale | ErrorCode::NotFound))
        {
            self.files(&VisibleFiles::of(&machine), state, "sent again and refused, ");
            return Ok(());
        }
        if !right {
            let (status, error) = (receipt.status, receipt.error);
            self.found.push(format!("sent again ({state:?}): {status:?} {error:?}"));
        }
        let after = JobState::Applied(receipt.job.unwrap_or(JobId(0)));
        self.files(&VisibleFiles::of(&machine), after, "sent again, ");
        Ok(())
    }

    /// Its undo gives exactly what was before.
    fn undone(&mut self, id: JobId) -> Result<(), String> {
        let machine = self.image.machine.fork();
        let workspace = self.scenario.open(&machine)?;
        let undo = UndoRequest { jobs: vec![id], ..UndoRequest::default() };
        let receipt = workspace.send(&ChangeRequest::Undo(undo), "undo of it");
        if receipt.status != JobStatus::Applied {
            self.found.push(format!("its undo: {:?} {:?}", receipt.status, receipt.error));
        }
        let view = VisibleFiles::of(&machine);
        let differences = view.differences(&self.baseline.before, &[]);
        self.found.extend(differences.into_iter().map(|what| format!("undone, {what}")));
        Ok(())
    }
}
