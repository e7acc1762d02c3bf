//! Accepts connections until the server is told to stop. It reads nothing from them.

use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use tokio::task::JoinSet;

use super::connection::{converse, turn_away};
use super::server::Server;
use super::{ClientListener, ClientStream};
use crate::limits;
use crate::queue::reply;

/// The pause after accepting failed, for instance for lack of descriptors, in milliseconds.
const PAUSE_MS: u64 = 100;

/// Accepts and serves until the server is told to stop, then until every connection has ended.
pub async fn serve(listener: &mut ClientListener, server: &Arc<Server>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => admit(&mut connections, server, stream),
                Err(why) => {
                    tracing::warn!(%why, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(PAUSE_MS)).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = server.stop.parsed() => break,
        }
    }
    server.gate.close();
    server.queue.put_off();
    listener.withdraw();
    if !listener.is_inherited() {
        turn_away_the_rest(listener, server, &mut connections).await;
    }
    while connections.join_next().await.is_some() {}
}

fn admit(connections: &mut JoinSet<()>, server: &Arc<Server>, stream: ClientStream) {
    let room = Arc::clone(&server.connections.open).try_acquire_owned();
    let refusal = match &room {
        _ if !stream.same_user() => refusal(ErrorCode::Denied, "this editd serves another user".to_owned()),
        Ok(_) => {
            let (server, busy) = (Arc::clone(server), server.activity.begin());
            connections.spawn(async move {
                converse(server, stream).await;
                drop((room, busy));
            });
            return;
        }
        Err(_) => {
            refusal(ErrorCode::Busy, format!("{} connections are open; close one", limits::CONNECTIONS))
        }
    };
    tracing::warn!(code = ?refusal.code, "connection refused");
    connections.spawn(turn_away(Arc::clone(server), stream, refusal));
}

/// Refuses clients that connected just before the socket was removed: they connect again to the next daemon.
async fn turn_away_the_rest(listener: &ClientListener, server: &Arc<Server>, connections: &mut JoinSet<()>) {
    while let Ok(Ok(stream)) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
        connections.spawn(turn_away(Arc::clone(server), stream, reply::stopping()));
    }
}

fn refusal(code: ErrorCode, message: String) -> Refusal {
    Box::new(RequestError::new(code, message))
}
