//! The rule of `check_staleness`: a pure verdict on a file entry, from the content that the entry expects, the present
//! file, the session's read receipt, and what the edits quote.

use editd_engine::{ContentProof, JobEntry, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::ContentHash;
use sha2::{Digest, Sha256};

use crate::config::UnreadPolicy;
use crate::disk::Observation;
use crate::record::ReadReceipt;

/// The content that an entry expects to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Expectation {
    /// Anything.
    Any,
    /// No file.
    Absent,
    /// A content with this short tag.
    Version(String),
    /// The content with this hash.
    Blake3(String),
    /// The content with this SHA-256.
    Sha256(String),
    /// The content that the session has last seen, if it has seen one.
    Receipt(Option<ReadReceipt>),
}

/// The verdict on an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It may replace every part of the file.
    Fresh,
    /// It may replace the lines that its session has seen.
    WhereSeen,
    /// The file does not have the content that it expects.
    Stale,
    /// Its session has not read what it would replace.
    Unread,
    /// It expects no file, and there is one.
    Exists,
}

/// Returns the verdict on an entry.
pub(super) fn verdict_of(
    expects: &Expectation,
    observation: &Observation,
    proof: ContentProof,
    unread: UnreadPolicy,
) -> Verdict {
    let Some(found) = observation.found() else {
        return match expects {
            Expectation::Any | Expectation::Absent | Expectation::Receipt(None) => Verdict::Fresh,
            Expectation::Receipt(Some(seen)) if seen.hash.is_none() => Verdict::Fresh,
            Expectation::Version(_)
            | Expectation::Blake3(_)
            | Expectation::Sha256(_)
            | Expectation::Receipt(Some(_)) => Verdict::Stale,
        };
    };
    let hash = found.meta.hash;
    let fresh = |same: bool| if same { Verdict::Fresh } else { Verdict::Stale };
    match expects {
        Expectation::Any => Verdict::Fresh,
        Expectation::Absent => Verdict::Exists,
        Expectation::Version(tag) => fresh(hash.version().0 == *tag),
        Expectation::Blake3(hex) => fresh(hash.hex() == *hex),
        Expectation::Sha256(hex) => fresh(sha256(&found.bytes) == *hex),
        Expectation::Receipt(Some(seen)) if seen.hash != Some(hash) => Verdict::Stale,
        Expectation::Receipt(Some(_)) => as_seen(expects, proof),
        Expectation::Receipt(None) => match (proof, unread) {
            (ContentProof::NotNeeded, _)
            | (_, UnreadPolicy::Allow)
            | (ContentProof::Quoted, UnreadPolicy::Anchored) => Verdict::Fresh,
            // An empty file has nothing to quote, and nothing to lose.
            (ContentProof::Blind, UnreadPolicy::Anchored) if found.bytes.is_empty() => Verdict::Fresh,
            (ContentProof::Quoted | ContentProof::Blind, _) => Verdict::Unread,
        },
    }
}

/// Returns the verdict on an entry whose expected content is known: the file has it, or the entry is planned on it.
pub(super) fn as_seen(expects: &Expectation, proof: ContentProof) -> Verdict {
    match expects {
        Expectation::Receipt(Some(seen)) if !seen.ranges.is_empty() && proof == ContentProof::Blind => {
            Verdict::WhereSeen
        }
        _ => Verdict::Fresh,
    }
}

/// Returns the expectation that an entry's `base` names.
pub(super) fn expectation(entry: &JobEntry, seen: Option<ReadReceipt>) -> Result<Expectation, Refusal> {
    let Some(base) = entry.base.as_deref() else { return Ok(Expectation::Receipt(seen)) };
    let hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let lower = base.to_ascii_lowercase();
    match (lower.as_str(), lower.split_once(':')) {
        ("any", _) => Ok(Expectation::Any),
        ("absent", _) => Ok(Expectation::Absent),
        (_, Some(("blake3", digest))) if hex(digest, 64) => Ok(Expectation::Blake3(digest.to_owned())),
        (_, Some(("sha256", digest))) if hex(digest, 64) => Ok(Expectation::Sha256(digest.to_owned())),
        (tag, None) if hex(tag, 12) => Ok(Expectation::Version(tag.to_owned())),
        _ => Err(Box::new(
            RequestError::new(
                ErrorCode::Malformed,
                format!(
                    "base {base:?} is none of a version (12 hexadecimal digits, or `@` and the number of a job), \
                     `blake3:` or `sha256:` with 64 digits, `any`, `absent`"
                ),
            )
            .at(&entry.path),
        )),
    }
}

/// Returns the SHA-256 of a content, as 64 hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    ContentHash::from_bytes(digest).hex()
}
