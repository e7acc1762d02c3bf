//! Limits of the checks that run after jobs, and of issues as validators and checks report them.

use std::time::Duration;

/// Checks that run at once. They take no turn of validators and hooks, for which jobs wait, so there are only as many as
/// two cores can run; the others wait.
pub const CHECKS_AT_ONCE: usize = 2;

/// The longest time that the reply to a job waits for a check: runtimes give up a call after a minute or later.
pub const CHECK_WAIT: Duration = Duration::from_secs(30);

/// Problems of one check that are kept to compare the next run with. A build with more needs another remedy than a list.
pub const CHECK_KNOWN: usize = 2000;

/// Maximum number of changed files passed to a run; equal to the maximum of a job. If there are more, every file counts
/// as changed.
pub const CHECK_FILES: usize = 10_000;

/// Files that replace `{files}` at most: far below the longest command line of any system.
pub const CHECK_FILES_NAMED: usize = 1000;

/// Files that are read after a run to compare lines: those with problems, now or before.
pub const CHECK_FILES_READ: usize = 500;

/// Bytes of all these files. The lines of others are not compared.
pub const CHECK_BYTES_READ: usize = 8 << 20;

/// Jobs whose results can be looked up: the last hours of an agent.
pub const CHECK_JOBS: usize = 200;

/// Numbers of jobs in one result: the newest, which the reader may know.
pub const CHECK_JOBS_TOLD: usize = 20;

/// Sessions for which results are kept until their next reply; the oldest are dropped first.
pub const CHECK_SESSIONS: usize = 256;

/// New problems in one receipt, over all checks. The first ones are repaired first, and `checks` lists more.
pub const CHECK_NEW_TOLD: usize = 20;

/// The longest time that a request waits for checks: as long as one can wait for its turn and run.
pub const CHECKS_WAIT_MS: u64 = 60 * 60 * 1000;

/// Characters of an issue's message: a few lines.
pub const ISSUE_MESSAGE: usize = 600;

/// Lines of the output of a validator or a check that are shown if none could be parsed.
pub const OUTPUT_LINES: usize = 5;
