//! Identifiers of jobs and versions. They do no I/O.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a job and of its journal entry. Numbers grow and are never reused in a workspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u64);

impl JobId {
    /// Returns the version of every file that the job wrote, as a `base` names it: `@17`.
    pub fn version(self) -> Version {
        Version(format!("@{}", self.0))
    }

    /// Parses such a version: `@` and digits.
    pub fn of_version(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('@')?;
        let number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        number.then(|| digits.parse().ok()).flatten().map(Self)
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {}", self.0)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The full BLAKE3 hash of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(#[serde(with = "serde_bytes")] [u8; 32]);

impl ContentHash {
    /// Creates a hash from a BLAKE3 digest.
    pub const fn from_bytes(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Returns the digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the hash as 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// Returns the short version that replies show: the first 12 hexadecimal digits.
    pub fn version(&self) -> Version {
        Version(hex(self.0.first_chunk::<6>().unwrap_or(&[0; 6])))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version().0)
    }
}

/// A short version of a file's content: 12 lowercase hexadecimal digits of its hash, or `@` and a job number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(pub String);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::JobId;

    #[test]
    fn a_job_is_a_version_behind_its_sign_alone() {
        assert_eq!(JobId::of_version(&JobId(17).version().0), Some(JobId(17)));
        for text in ["17", "@", "@+7", "@1a", "@ 7", "@17@", "@99999999999999999999"] {
            assert_eq!(JobId::of_version(text), None, "{text}");
        }
    }
}
