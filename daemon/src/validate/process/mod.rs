//! Runs one command of the workspace, limited in time, memory, output and processes, and ends all its descendants. It
//! knows nothing of files, issues or trust.
//!
//! *Calling sequence*: [`CommandRunner::run`], on as many threads as there are commands. As many commands run as the
//! machine has cores, and one more of a session that has none; the others wait for their turn, and a command's time begins
//! with its turn. The next turn goes to the session with the fewest running commands, in order of arrival.
//!
//! The daemon starts itself a second time as a small supervisor (`supervise`), which starts the command, watches it,
//! and ends it with all its descendants. A socket connects the two: the order goes one way, the report comes back.
//! When the daemon ends, however it ends, the socket closes, and the supervisor ends everything.
//!
//! *Invariants*: when [`CommandRunner::run`] returns, no descendant of the command runs any more, even if it called
//! `setsid`, forked twice or ignores signals: the supervisor is the reaper of all orphans below it, and ends only
//! when the system says that it has no child left.
//!
//! A command has a small environment ([`CommandRun::env`]), and on Linux it gains no privileges, not even through a
//! set-user-ID program. Where the kernel has Landlock, it can write only to its folders ([`CommandRunner::confined`]).
//!
//! On Windows there is no supervisor: the command and all its descendants are in a job object, which the system ends with
//! the daemon (`windows`).
//!
//! *Limitations*: if the supervisor itself is killed, the daemon ends the supervisor's session and all below it; a
//! process that had left both continues. Commands run with the daemon's rights, so a malicious one may kill the
//! supervisor, or ask another program (a service manager, a container engine) to start something: this is why
//! commands need trust. Memory is measured, not reserved: memory taken between two measurements is counted at the
//! next one; files in a memory file system are not counted, nor are threads. On other systems than Linux and Windows, only
//! the command's own process group is ended, and nothing if the supervisor was killed.

#[cfg(unix)]
mod word;

#[cfg(target_os = "linux")]
mod descent;
#[cfg(unix)]
mod supervise;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::limits::{RUN_MEMORY_LEAST, RUNS};
use crate::sync::lock;

#[cfg(unix)]
pub use supervise::{WORD as SUPERVISE, supervise};

/// The end of the standard error of a command that was denied something, perhaps by its confinement.
const DENIED: &[u8] =
    b"\neditd lets commands write only to the workspace, to the folder that TMPDIR names, and to the folders \
    that their `write` in .editd.toml names\n";

/// A command and its limits.
#[derive(Clone, Copy, Debug)]
pub struct CommandRun<'r> {
    /// The session of the job for which it runs.
    pub session: &'r str,
    /// The program, searched in `PATH` if it is a bare name, and its arguments.
    pub command: &'r [OsString],
    /// The variables that it gets beside the usual ones: a name passes the daemon's value, `NAME=VALUE` sets one.
    pub env: &'r [String],
    /// The folders that it can write besides its own and that for temporary files, if commands are confined.
    pub write: &'r [String],
    /// The folder in which it runs.
    pub folder: &'r Path,
    /// Its standard input. It need not read it.
    pub input: &'r [u8],
    /// The time it may run once it has its turn.
    pub time: Duration,
    /// The time it may wait for its turn and run, together.
    pub within: Duration,
    /// Bytes of resident memory that it and its descendants may have together.
    pub memory: u64,
    /// Bytes that it may write to its standard output and standard error together.
    pub output: usize,
    /// Ends the command soon after it becomes true.
    pub stop: Option<&'r AtomicBool>,
}

/// The end of a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
pub enum CommandEnd {
    /// It exited with this status.
    #[error("it ended with status {0}")]
    Exited(i32),
    /// It was ended by a signal that the daemon did not send; on Windows, by this exception.
    #[cfg_attr(unix, error("it was ended by signal {0}"))]
    #[cfg_attr(windows, error("it was ended by the exception {0:#x}"))]
    Signalled(i32),
    /// It could not be started: the reason, with the program's name.
    #[error("{0}")]
    NotStarted(String),
    /// It was ended: it timed out.
    #[error("it timed out")]
    TimedOut,
    /// It was not started: other commands had all turns for as long as it could wait.
    #[error("it was not started in time, since other commands were running")]
    NoTurn,
    /// It was ended: too much memory.
    #[error("it exceeded its memory limit")]
    Memory,
    /// It was ended: too many processes.
    #[error("it exceeded its limit of processes")]
    Processes,
    /// It was ended: the daemon stops.
    #[error("it was ended, since the daemon stops")]
    Stopped,
    /// It was ended: too much output.
    #[error("it exceeded its output limit")]
    Flooded,
    /// The supervisor failed: the end of the command is unknown.
    #[error("its supervisor failed: {0}")]
    Lost(String),
}

/// The output of a run.
#[derive(Clone, Debug)]
pub struct CommandOutput {
    /// The end of the command.
    pub ended: CommandEnd,
    /// Its standard output; only the beginning if it was ended.
    pub stdout: Vec<u8>,
    /// Its standard error; only the beginning if it was ended.
    pub stderr: Vec<u8>,
}

impl CommandOutput {
    fn without_output(ended: CommandEnd) -> Self {
        Self { ended, stdout: Vec::new(), stderr: Vec::new() }
    }

    /// Returns true if the command failed and reported a denied access.
    fn was_denied(&self) -> bool {
        let said = [&self.stderr, &self.stdout];
        self.ended != CommandEnd::Exited(0)
            && said.iter().any(|said| memchr::memmem::find(said, b"Permission denied").is_some())
    }

    /// Returns the reason why the command failed, with the beginning of its standard error; `None` if it succeeded.
    pub fn failure(&self) -> Option<String> {
        if self.ended == CommandEnd::Exited(0) {
            return None;
        }
        let stderr = String::from_utf8_lossy(&self.stderr);
        let stderr: String = stderr.trim().chars().take(crate::limits::HOOK_SAYS).collect();
        let colon = if stderr.is_empty() { "" } else { ": " };
        Some(format!("{}{colon}{stderr}", self.ended))
    }
}

/// Runs commands, a bounded number at once.
pub struct CommandRunner {
    #[cfg_attr(windows, expect(dead_code, reason = "there is no supervisor on Windows"))]
    program: Option<PathBuf>,
    #[cfg(windows)]
    own_job: windows::OwnJob,
    clock: Arc<dyn Clock>,
    /// True if commands can write only to their folders.
    confined: bool,
    turns: Mutex<RunTurns>,
    changed: Condvar,
}

/// The commands that run and that wait.
struct RunTurns {
    /// The number of turns, without the one that is kept for a session that runs nothing.
    turns: usize,
    /// The number of running commands of each session that has any.
    running: HashMap<String, usize>,
    /// The waiting commands, by number, with their sessions.
    waiting: BTreeMap<u64, String>,
    next: u64,
}

impl RunTurns {
    /// Returns true if it is the turn of this command.
    fn is_turn_of(&self, number: u64) -> bool {
        let of = |session: &String| self.running.get(session).copied().unwrap_or(0);
        let first = self.waiting.iter().map(|(number, session)| (of(session), *number)).min();
        let taken = self.running.values().sum::<usize>();
        first.is_some_and(|(of_session, first)| {
            first == number && (taken < self.turns || (taken == self.turns && of_session == 0))
        })
    }
}

impl CommandRunner {
    /// Creates a runner whose supervisor is `program`, or the running program itself.
    #[must_use]
    pub fn new(program: Option<PathBuf>, clock: Arc<dyn Clock>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = RunTurns {
            turns: cores.clamp(2, RUNS),
            running: HashMap::new(),
            waiting: BTreeMap::new(),
            next: 0,
        };
        Self {
            program,
            #[cfg(windows)]
            own_job: windows::OwnJob::new(),
            clock,
            confined: false,
            turns: Mutex::new(turns),
            changed: Condvar::new(),
        }
    }

    /// Returns the runner with commands that can write only to the folder in which they run, to one for their temporary
    /// files, and to those that they name. It must be possible: otherwise no command is started.
    #[must_use]
    pub fn confined(self, confined: bool) -> Self {
        Self { confined, ..self }
    }

    /// Removes the temporary files that commands of a killed daemon of this workspace have left.
    pub fn remove_left(&self, workspace: &Path) {
        #[cfg(unix)]
        if self.confined {
            unix::remove_left(workspace);
        }
        #[cfg(windows)]
        let _ = workspace;
    }

    /// Runs a command to its end. Blocks until then.
    pub fn run(&self, run: CommandRun<'_>) -> CommandOutput {
        self.run_if(run, || Ok(()))
    }

    /// The same, if `may` still returns `Ok` when the command's turn comes: it may have waited for minutes.
    pub fn run_if(&self, run: CommandRun<'_>, may: impl FnOnce() -> Result<(), String>) -> CommandOutput {
        let asked = self.clock.monotonic();
        let Some(_turn) = self.turn(run.session, run.within) else {
            return CommandOutput::without_output(CommandEnd::NoTurn);
        };
        if let Err(why) = may() {
            return CommandOutput::without_output(CommandEnd::NotStarted(why));
        }
        let waited = self.clock.monotonic().saturating_sub(asked);
        self.run_now(CommandRun { time: run.time.min(run.within.saturating_sub(waited)), ..run })
    }

    /// Runs a command to its end without a turn, beside those that have one. The caller limits the number of these.
    pub fn run_aside(&self, run: CommandRun<'_>) -> CommandOutput {
        self.run_now(run)
    }

    fn run_now(&self, run: CommandRun<'_>) -> CommandOutput {
        let memory = run.memory.max(RUN_MEMORY_LEAST);
        let mut ran = self.run_supervised(CommandRun { memory, ..run });
        if self.confined && ran.was_denied() {
            ran.stderr.extend_from_slice(DENIED);
        }
        ran
    }

    #[cfg(unix)]
    fn run_supervised(&self, run: CommandRun<'_>) -> CommandOutput {
        unix::run_supervised(self.program.as_deref(), self.confined, &*self.clock, run)
    }

    #[cfg(windows)]
    fn run_supervised(&self, run: CommandRun<'_>) -> CommandOutput {
        windows::run_in_job(&self.own_job, &*self.clock, run)
    }

    fn turn(&self, session: &str, within: Duration) -> Option<RunTurn<'_>> {
        let mut turns = lock(&self.turns);
        let number = turns.next;
        turns.next += 1;
        turns.waiting.insert(number, session.to_owned());
        let waited = self.changed.wait_timeout_while(turns, within, |turns| !turns.is_turn_of(number));
        let (mut turns, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let came = turns.is_turn_of(number);
        let session = turns.waiting.remove(&number).unwrap_or_default();
        if came {
            *turns.running.entry(session.clone()).or_default() += 1;
        }
        // Another command is first now, and may have its turn.
        self.changed.notify_all();
        came.then(|| RunTurn { runner: self, session })
    }
}

/// The turn of a running command, until this is dropped.
struct RunTurn<'t> {
    runner: &'t CommandRunner,
    session: String,
}

impl Drop for RunTurn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.runner.turns);
        if let Some(running) = turns.running.get_mut(&self.session) {
            *running -= 1;
            if *running == 0 {
                turns.running.remove(&self.session);
            }
        }
        drop(turns);
        self.runner.changed.notify_all();
    }
}
