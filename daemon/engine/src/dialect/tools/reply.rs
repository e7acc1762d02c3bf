//! The reply of a tool: its phrase, the line that every dialect has, and below a refusal the information that the
//! caller needs to continue. It reads no file.

use editd_types::{EditStatus, ErrorCode, FileEdit, FileOutcome, JobStatus, Receipt, RequestError};

use super::phrases::{Phrases, Values, filled};
use crate::dialect::explain::{failures, found_otherwise, loose_rung, notes, plain, span, with_details};
use crate::dialect::summary::{Detail, add_line, add_summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;
use crate::locate::excerpt;

/// Symbols that a refusal lists.
const SYMBOLS: usize = 5;

/// The wording of one payload's reply.
#[derive(Debug)]
pub(super) struct ToolReply {
    /// The dialect's phrases.
    pub(super) phrases: Phrases,
    /// The file.
    pub(super) path: String,
    /// The edits; each is a file entry of the job.
    pub(super) steps: Vec<EditSummary>,
}

/// The facts about an edit that the reply needs.
#[derive(Debug)]
pub(super) struct EditSummary {
    /// The native operation.
    op: String,
    /// The text, pattern or name that is looked for, shortened.
    old: String,
    /// The path that the file gets.
    to: String,
}

impl EditSummary {
    /// Creates the data of a native edit.
    pub(super) fn of(edit: &FileEdit) -> Self {
        let old = edit.old.as_ref().or(edit.pattern.as_ref()).or(edit.name.as_ref());
        Self {
            op: edit.op.clone(),
            old: old.map(|old| excerpt(old, 0)).unwrap_or_default(),
            to: edit.to.as_ref().map(ToString::to_string).unwrap_or_default(),
        }
    }
}

impl ReplyFormat for ToolReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out = self.head(receipt);
        for (index, file) in receipt.files.iter().enumerate() {
            for error in
                file.edits.iter().filter_map(|edit| edit.error.as_deref()).take(limits::BLOCKS_DETAILED)
            {
                add_line(&mut out, &self.failure(Some(index), error));
            }
            let loose = file.edits.iter().filter_map(|edit| Some((edit.lines?, loose_rung(edit)?)));
            for ((first, last), rung) in loose {
                add_line(
                    &mut out,
                    &format!("{}matched {} as `{rung}`.", self.number(index), span(first, last)),
                );
            }
            notes(file).for_each(|note| add_line(&mut out, &note));
        }
        out
    }
}

impl ToolReply {
    fn head(&self, receipt: &Receipt) -> String {
        let values = self.values(0);
        let mut out = match (receipt.status, &receipt.error) {
            (JobStatus::Applied, _) => self.done(receipt),
            (JobStatus::Partial, _) => "Only some of the edits were applied.".to_owned(),
            (JobStatus::Unchanged, _) => return filled(self.phrases.unchanged, &values),
            (JobStatus::Verified, _) => {
                let diffs: Vec<&str> = receipt.files.iter().filter_map(|file| file.diff.as_deref()).collect();
                format!("Nothing was written, as requested.\n{}", diffs.concat())
            }
            (JobStatus::Queued, _) => {
                format!("The edit of {} is queued; nothing is written yet.", values.path)
            }
            (JobStatus::Refused, Some(error)) => {
                return failures(error, |error| self.failure(None, error));
            }
            (JobStatus::Refused, None) => return format!("{} was not changed.", values.path),
        };
        add_summary(&mut out, receipt, Detail::Changes);
        out
    }

    /// Returns the phrase for a successful edit.
    fn done(&self, receipt: &Receipt) -> String {
        let applied = |file: &FileOutcome| {
            let edits = file.edits.iter().filter(|edit| edit.status == EditStatus::Applied);
            edits.map(|edit| edit.replacements.unwrap_or(1)).sum::<u64>()
        };
        let count = receipt.files.iter().map(applied).sum();
        let is_new = receipt.files.first().is_none_or(|file| file.before.is_none());
        let template = match self.steps.first().map(|step| step.op.as_str()) {
            Some("write" | "create") if is_new => self.phrases.created,
            Some("write") => self.phrases.overwritten,
            Some("rename") => self.phrases.moved,
            _ => self.phrases.edited,
        };
        filled(template, &Values { count, ..self.values(0) })
    }

    /// Returns the reason of an edit's refusal. `entry` is its file entry, if it is known. A refusal of the result of all
    /// edits, such as that of its syntax, names none of them.
    fn failure(&self, entry: Option<usize>, error: &RequestError) -> String {
        let named = error.file.and_then(|file| usize::try_from(file.checked_sub(1)?).ok());
        let known = entry.or(named);
        let index = known.unwrap_or(0);
        let path = error.path.as_ref().map_or_else(|| self.path.clone(), ToString::to_string);
        let op = self.steps.get(index).map_or("", |step| step.op.as_str());
        let values = Values {
            path: &path,
            count: error.found.unwrap_or(0),
            expected: error.expected.unwrap_or(0),
            last: error.lines.unwrap_or(0).saturating_sub(1),
            ..self.values(index)
        };
        let phrases = &self.phrases;
        let template = match error.code {
            ErrorCode::NotFound => phrases.not_found,
            ErrorCode::SymbolNotFound => phrases.no_symbol,
            ErrorCode::Ambiguous if op == "symbol" => phrases.symbols,
            // That a pattern matches several times is a `count_mismatch`.
            ErrorCode::Ambiguous if op == "substitute" => phrases.swallowed,
            ErrorCode::Ambiguous if error.found.is_some() => phrases.ambiguous,
            ErrorCode::CountMismatch => phrases.count,
            ErrorCode::OutOfRange => phrases.range,
            ErrorCode::Missing => phrases.missing,
            ErrorCode::Exists if op == "rename" => phrases.target,
            ErrorCode::Exists => phrases.exists,
            ErrorCode::Malformed if op == "create" => phrases.exists,
            ErrorCode::Unread => phrases.unread,
            ErrorCode::Stale => phrases.stale,
            _ => "",
        };
        let sentence = match template {
            "" => plain(error),
            template => filled(template, &values),
        };
        let number = known.map(|index| self.number(index)).unwrap_or_default();
        let mut sentence = number + &sentence;
        if let Some(more) = found_otherwise(error).filter(|_| error.code == ErrorCode::NotFound) {
            add_line(&mut sentence, &more);
        }
        if matches!(error.code, ErrorCode::Stale | ErrorCode::Unread) {
            add_line(&mut sentence, &plain(error));
        }
        if !error.symbols.is_empty() {
            let few: Vec<&str> = error.symbols.iter().take(SYMBOLS).map(String::as_str).collect();
            add_line(&mut sentence, &format!("Symbols: {}", few.join(", ")));
        }
        with_details(error, sentence)
    }

    /// Returns the number of an edit, if there are several.
    fn number(&self, index: usize) -> String {
        match self.steps.len() {
            0 | 1 => String::new(),
            all => format!("Edit {} of {all}: ", index.saturating_add(1)),
        }
    }

    fn values(&self, index: usize) -> Values<'_> {
        let step = self.steps.get(index);
        Values {
            path: &self.path,
            old: step.map_or("", |step| &step.old),
            to: step.map_or("", |step| &step.to),
            ..Values::default()
        }
    }
}
