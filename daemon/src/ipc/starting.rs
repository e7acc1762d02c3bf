//! Answers the clients that connect while the daemon starts: they learn how far the start has come, and connect again.
//! It reads no request.

use std::sync::Arc;
use std::time::Duration;

use editd_proto::error::{ErrorCode, RequestError};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinHandle, JoinSet};

use super::connection::turn_away;
use super::serve::refusal;
use super::{ClientListener, ClientStream};
use crate::limits;
use crate::progress::StartProgress;

/// A listener whose clients get the error `starting` until the daemon serves.
pub struct StartingListener {
    task: JoinHandle<ClientListener>,
    served: oneshot::Sender<()>,
}

impl StartingListener {
    /// Begins to answer clients [`limits::STARTING_MS`] from now: those that connect during a shorter start wait to be
    /// accepted, and are served. Calls `report` then, and every [`limits::START_REPORT_MS`].
    pub fn begin(
        runtime: &Handle,
        listener: ClientListener,
        progress: StartProgress,
        report: fn(&StartProgress),
    ) -> Self {
        let (served, until) = oneshot::channel();
        Self { task: runtime.spawn(answer(listener, progress, report, until)), served }
    }

    /// Ends that and returns the listener; `None` if its task failed.
    pub fn end(self, runtime: &Runtime) -> Option<ClientListener> {
        // It fails if the task has failed.
        let _ = self.served.send(());
        runtime.block_on(self.task).ok()
    }
}

async fn answer(
    listener: ClientListener,
    progress: StartProgress,
    report: fn(&StartProgress),
    mut until: oneshot::Receiver<()>,
) -> ClientListener {
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(limits::STARTING_MS)) => {}
        _ = &mut until => return listener,
    }
    let lingering = Arc::new(Semaphore::new(limits::LINGERING));
    let mut told = JoinSet::new();
    let mut reports = tokio::time::interval(Duration::from_millis(limits::START_REPORT_MS));
    // Its first tick may come a moment late, and no client is told before the log is.
    reports.tick().await;
    report(&progress);
    loop {
        // Connections above the limit wait in the socket's queue.
        let next = async {
            let permit = Arc::clone(&lingering).acquire_owned().await.ok();
            (listener.accept().await, permit)
        };
        tokio::select! {
            biased;
            _ = &mut until => break,
            _ = reports.tick() => report(&progress),
            Some(_) = told.join_next() => {}
            (accepted, permit) = next => match accepted {
                Ok(stream) => {
                    let refusal = refusal_of(&stream, &progress);
                    told.spawn(turn_away(stream, refusal, permit));
                }
                Err(why) => {
                    tracing::warn!(%why, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(super::serve::PAUSE_MS)).await;
                }
            },
        }
    }
    // The last clients are still told.
    told.detach_all();
    listener
}

fn refusal_of(stream: &ClientStream, progress: &StartProgress) -> Box<RequestError> {
    if !stream.same_user() {
        return refusal(ErrorCode::Denied, "this editd serves another user".to_owned());
    }
    refusal(ErrorCode::Starting, format!("editd is starting: {progress}; it serves when that is done"))
}
