//! The request `config`: the settings of the daemon and their sources.

use serde::{Deserialize, Serialize};

/// Asks for the settings of the daemon.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ConfigRequest {}

/// The source of a setting's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// It is the default.
    #[default]
    Default,
    /// `.editd.toml` has it.
    File,
    /// An option of the command line has it.
    Option,
    /// It follows from a variable of the environment.
    Environment,
    /// The service manager has chosen it.
    Systemd,
}

/// The event for which a value of `.editd.toml` waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingWait {
    /// The file must be trusted.
    Trust,
    /// The daemon must start again.
    Restart,
}

/// A setting.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SettingInfo {
    /// Its key in `.editd.toml`; `socket`, `state`, `workspace` or `log_level`; or the kind and the name of a command.
    pub name: String,
    /// The value that applies.
    pub value: String,
    /// The source of that value.
    pub source: SettingSource,
    /// The option or the variable that is the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The line of `.editd.toml` that has it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The value in `.editd.toml` that does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The event for which the file's value waits. Without `written`, the file no longer has the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<SettingWait>,
}

/// The reply to `config`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ConfigReply {
    /// The absolute path of `.editd.toml`, even if there is no such file.
    pub file: String,
    /// Set if the file is not the one that the daemon read when it started, and has a problem, or other settings or folders
    /// of `write` that are read only then.
    pub changed: bool,
    /// The reason for which the present file cannot be used. It may have several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// All settings, and the commands of the workspace.
    pub settings: Vec<SettingInfo>,
}
