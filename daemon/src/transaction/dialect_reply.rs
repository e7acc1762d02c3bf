//! Words the receipt of a payload's job in the dialect of the payload. It changes only the text of the receipt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use editd_engine::dialect::{PayloadOutcome, ReplyFormat, ShownFile};
use editd_proto::message::{FileOutcome, ReadReply, Receipt};

/// The dialect of a job that came as a payload.
#[derive(Clone)]
pub struct DialectReply {
    dialect: &'static str,
    format: Arc<dyn ReplyFormat>,
    warnings: Vec<String>,
}

impl DialectReply {
    /// Returns the reply of a dialect, with the warnings of its translation.
    pub fn new(dialect: &'static str, format: Box<dyn ReplyFormat>, warnings: Vec<String>) -> Self {
        Self { dialect, format: format.into(), warnings }
    }

    /// Adds the text to a receipt.
    pub fn add_text(&self, receipt: &mut Receipt) {
        receipt.text = self.text(&PayloadOutcome::Receipt(receipt));
        receipt.dialect = Some(self.dialect.to_owned());
    }

    /// Adds the text of what was read to a receipt.
    pub fn add_view(&self, read: &ReadReply, receipt: &mut Receipt) {
        receipt.text = self.text(&PayloadOutcome::Read(ShownFile {
            path: &read.path,
            text: read.text.as_deref(),
            bytes: read.bytes.as_deref(),
            first_line: read.first_line,
            line_ending: &read.line_ending,
            size: read.size,
        }));
        receipt.dialect = Some(self.dialect.to_owned());
    }

    /// Adds the warnings of the translation to the first file of the payload.
    pub fn warn(&self, files: &mut [FileOutcome]) {
        if let Some(first) = files.first_mut() {
            first.warnings.extend(self.warnings.iter().cloned());
        }
    }

    /// Returns the text. If the dialect panics, there is none: the rest of the receipt remains valid.
    fn text(&self, outcome: &PayloadOutcome<'_>) -> Option<String> {
        catch_unwind(AssertUnwindSafe(|| self.format.format(outcome))).ok()
    }
}

impl std::fmt::Debug for DialectReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DialectReply").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}
