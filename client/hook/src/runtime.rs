//! The agent runtimes with hooks. Detects by the payload and the environment which runtime runs the hook, since some also
//! run hooks that were configured for another one.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use editctl::runtime::Runtime;
use serde_json::Value;

/// The program that runs the hook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookRunner {
    /// A known runtime.
    Known(Runtime),
    /// A runtime without a name here.
    Other(&'static str),
}

/// Parses the name of a runtime with hooks.
pub(crate) fn parser() -> impl TypedValueParser<Value = Runtime> {
    let names: Vec<_> = Runtime::with_hooks().filter_map(|runtime| runtime.to_possible_value()).collect();
    PossibleValuesParser::new(names).try_map(|name| Runtime::from_str(&name, false))
}

/// Returns the variable that has the folder of the project.
pub(crate) fn project_variable(runtime: Runtime) -> Option<&'static str> {
    match runtime {
        Runtime::ClaudeCode => Some("CLAUDE_PROJECT_DIR"),
        Runtime::Cursor => Some("CURSOR_PROJECT_DIR"),
        Runtime::Gemini => Some("GEMINI_PROJECT_DIR"),
        Runtime::Qwen => Some("QWEN_PROJECT_DIR"),
        _ => None,
    }
}

/// Returns true if the hook must print a JSON object, also if it has nothing to say.
pub(crate) fn wants_object(runtime: Runtime) -> bool {
    matches!(runtime, Runtime::Cursor | Runtime::Gemini)
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
