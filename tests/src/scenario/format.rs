//! A scenario as its file describes it. It checks that the file is valid, and plays nothing.

use editd::testing::JobStep;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use super::lines::numbered_lines;
use super::lines::unhex;

/// One file of `tests/cases`.
#[derive(Clone, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// An explanation, where the name is not enough.
    #[serde(default)]
    pub why: String,
    /// The test modes in which the scenario does not run, each with the reason.
    #[serde(default)]
    pub skip: BTreeMap<TestMode, String>,
    /// The features that the machine does not have. Real machines have all.
    #[serde(default)]
    pub without: Vec<OptionalFeature>,
    /// True if the default run takes a larger sample of the calls at which something can happen.
    #[serde(default)]
    pub thorough: bool,
    /// The settings, as in `.editd.toml`.
    #[serde(default)]
    pub settings: ScenarioSettings,
    /// The world before.
    #[serde(default)]
    pub before: BTreeMap<String, PathState>,
    /// The steps.
    #[serde(rename = "step")]
    pub steps: Vec<ScenarioStep>,
    /// The world after, where it is not as before.
    #[serde(default)]
    pub after: BTreeMap<String, PathState>,
}

/// A way in which every scenario is tested.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum TestMode {
    /// On real files, also with a kill after each step of the last edit.
    Real,
    /// On the simulated machine.
    Simulated,
    /// All of the following modes, which interrupt the last job.
    Interrupted,
    /// With a kill and with a power cut after each effect of the last job.
    Crash,
    /// With a fault at each call of the last job.
    Faults,
    /// With an outside write before each call of the last job.
    OutsideWrites,
    /// With combinations of outside writes, faults, kills and power cuts.
    Combined,
}

/// A feature that a simulated machine may lack.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum OptionalFeature {
    /// The exchange of two names.
    Exchange,
    /// The rename that does not replace.
    NoReplace,
    /// Leases.
    Leases,
    /// Times at which files were made.
    BirthTimes,
    /// Times of files with nanoseconds.
    FineTimes,
}

/// The settings that a scenario may set.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(default, deny_unknown_fields)]
pub struct ScenarioSettings {
    /// `anchored`, `reject` or `allow`.
    pub unread: Option<String>,
    /// `reject` or `rebase`.
    pub on_stale: Option<String>,
    /// Glob and encoding label.
    pub encodings: Vec<(String, String)>,
    /// `warn`, `refuse` or `allow`.
    pub generated: Option<String>,
    /// `refuse` or `allow`.
    pub git_folder: Option<String>,
}

/// A file, folder or link. Without any field: an empty file.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct PathState {
    /// A file with this text.
    #[serde(default)]
    pub text: Option<String>,
    /// A file with these bytes.
    #[serde(default)]
    pub hex: Option<String>,
    /// The content this many times.
    #[serde(default)]
    pub times: Option<usize>,
    /// A file with numbered lines of this name, of at least `size` bytes; see [`numbered_lines`].
    #[serde(default)]
    pub lines_of: Option<String>,
    /// The bytes that `lines_of` fills at least.
    #[serde(default)]
    pub size: usize,
    /// Replacements in the content, one after the other: a text that it has once, and the new text.
    #[serde(default)]
    pub edited: Vec<(String, String)>,
    /// Permission bits, octal; 644 (folders 755) before, and not looked at where a job makes the file.
    #[serde(default)]
    pub mode: Option<String>,
    /// The value of the extended attribute `user.comment`; not looked at where it is not named.
    #[serde(default)]
    pub comment: Option<String>,
    /// A symbolic link to this.
    #[serde(default)]
    pub link: Option<String>,
    /// A second name of this file.
    #[serde(default)]
    pub hard: Option<String>,
    /// A folder.
    #[serde(default)]
    pub folder: bool,
    /// A FIFO.
    #[serde(default)]
    pub fifo: bool,
    /// A folder that is another file system. Only before, and only on the simulated machine.
    #[serde(default)]
    pub mount: bool,
    /// The file that was at this path until another program moved it. Only in `outside` and `meanwhile`.
    #[serde(default)]
    pub moved_from: Option<String>,
    /// Nothing.
    #[serde(default)]
    pub absent: bool,
    /// The way in which another program writes it; by default as most programs save.
    #[serde(default)]
    pub how: WriteMethod,
}

/// The way in which another program writes a file.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Default, Debug)]
#[serde(rename_all = "snake_case")]
pub enum WriteMethod {
    /// A new file, renamed over the old.
    #[default]
    Replace,
    /// The old one, cut and written.
    Rewrite,
    /// More at its end.
    Append,
}

/// One thing that happens. Exactly one of `read` to `flush` is named.
#[derive(Clone, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct ScenarioStep {
    /// A `read`.
    #[serde(default)]
    pub read: Option<Value>,
    /// An `edit`.
    #[serde(default)]
    pub edit: Option<Value>,
    /// An `undo`.
    #[serde(default)]
    pub undo: Option<Value>,
    /// A `redo`.
    #[serde(default)]
    pub redo: Option<Value>,
    /// A `history`.
    #[serde(default)]
    pub history: Option<Value>,
    /// A `show`.
    #[serde(default)]
    pub show: Option<Value>,
    /// A `clip`.
    #[serde(default)]
    pub clip: Option<Value>,
    /// A `check`.
    #[serde(default)]
    pub check: Option<Value>,
    /// Others change files.
    #[serde(default)]
    pub outside: Option<BTreeMap<String, PathState>>,
    /// A power cut may take these outside changes: nobody flushed them.
    #[serde(default)]
    pub unflushed: bool,
    /// Another program opens these files for writing and keeps them open.
    #[serde(default)]
    pub hold: Vec<String>,
    /// The seconds that pass.
    #[serde(default)]
    pub wait: u64,
    /// The daemon settles, stops and starts.
    #[serde(default)]
    pub restart: bool,
    /// The daemon is killed and starts.
    #[serde(default)]
    pub kill: bool,
    /// The daemon settles what is due.
    #[serde(default)]
    pub settle: bool,
    /// The daemon looks at this path, as it does after a hint that the file changed.
    #[serde(default)]
    pub observe: Option<String>,
    /// The daemon flushes its log.
    #[serde(default)]
    pub flush: bool,
    /// The session that sends the request; `s` by default.
    #[serde(default)]
    pub session: Option<String>,
    /// The actions of others after steps of this job.
    #[serde(default)]
    pub meanwhile: Vec<OutsideChange>,
    /// The step of the job after which the process is killed and starts again.
    #[serde(default)]
    pub stop_after: Option<JobStep>,
    /// The fields that the reply must have.
    #[serde(default)]
    pub expect: Option<Value>,
    /// The values of the reply that later steps use, by name: a path of keys and numbers, joined by dots.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
    /// The state of some paths right after this step.
    #[serde(default)]
    pub world: BTreeMap<String, PathState>,
}

/// The actions of others after a step.
#[derive(Clone, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct OutsideChange {
    /// After which.
    pub after: JobStep,
    /// The files that they write.
    pub files: BTreeMap<String, PathState>,
}

impl Scenario {
    /// Returns the reason why the scenario does not run in a mode.
    #[must_use]
    pub fn skips(&self, mode: TestMode) -> Option<&str> {
        let all = self.skip.get(&TestMode::Interrupted).filter(|_| mode > TestMode::Interrupted);
        self.skip.get(&mode).or(all).map(String::as_str)
    }

    /// Reads a scenario and checks that it is valid.
    ///
    /// # Errors
    /// A sentence that says which part is not valid.
    pub fn parse(text: &str) -> Result<Scenario, String> {
        let scenario: Scenario = toml::from_str(text).map_err(|e| e.to_string())?;
        if scenario.steps.is_empty() {
            return Err("nothing happens: there is no [[step]]".into());
        }
        for (at, step) in scenario.steps.iter().enumerate() {
            step.check().map_err(|what| format!("step {}: {what}", at + 1))?;
        }
        let worlds =
            [&scenario.before, &scenario.after].into_iter().chain(scenario.steps.iter().map(|s| &s.world));
        for (path, node) in worlds.flatten() {
            node.check().map_err(|what| format!("{path}: {what}"))?;
        }
        Ok(scenario)
    }
}

impl ScenarioStep {
    /// Kind and body of the request, if it is one.
    ///
    /// # Errors
    /// The body is text and not JSON.
    pub fn request(&self) -> Result<Option<(&'static str, Value)>, String> {
        let all = [
            ("read", &self.read),
            ("edit", &self.edit),
            ("undo", &self.undo),
            ("redo", &self.redo),
            ("history", &self.history),
            ("show", &self.show),
            ("clip", &self.clip),
            ("check", &self.check),
        ];
        let Some((kind, body)) = all.into_iter().find_map(|(kind, body)| Some((kind, body.as_ref()?))) else {
            return Ok(None);
        };
        let body = match body {
            Value::String(text) => serde_json::from_str(text).map_err(|e| format!("{kind}: {e}"))?,
            other => other.clone(),
        };
        Ok(Some((kind, body)))
    }

    fn check(&self) -> Result<(), String> {
        let bodies = [
            &self.read,
            &self.edit,
            &self.undo,
            &self.redo,
            &self.history,
            &self.show,
            &self.clip,
            &self.check,
        ];
        let requests = bodies.iter().filter(|body| body.is_some()).count();
        let others = [
            self.outside.is_some(),
            !self.hold.is_empty(),
            self.wait > 0,
            self.restart,
            self.kill,
            self.settle,
            self.observe.is_some(),
            self.flush,
        ];
        if requests + others.iter().filter(|named| **named).count() != 1 {
            return Err("exactly one thing happens in a step".into());
        }
        self.request()?;
        if requests == 0 {
            let idle = self.expect.is_none() && self.save.is_empty() && self.meanwhile.is_empty();
            return if idle { Ok(()) } else { Err("only a request has a reply and steps".into()) };
        }
        match &self.expect {
            // A killed process sends no reply.
            None if self.stop_after.is_some() => Ok(()),
            None => Err("a request without `expect` shows nothing".into()),
            Some(_) if self.stop_after.is_some() => {
                Err("a process that dies sends no reply to expect".into())
            }
            Some(_) => Ok(()),
        }
    }
}

impl PathState {
    fn check(&self) -> Result<(), String> {
        let kinds = [
            self.text.is_some(),
            self.hex.is_some(),
            self.lines_of.is_some(),
            self.link.is_some(),
            self.hard.is_some(),
            self.moved_from.is_some(),
            self.folder,
            self.fifo,
            self.mount,
            self.absent,
        ];
        if kinds.iter().filter(|named| **named).count() > 1 {
            return Err("one path is one thing".into());
        }
        self.bytes()?;
        self.permissions().map(|_| ())
    }

    /// The content.
    ///
    /// # Errors
    /// `hex` is not hexadecimal.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let once = match (&self.text, &self.hex, &self.lines_of) {
            (Some(text), _, _) => text.clone().into_bytes(),
            (None, Some(hex), _) => unhex(hex).ok_or_else(|| format!("not hexadecimal: {hex:?}"))?,
            (None, None, Some(name)) => numbered_lines(name, self.size),
            (None, None, None) => Vec::new(),
        };
        let mut bytes = once.repeat(self.times.unwrap_or(1));
        for (old, new) in &self.edited {
            let text = String::from_utf8(bytes).map_err(|_| "`edited` needs text".to_owned())?;
            if text.matches(old.as_str()).count() != 1 {
                return Err(format!("`edited`: the content does not have {old:?} once"));
            }
            bytes = text.replace(old.as_str(), new).into_bytes();
        }
        Ok(bytes)
    }

    /// The permission bits, where they are named.
    ///
    /// # Errors
    /// They are not octal.
    pub fn permissions(&self) -> Result<Option<u32>, String> {
        let parse = |mode: &String| u32::from_str_radix(mode, 8).map_err(|_| format!("not octal: {mode:?}"));
        self.mode.as_ref().map(parse).transpose()
    }
}
