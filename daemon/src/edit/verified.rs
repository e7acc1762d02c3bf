//! The receipt of a job that only verifies.

use editd_proto::message::{JobStatus, Receipt};

use super::plan::{self, PlannedJob};
use crate::transaction::reply::would_apply;

/// Returns the receipt of a job with the mode `verify_only`.
pub(super) fn receipt(planned: &PlannedJob) -> Receipt {
    let error = planned.plan.error.as_deref().cloned();
    let status = match (&error, planned.plan.changes.is_empty()) {
        (Some(_), true) => JobStatus::Refused,
        (Some(_), false) => JobStatus::Partial,
        (None, _) => JobStatus::Verified,
    };
    Receipt {
        files: planned.plan.files.iter().cloned().map(would_apply).collect(),
        error,
        verified: Some(plan::token(&planned.plan)),
        rebased: !planned.rebased.is_empty(),
        ..Receipt::new(None, status)
    }
}
