//! Where commands cannot be run: it says so.

use super::CommandEnd;

/// The answer to every run.
pub(super) fn refused() -> CommandEnd {
    CommandEnd::NotStarted("commands are not run on Windows yet".to_owned())
}
