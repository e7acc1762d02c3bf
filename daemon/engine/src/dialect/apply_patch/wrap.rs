//! Unwraps an envelope from the JSON of a tool call or from a shell line that calls `apply_patch`. It removes only
//! what cannot change the patch.

use std::borrow::Cow;

use serde_json::Value;

use super::envelope;
use crate::Refusal;
use crate::dialect::{PayloadContext, json};
use crate::refusal::malformed;

/// An envelope without its wrapper.
pub(super) struct Unwrapped<'p> {
    /// The envelope.
    pub(super) text: Cow<'p, str>,
    /// True if it was in a call.
    pub(super) call: bool,
}

/// The object of a tool call: the patch, or the command that applies it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `input`, `patch` or `command`")]
struct Call {
    input: Option<String>,
    // opencode calls it `patchText`.
    #[serde(alias = "patchText")]
    patch: Option<String>,
    command: Option<CommandArgument>,
    cmd: Option<CommandArgument>,
    workdir: Option<String>,
    cwd: Option<String>,
    #[serde(rename = "timeout", alias = "timeout_ms")]
    _timeout: Option<serde::de::IgnoredAny>,
    #[serde(rename = "justification", alias = "description", alias = "explanation")]
    _reason: Option<serde::de::IgnoredAny>,
    #[serde(rename = "with_escalated_permissions")]
    _permissions: Option<serde::de::IgnoredAny>,
}

#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "a command: text, or a list of words")]
enum CommandArgument {
    Line(String),
    Words(Vec<String>),
}

/// Returns true if a text is an envelope, with or without a call around it.
pub(super) fn fits(payload: &str) -> bool {
    if payload.trim_start().starts_with('[') {
        let words = json::value(payload).ok().and_then(|value| words_of(&value));
        return words.and_then(of_words).is_some_and(|text| fits_text(&text));
    }
    fits_text(payload)
}

fn fits_text(text: &str) -> bool {
    envelope::begins(text) || script(text).is_some()
}

/// Returns true if an object is a call that applies a patch.
pub(super) fn fits_object(fields: &serde_json::Map<String, Value>) -> bool {
    let text = |name| matches!(fields.get(name), Some(Value::String(text)) if fits_text(text));
    let words = |name| {
        let words = fields.get(name).and_then(words_of);
        words.and_then(of_words).is_some_and(|text| fits_text(&text))
    };
    ["input", "patch", "patchText", "command", "cmd"].into_iter().any(text)
        || ["command", "cmd"].into_iter().any(words)
}

fn words_of(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
}

/// Removes the wrapper around an envelope.
///
/// # Errors
/// `malformed` for an object with other fields, for a call in another folder, and for quotes that a shell would
/// interpret.
pub(super) fn unwrapped<'p>(
    payload: &'p str,
    setting: &PayloadContext<'_>,
) -> Result<Unwrapped<'p>, Refusal> {
    let start = payload.trim_start();
    if start.starts_with('{') {
        return of_call(json::read(payload)?, setting);
    }
    if start.starts_with('[') {
        return called(of_words(json::read(payload)?).ok_or_else(no_call)?);
    }
    Ok(match script(payload) {
        Some(text) => Unwrapped { text: text?, call: true },
        None => Unwrapped { text: payload.into(), call: false },
    })
}

fn of_call(call: Call, setting: &PayloadContext<'_>) -> Result<Unwrapped<'static>, Refusal> {
    let root = |folder: &String| ["", ".", "./"].contains(&folder.as_str()) || setting.is_root(folder);
    if let Some(folder) = [&call.workdir, &call.cwd].into_iter().flatten().find(|folder| !root(folder)) {
        return Err(malformed(format!(
            "the call is for the folder {folder:?}; leave that out, and give paths relative to the workspace"
        )));
    }
    let given = [call.input.is_some(), call.patch.is_some(), call.command.is_some(), call.cmd.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(malformed("the object needs one of `input`, `patch`, `command`; send just one"));
    }
    match (call.input, call.patch, call.command.or(call.cmd)) {
        (Some(text), ..) => Ok(Unwrapped { call: script(&text).is_some(), ..of_text(text)? }),
        (_, Some(text), _) | (.., Some(CommandArgument::Line(text))) => called(text),
        (.., Some(CommandArgument::Words(words))) => called(of_words(words).ok_or_else(no_call)?),
        (None, None, None) => Err(no_call()),
    }
}

fn no_call() -> Refusal {
    malformed("the command does not call `apply_patch` alone; send the patch itself")
}

fn called(text: String) -> Result<Unwrapped<'static>, Refusal> {
    Ok(Unwrapped { call: true, ..of_text(text)? })
}

fn of_text(text: String) -> Result<Unwrapped<'static>, Refusal> {
    let inner = script(&text).map(|inner| inner.map(Cow::into_owned)).transpose()?;
    Ok(Unwrapped { text: inner.unwrap_or(text).into(), call: false })
}

/// Returns the patch or the script in the arguments of a command.
fn of_words(words: Vec<String>) -> Option<String> {
    let mut words = words.into_iter();
    match (words.next()?, words.next(), words.next(), words.next()) {
        (text, None, ..) => Some(text),
        (name, Some(text), None, _) if is_tool(&name) => Some(text),
        (name, Some(flags), Some(text), None) if is_shell(&name) && is_flags(&flags) => Some(text),
        _ => None,
    }
}

fn is_tool(name: &str) -> bool {
    matches!(name, "apply_patch" | "applypatch")
}

fn is_shell(name: &str) -> bool {
    matches!(name.rsplit('/').next(), Some("bash" | "sh" | "zsh"))
}

fn is_flags(flags: &str) -> bool {
    matches!(flags, "-c" | "-lc")
}

/// Returns the quoted argument of a shell line that calls `apply_patch`, itself or in another shell (`bash -lc '…'`,
/// `apply_patch '…'`).
fn script(payload: &str) -> Option<Result<Cow<'_, str>, Refusal>> {
    let text = payload.trim();
    let (name, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let quoted = if is_tool(name) {
        rest
    } else {
        let (flags, rest) = rest.split_once(char::is_whitespace).filter(|_| is_shell(name))?;
        Some(rest.trim_start()).filter(|_| is_flags(flags))?
    };
    let sign = quoted.chars().next().filter(|sign| ['\'', '"'].contains(sign))?;
    let inner = quoted.strip_prefix(sign)?.strip_suffix(sign)?;
    if !inner.contains(envelope::BEGIN) {
        return None;
    }
    let inner = unquoted(inner, sign);
    match &inner {
        Ok(text) if !envelope::begins(text) => None,
        _ => Some(inner),
    }
}

/// Returns the text between the quotes of a shell.
fn unquoted(inner: &str, sign: char) -> Result<Cow<'_, str>, Refusal> {
    let refused = || {
        let what = "the shell would change quotes, `$` or `\\` in the patch; send the patch itself";
        Err(malformed(what))
    };
    if sign == '"' {
        return if inner.contains(['"', '$', '`', '\\']) { refused() } else { Ok(inner.into()) };
    }
    if !inner.contains('\'') {
        return Ok(inner.into());
    }
    const MARK: &str = "\u{0}";
    let marked = inner.replace("'\\''", MARK).replace("'\"'\"'", MARK);
    if inner.contains(MARK) || marked.contains('\'') {
        return refused();
    }
    Ok(marked.replace(MARK, "'").into())
}
