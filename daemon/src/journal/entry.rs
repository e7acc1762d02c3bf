//! The entry of a job number.

use editd_engine::Refusal;
use editd_proto::ids::JobId;

use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// Returns the entry of a number: its own, or that of the detached job with this number.
///
/// # Errors
/// `io` if the journal cannot be read.
pub fn entry_of(state: &WorkspaceState, id: JobId) -> Result<JobId, Refusal> {
    let receipt = state.store.receipt(id).map_err(|error| store_refusal(&error))?;
    Ok(receipt.and_then(|receipt| receipt.job).unwrap_or(id))
}
