//! A wall clock that advances only with elapsed time, so that nothing expires because the system's clock jumped.

use std::time::Duration;

use super::Clock;

/// A wall clock that follows the system's when it jumps back, but not when it jumps ahead.
#[derive(Clone, Copy, Debug)]
pub struct SteadyClock {
    wall_ms: u64,
    since: Duration,
}

impl SteadyClock {
    /// Starts at the present time of the system's clock: its earlier jumps are unknown.
    pub fn start(clock: &dyn Clock) -> Self {
        Self { wall_ms: clock.wall_ms(), since: clock.monotonic() }
    }

    /// Returns milliseconds since 1970 UTC; less than the system's clock after that jumped ahead or the system slept.
    pub fn now_ms(&self, clock: &dyn Clock) -> u64 {
        let passed = u64::try_from(clock.monotonic().saturating_sub(self.since).as_millis());
        clock.wall_ms().min(self.wall_ms.saturating_add(passed.unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct ToldTime(Mutex<(u64, u64)>);

    impl ToldTime {
        fn set(&self, wall: u64, passed: u64) {
            *self.0.lock().unwrap() = (wall, passed);
        }
    }

    impl Clock for ToldTime {
        fn wall_ms(&self) -> u64 {
            self.0.lock().unwrap().0
        }
        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.0.lock().unwrap().1)
        }
    }

    #[test]
    fn a_jump_ahead_is_no_age_and_a_jump_back_is_followed() {
        let clock = ToldTime(Mutex::new((1_000_000, 70)));
        let steady = SteadyClock::start(&clock);
        clock.set(1_000_500, 570);
        assert_eq!(steady.now_ms(&clock), 1_000_500);
        clock.set(9_000_000_000, 600);
        assert_eq!(steady.now_ms(&clock), 1_000_530);
        clock.set(400, 700);
        assert_eq!(steady.now_ms(&clock), 400);
        clock.set(1_000_700, 770);
        assert_eq!(steady.now_ms(&clock), 1_000_700);
    }
}
