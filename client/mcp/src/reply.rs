//! The reply to a call: text for the model, and the same as a JSON object for programs.

use editctl::show::{CallWords, OutputStyle, error, json, receipt};
use editd_proto::RequestError;
use editd_proto::message::{JobStatus, Receipt};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::CallRefusal;

/// The words with which replies name the next call.
pub(crate) const WORDS: CallWords = CallWords {
    read: "read {\"path\": ",
    narrow: Some("quote more of the text, limit it with \"lines\", or set \"all\": true"),
};

/// The reply to a call.
#[derive(Debug)]
pub(crate) struct ToolReply {
    /// The text for the model.
    pub(crate) text: String,
    /// The object for programs.
    pub(crate) structured: Value,
    /// Set if the call was refused.
    pub(crate) is_error: bool,
}

impl ToolReply {
    /// Creates the reply to a call that was carried out.
    pub(crate) fn done(text: impl Into<String>, structured: &impl Serialize) -> Self {
        Self { text: text.into(), structured: value(structured), is_error: false }
    }

    /// Creates the reply to a job.
    pub(crate) fn receipt(receipt: &Receipt, done: &'static str) -> Self {
        let style = OutputStyle::for_tools(WORDS).of(done);
        let texts = receipt::text(receipt, &style);
        let is_error = matches!(receipt.status, JobStatus::Refused | JobStatus::Partial);
        Self { text: texts.out + &texts.err, structured: value(&json::short(receipt)), is_error }
    }

    fn refused(error: &RequestError) -> Self {
        let text = error::text(error, &OutputStyle::for_tools(WORDS));
        Self { text, structured: json!({ "error": value(error) }), is_error: true }
    }

    /// Returns the reply in the form of the protocol.
    pub(crate) fn result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text.trim_end().to_owned())];
        let mut result =
            if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(self.structured);
        result
    }
}

impl From<Result<ToolReply, CallRefusal>> for ToolReply {
    fn from(reply: Result<ToolReply, CallRefusal>) -> Self {
        reply.unwrap_or_else(|refusal| Self::refused(&refusal.0))
    }
}

/// Types of the protocol have only keys that are texts.
fn value(reply: &impl Serialize) -> Value {
    serde_json::to_value(reply).unwrap_or_default()
}
