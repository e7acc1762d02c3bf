//! A sample of the state of a daemon, with all of its fields.

use editd_proto::ids::JobId;
use editd_proto::message::{LatencyInfo, StatusReply, StepTime, TraceInfo};

pub(crate) fn status() -> StatusReply {
    StatusReply {
        pid: 4242,
        version: "0.1.0".into(),
        workspace: "/home/me/src".into(),
        socket: "/run/user/1000/editd/0123456789abcdef.sock".into(),
        state: "/home/me/.local/state/editd/0123456789abcdef".into(),
        uptime: 60,
        sessions: 1,
        queue: 0,
        entries: 17,
        unsettled: 1,
        watch: 3,
        failed: Some("the disk is full".into()),
        damage: Some("a damaged record".into()),
        database: Some("the disk is full".into()),
        left_out: Some("commands that are not trusted".into()),
        nearby: vec!["/home/me/src/vendor".into()],
        counters: [("edit_applied".to_owned(), 17), ("log_bytes".to_owned(), u64::MAX)].into(),
        refusals: [("stale".to_owned(), 1)].into(),
        latency: [(
            "job".to_owned(),
            LatencyInfo { count: 1, sum_us: 2, p50_us: 3, p90_us: 4, p99_us: 5, max_us: 6 },
        )]
        .into(),
        trace: Some(TraceInfo {
            job: Some(JobId(17)),
            queued: Some(JobId(15)),
            kind: "edit".into(),
            status: "refused".into(),
            code: Some("stale".into()),
            time: 1,
            total_us: 2,
            steps: vec![StepTime { step: "decode".into(), us: 3 }],
        }),
    }
}
