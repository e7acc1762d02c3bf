//! The runner on systems where commands cannot be run: every run is refused.

use super::CommandEnd;

/// Returns the result of every run.
pub(super) fn refused() -> CommandEnd {
    CommandEnd::NotStarted("commands are not run on Windows yet".to_owned())
}
