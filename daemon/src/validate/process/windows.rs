//! The runner on Windows: starts a command in a job object, reads its output, and ends the job. It ends no process
//! outside that job.
//!
//! The command is created suspended, put into the job, and resumed, so that none of its processes is outside. The only
//! handle of the job belongs to the daemon: when it closes, however the daemon ends, the system ends all processes of the
//! job.

mod job;
mod pipes;
mod program;
#[cfg(test)]
mod tests;

use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use windows_sys::Win32::System::Threading::{
    BELOW_NORMAL_PRIORITY_CLASS, CREATE_NO_WINDOW, CREATE_SUSPENDED,
};

use super::{CommandEnd, CommandOutput, CommandRun};
use crate::clock::Clock;
use crate::config::command_environment;
use crate::limits::{
    RUN_DATA_FACTOR, RUN_KILL_MS, RUN_LOOK_LATEST_MS, RUN_LOOK_MS, RUN_LOOK_SHARE, RUN_PROCESSES,
    RUN_SPARE_MS,
};

pub(super) use job::OwnJob;
use job::{JobLimits, JobObject, wait_for};
use pipes::OutputPipes;
use program::found_program;

/// The lowest exit status of a process that was ended by an exception: the system's codes of errors.
const EXCEPTIONS: u32 = 0xC000_0000;

/// Runs a command in a job object and waits until all of its processes have ended.
pub(super) fn run_in_job(own: &OwnJob, clock: &dyn Clock, run: CommandRun<'_>) -> CommandOutput {
    own.enter();
    match JobRun::start(run) {
        Ok(running) => running.until_over(clock, run),
        Err(ended) => CommandOutput::without_output(ended),
    }
}

/// A command that runs.
struct JobRun {
    child: Child,
    job: Arc<JobObject>,
    pipes: OutputPipes,
}

impl JobRun {
    /// Starts a command. From here on it is ended when the returned value is dropped.
    fn start(run: CommandRun<'_>) -> Result<Self, CommandEnd> {
        let lost = |why: std::io::Error| CommandEnd::Lost(why.to_string());
        // The measured limits decide; these apply if a command grows faster than it is measured.
        let limits = JobLimits {
            memory: run.memory.saturating_mul(RUN_DATA_FACTOR),
            processes: u32::try_from(RUN_PROCESSES).unwrap_or(u32::MAX).saturating_mul(2),
        };
        let job = Arc::new(JobObject::new(limits).map_err(lost)?);
        let mut child = suspended(run)?;
        if let Err(why) = job.adopt(&child).and_then(|()| job::resume(&child)) {
            // It has run nothing yet.
            let _gone = child.kill();
            return Err(lost(why));
        }
        match OutputPipes::open(&mut child, &job, run.input, run.output) {
            Ok(pipes) => Ok(Self { child, job, pipes }),
            Err(why) => {
                // A thread that was started holds the job until the output ends.
                job.end();
                Err(lost(why))
            }
        }
    }

    fn until_over(mut self, clock: &dyn Clock, run: CommandRun<'_>) -> CommandOutput {
        let why = self.watch(clock, run);
        if !self.end_all(clock) {
            tracing::warn!("a process of a command cannot be ended");
        }
        // A process that is not in the job may keep the pipes open: this does not wait for it.
        let taken = self.pipes.rest(Duration::from_millis(RUN_SPARE_MS));
        let by_itself = match self.child.try_wait() {
            Ok(Some(status)) => ended(status.code().unwrap_or_default()),
            Ok(None) => CommandEnd::Lost("it cannot be ended".to_owned()),
            Err(why) => CommandEnd::Lost(why.to_string()),
        };
        let stopped = matches!(why, Some(CommandEnd::Stopped));
        let instead = if taken.flooded && !stopped { Some(CommandEnd::Flooded) } else { why };
        CommandOutput { ended: instead.unwrap_or(by_itself), stdout: taken.stdout, stderr: taken.stderr }
    }

    /// Waits until the command has exited, or must be ended: then it returns the reason.
    fn watch(&self, clock: &dyn Clock, run: CommandRun<'_>) -> Option<CommandEnd> {
        let began = clock.monotonic();
        let ran = || clock.monotonic().saturating_sub(began);
        let mut next_look = Duration::ZERO;
        loop {
            if wait_for(self.child.as_handle(), Duration::ZERO) {
                return None;
            }
            if run.stop.is_some_and(|stop| stop.load(Ordering::Acquire)) {
                return Some(CommandEnd::Stopped);
            }
            let now = ran();
            if now >= run.time {
                return Some(CommandEnd::TimedOut);
            }
            if now >= next_look {
                if let Some(too_much) = self.exceeded_limit(run) {
                    return Some(too_much);
                }
                let rest = ran().saturating_sub(now).saturating_mul(RUN_LOOK_SHARE);
                next_look = ran()
                    + rest
                        .clamp(Duration::from_millis(RUN_LOOK_MS), Duration::from_millis(RUN_LOOK_LATEST_MS));
            }
            wait_for(self.child.as_handle(), next_look.min(run.time).saturating_sub(ran()));
        }
    }

    /// Returns the limit that is exceeded. The memory of a process that cannot be measured is not counted.
    fn exceeded_limit(&self, run: CommandRun<'_>) -> Option<CommandEnd> {
        let processes = self.job.processes().unwrap_or_default();
        if processes.len() > RUN_PROCESSES {
            return Some(CommandEnd::Processes);
        }
        let memory = processes.iter().filter_map(|process| self.job.memory_of(*process));
        (memory.fold(0, u64::saturating_add) > run.memory).then_some(CommandEnd::Memory)
    }

    /// Ends all processes of the job; returns true if none is left.
    fn end_all(&self, clock: &dyn Clock) -> bool {
        self.job.end();
        let latest = clock.monotonic().saturating_add(Duration::from_millis(RUN_KILL_MS));
        loop {
            match self.job.processes() {
                Ok(left) if left.is_empty() => return true,
                Ok(left) => left.iter().for_each(|process| self.job.wait_briefly(*process)),
                Err(_) => return false,
            }
            if clock.monotonic() >= latest {
                return false;
            }
        }
    }
}

impl Drop for JobRun {
    fn drop(&mut self) {
        self.job.end();
    }
}

/// Creates the first process of a command, which does not run yet.
fn suspended(run: CommandRun<'_>) -> Result<Child, CommandEnd> {
    let empty = || CommandEnd::NotStarted("the command is empty".to_owned());
    let (program, words) = run.command.split_first().ok_or_else(empty)?;
    let variables = command_environment(run.env);
    #[expect(clippy::disallowed_methods, reason = "validate is the module that starts processes")]
    let mut command = std::process::Command::new(found_program(run.folder, program, &variables));
    command.args(words).current_dir(run.folder);
    command.env_clear().envs(variables).env("PWD", run.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW | BELOW_NORMAL_PRIORITY_CLASS);
    command.spawn().map_err(|why| {
        let program = program.to_string_lossy();
        CommandEnd::NotStarted(match why.kind() {
            std::io::ErrorKind::NotFound => {
                format!(
                    "{program:?} was not found: install it, or start the daemon with a PATH that contains it"
                )
            }
            _ => format!("{program:?} cannot be started: {why}"),
        })
    })
}

/// Returns the end of a process by its exit status.
fn ended(status: i32) -> CommandEnd {
    if status.cast_unsigned() >= EXCEPTIONS {
        return CommandEnd::Signalled(status);
    }
    CommandEnd::Exited(status)
}
