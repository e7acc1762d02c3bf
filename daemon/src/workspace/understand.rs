//! Parses a request for a job: a payload of another tool is translated into a job, and the edits are read. It looks at
//! no file; the engine knows the dialects.
//!
//! *Invariants*: a request is parsed once, before its lanes are named, also if it was detached and an earlier daemon
//! stored it. Its key and its hash name the request as it was sent, with its payload.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use editd_engine::Refusal;
use editd_engine::dialect::{self, PayloadContext, PayloadJob, PayloadRequest, Translation};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobMode, JobRequest, Payload, ReadRequest, Receipt};
use editd_proto::path::FilePath;

use super::edit::encode;
use crate::edit::{ParsedJob, ResolvedJob};
use crate::limits;
use crate::state::lock;
use crate::state::refusal::fault;
use crate::transaction::DialectReply;

/// A parsed request for a job.
#[derive(Debug)]
pub struct ParsedRequest {
    sent: JobRequest,
    action: Result<Action, Refusal>,
    dialect_reply: Option<DialectReply>,
    /// The edit job with one entry for each file, parsed on first use.
    job: Mutex<Option<Result<Arc<ParsedJob>, Refusal>>>,
    /// The job with its paths, and the time at which they were resolved.
    resolved: Mutex<Option<(Duration, ResolvedJob)>>,
    hash: OnceLock<ContentHash>,
}

/// The action that a request asks for.
#[derive(Debug)]
pub(super) enum Action {
    /// A native job, as it was sent.
    Native,
    /// The job that a payload was translated into.
    Job(Box<JobRequest>),
    /// A view of a file.
    View(ReadRequest),
    /// The undo of the last entry of the session that changed a file.
    Undo(FilePath),
}

impl ParsedRequest {
    /// Parses a request. `roots` are the absolute paths of the workspace's folder, `limit` is the most bytes of a
    /// payload.
    pub fn new(sent: JobRequest, roots: &[Vec<u8>], limit: usize) -> Self {
        let both = "the job has `files` and a `payload`; leave one out";
        let translation = match &sent.payload {
            None => {
                let action = editd_engine::check_names(&sent, sent.detach).map(|()| Action::Native);
                return Self {
                    sent,
                    action,
                    dialect_reply: None,
                    job: Mutex::default(),
                    resolved: Mutex::default(),
                    hash: OnceLock::new(),
                };
            }
            Some(_) if !sent.files.is_empty() => Err(malformed(both)),
            Some(payload) => {
                translate(payload, &PayloadContext { path: payload.path.as_ref(), roots, limit })
            }
        };
        match translation {
            Err(refusal) => Self {
                sent,
                action: Err(refusal),
                dialect_reply: None,
                job: Mutex::default(),
                resolved: Mutex::default(),
                hash: OnceLock::new(),
            },
            Ok(Translation { dialect, request: payload_request, reply }) => {
                let warnings = match &payload_request {
                    PayloadRequest::Job(wanted) => wanted.warnings.clone(),
                    PayloadRequest::View { .. } | PayloadRequest::Undo { .. } => Vec::new(),
                };
                let dialect_reply = Some(DialectReply::new(dialect, reply, warnings));
                Self {
                    action: action(&sent, payload_request),
                    sent,
                    dialect_reply,
                    job: Mutex::default(),
                    resolved: Mutex::default(),
                    hash: OnceLock::new(),
                }
            }
        }
    }

    /// Returns the path of a payload that is refused since it leads out of the workspace.
    pub(super) fn outside(&self) -> Option<&FilePath> {
        let refusal = self.action.as_ref().err().filter(|refusal| refusal.code == ErrorCode::Outside)?;
        refusal.path.as_ref()
    }

    /// Returns the request as it was sent.
    pub(super) fn into_request(self) -> JobRequest {
        self.sent
    }

    /// Parses the edits now and drops their wire form, so that a waiting job holds its texts once. A detached job keeps
    /// the wire form, which is stored; entries that name several files are parsed after these were looked up.
    pub(super) fn without_wire_form(mut self) -> Self {
        let edits = matches!(self.action, Ok(Action::Native | Action::Job(_)));
        if !edits || self.sent.detach || self.names_several() {
            return self;
        }
        // The hash names the request with its edits.
        self.hash();
        // A refusal is kept, and returned to each caller that asks for the job.
        let _ = self.job(|sent| Ok((sent.clone(), Vec::new())));
        self.sent.files = Vec::new();
        if let Ok(Action::Job(job)) = &mut self.action {
            job.files = Vec::new();
        }
        self
    }

    /// Returns the request as it was sent, except for edits whose wire form was dropped after parsing.
    pub fn request(&self) -> &JobRequest {
        &self.sent
    }

    /// Returns true if entries name several files by `paths`.
    pub(super) fn names_several(&self) -> bool {
        self.sent.files.iter().any(|entry| !entry.paths.is_empty())
    }

    /// Returns the edit job, parsed once; `look_up` makes one entry for each file if entries name several, and returns the
    /// warnings about that.
    ///
    /// # Errors
    /// The refusal of the request; `malformed` for one that asks for no edits.
    pub(super) fn job(
        &self,
        look_up: impl FnOnce(&JobRequest) -> Result<(JobRequest, Vec<String>), Refusal>,
    ) -> Result<Arc<ParsedJob>, Refusal> {
        let read = || match self.action()? {
            Action::Job(job) => ParsedJob::parse(job),
            Action::Native if self.names_several() => {
                let (job, warnings) = look_up(&self.sent)?;
                Ok(ParsedJob { warnings, ..ParsedJob::parse(&job)? })
            }
            Action::Native => ParsedJob::parse(&self.sent),
            Action::View(_) | Action::Undo(_) => Err(malformed("the payload edits nothing")),
        };
        let guarded = || {
            catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
                let message = "editd made a mistake in reading the job; please report it with the job";
                Err(Box::new(RequestError::new(ErrorCode::Internal, message)))
            })
        };
        lock(&self.job).get_or_insert_with(|| guarded().map(Arc::new)).clone()
    }

    /// Keeps the job as its lanes were found, for a first attempt that follows at once.
    pub(super) fn keep_resolved(&self, resolved: ResolvedJob, now: Duration) {
        *lock(&self.resolved) = Some((now, resolved));
    }

    /// Drops the resolved paths, since the job has to wait. Each keeps a folder open.
    pub fn drop_resolved(&self) {
        *lock(&self.resolved) = None;
    }

    /// Takes the job that was resolved just now; `None` if that was too long ago.
    pub(super) fn take_resolved(&self, now: Duration) -> Option<ResolvedJob> {
        let (then, resolved) = lock(&self.resolved).take()?;
        (now.saturating_sub(then) <= Duration::from_millis(limits::RESOLVED_MS)).then_some(resolved)
    }

    /// Frees the edits with their texts, once the job needs them no more.
    pub(super) fn free_edits(&self) {
        self.drop_resolved();
        *lock(&self.job) = Some(Err(fault("the edits of a job were used after they were freed")));
    }

    /// Returns the hash of the request, by which a different request with the same key is recognised.
    pub(super) fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| request_hash(&self.sent))
    }

    /// Returns the action.
    ///
    /// # Errors
    /// The refusal of the request.
    pub(super) fn action(&self) -> Result<&Action, Refusal> {
        self.action.as_ref().map_err(Clone::clone)
    }

    /// Returns the dialect that words the receipt of a payload.
    pub(super) fn dialect_reply(&self) -> Option<&DialectReply> {
        self.dialect_reply.as_ref()
    }

    /// Adds the text in the payload's dialect to a receipt, unless it has one.
    pub fn with_dialect_text(&self, mut receipt: Receipt) -> Receipt {
        if receipt.text.is_some() {
            return receipt;
        }
        match (&self.dialect_reply, &self.sent.payload, &receipt.error) {
            (Some(reply), _, _) => reply.add_text(&mut receipt),
            (None, Some(payload), Some(error)) => {
                let name = payload.dialect.as_deref();
                let text = || dialect::format_refusal(name, &payload.text, error);
                receipt.text = catch_unwind(AssertUnwindSafe(text)).ok();
                receipt.dialect.clone_from(&payload.dialect);
            }
            (None, _, _) => {}
        }
        receipt
    }

    /// Returns the receipt of a refusal of this request.
    pub fn refused(&self, refusal: Refusal) -> Receipt {
        self.with_dialect_text(Receipt::refused(*refusal))
    }
}

/// Translates a payload. If the dialect panics, only this job fails.
fn translate(payload: &Payload, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
    let translate = || dialect::translate(payload.dialect.as_deref(), &payload.text, setting);
    catch_unwind(AssertUnwindSafe(translate)).unwrap_or_else(|_| {
        let message = "editd made a mistake in reading the payload; please report it with the payload";
        Err(Box::new(RequestError::new(ErrorCode::Internal, message)))
    })
}

fn action(sent: &JobRequest, payload_request: PayloadRequest) -> Result<Action, Refusal> {
    match payload_request {
        PayloadRequest::Job(wanted) => job(sent, wanted).map(|job| Action::Job(Box::new(job))),
        _ if sent.payload.as_ref().is_some_and(|payload| payload.base.is_some()) => {
            Err(malformed("the payload edits nothing, so `base` has no meaning; leave it out"))
        }
        PayloadRequest::View { .. } if sent.detach => {
            Err(malformed("a payload that asks for text is answered at once; leave out `detach`"))
        }
        PayloadRequest::View { path, lines } => {
            Ok(Action::View(ReadRequest { path, lines, seen: None, symbol: None, body: false }))
        }
        PayloadRequest::Undo { .. } if sent.mode == JobMode::VerifyOnly || sent.verified.is_some() => {
            Err(malformed("an undo cannot be verified first; leave out `verify_only` and `verified`"))
        }
        PayloadRequest::Undo { path } => Ok(Action::Undo(path)),
    }
}

/// Returns the native job. Options that the payload itself sets for the whole job take precedence over the request's.
fn job(sent: &JobRequest, wanted: PayloadJob) -> Result<JobRequest, Refusal> {
    let PayloadJob { mut files, mode, diff, threshold, partial, warnings: _ } = wanted;
    if let Some(base) = sent.payload.as_ref().and_then(|payload| payload.base.as_ref()) {
        match files.as_mut_slice() {
            [first, rest @ ..] if rest.iter().all(|file| file.path == first.path) => {
                // Later entries of the path are based on the result of the first.
                first.base = first.base.take().or_else(|| Some(base.clone()));
            }
            // The number of a job, and `any`, may be the base of any number of files.
            several if base == "any" || JobId::of_version(base).is_some() => {
                for file in several {
                    file.base = file.base.take().or_else(|| Some(base.clone()));
                }
            }
            several => {
                return Err(malformed(format!(
                    "a version belongs to one file, and the payload names {}; leave `base` out, say `any` or the job that wrote them \
                     (`@17`), or send one at a time",
                    several.len()
                )));
            }
        }
    }
    Ok(JobRequest {
        key: sent.key.clone(),
        label: sent.label.clone(),
        mode: mode.unwrap_or(sent.mode),
        on_stale: sent.on_stale,
        partial: partial.unwrap_or(sent.partial),
        diff: diff.or(sent.diff),
        budget: sent.budget,
        durability: sent.durability,
        threshold: threshold.or(sent.threshold),
        detach: sent.detach,
        verified: sent.verified.clone(),
        files,
        payload: None,
    })
}

/// Returns the hash by which a different request with the same key is recognised. Fields that say whether its client
/// waits for it, and what the reply shows, do not change it.
fn request_hash(request: &JobRequest) -> ContentHash {
    let on_stale = request.on_stale.unwrap_or_default();
    let how = (request.mode, on_stale, request.partial, request.durability, request.threshold);
    let named = (&request.key, &request.label, how, &request.verified, &request.files);
    match &request.payload {
        None => crate::disk::observation::hash(&encode(&named)),
        Some(payload) => crate::disk::observation::hash(&encode(&(named, payload))),
    }
}

fn malformed(message: impl Into<String>) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}

#[cfg(all(test, unix))]
mod tests;
