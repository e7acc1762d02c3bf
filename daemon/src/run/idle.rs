//! Detects that the daemon has been idle for its idle time. It ends nothing.

use std::time::Duration;

use crate::queue::ActivityCounter;

/// Returns once there was neither connection nor job for this long; never without such a time.
pub(super) async fn left_alone(activity: &ActivityCounter, time: Option<Duration>) {
    let Some(time) = time else { return std::future::pending().await };
    loop {
        activity.idle().await;
        tokio::select! {
            // A client that connects at this very moment is served.
            biased;
            () = activity.active() => {}
            () = tokio::time::sleep(time) => return,
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(work)
    }

    #[test]
    fn the_time_counts_from_when_the_last_one_left() {
        run(async {
            let activity = ActivityCounter::new();
            let hour = Duration::from_secs(3600);
            let start = tokio::time::Instant::now();
            let busy = activity.begin();
            let leaving = async {
                tokio::time::sleep(hour * 5).await;
                drop(busy);
                tokio::time::sleep(hour / 2).await;
                let again = activity.begin();
                tokio::time::sleep(hour).await;
                drop(again);
            };
            tokio::join!(leaving, left_alone(&activity, Some(hour)));
            assert_eq!(start.elapsed(), hour * 7 + hour / 2);
        });
    }

    #[test]
    fn without_a_time_it_stays() {
        run(async {
            let activity = ActivityCounter::new();
            let stays = tokio::time::timeout(Duration::from_secs(1 << 30), left_alone(&activity, None));
            assert!(stays.await.is_err());
        });
    }
}
