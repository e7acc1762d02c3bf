//! The `Dialect` of the chunks: its name, its recognition, and its translation of a payload into one file entry.
//! Another module reads the fields.

use editd_types::{FileEntry, RequestError};
use serde_json::Value;

use super::payload::read;
use super::reply::{ChunksReply, failure};
use crate::Refusal;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation};

/// The dialect.
pub(in crate::dialect) struct Chunks;

impl Dialect for Chunks {
    fn name(&self) -> &'static str {
        "chunks"
    }

    fn sentence(&self) -> &'static str {
        "Chunks of old and new lines with the lines around them, in a file or one symbol of it (JSON)."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        matches!(payload, PayloadSample::Json(fields) if matches!(fields.get("chunks"), Some(Value::Array(_))))
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let request = read(payload)?;
        let path = setting.path_or(request.path.as_deref())?;
        let entry = FileEntry { path, base: None, edits: request.chunks, ..FileEntry::default() };
        let job = PayloadJob { files: vec![entry], ..PayloadJob::default() };
        Ok(Translation {
            dialect: self.name(),
            request: PayloadRequest::Job(job),
            reply: Box::new(ChunksReply),
        })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        failure(error)
    }
}
