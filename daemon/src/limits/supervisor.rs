//! Limits of the supervisor of a command, and of its job object on Windows.

/// Processes of one command at once: a parallel linter has one for each core; a fork bomb exceeds it at once.
pub const RUN_PROCESSES: usize = 256;

/// Milliseconds between two measurements of a command: at the speed of memory some tens of megabytes.
pub const RUN_LOOK_MS: u64 = 20;

/// The pause of a supervisor as a multiple of the time of a measurement, so that it takes little time on machines
/// with many processes.
pub const RUN_LOOK_SHARE: u32 = 4;

/// The longest time between two measurements, in milliseconds: on a busy machine one takes long, for instance because
/// of a fork bomb.
pub const RUN_LOOK_LATEST_MS: u64 = 60;

/// Milliseconds for which a supervisor tries to end processes.
pub const RUN_KILL_MS: u64 = 5000;

/// Further milliseconds after which the daemon gives up a supervisor.
pub const RUN_SPARE_MS: u64 = 5000;

/// The nice value of commands relative to the daemon: a supervisor must get its turn beside a fork bomb.
#[cfg(unix)]
pub const RUN_NICE: i32 = 10;

/// Files that a command may have open, unless it raises that itself: the default of most systems.
#[cfg(unix)]
pub const RUN_FILES: u64 = 1024;

/// Bytes of one file that a command may write: sixteen times the largest editable file.
#[cfg(unix)]
pub const RUN_FILE_BYTES: u64 = 1 << 30;

/// The memory that a single process may request, as a multiple of the limit for all: some programs request much and
/// use little. The resident memory decides; this limit applies if it grows faster than it is measured.
pub const RUN_DATA_FACTOR: u64 = 4;

/// Milliseconds after which the run of a check notices that the daemon stops.
#[cfg(unix)]
pub const CHECK_STOP_MS: u64 = 100;
