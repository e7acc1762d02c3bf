//! The list of all messages with all of their fields, by sender and kind. The tests of the document and those of encoding
//! share it.

use std::fmt::Debug;

use editd_proto::ids::JobId;
use editd_proto::message::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{checks, samples};

/// The name of a client as the sender, in the blocks of the document.
pub(crate) const CLIENT: &str = "client";
/// The name of the daemon as the sender.
pub(crate) const SERVER: &str = "server";

/// A test that takes each message.
pub(crate) trait MessageVisitor {
    /// Takes a message that `side` sends, with all of its fields.
    fn take<T>(&mut self, side: &str, kind: &str, message: &T)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug;
}

/// Shows every message.
pub(crate) fn visit(v: &mut impl MessageVisitor) {
    visit_requests(v);
    visit_replies(v);
}

fn visit_requests(v: &mut impl MessageVisitor) {
    v.take(CLIENT, kind::HELLO, &samples::hello());
    v.take(
        CLIENT,
        kind::READ,
        &ReadRequest {
            path: samples::odd_path(),
            lines: Some((1, u64::MAX)),
            seen: Some("sha256:0".into()),
            symbol: Some("Class/method".into()),
            body: true,
        },
    );
    v.take(CLIENT, kind::EDIT, &samples::job());
    v.take(CLIENT, kind::EDIT, &samples::payload_job());
    v.take(CLIENT, kind::UNDO, &samples::undo());
    v.take(CLIENT, kind::REDO, &samples::undo());
    let (since, after, before, limit) = (Some(1), Some(JobId(4)), Some(JobId(2)), Some(3));
    let (path, session) = (Some(samples::odd_path()), Some("s".into()));
    v.take(CLIENT, kind::HISTORY, &HistoryRequest { path, session, since, after, before, limit });
    v.take(CLIENT, kind::SHOW, &ShowRequest { job: JobId(1), from: Some(2) });
    v.take(CLIENT, kind::CONTENT, &samples::content_request());
    v.take(CLIENT, kind::EXPORT, &samples::export_request());
    v.take(CLIENT, kind::CLIP, &samples::clip_request());
    v.take(CLIENT, kind::FORGET, &ForgetRequest { path: samples::odd_path() });
    v.take(CLIENT, kind::MARK, &MarkRequest { name: "m".into() });
    v.take(CLIENT, kind::DIALECTS, &DialectsRequest {});
    v.take(CLIENT, kind::NOTE, &samples::note_request());
    v.take(CLIENT, kind::OUTLINE, &OutlineRequest { path: samples::odd_path(), depth: Some(2) });
    v.take(CLIENT, kind::TRUST, &TrustRequest { hash: Some("blake3:0".into()), revoke: true });
    v.take(CLIENT, kind::CONFIG, &ConfigRequest {});
    v.take(CLIENT, kind::SUBSCRIBE, &SubscribeRequest { globs: vec!["src/**/*.rs".into()] });
    let wait = WaitRequest { job: JobId(u64::MAX), timeout_ms: Some(0) };
    v.take(CLIENT, kind::WAIT, &wait);
    v.take(CLIENT, kind::CANCEL, &wait);
    v.take(CLIENT, kind::STATUS, &StatusRequest { trace: Some(JobId(u64::MAX)) });
    v.take(CLIENT, kind::METRICS, &MetricsRequest {});
    v.take(CLIENT, kind::CHECK, &CheckRequest {});
    v.take(CLIENT, kind::CHECKS, &checks::request());
    v.take(CLIENT, kind::STOP, &StopRequest {});
}

fn visit_replies(v: &mut impl MessageVisitor) {
    v.take(SERVER, kind::HELLO, &samples::welcome());
    v.take(SERVER, kind::READ, &samples::read_reply());
    // The replies to undo, redo, wait and cancel are receipts, too. The section about edits describes them.
    v.take(SERVER, kind::EDIT, &samples::receipt());
    v.take(SERVER, kind::HISTORY, &HistoryReply { entries: vec![samples::entry()], more: true });
    let changes = vec![samples::detail()];
    v.take(SERVER, kind::SHOW, &ShowReply { entry: samples::entry(), changes });
    v.take(SERVER, kind::CONTENT, &samples::content_reply());
    v.take(SERVER, kind::EXPORT, &samples::export_reply());
    v.take(SERVER, kind::CLIP, &samples::clip_reply());
    v.take(
        SERVER,
        kind::FORGET,
        &ForgetReply {
            path: samples::odd_path(),
            entries: 1,
            clipboards: 2,
            files: u64::MAX,
            damaged: vec!["/s".into()],
        },
    );
    v.take(SERVER, kind::MARK, &MarkReply { job: JobId(1), name: "m".into() });
    v.take(SERVER, kind::DIALECTS, &samples::dialects());
    v.take(SERVER, kind::NOTE, &samples::note_reply());
    v.take(SERVER, kind::OUTLINE, &samples::outline());
    v.take(SERVER, kind::TRUST, &samples::trust());
    v.take(SERVER, kind::CONFIG, &samples::config());
    v.take(SERVER, kind::SUBSCRIBE, &SubscribeReply { folders: 12 });
    v.take(SERVER, kind::STATUS, &samples::status());
    v.take(SERVER, kind::METRICS, &MetricsReply { text: "# EOF\n".into() });
    let finding = CheckFinding { severity: "bad".into(), subject: "log".into(), message: "rot".into() };
    v.take(SERVER, kind::CHECK, &CheckReply { findings: vec![finding] });
    v.take(SERVER, kind::CHECKS, &ChecksReply { checks: vec![checks::outcome()] });
    v.take(SERVER, kind::STOP, &StopReply { pid: 1 });
    v.take(SERVER, kind::EVENT, &samples::event());
    v.take(SERVER, kind::ERROR, &samples::error());
}
