//! Plays a scenario: creates its files, sends its requests, lets others act after named steps, kills the process, and
//! compares replies and files with the expectations. It does not decide what is right.

use editd::testing::JobStep;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::format::{OutsideChange, Scenario, ScenarioSettings, ScenarioStep};
use super::machine::ScenarioMachine;
use super::matching::{self, SavedValues};
use super::target::{ScenarioTarget, StepHook};
use super::{bless, machine};

/// The time that each step takes.
const TICK: Duration = Duration::from_secs(1);

/// The result of a scenario.
#[derive(Default, Debug)]
pub struct PlayResult {
    /// The differences from the expectations.
    pub complaints: Vec<String>,
    /// The reasons for which the daemon did not start, which are among the complaints.
    pub unopened: Vec<String>,
    /// The reply to each step, where it had one.
    pub replies: Vec<Option<Value>>,
    /// The kind and the body of each step's request, with the saved values filled in.
    pub requests: Vec<Option<(&'static str, Value)>>,
    /// The values that later steps could use.
    pub saved: SavedValues,
}

/// Plays a case file.
///
/// # Panics
/// If something differs from the expectations.
#[track_caller]
pub fn check(file: &Path, on: &Arc<dyn ScenarioMachine>) {
    let (_, scenario) = read(file);
    let played = play(&scenario, on);
    assert!(played.complaints.is_empty(), "{}:\n{}", file.display(), played.complaints.join("\n"));
}

/// Writes the results of a case file into it in place of its expectations.
///
/// # Panics
/// If the file cannot be read or written.
pub fn bless(file: &Path, on: &Arc<dyn ScenarioMachine>) {
    let (text, scenario) = read(file);
    let blessed = bless::blessed(&text, &scenario, &play(&scenario, on), on.as_ref());
    std::fs::write(file, blessed).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
}

/// Reads a case file. Returns its text, too.
///
/// # Panics
/// If it cannot be read or is not valid.
#[must_use]
pub fn read(file: &Path) -> (String, Scenario) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let scenario = Scenario::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    (text, scenario)
}

/// Plays a scenario on a machine with an empty workspace.
pub fn play(scenario: &Scenario, on: &Arc<dyn ScenarioMachine>) -> PlayResult {
    machine::make(on.as_ref(), &scenario.before);
    let mut player = ScenarioPlayer::new(on, &scenario.settings);
    for step in &scenario.steps {
        player.play(step, &scenario.before);
    }
    if cfg!(windows) {
        player.settle();
    }
    let mut played = player.close();
    let after = machine::differences(on.as_ref(), &scenario.before, &scenario.after, false);
    played.complaints.extend(after.into_iter().map(|what| format!("after: {what}")));
    played
}

/// Plays steps one after the other. It keeps the daemon and the saved values from step to step.
pub struct ScenarioPlayer<'a> {
    machine: &'a Arc<dyn ScenarioMachine>,
    settings: &'a ScenarioSettings,
    script: Arc<OutsideScript>,
    target: Option<Box<dyn ScenarioTarget>>,
    played: PlayResult,
}

impl<'a> ScenarioPlayer<'a> {
    /// Begins on a machine that has the initial files.
    pub fn new(machine: &'a Arc<dyn ScenarioMachine>, settings: &'a ScenarioSettings) -> Self {
        let script = Arc::new(OutsideScript { machine: Arc::clone(machine), lines: Mutex::default() });
        Self { machine, settings, script, target: None, played: PlayResult::default() }
    }

    /// Plays the next step and compares its reply and the files that it names.
    pub fn play(&mut self, step: &ScenarioStep, before: &machine::PathStates) {
        let number = self.played.replies.len() + 1;
        let now = self.machine.pass(TICK);
        self.played.saved.insert(format!("t{number}"), json!(now));
        let known = self.played.complaints.len();
        let reply = self.step(step).unwrap_or_else(|what| {
            self.played.complaints.push(what);
            None
        });
        self.played.replies.push(reply);
        self.played.requests.resize(number, None);
        if cfg!(windows) && !step.world.is_empty() {
            self.settle();
        }
        let world = machine::differences(self.machine.as_ref(), before, &step.world, true);
        self.played.complaints.extend(world);
        for complaint in self.played.complaints.iter_mut().skip(known) {
            *complaint = format!("step {number}: {complaint}");
        }
    }

    /// Starts the daemon if it does not run.
    ///
    /// # Errors
    /// The workspace does not open.
    pub fn open(&mut self) -> Result<(), String> {
        self.target().map(drop)
    }

    /// Settles everything: on Windows, files and folders that the daemon has open are removed only then.
    fn settle(&mut self) {
        if let Some(target) = &mut self.target {
            target.settle();
        }
    }

    /// Ends the daemon and returns the results.
    #[must_use]
    pub fn close(self) -> PlayResult {
        self.played
    }

    fn target(&mut self) -> Result<&mut Box<dyn ScenarioTarget>, String> {
        if self.target.is_none() {
            let opened = self.machine.open(self.settings, Arc::clone(&self.script) as Arc<dyn StepHook>);
            self.target = Some(opened.map_err(|e| {
                let why = format!("the workspace does not open: {e}");
                self.played.unopened.push(why.clone());
                why
            })?);
        }
        self.target.as_mut().ok_or_else(|| "the workspace is not open".to_owned())
    }

    fn step(&mut self, step: &ScenarioStep) -> Result<Option<Value>, String> {
        if let Some((kind, body)) = step.request()? {
            return self.ask(step, kind, &body);
        }
        if let Some(files) = &step.outside {
            machine::change(self.machine.as_ref(), files, step.unflushed);
        }
        for path in &step.hold {
            self.machine.hold(&machine::path_bytes(path)).map_err(|e| format!("{path}: {e}"))?;
        }
        self.machine.pass(Duration::from_secs(step.wait));
        if let Some(path) = &step.observe {
            self.target()?.observe(path);
        }
        if step.flush {
            self.target()?.flush();
        }
        if step.settle || step.restart {
            self.target()?.settle();
        }
        if step.kill || step.restart {
            self.target = None;
            self.target()?;
        }
        Ok(None)
    }

    fn ask(
        &mut self,
        step: &ScenarioStep,
        kind: &'static str,
        body: &Value,
    ) -> Result<Option<Value>, String> {
        let body = matching::filled(body, &self.played.saved);
        self.played.requests.push(Some((kind, body.clone())));
        // Opening runs recovery, whose steps do not count.
        self.target()?;
        self.script.learn(&step.meanwhile, step.stop_after);
        let reply = self.target()?.ask(step.session.as_deref().unwrap_or("s"), kind, &body);
        // Settling happens later by itself; a scenario that waits for it settles here.
        let awaited = step.meanwhile.iter().map(|one| one.after).chain(step.stop_after);
        if awaited.into_iter().any(|step| step == JobStep::Settle) {
            self.target()?.settle();
        }
        let left = self.script.forget();
        self.played.complaints.extend(left);
        if step.stop_after.is_some() {
            self.target = None;
            self.target()?;
            return Ok(None);
        }
        for (name, path) in &step.save {
            match matching::pick(&reply, path) {
                Some(value) => drop(self.played.saved.insert(name.clone(), value.clone())),
                None => self.played.complaints.push(format!("the reply has no {path} to save: {reply}")),
            }
        }
        let expect = matching::filled(step.expect.as_ref().unwrap_or(&Value::Null), &self.played.saved);
        let mut found = matching::mismatches(&expect, &reply);
        if expect.as_object().is_some_and(serde_json::Map::is_empty) {
            found.push("`expect` names nothing; BLESS=1 fills it in".to_owned());
        }
        if !found.is_empty() {
            found.push(format!("the whole reply: {reply}"));
        }
        self.played.complaints.extend(found);
        Ok(Some(reply))
    }
}

/// The actions of others while a request is answered.
struct OutsideScript {
    machine: Arc<dyn ScenarioMachine>,
    lines: Mutex<ScriptLines>,
}

#[derive(Default)]
struct ScriptLines {
    meanwhile: Vec<OutsideChange>,
    stop_after: Option<JobStep>,
}

impl OutsideScript {
    fn learn(&self, meanwhile: &[OutsideChange], stop_after: Option<JobStep>) {
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) =
            ScriptLines { meanwhile: meanwhile.to_vec(), stop_after };
    }

    /// Clears the script; returns a complaint for each step that the job did not reach.
    fn forget(&self) -> Vec<String> {
        let left = std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        let steps = left.meanwhile.iter().map(|one| one.after).chain(left.stop_after);
        steps.map(|step| format!("the job never came past {step:?}")).collect()
    }
}

impl StepHook for OutsideScript {
    fn after(&self, step: JobStep) -> bool {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, later) = lines.meanwhile.drain(..).partition(|one| one.after == step);
        lines.meanwhile = later;
        let now: Vec<OutsideChange> = now;
        now.iter().for_each(|one| machine::change(self.machine.as_ref(), &one.files, false));
        let stop = lines.stop_after == Some(step);
        if stop {
            lines.stop_after = None;
        }
        !stop
    }
}
