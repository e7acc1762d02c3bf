//! The agent runtimes that programs of the client know, and their names on the command line.

use clap::ValueEnum;

/// An agent runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Runtime {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Zed
    Zed,
    /// opencode
    Opencode,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
}

impl Runtime {
    /// Returns the name on the command line, which the journal shows as the client of a hook.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Zed => "zed",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    /// Returns true if it runs commands, or the functions of a plugin, before and after its tools.
    #[must_use]
    pub fn has_hooks(self) -> bool {
        self != Self::Zed
    }

    /// Returns the runtimes that have hooks.
    pub fn with_hooks() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied().filter(|runtime| runtime.has_hooks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_that_of_the_command_line() {
        for runtime in Runtime::value_variants() {
            assert_eq!(Runtime::from_str(runtime.name(), false), Ok(*runtime));
        }
        assert_eq!(Runtime::with_hooks().count(), 7);
    }
}
