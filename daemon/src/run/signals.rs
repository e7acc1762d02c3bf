//! The signals that the process receives. It ends nothing itself.

use std::io;
use std::sync::Arc;

use crate::ipc::StopSignal;

/// Ignores signals that would end the process without need, and receives those that ask it to end.
///
/// # Errors
/// Errors of the system.
#[cfg(unix)]
pub(super) fn install() -> io::Result<StopSignals> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // A job with many files keeps a file and a folder open for each.
    crate::os::raise_descriptors();
    // A broken lease raises it.
    crate::os::unix::ignore_sigio()?;
    // Rust ignores SIGPIPE itself, before `main`.
    signal_hook::flag::register(SIGHUP, Arc::default())?;
    let (here, there) = std::os::unix::net::UnixStream::pair()?;
    here.set_nonblocking(true)?;
    for signal in [SIGTERM, SIGINT] {
        signal_hook::low_level::pipe::register(signal, there.try_clone()?)?;
    }
    Ok(StopSignals(here))
}

/// Signals that ask the process to end.
#[cfg(unix)]
pub(super) struct StopSignals(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl StopSignals {
    /// Turns each signal into a stop request, as long as this is polled.
    pub(super) async fn pass_on(self, stop: Arc<StopSignal>) {
        use tokio::io::AsyncReadExt;
        let Ok(mut signals) = tokio::net::UnixStream::from_std(self.0) else { return };
        let mut signal = [0];
        // One byte for each signal; the other end is never closed.
        while matches!(signals.read(&mut signal).await, Ok(1..)) {
            tracing::info!("asked to stop by a signal");
            stop.ask();
        }
    }
}

/// Ctrl-C, closing the console, and the system's shutdown.
#[cfg(windows)]
pub(super) struct StopSignals;

/// Prepares nothing.
///
/// # Errors
/// None here.
#[cfg(windows)]
pub(super) fn install() -> io::Result<StopSignals> {
    Ok(StopSignals)
}

#[cfg(windows)]
impl StopSignals {
    /// Turns each signal into a stop request, as long as this is polled.
    pub(super) async fn pass_on(self, stop: Arc<StopSignal>) {
        while tokio::signal::ctrl_c().await.is_ok() {
            tracing::info!("asked to stop by the console");
            stop.ask();
        }
    }
}
