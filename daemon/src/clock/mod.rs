//! Time. The only room that asks the system for it; everything else is told.

mod steady;
mod system;

use std::time::Duration;

pub use steady::SteadyClock;
pub use system::SystemClock;

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 UTC. May jump either way.
    fn wall_ms(&self) -> u64;
    /// Time since some fixed moment of this run; never goes back.
    fn monotonic(&self) -> Duration;
}
