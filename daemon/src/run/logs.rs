//! The destination of the daemon's log: the system's journal under systemd, otherwise standard error. It never has
//! contents of files.

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogLevel;

/// Starts logging everything at or above a level.
pub(super) fn start(level: LogLevel) {
    let filter = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let registry = tracing_subscriber::registry().with(filter);
    #[cfg(target_os = "linux")]
    if stderr_is_journal()
        && let Ok(journal) = tracing_journald::layer()
    {
        // Set once, here; it would fail only if it had been set before.
        let _ = registry.with(journal).try_init();
        return report_panics();
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        // Colours would need a feature of the crate; without it, asking for them panics in a debug build.
        .with_ansi(false)
        .with_target(false)
        // It would report to standard error that standard error is gone, and panic.
        .log_internal_errors(false);
    // As above.
    let _ = registry.with(lines).try_init();
    report_panics();
}

/// Logs only the place of a panic: its message may quote a file.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(place, "internal error in editd; please report this line");
    }));
}

/// Returns true if standard error leads to the journal, according to systemd's `JOURNAL_STREAM`.
#[cfg(target_os = "linux")]
fn stderr_is_journal() -> bool {
    let Ok(said) = std::env::var("JOURNAL_STREAM") else { return false };
    let Ok(stat) = rustix::fs::fstat(std::io::stderr()) else { return false };
    said == format!("{}:{}", stat.st_dev, stat.st_ino)
}
