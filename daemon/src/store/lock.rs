//! Taking a lock, whatever happened to the thread that held it before.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also where another thread panicked while it held the lock: everything that is guarded in this
/// room is either whole at every instant or marked as failed before it is touched.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
