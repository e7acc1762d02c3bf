//! The properties of a workspace that is opened on an image of a machine whose process was ended: the job is applied
//! to all its files or to none, a reply holds, nothing else changed, and undo is exact.

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{Durability, EntryKind, EntrySummary, JobStatus, UndoRequest};

use super::image::{Answer, CrashKind, Image};
use super::sim_scenario::{BaselineRun, ChangeRequest, KEY, SimScenario};
use super::sim_workspace::SimWorkspace;
use super::view::View;

/// The state of the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Before,
    After(JobId),
}

/// One look at one image.
struct Look<'a> {
    scenario: &'a SimScenario,
    baseline: &'a BaselineRun,
    image: &'a Image,
    found: Vec<String>,
}

/// The thoroughness of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Checks the files and the journal.
    Quick,
    /// Also: settling, opening again, the same key again, undo.
    Whole,
}

/// Opens an image and says what is not as it must be. The image is used up.
#[must_use]
pub fn judge(scenario: &SimScenario, baseline: &BaselineRun, image: &Image, depth: Depth) -> Vec<String> {
    let mut look = Look { scenario, baseline, image, found: Vec::new() };
    if let Err(error) = look.at_all(depth) {
        look.found.push(error);
    }
    look.found.iter().map(|what| format!("{}: {image:?}: {what}", scenario.name)).collect()
}

impl Look<'_> {
    fn at_all(&mut self, depth: Depth) -> Result<(), String> {
        let machine = &self.image.machine;
        let workspace = self.scenario.open(machine).map_err(|error| format!("cannot be opened: {error}"))?;
        let side = self.journal(&workspace, "")?;
        self.files(&View::of(machine), side, "");
        let owed = self.image.answer == Answer::Applied
            && (self.image.blow == CrashKind::Kill || self.scenario.durability() != Durability::Relaxed);
        if owed && side == Side::Before {
            self.found.push(format!("the answered job is gone; notes: {:?}", workspace.notes));
        }
        if self.image.answer == Answer::Refused && side != Side::Before {
            self.found.push("the refused job is there".to_owned());
        }
        self.clips(&workspace, side)?;
        if depth == Depth::Quick {
            return Ok(());
        }
        self.settled(&workspace, side);
        drop(workspace);
        let machine = machine.kill();
        let again =
            self.scenario.open(&machine).map_err(|error| format!("cannot be opened again: {error}"))?;
        if self.journal(&again, "opened again, ")? != side {
            self.found.push("opened again, it is on the other side".to_owned());
        }
        self.files(&View::of(&machine), side, "opened again, ");
        drop(again);
        self.sent_again(side)?;
        if let Side::After(id) = side {
            self.undone(id)?;
        }
        Ok(())
    }

    /// Checks the journal: it has every earlier job, has the tested job or not, and records no outside change that
    /// did not happen.
    fn journal(&mut self, workspace: &SimWorkspace, when: &str) -> Result<Side, String> {
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
        Ok(tested.map_or(Side::Before, |entry| Side::After(entry.id)))
    }

    /// Paths of which nothing can be asked where the job is not there: bytes that nobody had flushed were lost with
    /// the power.
    fn exempt(&self) -> Vec<String> {
        match self.image.blow {
            CrashKind::Kill => Vec::new(),
            CrashKind::Cut(_) if self.scenario.durability() == Durability::Relaxed => {
                self.baseline.paths.clone()
            }
            CrashKind::Cut(_) => self.scenario.young_paths.clone(),
        }
    }

    fn files(&mut self, view: &View, side: Side, when: &str) {
        let (should, except) = match side {
            Side::Before => (&self.baseline.before, self.exempt()),
            Side::After(_) => (&self.baseline.after, Vec::new()),
        };
        let differences = view.differences(should, &except);
        let what = differences.into_iter().map(|what| format!("{when}{what} ({side:?})"));
        self.found.extend(what);
    }

    fn clips(&mut self, workspace: &SimWorkspace, side: Side) -> Result<(), String> {
        let should = match side {
            Side::Before => &self.baseline.clips_before,
            Side::After(_) => &self.baseline.clips_after,
        };
        let clips = workspace.clips()?;
        if clips != *should {
            self.found.push(format!("clipboards are {clips:?} instead of {should:?}"));
        }
        Ok(())
    }

    /// Settling comes to an end, leaves no slot, and changes nothing.
    fn settled(&mut self, workspace: &SimWorkspace, side: Side) {
        if !workspace.settle() {
            self.found.push("it never settles".to_owned());
        }
        let view = View::of(&workspace.machine);
        if !view.slots.is_empty() {
            self.found.push(format!("settled, these slots are left: {:?}", view.slots));
        }
        self.files(&view, side, "settled, ");
        let should = if side == Side::Before { &self.baseline.before } else { &self.baseline.after };
        let parted = should.links.iter().filter(|(path, links)| view.links.get(*path) != Some(links));
        let except = if side == Side::Before { self.exempt() } else { Vec::new() };
        let parted: Vec<&String> =
            parted.map(|(path, _)| path).filter(|path| !except.contains(path)).collect();
        if !parted.is_empty() {
            self.found.push(format!("settled, these files have lost or won names: {parted:?}"));
        }
    }

    /// The same key is the same job: done once, whether it was there or not.
    fn sent_again(&mut self, side: Side) -> Result<(), String> {
        if side == Side::Before && !self.exempt().is_empty() {
            return Ok(());
        }
        let machine = self.image.machine.fork();
        let workspace = self.scenario.open(&machine)?;
        let receipt = workspace.send(&self.scenario.job, KEY);
        let right = match side {
            Side::Before => receipt.status == JobStatus::Applied && !receipt.repeated,
            Side::After(id) => receipt.repeated && receipt.job == Some(id),
        };
        // A cut may take receipts and outside entries, which nobody flushed: then the job is refused.
        let cut = self.image.blow != CrashKind::Kill;
        let code = receipt.error.as_ref().map(|error| error.code);
        if cut
            && side == Side::Before
            && matches!(code, Some(ErrorCode::Unread | ErrorCode::Stale | ErrorCode::NotFound))
        {
            self.files(&View::of(&machine), side, "sent again and refused, ");
            return Ok(());
        }
        if !right {
            let (status, error) = (receipt.status, receipt.error);
            self.found.push(format!("sent again ({side:?}): {status:?} {error:?}"));
        }
        let after = Side::After(receipt.job.unwrap_or(JobId(0)));
        self.files(&View::of(&machine), after, "sent again, ");
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
        let view = View::of(&machine);
        let differences = view.differences(&self.baseline.before, &[]);
        self.found.extend(differences.into_iter().map(|what| format!("undone, {what}")));
        Ok(())
    }
}
