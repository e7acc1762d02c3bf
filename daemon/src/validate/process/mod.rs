//! Runs one command of the workspace, bounded in time, memory, output and processes, and leaves none of its
//! descendants behind. It knows nothing of files, issues or trust.
//!
//! *Calling sequence*: [`CommandRunner::run`], for as many commands at once as there are threads; as many of them run as the
//! machine has cores, the others wait for their turn in the order in which they came; a command's own time begins then.
//!
//! The daemon starts itself a second time as a small supervisor (`supervise`), which starts the command, looks after
//! it, and ends it with all that came of it. Between the two runs a socket: what is to be done goes one way, how it
//! ended comes back. When the daemon ends, however it ends, the socket closes, and the supervisor ends everything.
//!
//! *Invariants*: when [`CommandRunner::run`] returns, no descendant of the command runs any more, whether it called `setsid`,
//! forked twice or ignores signals: the supervisor is the reaper of all orphans below it, and is done only when the
//! system says that it has no child left.
//!
//! *Limitations*: when the supervisor itself is killed, the daemon ends the supervisor's session and all below it; who
//! had left both by then goes on. Commands run with the daemon's rights, so one that means harm may do that, or ask
//! another program (a service manager, a container engine) to start something: that is what trust is for. Memory is
//! looked at, not reserved: what is taken between two looks is counted at the next; what a command writes to a file
//! system in memory is not counted, nor are threads. Outside Linux only the command's own process group is ended, and
//! nothing where the supervisor was killed; on Windows nothing is run at all.

mod word;

#[cfg(target_os = "linux")]
mod descent;
#[cfg(unix)]
mod supervise;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::limits::{RUN_MEMORY_LEAST, RUNS};

#[cfg(unix)]
pub use supervise::{WORD as SUPERVISE, supervise};

/// A command and its limits.
#[derive(Clone, Copy, Debug)]
pub struct CommandRun<'r> {
    /// The program, looked for in `PATH` where it is a bare name, and its arguments.
    pub command: &'r [OsString],
    /// The folder in which it runs.
    pub folder: &'r Path,
    /// What it finds on its standard input. It need not read it.
    pub input: &'r [u8],
    /// How long it may take once it has its turn.
    pub time: Duration,
    /// How long it may wait for its turn and run, together.
    pub within: Duration,
    /// Bytes of resident memory that it and its descendants may have together.
    pub memory: u64,
    /// Bytes that it may write to its standard output and standard error together.
    pub output: usize,
}

/// How a command ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
pub enum CommandEnd {
    /// By itself, with this status.
    #[error("it ended with status {0}")]
    Exited(i32),
    /// By a signal that was not ours.
    #[error("it was ended by signal {0}")]
    Signalled(i32),
    /// It could not be started: why, with the program's name.
    #[error("{0}")]
    NotStarted(String),
    /// It was ended: its time was up.
    #[error("its time was up")]
    TimedOut,
    /// It was not started: other commands had every turn for as long as it could wait.
    #[error("no turn came in time, other commands were running")]
    NoTurn,
    /// It was ended: too much memory.
    #[error("it took more memory than it may have")]
    Memory,
    /// It was ended: too many processes.
    #[error("it started more processes than it may have")]
    Processes,
    /// It was ended: too much output.
    #[error("it wrote more than it may")]
    Flooded,
    /// The supervisor failed: nothing is known of the command.
    #[error("it could not be looked after: {0}")]
    Lost(String),
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct CommandOutput {
    /// How it ended.
    pub ended: CommandEnd,
    /// What it wrote to standard output; the beginning of it where it was ended.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error; the beginning of it where it was ended.
    pub stderr: Vec<u8>,
}

impl CommandOutput {
    fn without_output(ended: CommandEnd) -> Self {
        Self { ended, stdout: Vec::new(), stderr: Vec::new() }
    }
}

/// Runs commands, a bounded number at once.
pub struct CommandRunner {
    #[cfg_attr(windows, expect(dead_code, reason = "nothing is started on Windows"))]
    program: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    turns: Mutex<Turns>,
    changed: Condvar,
}

/// Who runs and who waits.
struct Turns {
    free: usize,
    /// Who waits, by number: the first is next.
    waiting: VecDeque<u64>,
    next: u64,
}

impl Turns {
    fn is_turn_of(&self, number: u64) -> bool {
        self.free > 0 && self.waiting.front() == Some(&number)
    }
}

impl CommandRunner {
    /// A runner whose supervisor is `program`, or the running program itself.
    #[must_use]
    pub fn new(program: Option<PathBuf>, clock: Arc<dyn Clock>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = Turns { free: cores.clamp(2, RUNS), waiting: VecDeque::new(), next: 0 };
        Self { program, clock, turns: Mutex::new(turns), changed: Condvar::new() }
    }

    /// Runs a command to its end. Blocks for as long as it takes.
    pub fn run(&self, run: CommandRun<'_>) -> CommandOutput {
        self.run_if(run, || Ok(()))
    }

    /// The same, if `may` still says so when its turn has come: it may have waited for minutes.
    pub fn run_if(&self, run: CommandRun<'_>, may: impl FnOnce() -> Result<(), String>) -> CommandOutput {
        let asked = self.clock.monotonic();
        let Some(_turn) = self.turn(run.within) else {
            return CommandOutput::without_output(CommandEnd::NoTurn);
        };
        if let Err(why) = may() {
            return CommandOutput::without_output(CommandEnd::NotStarted(why));
        }
        let waited = self.clock.monotonic().saturating_sub(asked);
        let time = run.time.min(run.within.saturating_sub(waited));
        let memory = run.memory.max(RUN_MEMORY_LEAST);
        self.look_after(CommandRun { time, memory, ..run })
    }

    #[cfg(unix)]
    fn look_after(&self, run: CommandRun<'_>) -> CommandOutput {
        unix::look_after(self.program.as_deref(), &*self.clock, run)
    }

    #[cfg(windows)]
    fn look_after(&self, _: CommandRun<'_>) -> CommandOutput {
        CommandOutput::without_output(windows::refused())
    }

    fn turn(&self, within: Duration) -> Option<Turn<'_>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let number = turns.next;
        turns.next += 1;
        turns.waiting.push_back(number);
        let waited = self.changed.wait_timeout_while(turns, within, |turns| !turns.is_turn_of(number));
        let (mut turns, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let came = turns.is_turn_of(number);
        turns.waiting.retain(|other| *other != number);
        if came {
            turns.free -= 1;
        }
        // Another is the first now, and there may be a turn for it.
        self.changed.notify_all();
        came.then(|| Turn(self))
    }
}

/// A run that has its turn, until it is dropped.
struct Turn<'t>(&'t CommandRunner);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.turns.lock().unwrap_or_else(PoisonError::into_inner).free += 1;
        self.0.changed.notify_all();
    }
}
