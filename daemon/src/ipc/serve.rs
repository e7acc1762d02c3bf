//! Accepts connections until the server is told to stop. It reads nothing from them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinSet;

use super::connection::{OpenGuard, converse, turn_away};
use super::places::{NoPlace, OpenPlace};
use super::server::{ConnectionsState, Server};
use super::{ClientListener, ClientStream};
use crate::queue::reply;

/// The pause after accepting failed, for instance for lack of descriptors, in milliseconds.
pub(super) const PAUSE_MS: u64 = 100;

/// Accepts and serves until the server is told to stop, then until every connection has ended.
pub async fn serve(listener: &mut ClientListener, server: &Arc<Server>) {
    // Clients that are refused.
    let mut refused = JoinSet::new();
    let (open, mut ended) = mpsc::channel(1);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => admit(&mut refused, server, stream, &open).await,
                Err(why) => {
                    tracing::warn!(%why, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(PAUSE_MS)).await;
                }
            },
            Some(_) = refused.join_next() => {}
            () = server.stop.parsed() => break,
        }
    }
    server.gate.close();
    server.queue.put_off();
    listener.withdraw();
    if !listener.is_inherited() {
        turn_away_the_rest(listener, server, &mut refused).await;
    }
    drop(open);
    // It is closed when the last connection has ended.
    let _none: Option<Infallible> = ended.recv().await;
    while refused.join_next().await.is_some() {}
}

/// Serves a connection if the limits permit it, otherwise sends it an error and closes it.
async fn admit(
    refused: &mut JoinSet<()>,
    server: &Arc<Server>,
    stream: ClientStream,
    open: &mpsc::Sender<Infallible>,
) {
    let (refusal, lingering) = match place_for(server, &stream).await {
        ConnectionPlace::Open(place) => {
            server.metrics.connections.add();
            let open = OpenGuard { _busy: server.activity.begin(), _ended: open.clone() };
            drop(server.runtime.spawn(converse(Arc::clone(server), stream, place, open)));
            return;
        }
        ConnectionPlace::Refused(refusal, lingering) => (refusal, lingering),
    };
    server.metrics.refused_connections.add();
    tracing::warn!(code = ?refusal.code, "connection refused");
    refused.spawn(turn_away(stream, refusal, lingering));
}

/// The place of a new connection.
enum ConnectionPlace {
    /// It is one of the open connections.
    Open(OpenPlace),
    /// It gets this error. With a permit, it is then read until the client has taken the error.
    Refused(Refusal, Option<OwnedSemaphorePermit>),
}

/// Returns the place of a new connection. If too many are open, and as many refused ones are still read as may be, it
/// waits for one of them to end: a connection that is closed while its client sends `hello` looks like a daemon that
/// died. Connections that come meanwhile wait in the socket's queue. They do not wait for a process that has more than its
/// share: it is refused at once.
async fn place_for(server: &Server, stream: &ClientStream) -> ConnectionPlace {
    let ConnectionsState { places, lingering, .. } = &server.connections;
    let lingers = || Arc::clone(lingering).try_acquire_owned().ok();
    if !stream.same_user() {
        let refusal = refusal(ErrorCode::Denied, "this editd serves another user".to_owned());
        return ConnectionPlace::Refused(refusal, lingers());
    }
    let mut evicts = true;
    loop {
        let busy = match places.take(stream.process(), evicts) {
            Ok(place) => return ConnectionPlace::Open(place),
            Err(NoPlace::Soon) => {
                evicts = false;
                None
            }
            Err(why) => {
                let refusal = refusal(ErrorCode::Busy, why.to_string());
                if matches!(why, NoPlace::Process(_)) {
                    return ConnectionPlace::Refused(refusal, lingers());
                }
                Some(refusal)
            }
        };
        let refused = async {
            match busy {
                // As long as another connection is about to give up its place.
                None => std::future::pending().await,
                Some(busy) => (busy, Arc::clone(lingering).acquire_owned().await.ok()),
            }
        };
        tokio::select! {
            biased;
            (refusal, lingering) = refused => return ConnectionPlace::Refused(refusal, lingering),
            () = places.released() => {}
            () = server.stop.parsed() => return ConnectionPlace::Refused(reply::stopping(), lingers()),
        }
    }
}

/// Refuses clients that connected just before the socket was removed: they connect again to the next daemon.
async fn turn_away_the_rest(listener: &ClientListener, server: &Arc<Server>, refused: &mut JoinSet<()>) {
    while let Ok(Ok(stream)) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
        let lingering = Arc::clone(&server.connections.lingering).try_acquire_owned().ok();
        refused.spawn(turn_away(stream, reply::stopping(), lingering));
    }
}

pub(super) fn refusal(code: ErrorCode, message: String) -> Refusal {
    Box::new(RequestError::new(code, message))
}
