//! Trusting the commands that come with a workspace.

use serde::{Deserialize, Serialize};

/// Asks which commands `.editd.toml` brings, records that they may run, or takes that back.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TrustRequest {
    /// Record that the file with this hash is trusted, if it is what is there; only tell where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Forget every hash that was recorded for this workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoke: bool,
}

/// A command that a workspace brings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandInfo {
    /// `validator`, `format` or `after_write`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// For which files, as globs of workspace paths.
    pub files: Vec<String>,
    /// Program and arguments.
    pub command: Vec<String>,
}

/// Which commands there are, and whether they may run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrustReply {
    /// `blake3:` and 64 hexadecimal digits of `.editd.toml`; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Whether they may run.
    pub trusted: bool,
    /// The commands.
    #[serde(default)]
    pub commands: Vec<CommandInfo>,
}
