//! A parsed edit job: the entries that the engine plans, and the options of the whole job. It is parsed once, when the
//! job is admitted; no later step reads the request again.

use editd_engine::{Job, Refusal};
use editd_proto::message::{Durability, JobMode, JobRequest, OnStale};

use crate::record::label;

/// A parsed edit job. A clone shares the texts of the edits.
#[derive(Clone, Debug)]
pub struct ParsedJob {
    /// The entries with their edits.
    pub job: Job,
    /// The effect of validators, and whether the job is applied.
    pub mode: JobMode,
    /// The treatment of stale files.
    pub on_stale: Option<OnStale>,
    /// The token of the verified plan that the job must repeat.
    pub verified: Option<String>,
    /// The key under which a repeated request is recognised.
    pub key: Option<String>,
    /// The label of the journal entry.
    pub label: Option<String>,
    /// The durability of the job, unless the settings decide.
    pub durability: Option<Durability>,
    /// The bytes that the reply may have.
    pub budget: Option<u64>,
    /// Warnings about the whole job. The receipt has them with its first file.
    pub warnings: Vec<String>,
}

impl ParsedJob {
    /// Parses a request.
    ///
    /// # Errors
    /// As [`Job::parse`].
    pub fn parse(request: &JobRequest) -> Result<Self, Refusal> {
        Ok(Self {
            job: Job::parse(request)?,
            mode: request.mode,
            on_stale: request.on_stale,
            verified: request.verified.clone(),
            key: request.key.clone(),
            label: label::given(request.label.as_deref()),
            durability: request.durability,
            budget: request.budget,
            warnings: Vec::new(),
        })
    }
}
