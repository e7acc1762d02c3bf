//! A scenario: the initial files, the actions before, and the tested job. It is data; the tests play it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use editd_proto::ids::JobId;
use editd_proto::message::{Durability, EntryKind, JobRequest, JobStatus, UndoRequest};

use serde_json::Value;

use super::sim_workspace::SimWorkspace;
use super::visible_files::VisibleFiles;
use crate::scenario::machine::{self, ScenarioMachine};
use crate::scenario::player::{self, ScenarioPlayer};
use crate::scenario::simulated::{self, SimulatedMachine};
use crate::scenario::{PathState, Scenario, workspace};
use crate::sim::{OutsideProcess, SimMachine, SystemFeatures};

/// An action through the daemon or beside it.
#[derive(Clone, Debug)]
pub enum ChangeRequest {
    /// An edit.
    Edit(JobRequest),
    /// An undo.
    Undo(UndoRequest),
    /// A redo.
    Redo(UndoRequest),
}

/// The files and the actions before the tested job.
#[derive(Clone)]
enum Preparation {
    /// A case file: its steps before this one.
    Case(Arc<Scenario>, usize),
    /// Functions of a test.
    Code {
        /// Writes the files that were flushed long before.
        files: fn(&OutsideProcess),
        /// The actions before the job.
        prior: Vec<ChangeRequest>,
    },
}

impl ChangeRequest {
    /// Returns the action of a request, if that changes files.
    fn of_request(kind: &str, body: Value) -> Option<Self> {
        match kind {
            "edit" => {
                let request: JobRequest = serde_json::from_value(body).ok()?;
                // The queue, which runs detached jobs after a restart, is not there.
                Some(Self::Edit(JobRequest { detach: false, ..request }))
            }
            "undo" => serde_json::from_value(body).ok().map(Self::Undo),
            "redo" => serde_json::from_value(body).ok().map(Self::Redo),
            _ => None,
        }
    }
}

/// A scenario on the simulated machine.
#[derive(Clone)]
pub struct SimScenario {
    /// The name of the scenario.
    pub name: String,
    /// The features of the machine.
    pub features: SystemFeatures,
    before: Preparation,
    /// The paths of files that are not flushed when the job begins.
    pub young_paths: Vec<String>,
    /// The session that sends the job.
    pub session: String,
    /// The job.
    pub job: ChangeRequest,
}

/// The result of a scenario in which nothing goes wrong.
#[derive(Clone)]
pub struct BaselineRun {
    /// The workspace before the job.
    pub before: VisibleFiles,
    /// The workspace after it.
    pub after: VisibleFiles,
    /// Clipboards before the job.
    pub clips_before: BTreeMap<String, String>,
    /// Clipboards after it.
    pub clips_after: BTreeMap<String, String>,
    /// The entries of the jobs before it.
    pub priors: Vec<JobId>,
    /// Calls that the process had made when the job began, when it was answered, and when all was settled.
    pub calls: [u64; 3],
    /// All calls until then, one line each.
    pub trace: Vec<Arc<str>>,
    /// Paths that the job changes.
    pub paths: Vec<String>,
    /// Paths that others changed before the job, according to the journal.
    pub others: Vec<String>,
    /// True if the job was merged into their changes.
    pub rebased: bool,
}

/// The key of the tested job.
pub const KEY: &str = "looked-at";

impl SimScenario {
    /// Returns a scenario on a usual machine, without earlier actions.
    #[must_use]
    pub fn new(name: &str, files: fn(&OutsideProcess), job: ChangeRequest) -> Self {
        Self {
            name: name.to_owned(),
            features: SystemFeatures::default(),
            before: Preparation::Code { files, prior: Vec::new() },
            young_paths: Vec::new(),
            session: "s".to_owned(),
            job,
        }
    }

    /// Returns the scenario of a case file, whose tested job is the last edit, undo or redo that is applied while other
    /// programs do nothing; `None` if there is no such job.
    ///
    /// # Errors
    /// The scenario cannot be played.
    pub fn of_case(name: &str, scenario: Scenario) -> Result<Option<Self>, String> {
        let features = simulated::features(&scenario.without);
        let machine = SimMachine::new();
        machine.set_features(features);
        let on: Arc<dyn ScenarioMachine> = Arc::new(SimulatedMachine::new(&machine));
        let played = player::play(&scenario, &on);
        let tested = (0..scenario.steps.len()).rev().find_map(|at| {
            let step = scenario.steps.get(at)?;
            let reply = played.replies.get(at)?.as_ref()?;
            let applied =
                reply.get("status")? == "applied" && reply.get("repeated").is_none_or(|is| is != true);
            if !applied || !step.meanwhile.is_empty() || step.stop_after.is_some() {
                return None;
            }
            let (kind, body) = played.requests.get(at)?.clone()?;
            Some((at, ChangeRequest::of_request(kind, body)?))
        });
        let Some((at, job)) = tested else { return Ok(None) };
        let before = scenario.steps.iter().take(at);
        let unflushed = before.clone().filter(|step| step.unflushed).filter_map(|step| step.outside.as_ref());
        let moved = |(path, node): (&String, &PathState)| [Some(path.clone()), node.moved_from.clone()];
        let mut young: Vec<String> = unflushed.flatten().flat_map(moved).flatten().collect();
        // All names of a file show what is not flushed.
        let linked = scenario.before.iter().filter_map(|(path, node)| Some((path, node.hard.as_ref()?)));
        for (path, other) in linked {
            if young.contains(path) || young.contains(other) {
                young.extend([path.clone(), other.clone()]);
            }
        }
        Ok(Some(Self {
            name: name.to_owned(),
            features,
            young_paths: young,
            session: scenario.steps[at].session.clone().unwrap_or_else(|| "s".to_owned()),
            before: Preparation::Case(Arc::new(scenario), at),
            job,
        }))
    }

    /// Returns the scenarios of the case files that are to be tested thoroughly, by name.
    ///
    /// # Panics
    /// If one of them cannot be read or played.
    #[must_use]
    pub fn thorough() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
        let files = std::fs::read_dir(folder).expect("the case files can be listed");
        let mut files: Vec<_> = files.map(|file| file.expect("a case file is there").path()).collect();
        files.sort();
        let scenarios = files.iter().filter_map(|file| {
            let (_, scenario) = player::read(file);
            let name = file.file_stem()?.to_str()?;
            let scenario = scenario.thorough.then(|| Self::of_case(name, scenario))?;
            scenario.expect("a case file can be played")
        });
        scenarios.collect()
    }

    /// Returns the scenario with earlier actions.
    ///
    /// # Panics
    /// If the scenario is a case file.
    #[must_use]
    pub fn after(mut self, actions: Vec<ChangeRequest>) -> Self {
        match &mut self.before {
            Preparation::Code { prior, .. } => *prior = actions,
            Preparation::Case(..) => panic!("the actions of a case file are its steps"),
        }
        self
    }

    /// Returns the scenario on a machine with other features.
    #[must_use]
    pub fn on(mut self, features: SystemFeatures) -> Self {
        self.features = features;
        self
    }

    /// Returns the durability of the job.
    #[must_use]
    pub fn durability(&self) -> Durability {
        match &self.job {
            ChangeRequest::Edit(request) => request.durability.unwrap_or_default(),
            ChangeRequest::Undo(request) | ChangeRequest::Redo(request) => {
                request.durability.unwrap_or_default()
            }
        }
    }

    /// Returns true if the job makes a file from the content of another.
    #[must_use]
    pub fn is_entwined(&self) -> bool {
        let ChangeRequest::Edit(request) = &self.job else { return false };
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
        machine.set_features(self.features);
        let on = SimulatedMachine::new(&machine);
        match &self.before {
            Preparation::Case(scenario, _) => machine::make(&on, &scenario.before),
            Preparation::Code { files, .. } => files(&machine.outside()),
        }
        machine.settle();
        machine.pass(Duration::from_secs(3600));
        machine
    }

    /// Opens the workspace with the settings of the scenario.
    ///
    /// # Errors
    /// The message of the workspace.
    pub fn open(&self, machine: &SimMachine) -> Result<SimWorkspace, String> {
        match &self.before {
            Preparation::Case(scenario, _) => {
                let settings = workspace::settings(&scenario.settings)?;
                SimWorkspace::open_with(machine, settings, &self.session)
            }
            Preparation::Code { .. } => SimWorkspace::open(machine),
        }
    }

    /// Opens the workspace and performs all actions before the job.
    ///
    /// # Errors
    /// If one of them fails, which is not the subject of the scenario.
    pub fn begin(&self, machine: &SimMachine) -> Result<SimWorkspace, String> {
        let prior = match &self.before {
            Preparation::Case(scenario, at) => return self.play(scenario, *at, machine),
            Preparation::Code { prior, .. } => prior,
        };
        let workspace = SimWorkspace::open(machine)?;
        for (at, request) in prior.iter().enumerate() {
            let receipt = workspace.send(request, &format!("prior-{at}"));
            if receipt.status != JobStatus::Applied {
                return Err(format!("request {at} before the job: {:?}", receipt.error));
            }
        }
        Ok(workspace)
    }

    /// Plays the steps of a case file before the job.
    fn play(&self, scenario: &Scenario, at: usize, machine: &SimMachine) -> Result<SimWorkspace, String> {
        let simulated = Arc::new(SimulatedMachine::existing(machine));
        let on = Arc::clone(&simulated) as Arc<dyn ScenarioMachine>;
        let mut player = ScenarioPlayer::new(&on, &scenario.settings);
        scenario.steps.iter().take(at).for_each(|step| player.play(step, &scenario.before));
        player.open()?;
        let workspace = simulated.workspace(&self.session).ok_or("the workspace is not open")?;
        let complaints = player.close().complaints;
        if complaints.is_empty() { Ok(workspace) } else { Err(complaints.join("; ")) }
    }

    /// Plays the scenario without a crash, a fault or an outside write.
    ///
    /// # Errors
    /// If anything fails.
    pub fn baseline(&self) -> Result<BaselineRun, String> {
        // The journal is read on another machine: that makes calls, and the calls are counted here.
        let examined = self.begin(&self.machine())?;
        let clips_before = examined.clips()?;
        let jobs = examined.entries()?.into_iter().filter(|entry| entry.kind != EntryKind::External);
        let priors = jobs.map(|entry| entry.id).collect();
        drop(examined);
        let machine = self.machine();
        let workspace = self.begin(&machine)?;
        let before = VisibleFiles::of(&machine);
        let from = machine.calls();
        let receipt = workspace.send(&self.job, KEY);
        if receipt.status != JobStatus::Applied {
            return Err(format!("the job was not applied: {:?}", receipt.error));
        }
        let answered = machine.calls();
        let after = VisibleFiles::of(&machine);
        workspace.release();
        if !workspace.settle() {
            return Err("it never settles".to_owned());
        }
        let (calls, trace) = (machine.calls(), machine.trace());
        let clips_after = workspace.clips()?;
        let settled = VisibleFiles::of(&machine);
        if settled.files != after.files || !settled.staged_files.is_empty() {
            return Err(format!("settling changed what is there: {:?}", settled.differences(&after, &[])));
        }
        let entries = workspace.entries()?;
        let others = entries.iter().filter(|entry| entry.kind == EntryKind::External);
        let others = others.flat_map(|entry| entry.files.iter().map(|file| file.path.display()));
        Ok(BaselineRun {
            paths: before.changed(&after),
            others: others.map(|path| path.to_string()).collect(),
            rebased: receipt.rebased,
            before: VisibleFiles { staged_files: Vec::new(), ..before },
            after: settled,
            clips_before,
            clips_after,
            priors,
            calls: [from, answered, calls],
            trace,
        })
    }
}
