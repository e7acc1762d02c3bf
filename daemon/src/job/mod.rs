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
mod numbers;
mod others;
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
mod weight;
mod why;

pub use clips::vet_clips;
pub use draft::{Draft, Drafted, Origin};
pub use errors::{Halt, disk_refusal, fault, standing, store_refusal};
pub(crate) use expects::sha256;
pub use intend::Underway;
pub(crate) use reply::stored as stored_receipt;
pub use resolve::{Resolved, lanes_of, resolve};
pub use said::Said;
pub use weight::readable;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{JobRequest, Mode, Receipt};

use crate::rooms::Rooms;
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
    /// What is to be done, natively.
    pub request: &'g JobRequest,
    /// How its receipt is said, where it came as a payload.
    pub said: Option<&'g Said>,
}

/// Runs an edit job to its end.
///
/// # Errors
/// [`Halt::Refused`] where nothing was changed; [`Halt::Stopped`] only where an observer asked for it.
pub fn run(rooms: &Rooms, underway: &Underway<'_>, given: Given<'_>) -> Result<Receipt, Halt> {
    errors::step(rooms, Step::Admit)?;
    let resolved = left::named(rooms, resolve(rooms, given.request)?)?;
    errors::step(rooms, Step::Resolve)?;
    underway.hold(weight::guess(&resolved))?;
    let snapshot = snapshot::take(rooms, underway, given.who, resolved)?;
    errors::step(rooms, Step::Snapshot)?;
    let judged = judge::judge(rooms, underway, given.who, snapshot)?;
    errors::step(rooms, Step::Judge)?;
    let mut planned = plan::plan(rooms, underway, judged, given)?;
    hooks::tell_left_out(rooms, &given.who.session, &mut planned.plan);
    errors::step(rooms, Step::Plan)?;
    let asked = format::format(rooms, underway, &mut planned)?;
    plan::verified(&planned)?;
    if let Err(refusal) = validate::validate(rooms, &mut planned) {
        // A job is not lost to what a formatter made of it.
        if !asked.is_formatted() {
            return Err(refusal.into());
        }
        asked.restore(&mut planned, &refusal);
        plan::verified(&planned)?;
        validate::validate(rooms, &mut planned)?;
    }
    errors::step(rooms, Step::Validate)?;
    if given.request.mode == Mode::VerifyOnly {
        let receipt = reply::verified(&planned);
        vet::vet(rooms, plan::draft(rooms, given, planned))?;
        return Ok(receipt);
    }
    commit(rooms, underway, plan::draft(rooms, given, planned))
}

/// Returns the receipt that an undo or redo would have, and writes nothing.
///
/// # Errors
/// As [`run`].
pub fn preview(rooms: &Rooms, draft: Draft) -> Result<Receipt, Halt> {
    let (vet::Vetted::Unchanged(draft) | vet::Vetted::Changes(draft)) = vet::vet(rooms, draft)?;
    Ok(reply::previewed(*draft))
}

/// The second half of the journey, which undo and redo share: from a draft to a receipt.
///
/// # Errors
/// As [`run`].
pub fn commit(rooms: &Rooms, underway: &Underway<'_>, draft: Draft) -> Result<Receipt, Halt> {
    let vetted = vet::vet(rooms, draft)?;
    errors::step(rooms, Step::Vet)?;
    let vetted = match vetted {
        vet::Vetted::Unchanged(draft) => return seal::unchanged(rooms, *draft),
        vet::Vetted::Changes(draft) => *draft,
    };
    underway.cover(weight::of_draft(&vetted))?;
    let staged = stage::stage(rooms, vetted)?;
    errors::step(rooms, Step::Stage)?;
    let intended = intend::intend(rooms, underway, staged)?;
    errors::step(rooms, Step::Intend)?;
    let swapped = swap::swap(rooms, intended)?;
    errors::step(rooms, Step::Swap)?;
    let sealed = seal::seal(rooms, underway, swapped)?;
    errors::step(rooms, Step::Seal)?;
    let sealed = hooks::run(rooms, underway, sealed)?;
    errors::step(rooms, Step::Hooks)?;
    reply::applied(rooms, sealed)
}
