//! The steps of a job, as one list. The result of each step is the argument of the next one, so that no other order
//! compiles:
//!
//! ```text
//! resolve → snapshot → check_staleness → plan → format → validate → check_limits
//!         → stage → intend (durable) → swap → seal → hooks → reply
//! ```
//!
//! The steps before `stage` write nothing. After `intend` the journal decides the outcome, whatever happens: either every
//! file has its content *after* the job and a seal records that, or every file has its content from *before* and a void
//! records that. Undo and redo join at `check_limits`: their plan is the stored inverse, and no validator runs.
//!
//! *Invariants*: a job runs only while `queue::lanes` holds its lanes, so no other job touches its files. Only `disk` and
//! `store` touch a file or the log.

pub mod step;

mod check_limits;
mod clips;
mod dialect_reply;
mod errors;
mod expects;
mod format;
mod generated;
mod hooks;
mod intend;
mod left;
mod memory_estimate;
mod numbers;
mod others;
mod parsed;
mod places;
mod plan;
mod rebase;
mod reply;
mod resolve;
mod seal;
mod shown;
mod snapshot;
mod stage;
mod stale;
mod staleness;
mod swap;
mod transaction;
mod unread;
mod validate;
mod why;

pub use clips::check_clips;
pub use dialect_reply::DialectReply;
pub use errors::{JobAbort, disk_refusal, fault, root_present, store_refusal};
pub(crate) use expects::sha256;
pub use intend::JobGuard;
pub use memory_estimate::readable;
pub use parsed::ParsedJob;
pub(crate) use reply::stored as stored_receipt;
pub use resolve::{lanes_of, resolve};
pub use transaction::{FileChange, Origin, Transaction};

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobMode, Receipt};

use crate::state::WorkspaceState;
use crate::workspace::Who;
use check_limits::LimitsChecked;
use step::Step;

/// An admitted edit job.
#[derive(Clone, Copy)]
pub struct EditRequest<'g> {
    /// The caller.
    pub who: &'g Who,
    /// The number under which the client waits for a detached job.
    pub queued: Option<JobId>,
    /// The hash of the request as it was sent.
    pub hash: ContentHash,
    /// The job.
    pub request: &'g ParsedJob,
    /// The dialect that words the receipt of a payload.
    pub said: Option<&'g DialectReply>,
}

/// Runs an edit job to its end.
///
/// # Errors
/// [`JobAbort::Refused`] if nothing was changed; [`JobAbort::Stopped`] only if an observer asked for that.
pub fn run(
    state: &WorkspaceState,
    underway: &JobGuard<'_>,
    given: EditRequest<'_>,
) -> Result<Receipt, JobAbort> {
    errors::step(state, Step::Admit)?;
    let resolved = left::named(state, resolve(state, given.request)?)?;
    errors::step(state, Step::Resolve)?;
    underway.acquire(memory_estimate::guess(&resolved))?;
    let snapshot = snapshot::take(state, underway, given.who, resolved)?;
    errors::step(state, Step::Snapshot)?;
    let checked = staleness::check_staleness(state, underway, given.who, snapshot)?;
    errors::step(state, Step::Judge)?;
    let mut planned = plan::plan(state, underway, checked, given)?;
    hooks::tell_left_out(state, &given.who.session, &mut planned.plan);
    errors::step(state, Step::Plan)?;
    let asked = format::format(state, underway, &mut planned)?;
    plan::verified(&planned)?;
    if let Err(refusal) = validate::validate(state, &mut planned) {
        // A refused formatted content does not refuse the job: its own content is tried.
        if !asked.is_formatted() {
            return Err(refusal.into());
        }
        asked.restore(&mut planned, &refusal);
        plan::verified(&planned)?;
        validate::validate(state, &mut planned)?;
    }
    errors::step(state, Step::Validate)?;
    if given.request.mode == JobMode::VerifyOnly {
        let receipt = reply::verified(&planned);
        check_limits::check_limits(state, plan::transaction(state, given, planned))?;
        return Ok(receipt);
    }
    commit(state, underway, plan::transaction(state, given, planned))
}

/// Returns the receipt that an undo or redo would have, and writes nothing.
///
/// # Errors
/// As [`run`].
pub fn preview(state: &WorkspaceState, transaction: Transaction) -> Result<Receipt, JobAbort> {
    let (LimitsChecked::Unchanged(transaction) | LimitsChecked::Changes(transaction)) =
        check_limits::check_limits(state, transaction)?;
    Ok(reply::previewed(*transaction))
}

/// Carries out a transaction: the steps that edits, undo and redo share.
///
/// # Errors
/// As [`run`].
pub fn commit(
    state: &WorkspaceState,
    underway: &JobGuard<'_>,
    transaction: Transaction,
) -> Result<Receipt, JobAbort> {
    let checked = check_limits::check_limits(state, transaction)?;
    errors::step(state, Step::Vet)?;
    let checked = match checked {
        LimitsChecked::Unchanged(transaction) => return seal::unchanged(state, *transaction),
        LimitsChecked::Changes(transaction) => *transaction,
    };
    underway.grow(memory_estimate::of_transaction(&checked))?;
    let staged = stage::stage(state, checked)?;
    errors::step(state, Step::Stage)?;
    let intended = intend::intend(state, underway, staged)?;
    errors::step(state, Step::Intend)?;
    let swapped = swap::swap(state, intended)?;
    errors::step(state, Step::Swap)?;
    let sealed = seal::seal(state, underway, swapped)?;
    errors::step(state, Step::Seal)?;
    let sealed = hooks::run(state, underway, sealed)?;
    errors::step(state, Step::Hooks)?;
    reply::applied(state, sealed)
}
