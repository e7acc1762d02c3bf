//! Locks a mutex also after a panic of another holder. It knows nothing of the values.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose value is consistent after every statement, so that a panic of another holder does no harm.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
