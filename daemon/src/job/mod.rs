//! One job's journey, on one screen. Each step's result is the next one's argument, so that only this order
//! compiles:
//!
//! ```text
//! resolve → snapshot → judge → plan → format → validate → vet
//!         → stage → intend (durable) → swap → seal → hooks → reply
//! ```
//!
//! The steps before `stage` write nothing. From `intend` on the job is the journal's: whatever happens, either
//! every file shows *after* and a seal says so, or every file shows what it showed and a void says so.
//! Undo and redo join at `vet`: they are jobs whose plan is the stored inverse, and no validator is asked.
//!
//! *Invariants*: a job is run only when `queue::lanes` let it through, so no other job touches its files.
//! Nothing here touches a file or the log but through `disk` and `store`.

pub mod step;

mod clips;
mod draft;
mod errors;
mod expects;
mod format;
mod generated;
mod hooks;
mod intend;
mod judge;
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
mod said;
mod seal;
mod shown;
mod snapshot;
mod stage;
mod stale;
mod swap;
mod unread;
mod validate;
mod vet;
mod why;

pub use clips::vet_clips;
pub use draft::{Draft, Drafted, Origin};
pub use errors::{Halt, disk_refusal, fault, root_present, store_refusal};
pub(crate) use expects::sha256;
pub use intend::Underway;
pub use memory_estimate::readable;
pub use parsed::ParsedJob;
pub(crate) use reply::stored as stored_receipt;
pub use resolve::{Resolved, lanes_of, resolve};
pub use said::Said;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobMode, Receipt};

use crate::state::WorkspaceState;
use crate::workspace::Who;
use step::Step;

/// An edit job that was admitted.
#[derive(Clone, Copy)]
pub struct Given<'g> {
    /// Who asked.
    pub who: &'g Who,
    /// The number under which its client waits, where it is detached.
    pub queued: Option<JobId>,
    /// Hash of the request as it came.
    pub hash: ContentHash,
    /// The job.
    pub request: &'g ParsedJob,
    /// How its receipt is said, where it came as a payload.
    pub said: Option<&'g Said>,
}

/// Runs an edit job to its end.
///
/// # Errors
/// [`Halt::Refused`] where nothing was changed; [`Halt::Stopped`] only where an observer asked for it.
pub fn run(state: &WorkspaceState, underway: &Underway<'_>, given: Given<'_>) -> Result<Receipt, Halt> {
    errors::step(state, Step::Admit)?;
    let resolved = left::named(state, resolve(state, given.request)?)?;
    errors::step(state, Step::Resolve)?;
    underway.acquire(memory_estimate::guess(&resolved))?;
    let snapshot = snapshot::take(state, underway, given.who, resolved)?;
    errors::step(state, Step::Snapshot)?;
    let judged = judge::judge(state, underway, given.who, snapshot)?;
    errors::step(state, Step::Judge)?;
    let mut planned = plan::plan(state, underway, judged, given)?;
    hooks::tell_left_out(state, &given.who.session, &mut planned.plan);
    errors::step(state, Step::Plan)?;
    let asked = format::format(state, underway, &mut planned)?;
    plan::verified(&planned)?;
    if let Err(refusal) = validate::validate(state, &mut planned) {
        // A job is not lost to what a formatter made of it.
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
        vet::vet(state, plan::draft(state, given, planned))?;
        return Ok(receipt);
    }
    commit(state, underway, plan::draft(state, given, planned))
}

/// Returns the receipt that an undo or redo would have, and writes nothing.
///
/// # Errors
/// As [`run`].
pub fn preview(state: &WorkspaceState, draft: Draft) -> Result<Receipt, Halt> {
    let (vet::Vetted::Unchanged(draft) | vet::Vetted::Changes(draft)) = vet::vet(state, draft)?;
    Ok(reply::previewed(*draft))
}

/// The second half of the journey, which undo and redo share: from a draft to a receipt.
///
/// # Errors
/// As [`run`].
pub fn commit(state: &WorkspaceState, underway: &Underway<'_>, draft: Draft) -> Result<Receipt, Halt> {
    let vetted = vet::vet(state, draft)?;
    errors::step(state, Step::Vet)?;
    let vetted = match vetted {
        vet::Vetted::Unchanged(draft) => return seal::unchanged(state, *draft),
        vet::Vetted::Changes(draft) => *draft,
    };
    underway.grow(memory_estimate::of_draft(&vetted))?;
    let staged = stage::stage(state, vetted)?;
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
