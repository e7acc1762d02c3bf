//! Decodes frames, gives each job its place in the queue, and has other requests answered. It decides nothing about
//! files.

use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::Message;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{JobRequest, SubscribeReply, UndoRequest, kind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use super::brief::ReplyWish;
use super::encode;
use super::inbox::{ClientSession, ReceivedFrame};
use super::requests::{self, Handling, JournalUse, ReplyLength, RequestEffect};
use super::session::boxed;
use crate::queue::{AdmissionPass, JobReply, RunnableJob, reply, result_of};
use crate::workspace::ReservedReply;

/// The remaining work for a frame.
#[expect(clippy::large_enum_variant, reason = "it is returned once for each frame, and never stored")]
pub(super) enum NextStep {
    /// None.
    Next,
    /// To run this job while another thread continues with the connection's frames.
    Run(RunnableJob),
}

/// The one answer to a request. If it is dropped unanswered (after a panic), it answers `internal`.
pub(super) struct RequestAnswer {
    client: Arc<ClientSession>,
    id: u64,
    arrived: Duration,
    is_job: bool,
    place: Option<OwnedSemaphorePermit>,
}

impl RequestAnswer {
    fn frame(mut self, frame: Vec<u8>) {
        let place = self.place.take();
        self.client.outbox.send(frame, place);
    }

    pub(super) fn send<T: Serialize>(self, kind: &str, body: &T) {
        let frame = self.client.outbox.framing().reply(self.id, kind, body);
        self.frame(frame);
    }

    pub(super) fn send_subscribed(mut self, reply: &SubscribeReply) {
        let place = self.place.take();
        let frame = self.client.outbox.framing().reply(self.id, kind::SUBSCRIBE, reply);
        self.client.outbox.subscribed(self.id, frame, place);
    }

    /// Returns the moment at which the request arrived.
    pub(super) fn arrived(&self) -> Duration {
        self.arrived
    }

    pub(super) fn refuse(self, refusal: &RequestError) {
        self.client.server.metrics.request_refused(self.is_job, refusal.code);
        let frame = self.client.outbox.framing().encode_error(self.id, refusal);
        self.frame(frame);
    }

    pub(super) fn send_result<T: Serialize>(self, kind: &str, result: Result<T, Refusal>) {
        match result {
            Ok(body) => self.send(kind, &body),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// Sends a reply with a memory reservation, which is released once the reply is sent, or a refusal.
    pub(super) fn send_reserved<T: Serialize>(
        self,
        kind: &str,
        result: Result<ReservedReply<'_, T>, Refusal>,
    ) {
        match result {
            Ok(held) => self.send(kind, &held.reply),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// Converts it to the reply of a job.
    pub(super) fn into_job_reply(self, kind: &'static str, wish: ReplyWish) -> JobReply {
        JobReply::new(move |outcome| {
            if self.is_job {
                self.client.server.metrics.job_answered(kind, result_of(&outcome), self.arrived);
            }
            let outbox = &self.client.outbox;
            let frame = encode::outcome(outbox.framing(), (self.id, kind), &outcome, wish, outbox.room());
            self.frame(frame);
        })
    }
}

impl Drop for RequestAnswer {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let outbox = &self.client.outbox;
            outbox.send(outbox.framing().encode_error(self.id, &reply::internal()), Some(place));
        }
    }
}

/// Decodes a frame; a job gets its place in the queue, any other request is answered.
pub(super) fn begin(client: &Arc<ClientSession>, arrived: ReceivedFrame) -> NextStep {
    let ReceivedFrame { frame, arrived, place, pass } = arrived;
    if client.outbox.is_closed() {
        // Nothing is trusted that follows an invalid frame.
        return NextStep::Next;
    }
    let framing = client.outbox.framing();
    let message = match framing.parse(frame) {
        Ok(message) => message,
        Err(error) => {
            // The sender does not speak the protocol.
            client.outbox.close(framing.encode_error(0, &boxed(&error)));
            return NextStep::Next;
        }
    };
    let request = requests::named(message.kind());
    if request.is_some_and(|request| request.effect == RequestEffect::ReadOnly) && client.outbox.is_broken() {
        // Nobody would see the answer, and no session may get a receipt for content that it did not see.
        return NextStep::Next;
    }
    let is_job = request.is_some_and(|request| matches!(request.handling, Handling::Job));
    let (client_of, id) = (Arc::clone(client), message.id());
    let answer = RequestAnswer { client: client_of, id, arrived, is_job, place: Some(place) };
    let pass = match pass.and_then(|pass| pass.weighing(message.cost())) {
        Ok(pass) => pass,
        Err(busy) => return refused(answer, &busy),
    };
    tracing::debug!(kind = message.kind(), id = message.id(), session = %client.caller.session, "request");
    let Some(request) = request else {
        unknown(message.kind(), answer);
        return NextStep::Next;
    };
    if request.journal == JournalUse::Needed
        && let Some(rebuilding) = client.server.workspace.rebuilding()
    {
        let message = format!("{rebuilding}; nothing was done: send it again in a moment");
        return refused(answer, &RequestError::new(ErrorCode::Busy, message));
    }
    match request.handling {
        Handling::Job => job(client, &message, answer, pass, request.kind),
        Handling::Answer(_) if request.reply == ReplyLength::Long && client.outbox.is_flooded() => {
            let message = "too many bytes of replies are unread; read them, then send this again";
            refused(answer, &RequestError::new(ErrorCode::Busy, message))
        }
        Handling::Answer(handle) => {
            handle(client, &message, answer);
            drop(pass);
            NextStep::Next
        }
    }
}

/// Decodes the body of a request.
pub(super) fn body<T: DeserializeOwned>(message: &Message) -> Result<T, Refusal> {
    message.placed_body().map_err(|error| boxed(&error))
}

/// Decodes the body of one of the most frequent requests. It is decoded a second time only to find the place of an error.
pub(super) fn frequent_body<T: DeserializeOwned>(message: &Message) -> Result<T, Refusal> {
    message.body().map_err(|error| boxed(&message.placed_body::<T>().err().unwrap_or(error)))
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
        Err(busy) => return refused(answer, &busy),
    };
    let (queue, caller) = (&client.server.queue, client.caller.clone());
    let trace = client.server.metrics.trace(answer.arrived());
    let runnable = if kind == kind::EDIT {
        let mut request: JobRequest = match frequent_body(message) {
            Ok(request) => request,
            Err(refusal) => return refused(answer, &refusal),
        };
        request.on_stale = request.on_stale.or(client.on_stale);
        let reply = answer.into_job_reply(kind, ReplyWish::of_job(&request));
        queue.edit(caller, request, pass, reply, trace)
    } else {
        let request: UndoRequest = match body(message) {
            Ok(request) => request,
            Err(refusal) => return refused(answer, &refusal),
        };
        let reply = answer.into_job_reply(kind, ReplyWish::of_undo(&request));
        if kind == kind::UNDO {
            queue.undo(caller, request, pass, reply, trace)
        } else {
            queue.redo(caller, request, pass, reply, trace)
        }
    };
    runnable.map_or(NextStep::Next, NextStep::Run)
}

/// Refuses a request, after which nothing remains to be done.
fn refused(answer: RequestAnswer, refusal: &RequestError) -> NextStep {
    answer.refuse(refusal);
    NextStep::Next
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
