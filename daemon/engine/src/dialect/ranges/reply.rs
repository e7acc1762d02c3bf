//! Formats the reply to a `ranges` text: the job, and for each file its new version and its changed lines, so that the
//! next text can be written without another read. It reads no file.

use editd_types::{ErrorCode, FilePath, JobStatus, Receipt, RequestError};

use crate::dialect::explain::{failures, left_out, notes, plain, with_details};
use crate::dialect::summary::{Detail, add_line, add_summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;

/// The wording of one payload's reply.
#[derive(Debug)]
pub(super) struct RangesReply {
    /// The files, in the order of the entries.
    pub(super) files: Vec<FileRanges>,
}

/// The facts about a file that the reply needs.
#[derive(Debug)]
pub(super) struct FileRanges {
    /// Its path.
    pub(super) path: FilePath,
    /// The line of each range's header.
    pub(super) lines: Vec<u64>,
}

impl ReplyFormat for RangesReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut out = self.head(receipt);
        for file in &receipt.files {
            for (number, error) in left_out(file).take(limits::BLOCKS_DETAILED) {
                let error = RequestError { edit: error.edit.or(Some(number)), ..error.clone() };
                add_line(&mut out, &self.failure(Some(&file.path), &error));
            }
            notes(file).for_each(|note| add_line(&mut out, &note));
        }
        out
    }
}

impl RangesReply {
    fn head(&self, receipt: &Receipt) -> String {
        let mut out = match (receipt.status, &receipt.error) {
            (JobStatus::Applied, _) => "applied".to_owned(),
            (JobStatus::Partial, _) => "applied in part".to_owned(),
            (JobStatus::Verified, _) => "would apply; nothing was written, as requested".to_owned(),
            (JobStatus::Unchanged, _) => {
                return "The files have these lines already; nothing changed.".to_owned();
            }
            (JobStatus::Queued, _) => return "The edit is queued; nothing is written yet.".to_owned(),
            (JobStatus::Refused, Some(error)) => {
                return failures(error, |error| self.failure(error.path.as_ref(), error));
            }
            (JobStatus::Refused, None) => return "The edit was refused; nothing was written.".to_owned(),
        };
        add_summary(&mut out, receipt, Detail::Version);
        out
    }

    fn failure(&self, path: Option<&FilePath>, error: &RequestError) -> String {
        let known = self.files.iter().find(|file| Some(&file.path) == path);
        let line = |edit: Option<u64>| {
            let index = usize::try_from(edit?.checked_sub(1)?).ok()?;
            known?.lines.get(index).copied()
        };
        let place = path.map(ToString::to_string).unwrap_or_default();
        let message = plain(error);
        let sentence = match (error.code, line(error.other_edit)) {
            (ErrorCode::Overlap, Some(other)) => {
                format!("the range is overlapping with the one on line {other}; make them one range")
            }
            (ErrorCode::Missing, _) => {
                format!("{place} does not exist; to make it, write `PATH new` and its lines below")
            }
            (ErrorCode::Exists, _) => format!("{place} exists; name its version in place of `new`"),
            _ if message.contains(&place) => message,
            _ => format!("{place}: {message}"),
        };
        let lead = line(error.edit).map(|line| format!("line {line}: ")).unwrap_or_default();
        with_details(error, format!("{lead}{sentence}"))
    }
}
