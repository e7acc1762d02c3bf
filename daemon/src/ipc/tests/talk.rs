//! Well-behaved clients with ordinary requests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ChecksReply, ChecksRequest, ClipAction, ClipReply, ClipRequest, Hello, HistoryReply, HistoryRequest,
    JobRequest, JobStatus, OutlineReply, OutlineRequest, ReadReply, Receipt, StatusReply, StopReply,
    StopRequest, UndoRequest, WaitRequest, Welcome, kind,
};

use super::kit::{EmptyBody, Served, hello, job, read};
use crate::limits;

#[test]
fn the_job_of_a_request_for_checks_is_looked_up_once() {
    let served = Served::start();
    let mut client = served.client();
    let request = ChecksRequest { job: Some(JobId(7)), timeout_ms: Some(30_000), ..ChecksRequest::default() };
    let reply: ChecksReply = client.ask(1, kind::CHECKS, &request);
    let told = reply.checks.first().unwrap();
    assert_eq!((told.check.as_str(), told.jobs.as_slice()), ("resolved 1 times", [JobId(8)].as_slice()));
}

#[test]
fn every_kind_of_request_is_answered() {
    let served = Served::start();
    let mut client = served.stranger();
    let welcome: Welcome = client.ask(1, kind::HELLO, &Hello { session: None, ..hello() });
    assert_eq!((welcome.protocol, welcome.workspace.as_str()), (1, "/workspace"));
    assert!(!welcome.session.is_empty());
    let text: ReadReply = client.ask(2, kind::READ, &read("a"));
    assert_eq!(text.text.as_deref(), Some("a"));
    let receipt: Receipt = client.ask(3, kind::EDIT, &job("edit", "a"));
    assert_eq!((receipt.status, receipt.job), (JobStatus::Applied, Some(JobId(1))));
    for kind in [kind::UNDO, kind::REDO] {
        let receipt: Receipt = client.ask(4, kind, &UndoRequest::default());
        assert_eq!(receipt.status, JobStatus::Applied);
    }
    let _: HistoryReply = client.ask(5, kind::HISTORY, &HistoryRequest::default());
    let clip = ClipRequest { action: ClipAction::List, name: None, to: None, text: None };
    let clip: ClipReply = client.ask(6, kind::CLIP, &clip);
    assert_eq!(clip.name.as_deref(), Some(welcome.session.as_str()));
    let status: StatusReply = client.ask(7, kind::STATUS, &EmptyBody {});
    assert_eq!((status.pid, status.sessions, status.queue, status.watch), (std::process::id(), 1, 0, 3));
    let request = OutlineRequest { path: "a.rs".into(), depth: None };
    let outline: OutlineReply = client.ask(8, kind::OUTLINE, &request);
    assert_eq!(outline.path, "a.rs".into());
    client.send(9, "dance", &EmptyBody {});
    assert_eq!(client.error(9).code, ErrorCode::Unsupported);
    client.send(10, kind::HELLO, &hello());
    assert_eq!(client.error(10).code, ErrorCode::Malformed);
    client.send(11, kind::SHOW, &EmptyBody {});
    assert_eq!(client.error(11).code, ErrorCode::Malformed, "and the connection goes on");
    let _: StatusReply = client.ask(12, kind::STATUS, &EmptyBody {});
}

#[test]
fn requests_that_need_the_journal_are_busy_while_the_database_is_rebuilt() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.rebuild(true);
    for (id, kind) in (1..).zip([kind::EDIT, kind::UNDO, kind::READ, kind::HISTORY, kind::CLIP, kind::WAIT]) {
        client.send(id, kind, &EmptyBody {});
        let error = client.error(id);
        assert_eq!(error.code, ErrorCode::Busy, "{kind}: {error}");
        assert!(
            error.message.contains("being rebuilt") && error.message.contains("nothing was done"),
            "{error}"
        );
    }
    let _: editd_proto::message::StatusReply = client.ask(20, kind::STATUS, &EmptyBody {});
    let _: editd_proto::message::DialectsReply = client.ask(21, kind::DIALECTS, &EmptyBody {});
    served.fake.rebuild(false);
    let _: editd_proto::message::HistoryReply = client.ask(22, kind::HISTORY, &EmptyBody {});
}

#[test]
fn a_session_without_a_name_gets_one_of_its_own() {
    let served = Served::start();
    let names: BTreeSet<String> = (0..3)
        .map(|_| {
            let welcome: Welcome = served.stranger().ask(1, kind::HELLO, &Hello { session: None, ..hello() });
            welcome.session
        })
        .collect();
    assert_eq!(names.len(), 3);
}

#[test]
fn pipelined_jobs_on_one_file_run_in_the_order_sent() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("0");
    let count = limits::PIPELINE as u64 * 3;
    let mut writer = client.twin();
    let sender = std::thread::spawn(move || {
        for id in 0..count {
            writer.send(id, kind::EDIT, &job(&id.to_string(), "same"));
        }
    });
    served.fake.log_with("begin 0");
    served.fake.let_go("0");
    let mut replies = BTreeSet::new();
    for _ in 0..count {
        let reply = client.receive();
        assert_eq!(reply.kind(), kind::EDIT);
        assert!(replies.insert(reply.id()));
    }
    sender.join().unwrap();
    let begun: Vec<String> =
        served.fake.log().iter().filter_map(|line| line.strip_prefix("begin ").map(str::to_owned)).collect();
    assert_eq!(begun, (0..count).map(|id| id.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_held_job_holds_up_no_read_behind_it() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("held");
    client.send(1, kind::EDIT, &job("held", "a"));
    let text: ReadReply = client.ask(2, kind::READ, &read("b"));
    assert_eq!(text.text.as_deref(), Some("b"));
    served.fake.let_go("held");
    assert_eq!(client.receive().id(), 1);
}

#[test]
fn no_more_than_the_pipeline_is_begun_and_the_rest_waits_unread() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("held");
    let count = limits::PIPELINE as u64 + 20;
    for id in 0..count {
        client.send(id, kind::EDIT, &job("held", "same"));
    }
    served.fake.log_with("begin held");
    let mut other = served.client();
    let mut queue = 0;
    while queue < limits::PIPELINE as u64 {
        let status: StatusReply = other.ask(1, kind::STATUS, &EmptyBody {});
        assert!(status.queue <= limits::PIPELINE as u64);
        queue = status.queue;
    }
    served.fake.let_go("held");
    let ids: BTreeSet<u64> = (0..count).map(|_| client.receive().id()).collect();
    assert_eq!(ids.len() as u64, count);
}

#[test]
fn a_detached_job_is_waited_for_and_a_wait_has_its_time() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("long");
    let queued: Receipt = client.ask(1, kind::EDIT, &JobRequest { detach: true, ..job("long", "a") });
    assert_eq!(queued.status, JobStatus::Queued);
    let id = queued.job.unwrap();
    let late: Receipt = client.ask(2, kind::WAIT, &WaitRequest { job: id, timeout_ms: Some(1) });
    assert_eq!(late.status, JobStatus::Queued);
    client.send(3, kind::WAIT, &WaitRequest { job: id, timeout_ms: None });
    served.fake.log_with("begin long");
    client.send(4, kind::CANCEL, &WaitRequest { job: id, timeout_ms: None });
    assert_eq!(client.error(4).code, ErrorCode::Busy);
    served.fake.let_go("long");
    let reply = client.receive();
    assert_eq!((reply.id(), reply.body::<Receipt>().unwrap().status), (3, JobStatus::Applied));
    let again: Receipt = client.ask(5, kind::WAIT, &WaitRequest { job: id, timeout_ms: None });
    assert_eq!(again.status, JobStatus::Applied);
    client.send(6, kind::WAIT, &WaitRequest { job: JobId(99), timeout_ms: None });
    assert_eq!(client.error(6).code, ErrorCode::NotFound);
}

#[test]
fn a_client_that_sends_no_more_still_gets_its_replies() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("held");
    client.send(1, kind::EDIT, &job("held", "a"));
    served.fake.log_with("begin held");
    client.stream.shutdown(std::net::Shutdown::Write).unwrap();
    served.fake.let_go("held");
    assert_eq!(client.receive().id(), 1);
    assert!(client.next().is_none());
}

#[test]
fn a_stop_finishes_what_runs_and_turns_new_clients_away() {
    let served = Served::start();
    let mut client = served.client();
    let mut idle = served.client();
    served.fake.hold("held");
    client.send(1, kind::EDIT, &job("held", "a"));
    served.fake.log_with("begin held");
    let mut stopper = served.client();
    let stopping: StopReply = stopper.ask(1, kind::STOP, &StopRequest {});
    assert_eq!(stopping.pid, std::process::id());
    assert_eq!(idle.last_error(0).code, ErrorCode::Stopping, "who waits for nothing is parted from at once");
    served.fake.let_go("held");
    assert_eq!(client.receive().id(), 1);
    assert_eq!(client.last_error(0).code, ErrorCode::Stopping, "what was not answered was not done");
    let (socket, server) = (served.socket(), Arc::clone(&served.server));
    served.ended();
    assert!(std::os::unix::net::UnixStream::connect(socket).is_err());
    // The client that asked learns from the end of its connection that the process has ended.
    stopper.stream.set_nonblocking(true).unwrap();
    assert_eq!(stopper.stream.read(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    drop(server.take_kept());
    assert_eq!(stopper.stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_stop_tells_who_waits_for_a_job_that_the_next_daemon_knows_how_it_ended() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.hold("first");
    for (id, label) in [(1, "first"), (2, "second")] {
        let queued: Receipt = client.ask(id, kind::EDIT, &JobRequest { detach: true, ..job(label, "a") });
        assert_eq!(queued.status, JobStatus::Queued);
    }
    served.fake.log_with("begin first");
    for (id, job) in [(3, JobId(1)), (4, JobId(2))] {
        client.send(id, kind::WAIT, &WaitRequest { job, timeout_ms: None });
    }
    let _: StatusReply = client.ask(5, kind::STATUS, &EmptyBody {});
    served.server.stop.ask();
    let mut told: Vec<(u64, ErrorCode)> = (0..3)
        .map(|_| {
            let reply = client.receive();
            (reply.id(), reply.body::<editd_proto::RequestError>().unwrap().code)
        })
        .collect();
    told.sort_unstable_by_key(|(id, _)| *id);
    assert_eq!(told, [0, 3, 4].map(|id| (id, ErrorCode::Stopping)));
    served.fake.let_go("first");
    served.ended();
}

#[test]
fn a_folder_that_was_replaced_is_no_longer_served() {
    let served = Served::start();
    let mut client = served.client();
    served.fake.replace();
    client.send(1, kind::EDIT, &job("edit", "a"));
    assert_eq!(client.error(1).code, ErrorCode::Stopping, "no receipt: it is as if it had not been sent");
    let mut late = served.stranger();
    late.send(7, kind::HELLO, &hello());
    assert_eq!(late.last_error(7).code, ErrorCode::Stopping);
    assert_eq!(client.last_error(0).code, ErrorCode::Stopping);
    served.ended();
}
