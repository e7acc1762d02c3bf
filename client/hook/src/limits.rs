//! Every limit of the program, with its reason.

use std::time::Duration;

/// The time after which the call is allowed whatever the daemon does: a runtime waits for the hook before each call. A
/// daemon that is not running is started within a fraction of it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of a payload: after a call, it may have the whole file several times.
pub(crate) const PAYLOAD: usize = 64 * 1024 * 1024;

/// Lines that tools show at most if the call names no number.
pub(crate) const SHOWN_LINES: u64 = 2000;

/// Passages in the result of a search that are recorded as read. Each takes a request, for which the runtime waits.
pub(crate) const PASSAGES: usize = 1000;

/// Bytes of a label: as many as the journal takes would fill the lines of a list.
pub(crate) const LABEL: usize = 120;

/// Bytes of the name of a session, an agent or a call. Two of them with a slash are the name of a session, which has at most
/// 256 bytes.
pub(crate) const NAME: usize = 127;

/// Files that the change of one call names, as many as a request takes: one more, and the call counts as one that may change
/// every file.
pub(crate) const FILES: usize = 1000;
