//! Carries out a transaction, the changes that an edit, an undo, a redo or a hook has decided. Beside this module, only
//! `journal` changes files of the workspace: in recovery, and to write files again whose flush failed. The result of
//! each step is the argument of the next one, so that no other order compiles:
//!
//! ```text
//! check_limits → stage → intend (durable) → swap → seal → hooks → reply
//! ```
//!
//! No target is touched before `intend`. After it the journal decides the outcome, whatever happens: either every file
//! has its content *after* the transaction and a seal records that, or every file has its content from *before*, or
//! what another program made of it, and a void records that.
//!
//! *Invariants*: only `disk` and `store` touch a file or the log.

pub mod abort;
pub mod git_folder;
mod hard_links;
pub mod hooks;
pub mod reply;
pub mod set_id;

mod attributes;
mod change;
mod check_limits;
mod clips;
mod dialect_reply;
mod guard;
mod intend;
mod memory_estimate;
mod seal;
mod stage;
mod swap;

pub use abort::JobAbort;
pub use change::{FileChange, Origin, Transaction};
pub use clips::check_clips;
pub use dialect_reply::DialectReply;
pub use guard::JobGuard;

use editd_proto::message::{Durability, Receipt};

use crate::state::WorkspaceState;
use crate::state::refusal::log_works;
use crate::state::step::JobStep;
use abort::step;

/// Carries out a transaction.
///
/// # Errors
/// [`JobAbort::Refused`] if nothing was changed; [`JobAbort::NeedsRecovery`] and the others say what must follow.
pub fn commit(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    transaction: Transaction,
) -> Result<Receipt, JobAbort> {
    let checked = check_limits::check_limits(state, transaction)?;
    step(state, guard, JobStep::CheckLimits)?;
    if checked.changes_nothing() {
        return seal::unchanged(state, checked);
    }
    log_works(state)?;
    guard.grow(memory_estimate::of_transaction(&checked))?;
    let flushes = checked.origin.durability != Durability::Relaxed;
    let announced = flushes.then(|| state.store.announce_flush());
    let staged = stage::stage(state, checked)?;
    step(state, guard, JobStep::Stage)?;
    let intended = intend::intend(state, guard, staged, announced)?;
    step(state, guard, JobStep::Intend)?;
    let swapped = swap::swap(state, intended)?;
    step(state, guard, JobStep::Swap)?;
    let sealed = seal::seal(state, guard, swapped)?;
    step(state, guard, JobStep::Seal)?;
    guard.sealed(memory_estimate::of_sealed(&sealed.transaction));
    let sealed = hooks::run(state, guard, sealed)?;
    step(state, guard, JobStep::Hooks)?;
    Ok(sealed.receipt)
}

/// Checks that a transaction could be carried out, and writes nothing.
///
/// # Errors
/// As [`commit`].
pub fn check(state: &WorkspaceState, transaction: Transaction) -> Result<(), JobAbort> {
    check_limits::check_limits(state, transaction)?;
    Ok(())
}

/// Returns the receipt that an undo or redo would have, and writes nothing.
///
/// # Errors
/// As [`commit`].
pub fn preview(state: &WorkspaceState, transaction: Transaction) -> Result<Receipt, JobAbort> {
    Ok(reply::previewed(check_limits::check_limits(state, transaction)?))
}
