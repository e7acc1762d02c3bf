//! Answers requests for the results of checks. It runs none.

use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::Message;
use editd_proto::message::{CheckOutcome, ChecksReply, ChecksRequest, kind};
use tokio::sync::watch;
use tokio::time::sleep;

use super::dispatch::{RequestAnswer, body};
use super::inbox::ClientSession;
use crate::caller::Caller;
use crate::limits;
use crate::queue::reply::stopping;

/// The provider of results.
pub trait CheckProvider: Send + Sync {
    /// Returns the request with the number of the job's entry, and forgets checks that are no longer configured. Called once
    /// for a request, before the other methods: it may read files, which they never do.
    fn resolve(&self, request: ChecksRequest) -> ChecksRequest;
    /// Returns true if a check that the request is about has not ended.
    fn is_running(&self, caller: &Caller, request: &ChecksRequest) -> bool;
    /// Returns the results that the request is about.
    ///
    /// # Errors
    /// `not_found` if no check is known for its job.
    fn results(&self, caller: &Caller, request: &ChecksRequest) -> Result<Vec<CheckOutcome>, Refusal>;
    /// Returns a receiver that changes whenever a check ends, and when the daemon stops.
    fn ends(&self) -> watch::Receiver<u64>;
}

/// Answers a request, once its checks have ended or its time is over.
pub(super) fn checks(client: &Arc<ClientSession>, message: &Message, answer: RequestAnswer) {
    let request: ChecksRequest = match body(message) {
        Ok(request) => request,
        Err(refusal) => return answer.refuse(&refusal),
    };
    let reply = |client: &ClientSession, request: &ChecksRequest, answer: RequestAnswer| {
        let results = client.server.checks.results(&client.caller, request);
        answer.send_result(kind::CHECKS, results.map(|checks| ChecksReply { checks }));
    };
    let request = client.server.checks.resolve(request);
    let time = Duration::from_millis(request.timeout_ms.unwrap_or(0).min(limits::CHECKS_WAIT_MS));
    let is_running = client.server.checks.is_running(&client.caller, &request);
    // Looked at second: once a stop was requested, checks that the daemon ends no longer count as running.
    if !time.is_zero() && client.server.stop.is_asked() {
        return answer.refuse(&stopping());
    }
    if time.is_zero() || !is_running {
        return reply(client, &request, answer);
    }
    let client = Arc::clone(client);
    let (mut ends, mut gone) = (client.server.checks.ends(), client.gone.subscribe());
    client.server.runtime.clone().spawn(async move {
        let mut late = Box::pin(sleep(time));
        while client.server.checks.is_running(&client.caller, &request) {
            tokio::select! {
                _ = ends.changed() => {}
                () = &mut late => break,
                _ = gone.wait_for(|gone| *gone) => {
                    // Nobody would see the results, which must stay untold.
                    return answer.refuse(&stopping());
                }
            }
        }
        if client.server.stop.is_asked() {
            return answer.refuse(&stopping());
        }
        reply(&client, &request, answer);
    });
}
