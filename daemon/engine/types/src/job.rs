//! The parts of a job request that decide what the job writes.

use serde::{Deserialize, Serialize};

use crate::edit::FileEntry;

/// The handling of validator issues.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobMode {
    /// Refuse the job.
    #[default]
    Strict,
    /// Write the job and return the issues.
    Interactive,
    /// Write nothing; return the result that the job would have.
    VerifyOnly,
}

/// The files of a job and the options that planning depends on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct JobInput<'f> {
    /// The files. A path that is listed again is a later stage.
    pub files: &'f [FileEntry],
    /// Set if the edits that can be applied are applied and the rest is reported, instead of all or nothing.
    pub partial: bool,
    /// Set if nothing is written. The diffs are then shown unless `diff` is false.
    pub verify_only: bool,
    /// Set if the result shows diffs; if absent, it shows those of files whose result differs from the request.
    pub diff: Option<bool>,
    /// The similarity that fuzzy matching requires (0.5–1), for edits without their own.
    pub threshold: Option<f64>,
}

impl<'f> From<&'f [FileEntry]> for JobInput<'f> {
    fn from(files: &'f [FileEntry]) -> Self {
        Self { files, ..Self::default() }
    }
}
