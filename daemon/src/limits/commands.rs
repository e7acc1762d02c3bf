//! Limits of the commands of a workspace: validators, hooks, and trust.

use std::time::Duration;

/// Validators, and as many hooks, of a workspace: each may run for every file of a job.
pub const COMMANDS: usize = 32;

/// Folders that one command names in `write`.
pub const COMMAND_FOLDERS: usize = 16;

/// Globs of one command.
pub const COMMAND_GLOBS: usize = 64;

/// Bytes of those globs: the cost of reading a hostile file grows with them, to at most a second for all commands.
pub const COMMAND_GLOBS_BYTES: usize = 4096;

/// Program and arguments of one command.
pub const COMMAND_WORDS: usize = 256;

/// Bytes of those words: far below the limits of systems, and short enough to be read before it is trusted.
pub const COMMAND_BYTES: usize = 16 * 1024;

/// Bytes of a command's name, which is in every issue and warning.
pub const COMMAND_NAME: usize = 64;

/// The longest timeout of a command: a job waits for it, and others wait for the job.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);

/// The highest output limit of a command in bytes: as much as the largest file that a hook may return. The daemon
/// keeps it in memory.
pub const COMMAND_OUTPUT: u64 = 64 << 20;

/// The highest memory limit of a command in bytes: more than any checker needs, and small enough not to overflow.
pub const COMMAND_MEMORY: u64 = 1 << 40;

/// The time that all hooks of one job may run: its client waits, and its files are locked.
pub const HOOKS_TIME: Duration = Duration::from_secs(600);

/// The number of hook runs for one job: once for each file of a large job.
pub const HOOK_RUNS: usize = 2000;

/// Characters of a hook's standard error that a warning shows.
pub const HOOK_SAYS: usize = 400;

/// Warnings about one hook that a receipt shows.
pub const HOOK_WARNINGS: usize = 20;

/// Contents of `.editd.toml` that are trusted at once, so that returning to an older one needs no new decision.
pub const TRUSTED: usize = 16;

/// Milliseconds that `.editd.toml` must be unchanged before its times can show that: clocks of file systems are
/// coarse, and two writes may have one time.
pub const TRUST_REST_MS: u64 = 2000;

/// Milliseconds for which the commands that one step of a job has read serve its other steps. It only decides which
/// commands are due; before each of them is started, the file is looked at again.
pub const COMMANDS_RECENT_MS: u64 = 100;

/// Characters of an error in `.editd.toml` that a warning shows: the parser's message with the line.
pub const TRUST_MESSAGE: usize = 600;

/// Bytes of a validator's pattern.
pub const COMMAND_PATTERN: usize = 1024;

/// Bytes of a compiled pattern.
pub const PATTERN_COMPILED: usize = 1024 * 1024;
