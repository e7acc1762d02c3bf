//! The system's clocks. They are only read, never set.

use std::time::{Duration, Instant, SystemTime};

use super::Clock;

/// The system's clocks.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Creates clocks whose monotonic time starts now.
    #[expect(clippy::disallowed_methods, reason = "clock is the module that asks")]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "clock is the module that asks")]
    fn wall_ms(&self) -> u64 {
        // A clock before 1970 counts as 1970: times are for people and for retention, never for decisions.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}
