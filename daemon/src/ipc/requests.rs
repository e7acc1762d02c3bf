//! The table of requests: how each is handled, and the function that answers it. It decodes no frame.

use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::Message;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{
    CheckRequest, ClipRequest, ConfigRequest, ContentRequest, DialectsRequest, ExportRequest, ForgetRequest,
    HistoryRequest, MarkRequest, MetricsRequest, NoteReply, NoteRequest, OutlineRequest, ReadRequest,
    ShowRequest, StatusReply, StatusRequest, StopReply, StopRequest, SubscribeReply, SubscribeRequest,
    TrustRequest, WaitRequest, kind,
};
use tokio::sync::oneshot;

use super::brief::ReplyWish;
use super::checks::checks;
use super::dispatch::{RequestAnswer, body, frequent_body};
use super::inbox::ClientSession;
use super::subscriptions::EventSink;
use crate::limits;
use crate::queue::{FinishedJob, JobReply, reply};

/// A kind of request.
pub(super) struct RequestKind {
    /// Its name in messages.
    pub(super) kind: &'static str,
    pub(super) effect: RequestEffect,
    pub(super) reply: ReplyLength,
    pub(super) journal: JournalUse,
    pub(super) handling: Handling,
}

/// The effect of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RequestEffect {
    /// It changes nothing but the receipts of its session. Without a reader of the answer, it need not run.
    ReadOnly,
    /// It changes something.
    Changing,
}

/// The length of a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReplyLength {
    /// A few kilobytes at most, or bounded by the room that is left.
    Short,
    /// Possibly long. The request is refused while too many bytes of replies are unread.
    Long,
}

/// The use that a request makes of the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JournalUse {
    /// It looks something up or records something. It is refused while the database is being rebuilt.
    Needed,
    /// None, or it says what it cannot tell.
    NotNeeded,
}

/// The handling of a request.
#[derive(Clone, Copy)]
pub(super) enum Handling {
    /// It gets its place in the queue of jobs.
    Job,
    /// This function answers it.
    Answer(Respond),
}

/// A function that answers a request. It may answer later.
type Respond = fn(&Arc<ClientSession>, &Message, RequestAnswer);

use Handling::{Answer, Job};
use ReplyLength::{Long, Short};
use RequestEffect::{Changing, ReadOnly};

/// Every request after `hello`.
const REQUESTS: &[RequestKind] = &[
    of(kind::EDIT, Changing, Short, Job),
    of(kind::UNDO, Changing, Short, Job),
    of(kind::REDO, Changing, Short, Job),
    of(kind::READ, ReadOnly, Long, Answer(read)),
    of(kind::OUTLINE, ReadOnly, Long, Answer(outline)),
    of(kind::HISTORY, ReadOnly, Long, Answer(history)),
    of(kind::SHOW, ReadOnly, Long, Answer(show)),
    of(kind::CONTENT, ReadOnly, Long, Answer(content)),
    of(kind::EXPORT, ReadOnly, Long, Answer(export)),
    of(kind::CLIP, Changing, Long, Answer(clip)),
    of(kind::FORGET, Changing, Short, Answer(forget)),
    of(kind::NOTE, Changing, Long, Answer(note)),
    of(kind::MARK, Changing, Short, Answer(mark)),
    of(kind::DIALECTS, ReadOnly, Short, Answer(dialects)).without_journal(),
    of(kind::TRUST, Changing, Short, Answer(trust)).without_journal(),
    of(kind::STATUS, ReadOnly, Short, Answer(status)).without_journal(),
    of(kind::CONFIG, ReadOnly, Short, Answer(config)).without_journal(),
    of(kind::METRICS, ReadOnly, Short, Answer(metrics)).without_journal(),
    of(kind::CHECK, ReadOnly, Short, Answer(check)).without_journal(),
    of(kind::WAIT, ReadOnly, Short, Answer(wait)),
    of(kind::CANCEL, Changing, Short, Answer(cancel)),
    of(kind::SUBSCRIBE, ReadOnly, Short, Answer(subscribe)).without_journal(),
    of(kind::CHECKS, ReadOnly, Long, Answer(checks)).without_journal(),
    of(kind::STOP, Changing, Short, Answer(stop)).without_journal(),
];

const fn of(
    kind: &'static str,
    effect: RequestEffect,
    reply: ReplyLength,
    handling: Handling,
) -> RequestKind {
    RequestKind { kind, effect, reply, journal: JournalUse::Needed, handling }
}

impl RequestKind {
    const fn without_journal(self) -> Self {
        Self { journal: JournalUse::NotNeeded, ..self }
    }
}

/// Returns the request with this name.
pub(super) fn named(kind: &str) -> Option<&'static RequestKind> {
    REQUESTS.iter().find(|request| request.kind == kind)
}

fn read(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let server = &client.server;
    let read = frequent_body::<ReadRequest>(message)
        .and_then(|request| server.workspace.read(&client.caller, &request));
    let renewed = read.is_ok();
    if renewed {
        server.metrics.read_answered(answer.arrived());
    }
    answer.send_reserved(kind::READ, read);
    if renewed {
        server.events.receipt_renewed();
    } else {
        server.events.memory_freed();
    }
}

fn outline(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let server = &client.server;
    let outline = body::<OutlineRequest>(message)
        .and_then(|request| server.workspace.outline(&client.caller, &request));
    answer.send_reserved(kind::OUTLINE, outline);
    server.events.memory_freed();
}

fn history(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<HistoryRequest>(message);
    answer.send_reserved(
        kind::HISTORY,
        request.and_then(|request| client.server.workspace.history(&client.caller, &request)),
    );
}

fn show(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ShowRequest>(message);
    answer.send_reserved(
        kind::SHOW,
        request.and_then(|request| client.server.workspace.show(&client.caller, &request)),
    );
}

fn content(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ContentRequest>(message);
    let content = request.and_then(|request| client.server.workspace.content(&client.caller, &request));
    answer.send_reserved(kind::CONTENT, content);
    client.server.events.memory_freed();
}

fn export(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ExportRequest>(message);
    let export = request.and_then(|request| client.server.workspace.export(&client.caller, &request));
    answer.send_reserved(kind::EXPORT, export);
    client.server.events.memory_freed();
}

fn clip(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ClipRequest>(message);
    let clip = request.and_then(|request| client.server.workspace.clip(&client.caller, &request));
    answer.send_result(kind::CLIP, clip);
}

fn forget(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ForgetRequest>(message);
    let forget = request.and_then(|request| client.server.workspace.forget(&client.caller, &request));
    answer.send_result(kind::FORGET, forget);
    // Subscribers learn of the change that it noticed.
    client.server.events.receipt_renewed();
}

fn note(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let server = &client.server;
    let note =
        body::<NoteRequest>(message).and_then(|request| server.workspace.note(&client.caller, &request));
    let entries = note.as_ref().map_or_else(|_| Vec::new(), NoteReply::jobs);
    answer.send_result(kind::NOTE, note);
    // Subscribers learn of the changes from here, as of those of a job: the watcher finds nothing new any more.
    server.events.job_ended(FinishedJob { relaxed: false, entries });
    server.events.receipt_renewed();
}

fn mark(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<MarkRequest>(message);
    let mark = request.and_then(|request| client.server.workspace.mark(&client.caller, &request));
    answer.send_result(kind::MARK, mark);
    // Subscribers learn of the changes that it noticed.
    client.server.events.receipt_renewed();
}

fn dialects(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<DialectsRequest>(message);
    answer.send_result(kind::DIALECTS, request.map(|_| client.server.workspace.dialects()));
}

fn trust(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<TrustRequest>(message);
    answer.send_result(kind::TRUST, request.and_then(|request| client.server.workspace.trust(&request)));
}

fn status(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let server = &client.server;
    let reply = body::<StatusRequest>(message).and_then(|request| {
        let trace = request.trace.map(|job| server.metrics.trace_of(job).ok_or_else(|| no_trace(job)));
        Ok(StatusReply { trace: trace.transpose()?, ..server.status() })
    });
    answer.send_result(kind::STATUS, reply);
}

fn no_trace(job: JobId) -> Refusal {
    if job.0 == 0 {
        let message = "no job has run since the daemon was started; run one first";
        return Box::new(RequestError::new(ErrorCode::NotFound, message));
    }
    let message = format!(
        "the times of job {job} are not known: the daemon keeps those of its last {} jobs, and repeated jobs have none; \
         `editctl status --trace last` shows the newest",
        limits::TRACES
    );
    Box::new(RequestError::new(ErrorCode::NotFound, message))
}

fn metrics(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<MetricsRequest>(message);
    answer.send_result(kind::METRICS, request.map(|_| client.server.metrics_text()));
}

fn config(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<ConfigRequest>(message);
    answer.send_result(kind::CONFIG, request.map(|_| client.server.workspace.config()));
}

fn check(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<CheckRequest>(message);
    answer.send_result(kind::CHECK, request.map(|_| client.server.workspace.check()));
}

fn cancel(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request = body::<WaitRequest>(message);
    answer.send_result(kind::CANCEL, request.and_then(|request| client.server.queue.cancel(request.job)));
}

fn stop(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let server = &client.server;
    let stop = body::<StopRequest>(message).map(|_| StopReply { pid: std::process::id() });
    let parsed = stop.is_ok();
    if parsed {
        server.keep(client.outbox.stream());
    }
    answer.send_result(kind::STOP, stop);
    if parsed {
        tracing::info!(session = %client.caller.session, client = %client.caller.client, "asked to stop");
        server.stop.ask_once();
    }
}

fn subscribe(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request: SubscribeRequest = match body(message) {
        Ok(request) => request,
        Err(refusal) => return answer.refuse(&refusal),
    };
    let sink = Arc::new(EventSink::new(message.id(), Arc::clone(&client.outbox)));
    let (subscription, folders) = match client.server.subscriptions.subscribe(&request, sink) {
        Ok(subscribed) => subscribed,
        Err(refusal) => return answer.refuse(&refusal),
    };
    if client.keep(subscription) {
        answer.send_subscribed(&SubscribeReply { folders });
    } else {
        let message = format!(
            "a connection has at most {} subscriptions; put several globs into one",
            limits::CONNECTION_SUBSCRIPTIONS
        );
        answer.refuse(&RequestError::new(ErrorCode::Limit, message));
    }
}

fn wait(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request: WaitRequest = match body(message) {
        Ok(request) => request,
        Err(refusal) => return answer.refuse(&refusal),
    };
    let time = Duration::from_millis(request.timeout_ms.unwrap_or(limits::WAIT_MS).min(limits::WAIT_MS));
    let job = request.job;
    // `over` resolves when the reply is sent or dropped.
    let (answered, over) = oneshot::channel::<()>();
    let reply = answer.into_job_reply(kind::WAIT, ReplyWish::default());
    let reply = JobReply::new(move |outcome| {
        drop(answered);
        reply.send(outcome);
    });
    let Some(wait) = client.server.queue.wait(job, reply) else { return };
    let queue = client.server.queue.clone();
    let (mut gone, stop) = (client.gone.subscribe(), Arc::clone(&client.server.stop));
    client.server.runtime.spawn(async move {
        tokio::select! {
            _ = over => return,
            () = tokio::time::sleep(time) => {}
            _ = gone.wait_for(|gone| *gone) => {}
        }
        if let Some(reply) = queue.unwait(wait) {
            // If the daemon is stopping, the next one knows how the job ended.
            reply.send(if stop.is_asked() { Err(reply::stopping()) } else { Ok(reply::queued(job)) });
        }
    });
}
