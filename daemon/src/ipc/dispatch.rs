//! Decodes requests and calls the part of the daemon that handles each kind. It decides nothing about files.

use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::{self, Message};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{
    CheckRequest, ClipRequest, DialectsRequest, HistoryRequest, JobRequest, OutlineRequest, ReadRequest,
    ShowRequest, StopReply, StopRequest, SubscribeReply, SubscribeRequest, TrustRequest, UndoRequest,
    WaitRequest, kind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::oneshot;

use super::brief::ReplyWish;
use super::encode;
use super::inbox::{ClientSession, ReceivedFrame};
use super::misfit;
use super::session::boxed;
use super::subscriptions::EventSink;
use crate::limits;
use crate::queue::{AdmissionPass, JobReply, RunnableJob, reply};
use crate::workspace::ReservedReply;

/// The remaining work for a frame.
pub(super) enum NextStep {
    /// None.
    Next,
    /// To run this job while another thread continues with the connection's frames.
    Run(RunnableJob),
}

/// The one answer to a request. If it is dropped unanswered (after a panic), it answers `internal`.
struct RequestAnswer {
    client: Arc<ClientSession>,
    id: u64,
    place: Option<OwnedSemaphorePermit>,
}

impl RequestAnswer {
    fn frame(mut self, frame: Vec<u8>) {
        let place = self.place.take();
        self.client.outbox.send(frame, place);
    }

    fn send<T: Serialize>(self, kind: &str, body: &T) {
        let frame = codec::reply(self.id, kind, body);
        self.frame(frame);
    }

    fn send_subscribed(mut self, reply: &SubscribeReply) {
        let place = self.place.take();
        self.client.outbox.subscribed(self.id, codec::reply(self.id, kind::SUBSCRIBE, reply), place);
    }

    fn refuse(self, refusal: &RequestError) {
        let frame = codec::encode_error(self.id, refusal);
        self.frame(frame);
    }

    fn send_result<T: Serialize>(self, kind: &str, result: Result<T, Refusal>) {
        match result {
            Ok(body) => self.send(kind, &body),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// The same for a reply with a memory reservation, which is released once the reply is sent.
    fn send_reserved<T: Serialize>(self, kind: &str, result: Result<ReservedReply<'_, T>, Refusal>) {
        match result {
            Ok(held) => self.send(kind, &held.reply),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// Converts it to the reply of a job.
    fn into_job_reply(self, kind: &'static str, wish: ReplyWish) -> JobReply {
        JobReply::new(move |outcome| {
            let frame = encode::outcome(self.id, kind, &outcome, wish, self.client.outbox.room());
            self.frame(frame);
        })
    }
}

impl Drop for RequestAnswer {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.client.outbox.send(codec::encode_error(self.id, &reply::internal()), Some(place));
        }
    }
}

/// Decodes a frame; a job gets its place in the queue, any other request is answered.
pub(super) fn begin(client: &Arc<ClientSession>, arrived: ReceivedFrame) -> NextStep {
    let ReceivedFrame { frame, place, pass } = arrived;
    if client.outbox.is_closed() {
        // Nothing is trusted that follows an invalid frame.
        return NextStep::Next;
    }
    let message = match Message::parse(frame) {
        Ok(message) => message,
        Err(error) => {
            // The sender does not speak the protocol.
            client.outbox.close(codec::encode_error(0, &boxed(&error)));
            return NextStep::Next;
        }
    };
    if is_read_only(message.kind()) && client.outbox.is_broken() {
        // Nobody would see the answer, and no session may get a receipt for content that it did not see.
        return NextStep::Next;
    }
    let answer = RequestAnswer { client: Arc::clone(client), id: message.id(), place: Some(place) };
    let pass = match pass.and_then(|pass| pass.weighing(message.cost())) {
        Ok(pass) => pass,
        Err(busy) => {
            answer.refuse(&busy);
            return NextStep::Next;
        }
    };
    tracing::debug!(kind = message.kind(), id = message.id(), session = %client.caller.session, "request");
    match message.kind() {
        kind::EDIT => job(client, &message, answer, pass, kind::EDIT),
        kind::UNDO => job(client, &message, answer, pass, kind::UNDO),
        kind::REDO => job(client, &message, answer, pass, kind::REDO),
        _ => {
            answer_request(client, &message, answer);
            drop(pass);
            NextStep::Next
        }
    }
}

/// Returns true for requests that only read: they change nothing but the session's receipts.
fn is_read_only(kind: &str) -> bool {
    let kinds = [
        kind::READ,
        kind::HISTORY,
        kind::SHOW,
        kind::DIALECTS,
        kind::OUTLINE,
        kind::STATUS,
        kind::CHECK,
        kind::SUBSCRIBE,
        kind::WAIT,
    ];
    kinds.contains(&kind)
}

fn body<T: DeserializeOwned>(message: &Message) -> Result<T, Refusal> {
    message.body().map_err(|error| boxed(&misfit::placed::<T>(message, error)))
}

fn job(
    client: &Arc<ClientSession>,
    message: &Message,
    answer: RequestAnswer,
    pass: AdmissionPass,
    kind: &'static str,
) -> NextStep {
    let pass = match client.server.gate.job(pass) {
        Ok(pass) => pass,
        Err(busy) => {
            answer.refuse(&busy);
            return NextStep::Next;
        }
    };
    let (queue, caller) = (&client.server.queue, client.caller.clone());
    let runnable: Result<Option<RunnableJob>, (RequestAnswer, Refusal)> = match kind {
        kind::EDIT => match body::<JobRequest>(message) {
            Ok(mut request) => {
                request.on_stale = request.on_stale.or(client.on_stale);
                let reply = answer.into_job_reply(kind, ReplyWish::of_job(&request));
                Ok(queue.edit(caller, request, pass, reply))
            }
            Err(refusal) => Err((answer, refusal)),
        },
        _ => match body::<UndoRequest>(message) {
            Ok(request) => {
                let reply = answer.into_job_reply(kind, ReplyWish::of_undo(&request));
                Ok(if kind == kind::UNDO {
                    queue.undo(caller, request, pass, reply)
                } else {
                    queue.redo(caller, request, pass, reply)
                })
            }
            Err(refusal) => Err((answer, refusal)),
        },
    };
    match runnable {
        Ok(Some(runnable)) => NextStep::Run(runnable),
        Ok(None) => NextStep::Next,
        Err((answer, refusal)) => {
            answer.refuse(&refusal);
            NextStep::Next
        }
    }
}

/// Answers requests that are not jobs.
fn answer_request(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let (server, workspace) = (&client.server, &client.server.workspace);
    let large = [kind::READ, kind::OUTLINE, kind::HISTORY, kind::SHOW, kind::CLIP];
    if large.contains(&message.kind()) && client.outbox.is_flooded() {
        let message = "too many bytes of replies are unread; read them, then send this again";
        return answer.refuse(&RequestError::new(ErrorCode::Busy, message));
    }
    match message.kind() {
        kind::READ => {
            let read =
                body::<ReadRequest>(message).and_then(|request| workspace.read(&client.caller, &request));
            let renewed = read.is_ok();
            answer.send_reserved(kind::READ, read);
            if renewed {
                server.events.receipt_renewed();
            } else {
                server.events.memory_freed();
            }
        }
        kind::OUTLINE => {
            let outline = body::<OutlineRequest>(message).and_then(|request| workspace.outline(&request));
            answer.send_reserved(kind::OUTLINE, outline);
            server.events.memory_freed();
        }
        kind::HISTORY => {
            let request = body::<HistoryRequest>(message);
            answer.send_reserved(kind::HISTORY, request.and_then(|request| workspace.history(&request)));
        }
        kind::SHOW => {
            let request = body::<ShowRequest>(message);
            answer.send_reserved(kind::SHOW, request.and_then(|request| workspace.show(&request)));
        }
        kind::CLIP => {
            let clip =
                body::<ClipRequest>(message).and_then(|request| workspace.clip(&client.caller, &request));
            answer.send_result(kind::CLIP, clip);
        }
        kind::DIALECTS => {
            let parsed = body::<DialectsRequest>(message);
            answer.send_result(kind::DIALECTS, parsed.map(|_| workspace.dialects()));
        }
        kind::TRUST => {
            let request = body::<TrustRequest>(message);
            answer.send_result(kind::TRUST, request.and_then(|request| workspace.trust(&request)));
        }
        kind::STATUS => answer.send(kind::STATUS, &server.status()),
        kind::CHECK => {
            answer.send_result(kind::CHECK, body::<CheckRequest>(message).map(|_| workspace.check()))
        }
        kind::WAIT => wait(client, message, answer),
        kind::CANCEL => {
            let cancelled = body::<WaitRequest>(message).and_then(|request| server.queue.cancel(request.job));
            answer.send_result(kind::CANCEL, cancelled);
        }
        kind::SUBSCRIBE => subscribe(client, message, answer),
        kind::STOP => {
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
        other => unknown(other, answer),
    }
}

fn unknown(kind: &str, answer: RequestAnswer) {
    let (code, message) = match kind {
        kind::HELLO => (ErrorCode::Malformed, "`hello` was sent already; continue with requests".to_owned()),
        kind => {
            let kind: String = kind.chars().take(40).collect();
            (
                ErrorCode::Unsupported,
                format!("{kind:?} is not a request of this protocol version; see WIRE.md"),
            )
        }
    };
    answer.refuse(&RequestError::new(code, message));
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
