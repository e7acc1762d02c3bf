//! Runs the attempts of one job: it runs again if another program was faster or if it needs more memory, and is repaired
//! if it broke after its intent. A panic of a job ends that job alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::Receipt;

use super::Workspace;
use crate::journal::recover::repair::{RepairAim, RepairOutcome, repair};
use crate::journal::seal::receipt_of;
use crate::metrics::JobTrace;
use crate::state::refusal::fault;
use crate::state::undecided::{JobIdentity, UndecidedJob};
use crate::state::{WorkspaceState, lock};
use crate::transaction::{JobAbort, JobGuard};

/// Attempts of one job before it is refused because other programs keep changing its files.
const ATTEMPTS: usize = 8;

impl Workspace {
    /// Runs a job until an attempt ends it. Never panics; errors are in the receipt. Returns `None` if an observer stopped
    /// the job: the caller must write nothing more, as if the process had ended.
    pub(super) fn attempts<'r>(
        &'r self,
        trace: &'r JobTrace,
        run: impl Fn(&JobGuard<'r>) -> Result<Receipt, JobAbort>,
    ) -> Option<Receipt> {
        let (mut last, mut needed) = (None, 0);
        for _ in 0..ATTEMPTS {
            let guard = JobGuard::new(&self.state, needed, Some(trace));
            let attempt = || {
                self.root_present()?;
                run(&guard)
            };
            let ended = match catch_unwind(AssertUnwindSafe(attempt)) {
                Ok(Ok(receipt)) => Ok(receipt),
                Ok(Err(JobAbort::Refused(refusal))) => Err(refusal),
                Ok(Err(JobAbort::NeedsRecovery(refusal))) => repair_job(&self.state, &guard, refusal),
                Ok(Err(JobAbort::Retry(refusal))) => {
                    last = Some(refusal);
                    continue;
                }
                Ok(Err(JobAbort::NeedsMemory(bytes))) => {
                    needed = needed.max(bytes);
                    last = Some(files_grow());
                    continue;
                }
                Ok(Err(JobAbort::Stopped)) => return None,
                Err(_) => {
                    let message = "editd made a mistake in this job; please report it with the daemon's log";
                    repair_job(&self.state, &guard, fault(message))
                }
            };
            return Some(ended.unwrap_or_else(|refusal| Receipt::refused(*refusal)));
        }
        Some(Receipt::refused(*last.unwrap_or_else(|| fault("the job was never attempted"))))
    }
}

/// Returns the receipt of a job that an observer stopped.
pub(super) fn stopped() -> Receipt {
    Receipt::refused(*fault("the job was stopped"))
}

/// Finishes a job that failed after its intent, or rolls it back, as recovery would.
fn repair_job(state: &WorkspaceState, guard: &JobGuard<'_>, refusal: Refusal) -> Result<Receipt, Refusal> {
    let open = state.store.open_entries().into_iter().find(|(entry, _)| Some(entry.id) == guard.entry());
    let Some((entry, sealed)) = open else { return Err(refusal) };
    if sealed {
        return Ok(receipt_of(&entry));
    }
    match repair(state, &entry, RepairAim::RollBack) {
        Ok(RepairOutcome::Applied) => Ok(receipt_of(&entry)),
        Ok(RepairOutcome::Voided) => Err(refusal),
        Err(error) => {
            let id = entry.id;
            let job = JobIdentity::of(&entry);
            guard.leave_broken(entry);
            let again = error.to_string();
            let again = if again == refusal.message { String::new() } else { format!(" ({again})") };
            let message = format!(
                "{}; and job {id} could not be rolled back yet{again}: its files are locked until that is done; if the \
                 daemon ends before, the next start finishes it or rolls it back, and `editctl show {id}` then shows the result",
                refusal.message
            );
            let unknown: Refusal = Box::new(RequestError::new(ErrorCode::Io, message));
            let undecided = UndecidedJob { job, refusal: unknown.clone(), rolled_back: refusal };
            lock(&state.undecided).add(undecided);
            Err(unknown)
        }
    }
}

fn files_grow() -> Refusal {
    let message = "the job's files grow while it reads them; send it again when they no longer grow";
    Box::new(RequestError::new(ErrorCode::Busy, message))
}
