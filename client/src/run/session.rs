//! Chooses the session of a command: a named or a derived one.

use editctl::machine;
use editctl::session::{self, SessionOrigin, VARIABLE, derive};
use editd_proto::message::{OnStale, SettingInfo, SettingSource};
use serde::Serialize;

use editctl::failure::Failure;
use editctl::values;

/// The variable with the default of a session's jobs for stale files.
const ON_STALE: &str = "EDITCTL_ON_STALE";

/// Returns the default for stale files from the environment.
///
/// # Errors
/// The value is invalid.
pub(super) fn on_stale() -> Result<Option<OnStale>, Failure> {
    let Some(word) = machine::variable(ON_STALE) else { return Ok(None) };
    let word = word.to_string_lossy();
    let meant = values::on_stale(&word);
    meant.map(Some).map_err(|use_this| Failure::Usage(format!("{ON_STALE} is {word:?}; {use_this}")))
}

/// The session of a command.
#[derive(Debug)]
pub(super) struct ActiveSession {
    pub(super) name: String,
    source: SessionSource,
}

/// The source of a session's name.
#[derive(Debug)]
enum SessionSource {
    Flag,
    Environment,
    Derived(SessionOrigin),
}

/// The session in the output of `status --json`.
#[derive(Serialize)]
pub(super) struct SessionInJson {
    name: String,
    from: String,
}

impl ActiveSession {
    /// Returns the session that the command line or the environment names, else a derived one.
    pub(super) fn choose(flag: Option<&String>) -> Result<Self, Failure> {
        if let Some(name) = flag {
            return Ok(Self { name: name.clone(), source: SessionSource::Flag });
        }
        if let Some(name) = session::from_environment().map_err(Failure::Usage)? {
            return Ok(Self { name, source: SessionSource::Environment });
        }
        let derived = derive();
        Ok(Self { name: derived.name, source: SessionSource::Derived(derived.origin) })
    }

    /// Returns the source of the name as text for people.
    pub(super) fn source(&self) -> String {
        match &self.source {
            SessionSource::Flag => "--session".into(),
            SessionSource::Environment => VARIABLE.into(),
            SessionSource::Derived(origin) => origin.to_string(),
        }
    }

    pub(super) fn in_json(&self) -> SessionInJson {
        SessionInJson { name: self.name.clone(), from: self.source() }
    }

    /// Returns it as a row of `config`.
    pub(super) fn setting(&self) -> SettingInfo {
        let source = match &self.source {
            SessionSource::Flag => SettingSource::Option,
            SessionSource::Environment => SettingSource::Environment,
            SessionSource::Derived(_) => SettingSource::Default,
        };
        let by = (source != SettingSource::Default).then(|| self.source());
        let (name, value) = ("session".to_owned(), self.name.clone());
        SettingInfo { name, value, source, by, ..SettingInfo::default() }
    }

    /// Returns a warning if a later command may get another session.
    pub(super) fn limits(&self) -> Option<String> {
        match &self.source {
            SessionSource::Derived(SessionOrigin::Command) => Some(format!(
                "this command is a session of its own, since no terminal or runtime was found that ran it; set \
                 {VARIABLE} to one name for each agent, to keep reads, clipboards and undo between commands"
            )),
            SessionSource::Derived(SessionOrigin::Program(name, id)) => Some(format!(
                "the session comes from {name} (process {id}); if another process ran your read, set {VARIABLE} to \
                 one name per agent"
            )),
            _ => None,
        }
    }

    /// Returns true if no later command has this session.
    pub(super) fn ends_with_the_command(&self) -> bool {
        matches!(self.source, SessionSource::Derived(SessionOrigin::Command))
    }
}
