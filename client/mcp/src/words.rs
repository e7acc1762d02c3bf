//! Writes the messages of the daemon in the words of a tool set. The daemon names fields and operations of jobs, which a
//! tool may not have: the parts of a message that name them are replaced or left out. Pure.

use std::borrow::Cow;

use editd_proto::RequestError;
use editd_proto::message::Receipt;
use editd_proto::operation::OPERATIONS;

/// The fields of requests that are not fields of operations.
const REQUEST_FIELDS: [&str; 16] = [
    "base",
    "detach",
    "edits",
    "files",
    "from_clipboard",
    "jobs",
    "key",
    "mode",
    "on_stale",
    "path",
    "paths",
    "regions",
    "to",
    "verified",
    "verify_only",
    "version",
];

/// Parts of messages, and the same in words that every tool set can use.
const PHRASES: [(&str, &str); 14] = [
    ("; list the path a second time for a later step", "; send it in a later call"),
    (
        "only file operations apply: to replace it, delete it in one entry and create it in the next",
        "these tools edit only text; to replace it, `delete` it in one call and write it in the next",
    ),
    ("ask for less at once", "split the call into several smaller ones"),
    (", or send the job with the mode `interactive`", ""),
    (
        "the result of the job is no longer the verified one; verify it again",
        "the edits would no longer do what was checked; check them again",
    ),
    (" (`chmod` in the same job will do)", ""),
    (", or make the file with `write`", ", or write the whole file"),
    (", or create it with `write`", ", or write the whole file"),
    (
        "`write` and `create` replace the whole file; only `insert` at start or end goes with them",
        "an edit that writes the whole file goes only with text that is inserted at its start or end",
    ),
    ("use `replace` or `lines`", "replace the whole definition, or its lines"),
    ("use `replace` for all of it", "replace the whole definition"),
    ("use `replace`", "replace the whole definition"),
    ("`replace` needs a text; use `delete` to take the symbol out", "the new text of the symbol is empty"),
    ("`delete` must be the only edit of its entry", "the deletion of a file goes with no other edit of it"),
];

/// The marks between the alternatives of a clause.
const ALTERNATIVE: &str = ", or ";

/// Rewrites every message of a refusal. `has` returns true for the names that the tool set has.
pub(crate) fn refusal(error: &mut RequestError, has: &impl Fn(&str) -> bool) {
    // The names in the message of a parser are words of the file.
    if error.issues.is_empty() {
        error.message = message(&error.message, has).into_owned();
        error.cause = error.cause.take().map(|cause| message(&cause, has).into_owned());
    } else {
        error.message = with_phrases(&error.message).into_owned();
    }
    error.others.iter_mut().for_each(|other| refusal(other, has));
}

/// Rewrites every message of a receipt, also in the reply of its dialect.
pub(crate) fn receipt(receipt: &mut Receipt, has: &impl Fn(&str) -> bool) {
    for file in &mut receipt.files {
        file.warnings.iter_mut().for_each(|warning| *warning = message(warning, has).into_owned());
        file.edits
            .iter_mut()
            .filter_map(|edit| edit.error.as_deref_mut())
            .for_each(|error| refusal(error, has));
    }
    let Some(error) = &mut receipt.error else { return };
    let before = error.clone();
    refusal(error, has);
    if let Some(text) = &mut receipt.text {
        for (before, after) in each(&before).zip(each(error)) {
            if before.message != after.message {
                *text = text.replace(&before.message, &after.message);
            }
        }
    }
}

fn each(error: &RequestError) -> impl Iterator<Item = &RequestError> {
    std::iter::once(error).chain(&error.others)
}

/// Returns a message without the names that the tool set does not have: in a clause those alternatives are left out that
/// name one, and a clause without any other.
pub(crate) fn message<'m>(message: &'m str, has: &impl Fn(&str) -> bool) -> Cow<'m, str> {
    let message = with_phrases(message);
    let is_foreign = |part: &str| names(part).any(|name| !has(name));
    if !is_foreign(&message) {
        return message;
    }
    let clauses = message.split("; ").enumerate().filter_map(|(number, clause)| {
        if !is_foreign(clause) {
            return Some(clause.to_owned());
        }
        let kept: Vec<&str> = clause.split(ALTERNATIVE).filter(|part| !is_foreign(part)).collect();
        match kept.as_slice() {
            // Without its first clause a message says nothing.
            [] if number == 0 => Some(clause.replace('`', "")),
            [] => None,
            kept => Some(kept.join(ALTERNATIVE)),
        }
    });
    Cow::Owned(clauses.collect::<Vec<_>>().join("; "))
}

fn with_phrases(message: &str) -> Cow<'_, str> {
    let mut message = Cow::Borrowed(message);
    for (from, to) in PHRASES {
        if message.contains(from) {
            message = Cow::Owned(message.replace(from, to));
        }
    }
    message
}

/// Returns the names of fields and operations of jobs that a message has between backticks.
pub(crate) fn names(message: &str) -> impl Iterator<Item = &str> {
    let quoted = message.split('`').skip(1).step_by(2);
    let first = quoted.map(|text| {
        let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        text.get(..end.unwrap_or(text.len())).unwrap_or_default()
    });
    first.filter(|name| is_of_a_job(name))
}

fn is_of_a_job(name: &str) -> bool {
    let of_operation = |one: &editd_proto::operation::Operation| {
        one.name == name || one.fields.iter().any(|field| field.name == name)
    };
    REQUEST_FIELDS.contains(&name) || OPERATIONS.iter().any(of_operation)
}

#[cfg(test)]
mod tests;
