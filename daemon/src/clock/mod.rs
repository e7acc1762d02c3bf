//! Time: the only module that reads the system's clocks. All others get the time passed in.

mod steady;
mod system;

use std::time::Duration;

pub use steady::SteadyClock;
pub use system::SystemClock;

/// A source of the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 UTC. May jump either way.
    fn wall_ms(&self) -> u64;
    /// Time since some fixed moment of this run; never goes back.
    fn monotonic(&self) -> Duration;
}
