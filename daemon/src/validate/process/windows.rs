//! Where commands cannot be run: it says so.

use super::Ended;

/// The answer to every run.
pub(super) fn refused() -> Ended {
    Ended::NotStarted("commands are not run on Windows yet".to_owned())
}
