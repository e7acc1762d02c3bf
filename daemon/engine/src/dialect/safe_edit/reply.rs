//! Formats the reply to a `safe-edit` payload in the terms of its callers: the diff, the outcome, the issues. A
//! rejection is never reported as a success.

use editd_types::{ErrorCode, FileOutcome, JobStatus, Receipt, RequestError};

use super::fields::EditForm;
use crate::dialect::explain::{explain, failures, left_out, plain, with_details};
use crate::dialect::summary::{Detail, summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::locate::excerpt;

/// The data of a payload that the wording of its answer needs.
#[derive(Debug)]
pub(super) struct SafeEditReply {
    show_diff: bool,
    /// The search text and its replacement, shortened.
    search: Option<(String, String)>,
}

impl SafeEditReply {
    /// Creates the reply format for a payload of this form.
    pub(super) fn new(form: &EditForm, show_diff: Option<bool>) -> Self {
        let search = match form {
            EditForm::Search(given) => Some((excerpt(&given.search, 0), excerpt(&given.replace, 0))),
            _ => None,
        };
        Self { show_diff: show_diff.unwrap_or(true), search }
    }

    /// Returns the number of places and the shortened texts, if the receipt has a number of replacements.
    fn counted(&self, receipt: &Receipt) -> Option<(u64, &str, &str)> {
        let (search, replace) = self.search.as_ref()?;
        let count = receipt.files.iter().flat_map(|file| &file.edits).find_map(|edit| edit.replacements)?;
        Some((count, search, replace))
    }

    /// Returns the reason of a refusal, with the names of this dialect's fields.
    fn failed(&self, edit: Option<u64>, error: &RequestError) -> String {
        let sentence = match (error.code, &self.search) {
            (ErrorCode::NotFound, Some((search, _))) => {
                let advice = error.cause.as_deref().unwrap_or("check it, or read the file again");
                format!("Pattern {search:?} not found in file; {advice}")
            }
            (ErrorCode::Missing, _) => "the file does not exist; content makes it".to_owned(),
            (ErrorCode::Malformed | ErrorCode::InvalidRegex | ErrorCode::Limit, Some(_)) => {
                own_names(&error.message)
            }
            (ErrorCode::Overlap, _) => match error.other_edit {
                Some(other) => format!("it is overlapping with edit {other}; make the two one edit"),
                None => plain(error),
            },
            _ => plain(error),
        };
        let lead = match (edit, &self.search) {
            (_, Some(_)) if error.code == ErrorCode::NotFound => String::new(),
            (Some(number), None) => format!("Edit failed: edit {number}: "),
            _ => "Edit failed: ".to_owned(),
        };
        lead + &with_details(error, sentence)
    }

    fn status(&self, receipt: &Receipt) -> Vec<String> {
        let issues = receipt.files.iter().flat_map(|file| &file.issues);
        let issues: Vec<String> = issues.map(|issue| format!("- {issue}")).collect();
        let with = |line: &str| std::iter::once(line.to_owned()).chain(issues.iter().cloned()).collect();
        match (receipt.status, &receipt.error) {
            (JobStatus::Applied, _) if issues.is_empty() => vec!["✅ File saved successfully.".to_owned()],
            (JobStatus::Applied, _) => {
                let saved =
                    "✅ File saved successfully.\n⚠️ Saved with validation warnings (Mode: interactive):";
                with(saved)
            }
            (JobStatus::Unchanged, _) => match self.counted(receipt) {
                Some((0, search, _)) => with(&format!("⚠️ Pattern {search:?} not found (no changes made)")),
                _ => with("✅ No changes: the file has this content already."),
            },
            (JobStatus::Verified, _) if issues.is_empty() => {
                vec!["✅ Validation Passed (Mode: verify_only, nothing was written)".to_owned()]
            }
            (JobStatus::Verified, _) => {
                with("❌ Validation Failed (Mode: verify_only, nothing was written):")
            }
            (JobStatus::Queued, _) => {
                vec!["⏳ The edit is queued; nothing is written yet.".to_owned()]
            }
            (JobStatus::Partial, _) => with("⚠️ Saved in part:"),
            (JobStatus::Refused, Some(error)) if error.code == ErrorCode::Rejected => {
                let rejected = "❌ Edit rejected due to validation errors (Mode: strict):";
                if issues.is_empty() {
                    vec![format!("{rejected} {}", explain(error))]
                } else {
                    with(rejected)
                }
            }
            (JobStatus::Refused, Some(error)) => {
                let failed = failures(error, |error| format!("❌ {}", self.failed(error.edit, error)));
                with(&failed)
            }
            (JobStatus::Refused, None) => with("❌ Edit failed."),
        }
    }
}

/// Returns a message about a substitution with the names of the fields of this dialect.
pub(super) fn own_names(message: &str) -> String {
    message.replace("`pattern`", "`search`").replace("`replacement`", "`replace`")
}

/// Returns the message of a refused payload. The error already names the item.
pub(super) fn refused(error: &RequestError) -> String {
    format!("❌ Edit failed: {}", explain(error))
}

/// Returns a diff in a fence that is longer than any fence in it.
fn fenced(file: &FileOutcome) -> Option<String> {
    let diff = file.diff.as_deref().filter(|diff| !diff.is_empty())?;
    let longest = diff.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    let more = file.omitted_hunks.filter(|hunks| *hunks > 0);
    let more = more.map_or_else(String::new, |hunks| format!("\n{hunks} more hunks are not shown."));
    Some(format!("**Diff Preview:**\n{fence}diff\n{}\n{fence}{more}\n", diff.trim_end_matches('\n')))
}

impl ReplyFormat for SafeEditReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out: Vec<String> = Vec::new();
        if self.show_diff {
            out.extend(receipt.files.iter().filter_map(fenced));
        }
        out.extend(self.status(receipt));
        let written = matches!(receipt.status, JobStatus::Applied | JobStatus::Partial);
        if let Some((count @ 1.., search, replace)) = self.counted(receipt) {
            let times = if count == 1 { "occurrence" } else { "occurrences" };
            let verb = if written { "Replaced" } else { "Found" };
            out.push(format!("{verb} {count} {times} of {search:?} → {replace:?}"));
        }
        if written {
            out.extend(summary(receipt, Detail::Changes));
        }
        for file in &receipt.files {
            out.extend(
                left_out(file).map(|(number, error)| format!("❌ {}", self.failed(Some(number), error))),
            );
            out.extend(file.warnings.iter().map(|warning| format!("⚠️ {warning}")));
        }
        out.join("\n")
    }
}
