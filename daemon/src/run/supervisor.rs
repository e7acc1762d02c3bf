//! Notifies the service manager that started the daemon, if there is one: a long start, readiness, the stop.

use crate::progress::StartProgress;

/// Logs the progress of a long start, and asks the service manager for more time.
pub(super) fn report_start(progress: &StartProgress) {
    tracing::info!("starting: {progress}");
    #[cfg(unix)]
    {
        let more = u32::try_from(crate::limits::START_REPORT_MS * 10_000).unwrap_or(u32::MAX);
        let shown = progress.to_string();
        tell(&[sd_notify::NotifyState::ExtendTimeoutUsec(more), sd_notify::NotifyState::Status(&shown)]);
    }
}

/// Notifies the service manager, if there is one.
pub(super) fn notify(ready: bool) {
    #[cfg(unix)]
    if ready {
        tell(&[sd_notify::NotifyState::Ready, sd_notify::NotifyState::Status("serving")]);
    } else {
        tell(&[sd_notify::NotifyState::Stopping]);
    }
    #[cfg(windows)]
    let _ = ready;
}

#[cfg(unix)]
fn tell(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(why) = sd_notify::notify(states) {
        tracing::warn!(%why, "the service manager cannot be notified");
    }
}
