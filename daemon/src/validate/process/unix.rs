//! The daemon's side of a run: starts the supervisor, reads the command's output, and waits for the report. It ends
//! no process but the supervisor, and if that was killed, its descendants.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_bytes::ByteBuf;

use super::supervise::WORD;
use super::word::{self, CommandOrder, CommandReport};
use super::{CommandEnd, CommandOutput, CommandRun};
use crate::clock::Clock;
#[cfg(target_os = "linux")]
use crate::clock::SystemClock;
use crate::config::{command_environment, command_folders};
use crate::limits::{CHECK_STOP_MS, RUN_KILL_MS, RUN_PROCESSES, RUN_SPARE_MS};
use crate::os::unix::PrivateFolder;

/// The longest time between two looks at the flag that stops a run.
const LOOK: Duration = Duration::from_millis(CHECK_STOP_MS);

/// Starts a command under a supervisor and waits until all of its processes have ended.
pub(super) fn run_supervised(
    program: Option<&Path>,
    confined: bool,
    clock: &dyn Clock,
    run: CommandRun<'_>,
) -> CommandOutput {
    let temporary = match confined.then(|| PrivateFolder::create(run.folder)).transpose() {
        Ok(temporary) => temporary,
        Err(why) => {
            let why = format!(
                "no folder for its temporary files can be created in /tmp ({why}): repair that, or start the daemon with \
                 another TMPDIR"
            );
            return CommandOutput::without_output(CommandEnd::NotStarted(why));
        }
    };
    match begin(program, temporary, run) {
        Ok(watch) => watch.until_reported(clock, run),
        Err(why) => CommandOutput::without_output(CommandEnd::Lost(why.to_string())),
    }
}

/// Removes the temporary files that commands of a killed daemon of a workspace have left.
pub(super) fn remove_left(workspace: &Path) {
    PrivateFolder::remove_left(workspace);
}

/// A run in progress.
struct RunWatch {
    supervisor: Child,
    /// The folder for temporary files of a confined command.
    temporary: Option<PrivateFolder>,
    line: UnixStream,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

fn begin(
    program: Option<&Path>,
    temporary: Option<PrivateFolder>,
    run: CommandRun<'_>,
) -> std::io::Result<RunWatch> {
    let (ours, theirs) = UnixStream::pair()?;
    // On Linux this leads to the running program, also after its file was replaced.
    let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    #[expect(clippy::disallowed_methods, reason = "validate is the module that starts processes")]
    let mut supervisor = std::process::Command::new(program.unwrap_or(&own));
    supervisor.arg0("editd").arg(WORD).current_dir(run.folder);
    // The command inherits the environment of its supervisor.
    supervisor.env_clear().envs(command_environment(run.env)).env("PWD", run.folder);
    supervisor.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let is_chosen = run.env.iter().any(|entry| entry.split('=').next() == Some("TMPDIR"));
    if let Some(folder) = temporary.as_ref().filter(|_| !is_chosen) {
        supervisor.env("TMPDIR", folder.path());
    }
    let mut supervisor = supervisor.spawn()?;
    let (stdout, stderr) = (supervisor.stdout.take(), supervisor.stderr.take());
    let mut watch = RunWatch { supervisor, temporary, line: ours, stdout, stderr };
    if let Err(why) = watch.order(run) {
        watch.give_up();
        return Err(why);
    }
    Ok(watch)
}

impl RunWatch {
    fn order(&mut self, run: CommandRun<'_>) -> std::io::Result<()> {
        let command = run.command.iter().map(|word| ByteBuf::from(word.as_bytes())).collect();
        let writable = self.temporary.as_ref().map(|temporary| {
            let own = [run.folder.to_owned(), temporary.path().to_owned()];
            let folders = own.into_iter().chain(command_folders(run.write));
            folders.map(|folder| ByteBuf::from(folder.into_os_string().into_vec())).collect()
        });
        let order = CommandOrder {
            command,
            writable,
            time_ms: u64::try_from(run.time.as_millis()).unwrap_or(u64::MAX),
            memory: run.memory,
            processes: RUN_PROCESSES,
            input: run.input.len(),
        };
        let spare = Duration::from_millis(RUN_SPARE_MS);
        self.line.set_write_timeout(Some(spare))?;
        self.line.set_read_timeout(Some(spare))?;
        self.line.write_all(&word::encode(&order)?)?;
        self.line.write_all(run.input)
    }

    /// Ends a supervisor that does not answer, and the processes it started.
    fn give_up(&mut self) {
        // While it lives it is the parent of its orphans; once it is gone, nothing more is started.
        self.sweep();
        // Both fail only if it has ended already.
        let _gone = self.supervisor.kill();
        self.sweep();
        let _gone = self.supervisor.wait();
    }

    /// Ends all processes in the supervisor's session and their descendants. Its number stays its own until it is
    /// waited for.
    #[cfg(target_os = "linux")]
    fn sweep(&self) {
        let clock = SystemClock::start();
        loop {
            let left = super::descent::session(self.supervisor.id());
            if left.is_empty() {
                return;
            }
            left.iter().for_each(super::descent::DescendantProcess::end);
            if clock.monotonic() > Duration::from_millis(RUN_KILL_MS) {
                tracing::warn!("a process of a command whose supervisor was killed cannot be ended");
                return;
            }
            if let Ok(moment) = Timespec::try_from(Duration::from_millis(1)) {
                let _nothing = poll(&mut [], Some(&moment));
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn sweep(&self) {}

    fn until_reported(mut self, clock: &dyn Clock, run: CommandRun<'_>) -> CommandOutput {
        let spare = Duration::from_millis(RUN_KILL_MS + RUN_SPARE_MS);
        let latest = clock.monotonic().saturating_add(run.time).saturating_add(spare);
        let (mut stdout, mut stderr, mut flooded) = (Vec::new(), Vec::new(), false);
        let mut stopped = false;
        let report = loop {
            if !stopped && run.stop.is_some_and(|stop| stop.load(Ordering::Acquire)) {
                stopped = true;
                self.hang_up();
            }
            let left = latest.saturating_sub(clock.monotonic());
            if left.is_zero() {
                break Err("its supervisor does not answer".to_owned());
            }
            let ready = match self.wait(if run.stop.is_some() { left.min(LOOK) } else { left }) {
                Ok(ready) => ready,
                Err(why) => break Err(why.to_string()),
            };
            self.take_in(&ready, &mut stdout, &mut stderr);
            if stdout.len() + stderr.len() > run.output {
                if !flooded {
                    self.hang_up();
                }
                flooded = true;
                cut(&mut stdout, &mut stderr, run.output);
            }
            if ready.line {
                break word::read::<CommandReport>(&mut self.line)
                    .map_err(|_| "its supervisor was ended".to_owned());
            }
        };
        self.rest(&mut stdout, &mut stderr, run.output);
        flooded |= stdout.len() + stderr.len() > run.output;
        cut(&mut stdout, &mut stderr, run.output);
        let instead = match (stopped, flooded) {
            (true, _) => Some(CommandEnd::Stopped),
            (false, true) => Some(CommandEnd::Flooded),
            (false, false) => None,
        };
        self.finish(report, instead, stdout, stderr)
    }

    /// Makes the supervisor end the command: it reads this as the end of the daemon.
    fn hang_up(&self) {
        let _gone = rustix::net::shutdown(&self.line, rustix::net::Shutdown::Write);
    }

    fn finish(
        mut self,
        report: Result<CommandReport, String>,
        instead: Option<CommandEnd>,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    ) -> CommandOutput {
        let ended = match report {
            Ok(report) => {
                if report.left {
                    tracing::warn!("a process of a command cannot be ended");
                }
                report.ended
            }
            Err(why) => {
                self.give_up();
                CommandEnd::Lost(why)
            }
        };
        // It has sent its report.
        let _gone = self.supervisor.wait();
        CommandOutput { ended: instead.unwrap_or(ended), stdout, stderr }
    }

    /// Waits until something can be read.
    fn wait(&self, time: Duration) -> std::io::Result<ReadySources> {
        let mut fds = vec![PollFd::new(&self.line, PollFlags::IN)];
        fds.extend(self.stdout.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        fds.extend(self.stderr.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        let time = Timespec::try_from(time).map_err(std::io::Error::other)?;
        match poll(&mut fds, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(why) => return Err(why.into()),
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_open: bool| is_open && ready.next().unwrap_or(false);
        Ok(ReadySources {
            line: next(true),
            stdout: next(self.stdout.is_some()),
            stderr: next(self.stderr.is_some()),
        })
    }

    fn take_in(&mut self, ready: &ReadySources, stdout: &mut Vec<u8>, stderr: &mut Vec<u8>) {
        if ready.stdout && !self.stdout.as_mut().is_some_and(|pipe| some(pipe, stdout)) {
            self.stdout = None;
        }
        if ready.stderr && !self.stderr.as_mut().is_some_and(|pipe| some(pipe, stderr)) {
            self.stderr = None;
        }
    }

    /// Reads the rest of the pipes after all processes have ended. A process that escaped may keep them open: this
    /// does not wait for it.
    fn rest(&mut self, stdout: &mut Vec<u8>, stderr: &mut Vec<u8>, most: usize) {
        while stdout.len() + stderr.len() <= most
            && let Ok(ready) = self.wait(Duration::ZERO)
            && (ready.stdout || ready.stderr)
        {
            self.take_in(&ready, stdout, stderr);
        }
    }
}

/// The sources that can be read.
struct ReadySources {
    line: bool,
    stdout: bool,
    stderr: bool,
}

/// Reads the available bytes of a pipe; returns true if it is still open.
fn some(pipe: &mut impl Read, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 16 * 1024];
    match pipe.read(&mut buffer) {
        Ok(0) => false,
        Ok(length) => {
            into.extend_from_slice(buffer.get(..length).unwrap_or_default());
            true
        }
        Err(why) => why.kind() == std::io::ErrorKind::Interrupted,
    }
}

/// Keeps the beginning.
fn cut(stdout: &mut Vec<u8>, stderr: &mut Vec<u8>, most: usize) {
    stdout.truncate(most);
    stderr.truncate(most.saturating_sub(stdout.len()));
}
