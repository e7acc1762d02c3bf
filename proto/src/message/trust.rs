//! Requests about the trust in the commands that a workspace configures.

use serde::{Deserialize, Serialize};

/// Lists the commands in `.editd.toml`, and allows or forbids them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrustRequest {
    /// The hash of the file to be trusted. It is recorded if the file has this hash. If absent, nothing is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Forget every hash that was recorded for this workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoke: bool,
}

/// A command that a workspace configures.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandInfo {
    /// The kind: `validator`, `format`, `check` or `after_write`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The files on which it runs, as globs of workspace paths.
    pub files: Vec<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables of its environment beside the usual ones: `NAME` passes the daemon's value, `NAME=VALUE` sets one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Folders that it can write besides the workspace and those for temporary files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
}

/// The reply to `trust`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrustReply {
    /// The hash of `.editd.toml`: `blake3:` and 64 hexadecimal digits. Absent if there is no such file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Set if the commands may run and the settings apply.
    pub trusted: bool,
    /// The commands.
    #[serde(default)]
    pub commands: Vec<CommandInfo>,
    /// The settings that apply only if the file is trusted, each as a line of TOML.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
}
