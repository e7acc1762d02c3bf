//! Messages about checks with all of their fields.

use editd_proto::ids::JobId;
use editd_proto::message::{CheckOutcome, CheckStatus, ChecksRequest, Diagnostic};

pub(crate) fn outcome() -> CheckOutcome {
    let problem = Diagnostic {
        path: Some(crate::samples::odd_path()),
        line: Some(3),
        column: Some(5),
        message: "mismatched types".into(),
    };
    CheckOutcome {
        check: "cargo".into(),
        status: CheckStatus::CouldNotRun,
        jobs: vec![JobId(17)],
        new: vec![problem],
        more: 2,
        known: 3,
        first: true,
        message: Some("why".into()),
    }
}

pub(crate) fn request() -> ChecksRequest {
    ChecksRequest { job: Some(JobId(17)), unseen: true, timeout_ms: Some(5000) }
}
