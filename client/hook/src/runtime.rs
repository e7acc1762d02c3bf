//! The agent runtimes, and the signs by which a payload shows which of them runs the hook: some also run the hooks that
//! another runtime is configured with.

use clap::ValueEnum;
use serde_json::Value;

/// An agent runtime with hooks that get their input on standard input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Runtime {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
}

/// The program that runs the hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookRunner {
    /// A known runtime.
    Known(Runtime),
    /// A runtime without a name here.
    Other(&'static str),
}

impl Runtime {
    /// Returns the name on the command line, which the journal shows as the client.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    /// Returns the variable that has the folder of the project.
    pub(crate) fn project_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE_PROJECT_DIR"),
            Self::Cursor => Some("CURSOR_PROJECT_DIR"),
            Self::Gemini => Some("GEMINI_PROJECT_DIR"),
            Self::Qwen => Some("QWEN_PROJECT_DIR"),
            Self::Codex | Self::Vscode => None,
        }
    }

    /// Returns true if the hook must print a JSON object, also if it has nothing to say.
    pub(crate) fn wants_object(self) -> bool {
        matches!(self, Self::Cursor | Self::Gemini)
    }
}

impl HookRunner {
    /// Returns the runner, if a payload or a variable of the environment is a sign of it.
    pub(crate) fn of(payload: &Value, is_set: &dyn Fn(&str) -> bool) -> Option<Self> {
        let has = |field: &str| payload.get(field).is_some();
        if has("cursor_version") || is_set("CURSOR_VERSION") {
            return Some(Self::Known(Runtime::Cursor));
        }
        if is_set("DEVIN_PROJECT_DIR") {
            return Some(Self::Other("Devin"));
        }
        if is_set("QWEN_PROJECT_DIR") {
            return Some(Self::Known(Runtime::Qwen));
        }
        if is_set("GEMINI_PROJECT_DIR") {
            return Some(Self::Known(Runtime::Gemini));
        }
        match (has("sessionId") && !has("session_id"), has("hookEventName")) {
            (true, true) => Some(Self::Known(Runtime::Vscode)),
            (true, false) => Some(Self::Other("a runtime with other fields")),
            (false, _) => None,
        }
    }

    /// Returns the name for a message.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known(runtime) => runtime.name(),
            Self::Other(name) => name,
        }
    }
}
