//! Plays a scenario: creates its files, sends its requests, lets others act after named steps, kills the process, and
//! compares replies and files with the expectations. It does not decide what is right.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::desk::{Open, Opening, ScenarioTarget, StepHook, StepName};
use super::matching::{self, Saved};
use super::story::{Meanwhile, Scenario, ScenarioStep};
use super::{bless, world};

/// The time at which every scenario begins, in milliseconds since 1970.
const BEGIN: u64 = 1_767_225_600_000;
/// Milliseconds that each step takes.
const TICK: u64 = 1_000;

/// The result of a scenario.
#[derive(Default, Debug)]
pub struct Played {
    /// The differences from the expectations.
    pub complaints: Vec<String>,
    /// The reply to each step, where it had one.
    pub replies: Vec<Option<Value>>,
    /// The values that later steps could use.
    pub saved: Saved,
}

/// Plays a case file.
///
/// # Panics
/// Where something is not as it says. With `BLESS=1` it is made to say what happened instead.
#[track_caller]
pub fn run(file: &Path, open: &Open) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let story = Scenario::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let scratch = Scratch::new();
    let played = play(&story, &scratch, open);
    if std::env::var_os("BLESS").is_some_and(|word| word == "1") {
        let blessed = bless::blessed(&text, &story, &played, &scratch.root());
        std::fs::write(file, blessed).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        return;
    }
    assert!(played.complaints.is_empty(), "{}:\n{}", file.display(), played.complaints.join("\n"));
}

/// The folders of one play.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// Fresh ones.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn new() -> Scratch {
        let scratch =
            tempfile::Builder::new().prefix("case-").tempdir().expect("a temporary folder can be made");
        for name in ["workspace", "state"] {
            std::fs::create_dir(scratch.path().join(name))
                .expect("a folder can be made in a temporary folder");
        }
        Scratch(scratch)
    }

    /// The workspace.
    ///
    /// # Panics
    /// Where it is gone.
    pub fn root(&self) -> PathBuf {
        self.0.path().join("workspace").canonicalize().expect("a folder that was just made is there")
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}

/// Plays a scenario in fresh folders.
pub fn play(story: &Scenario, scratch: &Scratch, open: &Open) -> Played {
    let root = scratch.root();
    world::make(&root, &story.before);
    let script = Arc::new(Script { root: root.clone(), lines: Mutex::default() });
    let opening = Opening {
        root: root.clone(),
        state: root.with_file_name("state"),
        settings: story.settings.clone(),
        now: Arc::new(AtomicU64::new(BEGIN)),
        hook: Arc::clone(&script) as Arc<dyn StepHook>,
    };
    let mut stage = Stage { opening, script, open, desk: None, played: Played::default() };
    for (at, step) in story.steps.iter().enumerate() {
        let number = at + 1;
        let now = stage.opening.now.fetch_add(TICK, Ordering::SeqCst) + TICK;
        stage.played.saved.insert(format!("t{number}"), json!(now));
        let known = stage.played.complaints.len();
        let reply = stage.step(step).unwrap_or_else(|what| {
            stage.played.complaints.push(what);
            None
        });
        stage.played.replies.push(reply);
        stage.played.complaints.extend(world::differences(&root, &story.before, &step.world, true));
        for complaint in stage.played.complaints.iter_mut().skip(known) {
            *complaint = format!("step {number}: {complaint}");
        }
    }
    stage.desk = None;
    let mut played = stage.played;
    let after = world::differences(&root, &story.before, &story.after, false);
    played.complaints.extend(after.into_iter().map(|what| format!("after: {what}")));
    played
}

/// The state that a run passes from step to step.
struct Stage<'a> {
    opening: Opening,
    script: Arc<Script>,
    open: &'a Open,
    desk: Option<Box<dyn ScenarioTarget>>,
    played: Played,
}

impl Stage<'_> {
    fn desk(&mut self) -> Result<&mut Box<dyn ScenarioTarget>, String> {
        if self.desk.is_none() {
            self.desk =
                Some((self.open)(&self.opening).map_err(|e| format!("the workspace does not open: {e}"))?);
        }
        self.desk.as_mut().ok_or_else(|| "the workspace is not open".to_owned())
    }

    fn step(&mut self, step: &ScenarioStep) -> Result<Option<Value>, String> {
        if let Some((kind, body)) = step.request()? {
            return self.ask(step, kind, &body);
        }
        if let Some(files) = &step.outside {
            files.iter().for_each(|(path, node)| world::put(&self.opening.root, path, node));
        }
        if step.settle || step.restart {
            self.desk()?.settle();
        }
        if step.kill || step.restart {
            self.desk = None;
            self.desk()?;
        }
        Ok(None)
    }

    fn ask(&mut self, step: &ScenarioStep, kind: &str, body: &Value) -> Result<Option<Value>, String> {
        let body = matching::filled(body, &self.played.saved);
        // Opening recovers, which is a journey of its own.
        self.desk()?;
        self.script.learn(&step.meanwhile, step.stop_after);
        let reply = self.desk()?.ask(step.session.as_deref().unwrap_or("s"), kind, &body);
        // Settling comes later by itself; here it comes when the story waits for it.
        let awaited = step.meanwhile.iter().map(|one| one.after).chain(step.stop_after);
        if awaited.into_iter().any(|step| step == StepName::Settle) {
            self.desk()?.settle();
        }
        let left = self.script.forget();
        self.played.complaints.extend(left);
        if step.stop_after.is_some() {
            self.desk = None;
            self.desk()?;
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
struct Script {
    root: PathBuf,
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    meanwhile: Vec<Meanwhile>,
    stop_after: Option<StepName>,
}

impl Script {
    fn learn(&self, meanwhile: &[Meanwhile], stop_after: Option<StepName>) {
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) =
            Lines { meanwhile: meanwhile.to_vec(), stop_after };
    }

    /// Clears the script; returns a complaint for each step that the job did not reach.
    fn forget(&self) -> Vec<String> {
        let left = std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        let steps = left.meanwhile.iter().map(|one| one.after).chain(left.stop_after);
        steps.map(|step| format!("the journey never came past {step:?}")).collect()
    }
}

impl StepHook for Script {
    fn after(&self, step: StepName) -> bool {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, later) = lines.meanwhile.drain(..).partition(|one| one.after == step);
        lines.meanwhile = later;
        let now: Vec<Meanwhile> = now;
        for (path, node) in now.iter().flat_map(|one| &one.files) {
            world::put(&self.root, path, node);
        }
        let stop = lines.stop_after == Some(step);
        if stop {
            lines.stop_after = None;
        }
        !stop
    }
}
