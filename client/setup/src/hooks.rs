//! The hooks of each runtime that keeps its own edit tools: their events, their form, and the texts with and without them.

use std::collections::BTreeSet;

use editctl::runtime::Runtime;
use serde_json::{Value, json};

use crate::format::{FormatError, part};
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

/// The kind of an element that runs `editctl hook` for the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnKind {
    /// As setup writes it, perhaps in another version or on another machine.
    Written,
    /// With options of `editctl hook` that somebody added.
    Edited,
}

impl OwnKind {
    /// Both kinds.
    pub(crate) const ALL: &[Self] = &[Self::Written, Self::Edited];
}

/// An element that runs `editctl hook` for the runtime.
struct OwnHook {
    event: &'static str,
    /// The index in the array of the event.
    at: usize,
    element: Value,
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

    /// Returns true if a text has own hooks of these kinds.
    ///
    /// # Errors
    /// The text is invalid.
    pub(crate) fn is_in(&self, text: &str, kinds: &[OwnKind]) -> Result<bool, FormatError> {
        match self {
            Self::Elements(set) => Ok(!set.own(&meaning(text)?, kinds).is_empty()),
            Self::Plugin => Ok(plugin::is_own(text)),
        }
    }

    /// Returns the commands of the own hooks that somebody edited, each once.
    ///
    /// # Errors
    /// The text is invalid.
    pub(crate) fn edited(&self, text: &str) -> Result<BTreeSet<String>, FormatError> {
        let Self::Elements(set) = self else { return Ok(BTreeSet::new()) };
        let all = set.own(&meaning(text)?, &[OwnKind::Edited]);
        Ok(all.iter().filter_map(|hook| command_of(&hook.element)).map(str::to_owned).collect())
    }

    /// Returns the text of a file without hooks.
    pub(crate) fn start(&self) -> &'static str {
        match self {
            Self::Elements(set) => set.start,
            Self::Plugin => "{}\n",
        }
    }

    /// Returns the text with the hooks; `None` if it has them. Older ones are replaced, and edited ones stay.
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

/// Returns the only command of an element.
fn command_of(element: &Value) -> Option<&str> {
    let handlers = element.get("hooks").and_then(Value::as_array);
    let handler = match handlers.map(Vec::as_slice) {
        Some([one]) => one,
        Some(_) => return None,
        None => element,
    };
    handler.get("command").and_then(Value::as_str)
}

/// Returns true if the end of a command has no operator by which a shell runs another command.
fn is_one_command(words: &str) -> bool {
    !words.replace(">&", ">").contains([';', '&', '|', '\n'])
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

    /// Returns the kind of an element whose only command is `editctl hook` for this runtime; `None` for others.
    fn own_kind(&self, element: &Value) -> Option<OwnKind> {
        let command = command_of(element)?;
        let hook = format!(" hook {}", self.name);
        command.match_indices(&hook).find_map(|(at, _)| {
            let (program, words) = (part(command, 0, at), part(command, at + hook.len(), command.len()));
            let program = program.trim_matches(['\'', '"']);
            let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
            if name.strip_suffix(".exe").unwrap_or(name) != "editctl" {
                return None;
            }
            match words.trim_end() {
                "" => Some(OwnKind::Written),
                words if words.starts_with([' ', '\t']) && is_one_command(words) => Some(OwnKind::Edited),
                _ => None,
            }
        })
    }

    /// Returns true if an element is an own one of these kinds.
    fn is_own(&self, element: &Value, kinds: &[OwnKind]) -> bool {
        self.own_kind(element).is_some_and(|kind| kinds.contains(&kind))
    }

    /// Returns the own elements of these kinds in a file.
    fn own(&self, content: &Value, kinds: &[OwnKind]) -> Vec<OwnHook> {
        let elements = |event: &'static str| {
            let found = content.get("hooks").and_then(|hooks| hooks.get(event)).and_then(Value::as_array);
            let all = found.into_iter().flatten().enumerate();
            let own = all.filter(|(_, one)| self.is_own(one, kinds));
            own.map(move |(at, one)| OwnHook { event, at, element: one.clone() }).collect::<Vec<_>>()
        };
        self.events.iter().flat_map(|(event, _)| elements(event)).collect()
    }

    /// Returns the text with the hooks; `None` if it has them. Older ones are replaced. An event with a hook that somebody
    /// edited keeps that one, and gets no other.
    ///
    /// # Errors
    /// The text is invalid or has no place for them.
    pub(crate) fn insert(&self, text: Option<&str>, command: &str) -> Result<Option<String>, FormatError> {
        let has_text = |text: &&str| !text.trim_matches([' ', '\t', '\r', '\n']).is_empty();
        let given = text.filter(has_text).unwrap_or(self.start);
        array::check_object(given)?;
        let content = meaning(given)?;
        if meaning(self.start)?.get("version").is_some() && content.get("version").is_none() {
            let message =
                "`version` is missing, without which the runtime ignores the file; add `\"version\": 1`";
            return Err(FormatError::Shape(message.to_owned()));
        }
        let edited = self.own(&content, &[OwnKind::Edited]);
        let lacks = |event: &str| !edited.iter().any(|hook| hook.event == event);
        let wanted: Vec<(&str, Value)> = self
            .events
            .iter()
            .filter(|(event, _)| lacks(event))
            .map(|(event, matcher)| (*event, self.element(matcher, command)))
            .collect();
        let written = self.own(&content, &[OwnKind::Written]);
        let same = |((event, element), found): (&(&str, Value), &OwnHook)| {
            *event == found.event && *element == found.element
        };
        if written.len() == wanted.len() && wanted.iter().zip(&written).all(same) {
            return Ok(None);
        }
        let mut new = self.without(given, &[OwnKind::Written])?;
        for (event, element) in &wanted {
            new = array::push(&new, event, element)?;
        }
        self.check(given, &new, &[OwnKind::Written])?;
        let complete = self.own(&meaning(&new)?, &[OwnKind::Written]).len() == wanted.len();
        if complete { Ok(Some(new)) } else { Err(FormatError::by_hand(&["hooks"])) }
    }

    /// Returns the text without the hooks, or `None` for no file: if setup made the file, and nothing else is in it.
    ///
    /// # Errors
    /// The text is invalid, or has the hooks in a form that cannot be removed.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, FormatError> {
        let new = self.without(text, OwnKind::ALL)?;
        self.check(text, &new, OwnKind::ALL)?;
        Ok((new != self.start).then_some(new))
    }

    fn without(&self, text: &str, kinds: &[OwnKind]) -> Result<String, FormatError> {
        let mut new = text.to_owned();
        // The last that was added is the first that is removed.
        while let Some(OwnHook { event, at, element }) = self.own(&meaning(&new)?, kinds).pop() {
            let shorter = array::take(&new, event, at, &element)?;
            if shorter.len() >= new.len() {
                return Err(FormatError::by_hand(&["hooks", event]));
            }
            new = shorter;
        }
        Ok(new)
    }

    /// Checks that two texts differ by own hooks of these kinds alone.
    fn check(&self, old: &str, new: &str, kinds: &[OwnKind]) -> Result<(), FormatError> {
        let rest = |text: &str| Ok(self.rest(meaning(text)?, kinds));
        let same = rest(old)? == rest(new).map_err(|_: FormatError| FormatError::by_hand(&["hooks"]))?;
        if same { Ok(()) } else { Err(FormatError::by_hand(&["hooks"])) }
    }

    /// Returns the meaning of a text without own hooks of these kinds, and without what only leads to them.
    fn rest(&self, mut content: Value, kinds: &[OwnKind]) -> Value {
        let Some(hooks) = content.get_mut("hooks").and_then(Value::as_object_mut) else { return content };
        for (event, _) in self.events {
            let Some(elements) = hooks.get_mut(*event).and_then(Value::as_array_mut) else { continue };
            elements.retain(|element| !self.is_own(element, kinds));
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
