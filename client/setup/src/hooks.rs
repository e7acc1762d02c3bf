//! The hooks of each runtime that keeps its own edit tools: their events, their form, and the texts with and without them.

use editctl::runtime::Runtime;
use serde_json::{Value, json};

use crate::format::FormatError;
use crate::json::{array, meaning};
use crate::plugin;

/// Seconds after which a runtime gives up waiting for a hook. The hook itself gives up after 3 s.
const TIMEOUT_S: u64 = 10;

/// The events of a runtime, each with the tools for which its hook runs.
type HookEvents = &'static [(&'static str, &'static str)];

/// The form of an element in the array of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HookForm {
    /// `{matcher, hooks: [{type, command, timeout}]}`, with a time limit in this unit of a second.
    Nested(u64),
    /// `{command, matcher, timeout}`.
    Flat,
    /// `{type, command, timeout}`: matchers are ignored.
    Typed,
}

/// The hooks of a runtime, in the form that it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HookConfig {
    /// Elements of a configuration file.
    Elements(HookSet),
    /// A plugin, which is a file of its own.
    Plugin,
}

/// The hooks in a configuration file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookSet {
    /// The name of the runtime for `editctl hook`.
    name: &'static str,
    events: HookEvents,
    form: HookForm,
    /// A file without hooks, for a runtime that has none yet.
    start: &'static str,
}

/// Returns the hooks; `None` if the runtime has none.
pub(crate) fn hooks(runtime: Runtime) -> Option<HookConfig> {
    let (events, form, start): (HookEvents, HookForm, &'static str) = match runtime {
        Runtime::ClaudeCode => (
            &[
                ("PreToolUse", "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell"),
                ("PostToolUse", "Read|Grep|Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell"),
                ("PostToolUseFailure", "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell"),
            ],
            HookForm::Nested(1),
            "{}\n",
        ),
        Runtime::Codex => (
            &[("PreToolUse", "apply_patch|Bash"), ("PostToolUse", "apply_patch|Bash")],
            HookForm::Nested(1),
            "{}\n",
        ),
        Runtime::Cursor => (
            &[
                ("preToolUse", "^(Write|StrReplace|Edit|Delete|Shell)$"),
                ("postToolUse", "^(Read|Grep|Write|StrReplace|Edit|Delete|Shell)$"),
                ("postToolUseFailure", "^(Write|StrReplace|Edit|Delete|Shell)$"),
            ],
            HookForm::Flat,
            "{\n  \"version\": 1\n}\n",
        ),
        Runtime::Vscode => (&[("PreToolUse", ""), ("PostToolUse", "")], HookForm::Typed, "{}\n"),
        Runtime::Gemini => (
            &[
                ("BeforeTool", "^(replace|write_file|run_shell_command)$"),
                (
                    "AfterTool",
                    "^(read_file|search_file_content|grep_search|replace|write_file|run_shell_command)$",
                ),
            ],
            HookForm::Nested(1000),
            "{}\n",
        ),
        Runtime::Qwen => (
            &[
                ("PreToolUse", "^(edit|write_file|run_shell_command)$"),
                ("PostToolUse", "^(read_file|grep_search|edit|write_file|run_shell_command)$"),
                ("PostToolUseFailure", "^(edit|write_file|run_shell_command)$"),
            ],
            HookForm::Nested(1),
            "{}\n",
        ),
        Runtime::Opencode => return Some(HookConfig::Plugin),
        Runtime::Zed => return None,
    };
    Some(HookConfig::Elements(HookSet { name: runtime.name(), events, form, start }))
}

impl HookConfig {
    /// Returns the words that a shell would run.
    pub(crate) fn command(&self, program: &str) -> String {
        match self {
            Self::Elements(set) => set.command(program),
            Self::Plugin => hook_command(program, Runtime::Opencode.name()),
        }
    }

    /// Returns true if a text has hooks that setup wrote.
    ///
    /// # Errors
    /// The text is invalid.
    pub(crate) fn is_in(&self, text: &str) -> Result<bool, FormatError> {
        match self {
            Self::Elements(set) => Ok(set.is_in(&meaning(text)?)),
            Self::Plugin => Ok(plugin::is_own(text)),
        }
    }

    /// Returns the text with the hooks; `None` if it has them. Older ones are replaced.
    ///
    /// # Errors
    /// The text is invalid or has no place for them.
    pub(crate) fn insert(&self, text: Option<&str>, program: &str) -> Result<Option<String>, FormatError> {
        match self {
            Self::Elements(set) => set.insert(text, &set.command(program)),
            Self::Plugin => plugin::insert(text, program),
        }
    }

    /// Returns the text without the hooks, or `None` for no file: if setup made the file, and nothing else is in it.
    ///
    /// # Errors
    /// The text has the hooks in a form that cannot be removed.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, FormatError> {
        match self {
            Self::Elements(set) => set.remove(text),
            Self::Plugin => Ok(None),
        }
    }
}

/// Returns the words by which a shell runs the hook of a runtime.
fn hook_command(program: &str, name: &str) -> String {
    // A runtime may run hooks by a shell for which a backslash is an escape, also on Windows.
    let is_plain = program.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+:".contains(c));
    let quote = if cfg!(windows) { '"' } else { '\'' };
    match is_plain {
        true => format!("{program} hook {name}"),
        false if quote == '\'' => format!("'{}' hook {name}", program.replace('\'', "'\\''")),
        false => format!("{quote}{program}{quote} hook {name}"),
    }
}

impl HookSet {
    /// Returns the element for an event.
    fn element(&self, matcher: &str, command: &str) -> Value {
        match self.form {
            HookForm::Nested(unit) => json!({
                "matcher": matcher,
                "hooks": [{ "type": "command", "command": command, "timeout": TIMEOUT_S * unit }],
            }),
            HookForm::Flat => json!({ "command": command, "matcher": matcher, "timeout": TIMEOUT_S }),
            HookForm::Typed => json!({ "type": "command", "command": command, "timeout": TIMEOUT_S }),
        }
    }

    /// Returns the words that a shell runs.
    pub(crate) fn command(&self, program: &str) -> String {
        hook_command(program, self.name)
    }

    /// Returns true if setup writes such an element, perhaps in another version or on another machine: its only command is
    /// `editctl hook` for this runtime.
    fn is_own(&self, element: &Value) -> bool {
        let handlers = element.get("hooks").and_then(Value::as_array);
        let handler = match handlers.map(Vec::as_slice) {
            Some([one]) => one,
            Some(_) => return false,
            None => element,
        };
        let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
        let Some(program) = command.strip_suffix(&format!(" hook {}", self.name)) else { return false };
        let program = program.trim_matches(['\'', '"']);
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        name.strip_suffix(".exe").unwrap_or(name) == "editctl"
    }

    /// Returns the elements in a file that setup writes: the event and the index.
    fn own(&self, content: &Value) -> Vec<(&'static str, usize, Value)> {
        let elements = |event: &'static str| {
            let found = content.get("hooks").and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
            let all = found.into_iter().flatten().enumerate().map(move |(at, one)| (event, at, one.clone()));
            all.filter(|(_, _, one)| self.is_own(one)).collect::<Vec<_>>()
        };
        self.events.iter().flat_map(|(event, _)| elements(event)).collect()
    }

    /// Returns true if a file has hooks of this set.
    pub(crate) fn is_in(&self, content: &Value) -> bool {
        !self.own(content).is_empty()
    }

    /// Returns the text with the hooks; `None` if it has them. Older ones are replaced.
    ///
    /// # Errors
    /// The text is invalid or has no place for them.
    pub(crate) fn insert(&self, text: Option<&str>, command: &str) -> Result<Option<String>, FormatError> {
        let given = text.unwrap_or(self.start);
        if meaning(self.start)?.get("version").is_some() && meaning(given)?.get("version").is_none() {
            let message =
                "`version` is missing, without which the runtime ignores the file; add `\"version\": 1`";
            return Err(FormatError::Shape(message.to_owned()));
        }
        let wanted: Vec<(&str, Value)> =
            self.events.iter().map(|(event, matcher)| (*event, self.element(matcher, command))).collect();
        let own = self.own(&meaning(given)?);
        let same = |((event, element), (found_in, _, found)): ((&str, &Value), &(&str, usize, Value))| {
            event == *found_in && element == found
        };
        if own.len() == wanted.len()
            && wanted.iter().map(|(event, element)| (*event, element)).zip(&own).all(same)
        {
            return Ok(None);
        }
        let mut new = self.without(given)?;
        for (event, element) in &wanted {
            new = array::push(&new, event, element)?;
        }
        self.check(given, &new)?;
        let complete = self.own(&meaning(&new)?).len() == wanted.len();
        if complete { Ok(Some(new)) } else { Err(FormatError::by_hand(&["hooks"])) }
    }

    /// Returns the text without the hooks, or `None` for no file: if setup made the file, and nothing else is in it.
    ///
    /// # Errors
    /// The text is invalid, or has the hooks in a form that cannot be removed.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, FormatError> {
        let new = self.without(text)?;
        self.check(text, &new)?;
        Ok((new != self.start).then_some(new))
    }

    fn without(&self, text: &str) -> Result<String, FormatError> {
        let mut new = text.to_owned();
        // The last that was added is the first that is removed.
        while let Some((event, at, element)) = self.own(&meaning(&new)?).pop() {
            let shorter = array::take(&new, event, at, &element)?;
            if shorter.len() >= new.len() {
                return Err(FormatError::by_hand(&["hooks", event]));
            }
            new = shorter;
        }
        Ok(new)
    }

    /// Checks that two texts differ by the hooks of this set alone.
    fn check(&self, old: &str, new: &str) -> Result<(), FormatError> {
        let rest = |text: &str| Ok(self.rest(meaning(text)?));
        let same = rest(old)? == rest(new).map_err(|_: FormatError| FormatError::by_hand(&["hooks"]))?;
        if same { Ok(()) } else { Err(FormatError::by_hand(&["hooks"])) }
    }

    /// Returns the meaning of a text without the hooks, and without what only leads to them.
    fn rest(&self, mut content: Value) -> Value {
        let Some(hooks) = content.get_mut("hooks").and_then(Value::as_object_mut) else { return content };
        for (event, _) in self.events {
            let Some(elements) = hooks.get_mut(*event).and_then(Value::as_array_mut) else { continue };
            elements.retain(|element| !self.is_own(element));
            if elements.is_empty() {
                hooks.remove(*event);
            }
        }
        let is_empty = hooks.is_empty();
        if is_empty && let Some(root) = content.as_object_mut() {
            root.remove("hooks");
        }
        content
    }
}

#[cfg(test)]
mod tests;
