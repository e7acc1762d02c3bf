//! The request for the journal as lines of JSON.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;

/// Asks for a piece of the exported journal.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The first entry to export; default: the oldest. Only with the first piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<JobId>,
    /// The `cursor` of the piece before; absent for the first piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The reply to `export`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExportReply {
    /// Whole lines, maybe none.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// The position of the next piece; absent after the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
