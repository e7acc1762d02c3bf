//! The queue with real threads against a fake workspace. It touches no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

pub(crate) mod fake;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{Durability, FileEntry, JobRequest, JobStatus, Receipt, UndoRequest};
use tokio::runtime::Runtime;

use self::fake::{FakeWorkspace, NoEvents};
use super::{ActivityCounter, AdmissionGate, JobOutcome, JobQueue, JobReply, WorkspaceRequests};
use crate::caller::Caller;
use crate::limits;
use crate::metrics::JobTrace;
use crate::workspace::Admission;

struct Bench {
    runtime: Runtime,
    fake: Arc<FakeWorkspace>,
    gate: Arc<AdmissionGate>,
    activity: Arc<ActivityCounter>,
    queue: JobQueue,
}

fn bench() -> Bench {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(limits::WORKERS + 8)
        .build()
        .unwrap();
    let fake = Arc::new(FakeWorkspace::default());
    let activity = ActivityCounter::new();
    let queue = JobQueue::new(
        fake.clone(),
        Arc::new(NoEvents),
        activity.clone(),
        Durability::Durable,
        runtime.handle().clone(),
    );
    Bench { runtime, fake, gate: AdmissionGate::new(), activity, queue }
}

fn caller() -> Caller {
    Caller::of_session("s", "c")
}

fn job(label: &str, paths: &[&str]) -> JobRequest {
    let file = |path: &&str| FileEntry { path: (*path).into(), ..FileEntry::default() };
    JobRequest { label: Some(label.into()), files: paths.iter().map(file).collect(), ..JobRequest::default() }
}

impl Bench {
    /// Sends a job as a connection would: it is in its lanes when this returns.
    fn send(&self, request: JobRequest) -> Receiver<JobOutcome> {
        self.send_as("s", request)
    }

    /// The same for a job of another session.
    fn send_as(&self, session: &str, request: JobRequest) -> Receiver<JobOutcome> {
        let (to, from) = channel();
        let reply = JobReply::new(move |outcome| drop(to.send(outcome)));
        let owner = crate::caller::RequestOwner::of_session(session);
        let pass = self.gate.request(&owner, 1).and_then(|pass| self.gate.job(pass)).unwrap();
        let caller = Caller::of_session(session, "c");
        if let Some(runnable) = self.queue.edit(caller, request, pass, reply, JobTrace::default()) {
            self.runtime.spawn_blocking(move || runnable.run());
        }
        from
    }

    fn undo(&self) -> Receiver<JobOutcome> {
        self.undo_as("s")
    }

    fn undo_as(&self, session: &str) -> Receiver<JobOutcome> {
        let (to, from) = channel();
        let reply = JobReply::new(move |outcome| drop(to.send(outcome)));
        let owner = crate::caller::RequestOwner::of_session(session);
        let pass = self.gate.request(&owner, 1).and_then(|pass| self.gate.job(pass)).unwrap();
        let caller = Caller::of_session(session, "c");
        if let Some(runnable) =
            self.queue.undo(caller, UndoRequest::default(), pass, reply, JobTrace::default())
        {
            self.runtime.spawn_blocking(move || runnable.run());
        }
        from
    }

    fn wait(&self, id: JobId) -> Receiver<JobOutcome> {
        let (to, from) = channel();
        self.queue.wait(id, JobReply::new(move |outcome| drop(to.send(outcome))));
        from
    }

    fn idle(&self) {
        self.runtime.block_on(self.activity.idle());
    }
}

fn got(from: &Receiver<JobOutcome>) -> Receipt {
    from.recv_timeout(Duration::from_secs(30)).unwrap().unwrap()
}

#[test]
fn jobs_on_one_file_run_in_order_and_others_meanwhile() {
    let bench = bench();
    bench.fake.hold("first");
    let first = bench.send(job("first", &["a"]));
    bench.fake.log_with("begin first");
    let second = bench.send(job("second", &["a", "b"]));
    let third = bench.send(job("third", &["b"]));
    let other = bench.send(job("other", &["c"]));
    assert_eq!(got(&other).status, JobStatus::Applied);
    bench.fake.let_go("first");
    for from in [&first, &second, &third] {
        assert_eq!(got(from).status, JobStatus::Applied);
    }
    let log = bench.fake.log();
    let at = |what: &str| log.iter().position(|line| line == what).unwrap();
    assert!(at("end other") < at("end first"));
    assert!(at("end first") < at("begin second") && at("end second") < at("begin third"));
    bench.idle();
    assert_eq!(bench.gate.jobs(), 0);
}

#[test]
fn an_undo_runs_alone() {
    let bench = bench();
    bench.fake.hold("first");
    let first = bench.send(job("first", &["a"]));
    let undo = bench.undo();
    let later = bench.send(job("later", &["z"]));
    bench.fake.log_with("begin first");
    assert!(undo.try_recv().is_err() && later.try_recv().is_err());
    bench.fake.let_go("first");
    for from in [first, undo, later] {
        got(&from);
    }
    assert_eq!(
        bench.fake.log(),
        ["begin first", "end first", "begin undo", "end undo", "begin later", "end later"]
    );
}

#[test]
fn the_same_key_is_the_same_job_while_it_runs_and_after() {
    let bench = bench();
    let keyed = || JobRequest { key: Some("k".into()), ..job("first", &["a"]) };
    bench.fake.hold("first");
    let first = bench.send(keyed());
    bench.fake.log_with("begin first");
    let requeue = bench.send(keyed());
    bench.fake.let_go("first");
    let (first, requeue, later) = (got(&first), got(&requeue), got(&bench.send(keyed())));
    assert!(!first.repeated && first.files[0].diff.is_some());
    for repeated in [requeue, later] {
        assert!(repeated.repeated && repeated.files[0].diff.is_none());
        assert_eq!(repeated.job, first.job);
    }
    assert_eq!(bench.fake.log(), ["begin first", "end first"]);
}

#[test]
fn a_detached_job_is_answered_at_once_and_waited_for() {
    let bench = bench();
    bench.fake.hold("long");
    let queued = got(&bench.send(JobRequest { detach: true, ..job("long", &["a"]) }));
    assert_eq!(queued.status, JobStatus::Queued);
    let id = queued.job.unwrap();
    bench.fake.log_with("begin long");
    let waiting = bench.wait(id);
    let given_up = {
        let (to, from) = channel();
        let wait = bench.queue.wait(id, JobReply::new(move |outcome| drop(to.send(outcome)))).unwrap();
        assert!(bench.queue.unwait(wait).is_some());
        from
    };
    bench.fake.let_go("long");
    assert_eq!(got(&waiting).status, JobStatus::Applied);
    assert_eq!(got(&bench.wait(id)).status, JobStatus::Applied);
    assert_eq!(
        given_up.recv().unwrap().unwrap_err().code,
        ErrorCode::Internal,
        "dropped: answered all the same"
    );
    let unknown = bench.wait(JobId(99)).recv().unwrap();
    assert_eq!(unknown.unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn a_detached_job_can_be_cancelled_until_it_begins() {
    let bench = bench();
    bench.fake.hold("first");
    let first = bench.send(job("first", &["a"]));
    bench.fake.log_with("begin first");
    let second = got(&bench.send(JobRequest { detach: true, ..job("second", &["a"]) })).job.unwrap();
    let attached = bench.send(job("third", &["a"]));
    let waiting = bench.wait(second);
    assert_eq!(bench.queue.cancel(second).unwrap().status, JobStatus::Refused);
    assert_eq!(got(&waiting).status, JobStatus::Refused);
    assert_eq!(bench.queue.cancel(JobId(1)).unwrap_err().code, ErrorCode::Busy);
    assert_eq!(bench.queue.cancel(JobId(77)).unwrap_err().code, ErrorCode::NotFound);
    bench.fake.let_go("first");
    got(&first);
    got(&attached);
    assert!(!bench.fake.log().contains(&"begin second".to_owned()));
}

#[test]
fn a_panic_is_an_internal_error_and_frees_the_lanes() {
    let bench = bench();
    let failed = bench.send(JobRequest { key: Some("k".into()), ..job("panic", &["a"]) });
    assert_eq!(failed.recv().unwrap().unwrap_err().code, ErrorCode::Internal);
    assert_eq!(got(&bench.send(job("next", &["a"]))).status, JobStatus::Applied);
    bench.idle();
    assert_eq!(bench.gate.jobs(), 0);
}

#[test]
fn unresolvable_paths_are_refused_and_a_known_key_still_answers() {
    let bench = bench();
    let refused = got(&bench.send(job("x", &["../x"])));
    assert_eq!((refused.status, refused.error.unwrap().code), (JobStatus::Refused, ErrorCode::Outside));
    assert!(bench.fake.log().is_empty());
    let keyed = JobRequest { key: Some("k".into()), ..job("y", &["../y"]) };
    assert_eq!(got(&bench.send(keyed)).status, JobStatus::Applied, "it runs alone and decides for itself");
}

#[test]
fn stopping_puts_off_what_is_stored_and_finishes_the_rest() {
    let bench = bench();
    bench.fake.hold("first");
    let first = bench.send(job("first", &["a"]));
    bench.fake.log_with("begin first");
    let stored = got(&bench.send(JobRequest { detach: true, ..job("stored", &["a"]) })).job.unwrap();
    let attached = bench.send(job("attached", &["a"]));
    let waiting = bench.wait(stored);
    bench.queue.put_off();
    let told = waiting.recv_timeout(Duration::from_secs(30)).unwrap().unwrap_err();
    assert_eq!(told.code, ErrorCode::Stopping, "it has not run");
    bench.fake.let_go("first");
    got(&first);
    got(&attached);
    bench.idle();
    assert_eq!(bench.fake.log(), ["begin first", "end first", "begin attached", "end attached"]);
}

#[test]
fn a_job_that_an_earlier_daemon_left_is_run_and_can_be_waited_for() {
    let bench = bench();
    let left = JobRequest { detach: true, key: Some("k".into()), ..job("left", &["a"]) };
    // As it was admitted then; its queue is gone.
    let Admission::New(id) = bench.fake.admit(&caller(), &bench.fake.understand(left.clone())) else {
        panic!("it is new")
    };
    let waiting = bench.wait(id);
    bench.queue.requeue(id, caller(), left.clone(), bench.gate.requeue("s", 1));
    assert_eq!(got(&waiting).status, JobStatus::Applied);
    let requeue = got(&bench.send(left));
    assert!(requeue.repeated && requeue.job == Some(id));
    assert_eq!(bench.fake.log(), ["begin left", "end left"]);
}

#[test]
fn no_more_jobs_run_at_once_than_there_are_workers() {
    let bench = bench();
    bench.fake.hold("held");
    let paths: Vec<String> = (0..limits::WORKERS + 5).map(|n| format!("f{n}")).collect();
    let send = |(nth, path): (usize, &String)| bench.send_as(&format!("s{}", nth % 4), job("held", &[path]));
    let replies: Vec<_> = paths.iter().enumerate().map(send).collect();
    // A job that waits only for a worker can be cancelled.
    let ready = got(&bench.send(JobRequest { detach: true, ..job("ready", &["ready"]) })).job.unwrap();
    assert_eq!(bench.queue.cancel(ready).unwrap().status, JobStatus::Refused);
    while bench.fake.log().len() < limits::WORKERS {
        std::thread::yield_now();
    }
    assert_eq!(bench.fake.log().len(), limits::WORKERS);
    bench.fake.let_go("held");
    for from in &replies {
        got(from);
    }
    assert_eq!(bench.fake.log().iter().filter(|line| *line == "end held").count(), paths.len());
}

#[test]
fn jobs_for_which_commands_run_leave_workers_to_the_others() {
    let bench = bench();
    bench.fake.hold("slow");
    let paths: Vec<String> = (0..limits::WORKERS + 5).map(|n| format!("checked/{n}")).collect();
    let send = |(nth, path): (usize, &String)| bench.send_as(&format!("s{}", nth % 4), job("slow", &[path]));
    let replies: Vec<_> = paths.iter().enumerate().map(send).collect();
    // It waits only for a worker that may run commands: it can be cancelled, and delays no other job.
    let off = JobRequest { detach: true, ..job("off", &["checked/off"]) };
    let off = got(&bench.send(off)).job.unwrap();
    assert_eq!(bench.queue.cancel(off).unwrap().status, JobStatus::Refused);
    for n in 0..limits::WORKERS {
        assert_eq!(got(&bench.send(job("quick", &[&format!("f{n}")]))).status, JobStatus::Applied);
    }
    let begun =
        |label: &str| bench.fake.log().iter().filter(|line| **line == format!("begin {label}")).count();
    while begun("slow") < limits::CALLING_WORKERS {
        std::thread::yield_now();
    }
    assert_eq!(begun("slow"), limits::CALLING_WORKERS);
    bench.fake.let_go("slow");
    for from in &replies {
        got(from);
    }
    assert_eq!((begun("slow"), begun("off")), (paths.len(), 0));
}

#[test]
fn one_session_leaves_workers_to_the_others_also_for_commands() {
    let bench = bench();
    bench.fake.hold("greedy");
    let paths: Vec<String> = (0..2 * limits::WORKERS).map(|n| format!("f{n}")).collect();
    let mut greedy: Vec<_> =
        paths.iter().map(|path| bench.send_as("greedy", job("greedy", &[path]))).collect();
    let checked = (0..limits::WORKERS).map(|n| format!("checked/{n}"));
    greedy.extend(checked.map(|path| bench.send_as("greedy", job("greedy", &[&path]))));
    for path in ["other", "checked/other"] {
        assert_eq!(got(&bench.send_as("honest", job("quick", &[path]))).status, JobStatus::Applied);
    }
    bench.fake.let_go("greedy");
    greedy.iter().for_each(|from| drop(got(from)));
}

#[test]
fn a_free_worker_takes_a_job_of_the_session_that_has_the_fewest() {
    let bench = bench();
    let labels = ["first", "later"];
    labels.iter().for_each(|label| bench.fake.hold(label));
    let send = |label: &str, nth: usize| {
        bench.send_as(&format!("s{}", nth % 2), job(label, &[&format!("{label}-{nth}")]))
    };
    let mut replies = Vec::new();
    for label in labels {
        replies.extend((0..limits::WORKERS).map(|nth| send(label, nth)));
    }
    bench.fake.log_of(limits::WORKERS);
    // All workers are taken, and as many jobs wait in front of this one.
    let honest = bench.send_as("honest", job("quick", &["other"]));
    bench.fake.let_go("first");
    assert_eq!(got(&honest).status, JobStatus::Applied);
    bench.fake.let_go("later");
    replies.iter().for_each(|from| drop(got(from)));
}

#[test]
fn an_undo_behind_a_slow_command_delays_only_its_own_session() {
    let bench = bench();
    bench.fake.hold("slow");
    let slow = bench.send_as("greedy", job("slow", &["checked/a"]));
    bench.fake.log_with("begin slow");
    let undo = bench.undo_as("greedy");
    let own = bench.send_as("greedy", job("own", &["b"]));
    for path in ["b", "checked/b"] {
        assert_eq!(got(&bench.send_as("honest", job("quick", &[path]))).status, JobStatus::Applied);
    }
    let detached = JobRequest { detach: true, ..job("detached", &["c"]) };
    let detached = got(&bench.send_as("greedy", detached)).job.unwrap();
    assert_eq!(bench.queue.cancel(detached).unwrap().status, JobStatus::Refused);
    bench.fake.let_go("slow");
    for from in [&slow, &undo, &own] {
        got(from);
    }
    let log = bench.fake.log();
    let at = |line: &str| log.iter().position(|one| one == line).unwrap();
    assert!(at("end slow") < at("begin undo") && at("end undo") < at("begin own"), "{log:?}");
    bench.idle();
    assert!(!log.contains(&"begin detached".to_owned()));
}

#[test]
fn an_undo_is_overtaken_by_a_bounded_number_of_jobs_with_commands() {
    let bench = bench();
    bench.fake.hold("slow");
    let slow = bench.send_as("greedy", job("slow", &["checked/a"]));
    bench.fake.log_with("begin slow");
    let undo = bench.undo_as("honest");
    for nth in 0..limits::OVERTAKEN {
        got(&bench.send_as("other", job("quick", &[&format!("checked/{nth}")])));
    }
    let late = bench.send_as("other", job("late", &["b"]));
    bench.fake.let_go("slow");
    for from in [&slow, &undo, &late] {
        got(from);
    }
    let log = bench.fake.log();
    let at = |line: &str| log.iter().position(|one| one == line).unwrap();
    assert!(at("end undo") < at("begin late"), "{log:?}");
}
