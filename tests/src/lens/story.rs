//! A scenario: the initial files, the actions before, and the tested job. It is data; the tests play it.

use std::collections::BTreeMap;
use std::time::Duration;

use editd_proto::message::{Durability, EntryKind, JobRequest, JobStatus, UndoRequest};

use super::desk::{ROOT, STATE, SimWorkspace};
use super::view::View;
use crate::sim::{Abilities, Outside, SimMachine};

/// An action through the daemon or beside it.
#[derive(Clone, Debug)]
pub enum Act {
    /// An edit.
    Edit(JobRequest),
    /// An undo.
    Undo(UndoRequest),
    /// A redo.
    Redo(UndoRequest),
    /// All entries are settled.
    Settle,
    /// Time passes.
    Pass(Duration),
    /// Other processes do something.
    Others(fn(&Outside)),
    /// Another process opens a file for writing and keeps it open.
    Hold(&'static str),
    /// The daemon looks at a path, as after a hint.
    Look(&'static str),
    /// The daemon flushes its journal.
    Flush,
}

/// A scenario on the simulated machine.
#[derive(Clone)]
pub struct SimScenario {
    /// The name of the scenario.
    pub name: &'static str,
    /// The features of the machine.
    pub abilities: Abilities,
    /// Writes the files that were flushed long before.
    pub files: fn(&Outside),
    /// Writes the files that are not flushed yet, a moment before the job.
    pub young: fn(&Outside),
    /// Their paths.
    pub young_paths: Vec<String>,
    /// The actions before the job.
    pub prior: Vec<Act>,
    /// The job.
    pub job: Act,
}

/// The result of a scenario in which nothing goes wrong.
pub struct Course {
    /// The workspace before the job.
    pub before: View,
    /// The workspace after it.
    pub after: View,
    /// Clipboards before the job.
    pub clips_before: BTreeMap<String, String>,
    /// Clipboards after it.
    pub clips_after: BTreeMap<String, String>,
    /// Keys of the jobs before it, oldest first.
    pub priors: Vec<String>,
    /// Calls that the process had made when the job began, when it was answered, and when all was settled.
    pub calls: [u64; 3],
    /// All calls until then, one line each.
    pub trace: Vec<std::sync::Arc<str>>,
    /// Paths that the job changes.
    pub paths: Vec<String>,
    /// Paths that others changed before the job, according to the journal.
    pub others: Vec<String>,
}

/// The key of the tested job.
pub const KEY: &str = "looked-at";

impl SimScenario {
    /// Returns a scenario on a usual machine, without earlier actions.
    #[must_use]
    pub fn new(name: &'static str, files: fn(&Outside), job: Act) -> Self {
        Self {
            name,
            abilities: Abilities::default(),
            files,
            young: |_| (),
            young_paths: Vec::new(),
            prior: Vec::new(),
            job,
        }
    }

    /// Returns the scenario with earlier actions.
    #[must_use]
    pub fn after(mut self, prior: Vec<Act>) -> Self {
        self.prior = prior;
        self
    }

    /// Returns the scenario on a machine with other features.
    #[must_use]
    pub fn on(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// Returns the scenario with files that were written a moment before.
    #[must_use]
    pub fn young(mut self, young: fn(&Outside), paths: &[&str]) -> Self {
        self.young = young;
        self.young_paths = paths.iter().map(|path| (*path).to_owned()).collect();
        self
    }

    /// Returns the durability of the job.
    #[must_use]
    pub fn durability(&self) -> Durability {
        match &self.job {
            Act::Edit(request) => request.durability.unwrap_or_default(),
            Act::Undo(request) | Act::Redo(request) => request.durability.unwrap_or_default(),
            _ => Durability::default(),
        }
    }

    /// Returns true if the job makes a file from the content of another.
    #[must_use]
    pub fn is_entwined(&self) -> bool {
        let Act::Edit(request) = &self.job else { return false };
        let mut edits = request.files.iter().flat_map(|file| &file.edits);
        edits.any(|edit| edit.to.is_some() || edit.from_clipboard.is_some())
    }

    /// Returns the machine at the start of the scenario. No daemon has run there yet.
    ///
    /// # Panics
    /// If the files of the scenario cannot be made.
    #[must_use]
    pub fn machine(&self) -> SimMachine {
        let machine = SimMachine::new();
        machine.set_abilities(self.abilities);
        let outside = machine.outside();
        outside.mkdir(ROOT).expect("a folder can be made");
        outside.mkdir(STATE).expect("a folder can be made");
        (self.files)(&outside);
        machine.settle();
        machine.pass(Duration::from_secs(3600));
        machine
    }

    /// Opens the workspace and performs all actions before the job.
    ///
    /// # Errors
    /// If one of them fails, which is not the subject of the scenario.
    pub fn begin(&self, machine: &SimMachine) -> Result<SimWorkspace, String> {
        let desk = SimWorkspace::open(machine)?;
        for (at, act) in self.prior.iter().enumerate() {
            let receipt = desk.act(act, &prior_key(at));
            if let Some(receipt) = receipt.filter(|receipt| receipt.status != JobStatus::Applied) {
                return Err(format!("act {at} before the job: {:?}", receipt.error));
            }
        }
        desk.others(self.young);
        Ok(desk)
    }

    /// Plays the scenario without a crash, a fault or an outside write.
    ///
    /// # Errors
    /// If anything fails.
    pub fn course(&self) -> Result<Course, String> {
        let machine = self.machine();
        let desk = self.begin(&machine)?;
        let (before, clips_before) = (View::of(&machine), desk.clips()?);
        let from = machine.calls();
        let receipt = desk.act(&self.job, KEY).ok_or("the job is no job")?;
        if receipt.status != JobStatus::Applied {
            return Err(format!("the job was not applied: {:?}", receipt.error));
        }
        let answered = machine.calls();
        let (after, clips_after) = (View::of(&machine), desk.clips()?);
        desk.release();
        if !desk.settle() {
            return Err("it never settles".to_owned());
        }
        let settled = View::of(&machine);
        if settled.files != after.files || !settled.slots.is_empty() {
            return Err(format!("settling changed what is there: {:?}", settled.differences(&after, &[])));
        }
        let entries = desk.entries()?;
        let others = entries.iter().filter(|entry| entry.kind == EntryKind::External);
        let others = others.flat_map(|entry| entry.files.iter().map(|file| file.path.display()));
        let jobs = self.prior.iter().enumerate();
        let jobs = jobs.filter(|(_, act)| matches!(act, Act::Edit(_) | Act::Undo(_) | Act::Redo(_)));
        Ok(Course {
            paths: before.changed(&after),
            others: others.map(|path| path.to_string()).collect(),
            before: View { slots: Vec::new(), ..before },
            after: settled,
            clips_before,
            clips_after,
            priors: jobs.map(|(at, _)| prior_key(at)).collect(),
            calls: [from, answered, machine.calls()],
            trace: machine.trace(),
        })
    }
}

/// Returns the key of an action before the job.
#[must_use]
pub fn prior_key(at: usize) -> String {
    format!("prior-{at}")
}
