//! Limits of the commands that a workspace brings: validators, hooks, and what is trusted.

use std::time::Duration;

/// Validators, and as many hooks, of a workspace: each may run for every file of a job.
pub const COMMANDS: usize = 32;

/// Globs of one command.
pub const COMMAND_GLOBS: usize = 64;

/// Bytes of the same: what reading a hostile file may cost grows with them, to a second at most for all commands.
pub const COMMAND_GLOBS_BYTES: usize = 4096;

/// Program and arguments of one command.
pub const COMMAND_WORDS: usize = 256;

/// Bytes of the same: far below what systems take, and short enough to be read before it is trusted.
pub const COMMAND_BYTES: usize = 16 * 1024;

/// Bytes of a command's name: it stands in every issue and warning.
pub const COMMAND_NAME: usize = 64;

/// The longest time that a command may be given: a job waits for it, and others for the job.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);

/// Bytes that a command may be let write: as much as the largest file that a hook may give back. The daemon keeps it.
pub const COMMAND_OUTPUT: u64 = 64 << 20;

/// Bytes of memory that a command may be let have: more than any checker needs, and short of what overflows.
pub const COMMAND_MEMORY: u64 = 1 << 40;

/// How long the hooks of one job may run in all: its client waits, and its files are held.
pub const HOOKS_TIME: Duration = Duration::from_secs(600);

/// Times that the hooks of one job may run in all: once for each file of a large job.
pub const HOOK_RUNS: usize = 2000;

/// Characters of what a hook wrote to standard error that a warning shows.
pub const HOOK_SAYS: usize = 400;

/// Warnings about one hook that a receipt shows.
pub const HOOK_WARNINGS: usize = 20;

/// Contents of `.editd.toml` that are trusted at once: who goes back to an older one is not asked again.
pub const TRUSTED: usize = 16;

/// Milliseconds for which `.editd.toml` must have rested before its times tell that it is unchanged: clocks of
/// file systems are coarse, and two writes may bear one time.
pub const TRUST_REST_MS: u64 = 2000;

/// Characters of what is wrong in `.editd.toml` that a warning shows: the reader's message with the line.
pub const TRUST_MESSAGE: usize = 600;

/// Bytes of a validator's pattern.
pub const COMMAND_PATTERN: usize = 1024;

/// Bytes that a compiled pattern may have.
pub const PATTERN_COMPILED: usize = 1024 * 1024;
