//! Decides what an edit job writes: the steps from the request to its transaction. The result of each step is the
//! argument of the next one, so that no other order compiles:
//!
//! ```text
//! resolve → snapshot → check_staleness → plan → format → validate → a transaction
//! ```
//!
//! It changes no file. The only records that it writes are the changes of other programs that it finds, and the read
//! receipts of refusals; [`transaction`](crate::transaction) does the rest.
//!
//! *Invariants*: a job is decided only while `queue::lanes` holds its lanes, so no other job touches its files.

mod expects;
mod format;
mod generated;
mod left;
mod memory_estimate;
mod noted;
mod numbers;
mod others;
mod parsed;
mod pending;
mod places;
mod plan;
mod rebase;
mod resolve;
mod shown;
mod snapshot;
mod stale;
mod staleness;
mod trial;
mod unread;
mod validate;
mod verified;
mod why;

pub(crate) use expects::sha256;
pub use noted::{changed_since_read, has_changed};
pub use parsed::ParsedJob;
use pending::PendingReceipts;
use resolve::resolve;
pub use resolve::{ResolvedJob, lanes_of};
pub use why::name_moved;

use editd_proto::error::ErrorCode;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobMode, Receipt};

use crate::caller::Caller;
use crate::state::WorkspaceState;
use crate::state::step::JobStep;
use crate::transaction::abort::step;
use crate::transaction::{DialectReply, JobAbort, JobGuard, Transaction, hooks};

/// An admitted edit job.
#[derive(Clone, Copy)]
pub struct EditRequest<'g> {
    /// The caller.
    pub caller: &'g Caller,
    /// The number under which the client waits for a detached job.
    pub queued: Option<JobId>,
    /// The hash of the request as it was sent.
    pub hash: ContentHash,
    /// The job.
    pub request: &'g ParsedJob,
    /// The dialect that words the receipt of a payload.
    pub dialect_reply: Option<&'g DialectReply>,
}

/// The transaction of a job, and its receipt if it only verifies.
pub type Decision = (Transaction, Option<Receipt>);

/// Decides what a job writes, and changes no file. `resolved` is the job with its paths, if they were resolved just now.
///
/// # Errors
/// [`JobAbort::Refused`] with the reason, [`JobAbort::NeedsMemory`], or [`JobAbort::Stopped`] if an observer asked for
/// that.
pub fn decide(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    given: EditRequest<'_>,
    resolved: Option<ResolvedJob>,
) -> Result<Decision, JobAbort> {
    let pending = PendingReceipts::default();
    let decision = decided(state, guard, given, resolved, &pending);
    pending.record(state, given.caller, &decision);
    decision
}

/// Decides as [`decide`] does, and leaves the receipts of the refusals in `pending`.
fn decided(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    given: EditRequest<'_>,
    resolved: Option<ResolvedJob>,
    pending: &PendingReceipts,
) -> Result<Decision, JobAbort> {
    step(state, guard, JobStep::Admit)?;
    let resolved = match resolved {
        Some(resolved) => resolved,
        None => resolve(state, given.request)?,
    };
    let resolved = left::named(state, resolved)?;
    step(state, guard, JobStep::Resolve)?;
    guard.acquire(given.caller, memory_estimate::guess(&resolved))?;
    let snapshot = snapshot::take(state, guard, given.caller, resolved)?;
    step(state, guard, JobStep::Snapshot)?;
    let checked = staleness::check_staleness(state, guard, given.caller, snapshot, pending.clone())?;
    step(state, guard, JobStep::CheckStaleness)?;
    let mut planned = plan::plan(state, guard, checked, given)?;
    // They are read again before each of them is started.
    let commands = state.workspace_commands();
    hooks::tell_left_out(state, &commands, &given.caller.session, &mut planned.plan);
    step(state, guard, JobStep::Plan)?;
    let unformatted = format::format(state, guard, (given.caller, &commands), &mut planned)?;
    plan::verified(&planned)?;
    if let Err(refusal) = validate::validate(state, given.caller, &commands, &mut planned) {
        // A refused formatted content does not refuse the job: its own content is tried.
        if !unformatted.is_formatted() || refusal.code == ErrorCode::Busy {
            return Err(refusal.into());
        }
        unformatted.restore(&mut planned, &refusal);
        plan::verified(&planned)?;
        validate::validate(state, given.caller, &commands, &mut planned)?;
    }
    step(state, guard, JobStep::Validate)?;
    let verified = (given.request.mode == JobMode::VerifyOnly).then(|| verified::receipt(&planned));
    Ok((plan::transaction(state, given, planned), verified))
}
