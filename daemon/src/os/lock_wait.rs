//! Waits for a lock of a process that has ended.

use std::time::Duration;

/// The time for which a lock of a process that has ended is waited for.
pub const LOCK_WAIT: Duration = Duration::from_millis(500);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Repeats a call while `is_locked` accepts its result, for up to `limit`. A process that starts another program shares
/// its locks with it until that program runs: even if the process is killed, they stay locked until then.
pub fn while_locked<T>(limit: Duration, mut call: impl FnMut() -> T, is_locked: impl Fn(&T) -> bool) -> T {
    let mut waited = Duration::ZERO;
    loop {
        let result = call();
        if waited >= limit || !is_locked(&result) {
            return result;
        }
        std::thread::park_timeout(PAUSE);
        waited += PAUSE;
    }
}
