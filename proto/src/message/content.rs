//! The request for a content that a file of a journal entry had, byte for byte.

use serde::{Deserialize, Serialize};

use super::job::is_default;
use crate::ids::{JobId, Version};
use crate::path::FilePath;

/// A state of a file of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrySide {
    /// The state after the entry; for an entry of rescued bytes, those bytes.
    #[default]
    After,
    /// The state before the entry.
    Before,
}

/// Asks for a content that a file had before or after an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContentRequest {
    /// The number of the entry.
    pub job: JobId,
    /// The file. It need not exist any more.
    pub path: FilePath,
    /// The state of the file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub side: EntrySide,
    /// The number of bytes to skip, to get the next part of a content that did not fit into one reply.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from: u64,
}

/// The reply to `content`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContentReply {
    /// The path as the journal names it, with links resolved.
    pub path: FilePath,
    /// The version of the whole content; absent if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The size of the whole content in bytes.
    pub size: u64,
    /// The bytes from `from` on, as many as fit.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}
