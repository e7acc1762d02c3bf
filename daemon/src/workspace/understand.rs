//! What a request for a job asks for: the payload of another tool becomes the job that it stands for. It looks
//! at no file; the engine knows the dialects.
//!
//! *Invariants*: a request is understood once, before its lanes are told, also where it was detached and an
//! earlier daemon stored it; its key names the request as it came, payload and all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use editd_engine::Refusal;
use editd_engine::dialect::{self, Asked, Setting, Translation, Wanted};
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::message::{JobMode, JobRequest, Payload, ReadRequest, Receipt};
use editd_proto::path::WirePath;

use crate::job::Said;

/// A request for a job, understood.
#[derive(Debug)]
pub struct Understood {
    came: JobRequest,
    deed: Result<Deed, Refusal>,
    said: Option<Said>,
    /// The native job with one entry for each file, where entries name several by `paths`.
    looked_up: OnceLock<Result<JobRequest, Refusal>>,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Deed {
    /// The job as it came.
    Native,
    /// The job that a payload stands for.
    Job(Box<JobRequest>),
    /// A file is to be shown.
    View(ReadRequest),
    /// The session's last entry that changed a file is to be taken back.
    Undo(WirePath),
}

impl Understood {
    /// Understands a request. `roots` are the absolute names of the workspace's folder, `limit` is what a
    /// payload may have in bytes.
    pub fn new(came: JobRequest, roots: &[Vec<u8>], limit: usize) -> Self {
        let both = "the job has `files` and a `payload`; leave one out";
        let translation = match &came.payload {
            None => {
                let deed = editd_engine::check_names(&came).map(|()| Deed::Native);
                return Self { came, deed, said: None, looked_up: OnceLock::new() };
            }
            Some(_) if !came.files.is_empty() => Err(malformed(both)),
            Some(payload) => translate(payload, &Setting { path: payload.path.as_ref(), roots, limit }),
        };
        match translation {
            Err(refusal) => Self { came, deed: Err(refusal), said: None, looked_up: OnceLock::new() },
            Ok(Translation { dialect, asked, words }) => {
                let warnings = match &asked {
                    Asked::Job(wanted) => wanted.warnings.clone(),
                    Asked::View { .. } | Asked::Undo { .. } => Vec::new(),
                };
                let said = Some(Said::new(dialect, words, warnings));
                Self { deed: deed(&came, asked), came, said, looked_up: OnceLock::new() }
            }
        }
    }

    /// The request as it came.
    pub fn request(&self) -> &JobRequest {
        &self.came
    }

    /// Returns true if entries name several files by `paths`.
    pub(super) fn names_several(&self) -> bool {
        self.came.files.iter().any(|entry| !entry.paths.is_empty())
    }

    /// The native job with one entry for each file: `look_up` is asked once where entries name several.
    pub(super) fn by_file(
        &self,
        look_up: impl FnOnce(&JobRequest) -> Result<JobRequest, Refusal>,
    ) -> Result<&JobRequest, Refusal> {
        if !self.names_several() {
            return Ok(&self.came);
        }
        let guarded = || {
            catch_unwind(AssertUnwindSafe(|| look_up(&self.came))).unwrap_or_else(|_| {
                let message = "editd made a mistake in looking up `paths`; please report it with the job";
                Err(Box::new(WireError::new(Code::Internal, message)))
            })
        };
        self.looked_up.get_or_init(guarded).as_ref().map_err(Clone::clone)
    }

    /// What is to be done.
    pub(super) fn deed(&self) -> Result<&Deed, Refusal> {
        self.deed.as_ref().map_err(Clone::clone)
    }

    /// How its receipt is said, where it came as a payload that was understood.
    pub(super) fn words(&self) -> Option<&Said> {
        self.said.as_ref()
    }

    /// A receipt with its text in the payload's dialect, unless it has one.
    pub fn said(&self, mut receipt: Receipt) -> Receipt {
        if receipt.text.is_some() {
            return receipt;
        }
        match (&self.said, &self.came.payload, &receipt.error) {
            (Some(said), _, _) => said.say(&mut receipt),
            (None, Some(payload), Some(error)) => {
                let name = payload.dialect.as_deref();
                let text = || dialect::say_refusal(name, &payload.text, error);
                receipt.text = catch_unwind(AssertUnwindSafe(text)).ok();
                receipt.dialect.clone_from(&payload.dialect);
            }
            (None, _, _) => {}
        }
        receipt
    }

    /// The receipt of its refusal.
    pub fn refused(&self, refusal: Refusal) -> Receipt {
        self.said(Receipt::refused(*refusal))
    }
}

/// A dialect that panics ends the one job.
fn translate(payload: &Payload, setting: &Setting<'_>) -> Result<Translation, Refusal> {
    let translate = || dialect::translate(payload.dialect.as_deref(), &payload.text, setting);
    catch_unwind(AssertUnwindSafe(translate)).unwrap_or_else(|_| {
        let message = "editd made a mistake in reading the payload; please report it with the payload";
        Err(Box::new(WireError::new(Code::Internal, message)))
    })
}

fn deed(came: &JobRequest, asked: Asked) -> Result<Deed, Refusal> {
    match asked {
        Asked::Job(wanted) => job(came, wanted).map(|job| Deed::Job(Box::new(job))),
        _ if came.payload.as_ref().is_some_and(|payload| payload.base.is_some()) => {
            Err(malformed("the payload edits nothing, so that a `base` means nothing to it; leave it out"))
        }
        Asked::View { .. } if came.detach => {
            Err(malformed("what the payload asks to see is shown at once; leave out `detach`"))
        }
        Asked::View { path, lines } => {
            Ok(Deed::View(ReadRequest { path, lines, seen: None, symbol: None, body: false }))
        }
        Asked::Undo { .. } if came.mode == JobMode::VerifyOnly || came.verified.is_some() => {
            Err(malformed("an undo is not verified first; leave out `verify_only` and `verified`"))
        }
        Asked::Undo { path } => Ok(Deed::Undo(path)),
    }
}

/// The native job: where the payload says something of its own about the whole of it, that wins.
fn job(came: &JobRequest, wanted: Wanted) -> Result<JobRequest, Refusal> {
    let Wanted { mut files, mode, diff, threshold, partial, warnings: _ } = wanted;
    if let Some(base) = came.payload.as_ref().and_then(|payload| payload.base.as_ref()) {
        match files.as_mut_slice() {
            [first, rest @ ..] if rest.iter().all(|file| file.path == first.path) => {
                // What follows for the path is made against the result of the first.
                first.base = first.base.take().or_else(|| Some(base.clone()));
            }
            // What a job left, and that nothing is expected, is said of any number of files.
            several if base == "any" || JobId::of_version(base).is_some() => {
                for file in several {
                    file.base = file.base.take().or_else(|| Some(base.clone()));
                }
            }
            several => {
                return Err(malformed(format!(
                    "a version is of one file and the payload names {}; leave `base` out, say `any` or the job that wrote them \
                     (`@17`), or send one at a time",
                    several.len()
                )));
            }
        }
    }
    Ok(JobRequest {
        key: came.key.clone(),
        label: came.label.clone(),
        mode: mode.unwrap_or(came.mode),
        on_stale: came.on_stale,
        partial: partial.unwrap_or(came.partial),
        diff: diff.or(came.diff),
        budget: came.budget,
        durability: came.durability,
        threshold: threshold.or(came.threshold),
        detach: came.detach,
        verified: came.verified.clone(),
        files,
        payload: None,
    })
}

fn malformed(message: impl Into<String>) -> Refusal {
    Box::new(WireError::new(Code::Malformed, message))
}

#[cfg(all(test, unix))]
mod tests;
