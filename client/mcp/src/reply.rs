//! The reply to a call: text for the model, and the same as a JSON object for programs.

use std::borrow::Cow;
use std::path::Path;

use editctl::show::letters::one_line;
use editctl::show::{OutputStyle, StepForm, checks, error, json, receipt};
use editd_proto::error::ChangeAuthor;
use editd_proto::message::{CheckOutcome, JobStatus, Receipt};
use editd_proto::{ErrorCode, RequestError};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// The field with the results of checks.
const DIAGNOSTICS: &str = "diagnostics";

/// The field with the token of a check.
const TOKEN: &str = "token";

/// The words of a refusal that shows all lines that the session has not read.
const SHOWN: &str = "shows all of that";

/// The reply to a call.
#[derive(Debug)]
pub(crate) struct ToolReply {
    /// The text for the model.
    pub(crate) text: String,
    /// The object for programs.
    pub(crate) structured: Value,
    /// Set if the call was refused.
    pub(crate) is_error: bool,
    /// Set if the text ends in that of a file, whose white space is part of it.
    is_exact: bool,
    /// Text that does not belong to this call, such as the results of earlier checks.
    notes: String,
}

impl ToolReply {
    /// Creates the reply to a call that was carried out.
    pub(crate) fn done(text: impl Into<String>, structured: &impl Serialize) -> Self {
        Self::new(text.into(), value(structured), false)
    }

    /// Creates the reply to a read: its text ends in that of a file, and is returned as it is.
    pub(crate) fn content(text: String, structured: &impl Serialize) -> Self {
        Self { is_exact: true, ..Self::done(text, structured) }
    }

    fn new(text: String, structured: Value, is_error: bool) -> Self {
        Self { text, structured, is_error, is_exact: false, notes: String::new() }
    }

    /// Creates the reply to a job.
    pub(crate) fn receipt(receipt: &Receipt, style: &OutputStyle) -> Self {
        let texts = receipt::text(receipt, style);
        let is_error = matches!(receipt.status, JobStatus::Refused | JobStatus::Partial);
        Self::new(texts.out + &texts.err, facts(receipt), is_error)
    }

    /// Names the root to which the paths of the reply are relative, if it is not the usual one.
    pub(crate) fn in_root(mut self, root: Option<&Path>) -> Self {
        if let Some(root) = root {
            let root = root.display().to_string();
            self.text = format!("in {}\n{}", one_line(&root), self.text);
            if let Value::Object(fields) = &mut self.structured {
                fields.insert("root".to_owned(), Value::String(root));
            }
        }
        self
    }

    /// Adds the results of checks that have ended since the last reply.
    pub(crate) fn with_checks(mut self, checks: &[CheckOutcome], style: &OutputStyle) -> Self {
        if checks.is_empty() {
            return self;
        }
        self.notes = checks::text(checks, style);
        if let Value::Object(fields) = &mut self.structured {
            fields.insert(DIAGNOSTICS.to_owned(), value(&checks));
        }
        self
    }

    /// Creates the reply to a payload, in the words of its dialect. `with_diff` adds the change as a diff.
    pub(crate) fn payload(receipt: &Receipt, style: &OutputStyle, with_diff: bool) -> Self {
        let Some(told) = &receipt.text else { return Self::receipt(receipt, style) };
        // The token of a plan means nothing to the tool, and the words of the dialect contain the error.
        let told = once(told, receipt);
        let words = Receipt {
            text: Some(with_calls(told, receipt.error.as_ref(), style)),
            verified: None,
            error: None,
            ..receipt.clone()
        };
        let facts = Receipt { text: None, verified: None, ..receipt.clone() };
        let mut reply = Self::receipt(&words, style);
        reply.structured = self::facts(&facts);
        let mut add = |line: &str| {
            let end = if reply.text.is_empty() || reply.text.ends_with('\n') { "" } else { "\n" };
            reply.text.push_str(end);
            reply.text.push_str(line);
        };
        for formatted in receipt.files.iter().filter_map(|file| file.formatted.as_ref()) {
            add(&format!("formatted by {}\n{}", formatted.by.join(", "), formatted.diff));
        }
        if with_diff && matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
            let diffs: String = receipt.files.iter().filter_map(|file| file.diff.as_deref()).collect();
            if !diffs.is_empty() {
                add(&fenced(&diffs));
            }
        }
        if let Some(step) = receipt.error.as_ref().and_then(|error| next_step(error, style)) {
            add(&step);
        }
        reply
    }

    /// Creates the reply to a call that was refused.
    pub(crate) fn refused(error: &RequestError, style: &OutputStyle) -> Self {
        Self::new(error::text(error, style), json!({ "error": value(error) }), true)
    }

    /// Returns the reply in the form of the protocol.
    pub(crate) fn result(self) -> CallToolResult {
        let mut text = self.text;
        if !self.is_exact {
            // A message may quote lines: their white space stays.
            text.truncate(text.trim_end_matches('\n').len());
        }
        let mut content = vec![ContentBlock::text(text)];
        if !self.notes.is_empty() {
            // A block of its own, so that it is not taken for the content of a file.
            content.push(ContentBlock::text(self.notes.trim_end().to_owned()));
        }
        let mut result =
            if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(self.structured);
        result
    }
}

/// Returns a text without the repetitions of a warning that several stages of a file have.
fn once(text: &str, receipt: &Receipt) -> String {
    let mut text = Cow::Borrowed(text);
    for warning in receipt.files.iter().flat_map(|file| &file.warnings) {
        let line = format!("\n{}", warning.trim_end());
        if let Some((before, behind)) = text.split_once(&line)
            && behind.contains(&line)
        {
            text = Cow::Owned(format!("{before}{line}{}", behind.replace(&line, "")));
        }
    }
    text.into_owned()
}

/// Returns a refusal and the others of its job.
fn each(refusal: Option<&RequestError>) -> impl Iterator<Item = &RequestError> {
    refusal.into_iter().flat_map(|one| std::iter::once(one).chain(&one.others))
}

/// Returns the text of a refusal with calls in place of commands, if its messages name commands.
fn with_calls(text: String, refusal: Option<&RequestError>, style: &OutputStyle) -> String {
    let named = |text: &str| matches!(error::in_form(text, style.steps), Cow::Owned(_));
    let names = each(refusal).any(|one| named(&one.message) || one.cause.as_deref().is_some_and(named));
    if names { error::in_form(&text, style.steps).into_owned() } else { text }
}

/// Returns a diff between fences that do not occur in it.
fn fenced(diff: &str) -> String {
    let mut fence = "```".to_owned();
    while diff.contains(&fence) {
        fence.push('`');
    }
    let end = if diff.ends_with('\n') { "" } else { "\n" };
    format!("{fence}diff\n{diff}{end}{fence}")
}

/// Returns the call that follows a refusal, unless the words of the dialect contain it.
fn next_step(refusal: &RequestError, style: &OutputStyle) -> Option<String> {
    match (refusal.code, &style.steps, &refusal.by) {
        // The message says it if the refusal shows everything that has to be read.
        (ErrorCode::Unread, StepForm::Tools(words), _) if !refusal.message.contains(SHOWN) => {
            error::read_call(refusal, words)
        }
        (ErrorCode::Stale | ErrorCode::Conflict, StepForm::Tools(words), _) => {
            error::next_call(refusal, words)
        }
        (ErrorCode::NotFound, _, Some(ChangeAuthor::Entry(job))) => {
            Some(format!("next: history {{\"job\": {job}}}"))
        }
        _ => None,
    }
}

/// Types of the protocol have only keys that are texts.
fn value(reply: &impl Serialize) -> Value {
    serde_json::to_value(reply).unwrap_or_default()
}

/// Returns a receipt as an object for programs, with the names that the tools have.
fn facts(receipt: &Receipt) -> Value {
    let mut structured = value(&json::short_with_places(receipt));
    if let Value::Object(fields) = &mut structured {
        for (name, own) in [("checks", DIAGNOSTICS), ("verified", TOKEN)] {
            if let Some(field) = fields.remove(name) {
                fields.insert(own.to_owned(), field);
            }
        }
    }
    structured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reply: ToolReply) -> Value {
        json!(
            reply
                .result()
                .content
                .iter()
                .filter_map(|block| Some(&block.as_text()?.text))
                .collect::<Vec<_>>()
        )
    }

    #[test]
    fn the_text_of_a_file_keeps_its_white_space() {
        for text in ["a\nb  \n\n\n   \n", " \n\t\n", "a\r", "a"] {
            assert_eq!(texts(ToolReply::content(text.to_owned(), &json!({}))), json!([text]));
        }
    }

    #[test]
    fn a_message_ends_without_a_line_break() {
        assert_eq!(texts(ToolReply::done("done\n\n", &json!({}))), json!(["done"]));
        assert_eq!(
            texts(ToolReply::done("the line is:\n  8\t\n", &json!({}))),
            json!(["the line is:\n  8\t"])
        );
    }
}
