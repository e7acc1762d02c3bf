//! The supervisor: a small process between the daemon and one command. It starts the command, and returns only when
//! none of its processes runs any more, or those cannot be ended.
//!
//! It leaves the terminal's session, so that no key reaches it, and makes itself the reaper of every orphan below it.
//! The command has a process group of its own and a lower priority. It is ended when it has exited itself, when a
//! limit is reached, and when the daemon's end of the socket closes.
//!
//! Once the command runs, nothing may end the supervisor early: it starts no thread, the command's limits do not
//! apply to it, and in any case dropping its [`SupervisedCommand`] ends the command.

use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStdin, ExitCode, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(target_os = "linux")]
use rustix::process::prlimit;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getrlimit, kill_process_group,
    setpriority_process, setrlimit, wait,
};

use super::CommandEnd;
use super::word::{self, CommandOrder, CommandReport};
use crate::clock::{Clock, SystemClock};
use crate::confine::{self, Confinement, WritableFolders};
use crate::limits::{
    RUN_DATA_FACTOR, RUN_FILE_BYTES, RUN_FILES, RUN_KILL_MS, RUN_LOOK_LATEST_MS, RUN_LOOK_MS, RUN_LOOK_SHARE,
    RUN_NICE,
};

/// The only argument on the command line of a supervisor.
pub const WORD: &str = "supervise";

/// Runs a supervisor, whose standard input is the daemon's socket.
#[must_use]
pub fn supervise() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn serve() -> std::io::Result<()> {
    let line = rustix::io::dup(std::io::stdin())?;
    rustix::io::fcntl_setfd(&line, rustix::io::FdFlags::CLOEXEC)?;
    let mut line = UnixStream::from(line);
    let order: CommandOrder = word::read(&mut line)?;
    let input = word::read_bytes(&mut line, order.input)?;
    // Fails only for the leader of a group, which has no session to leave.
    let _leader = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // Commands inherit it. A program with other rights could neither be measured nor ended.
    #[cfg(target_os = "linux")]
    rustix::thread::set_no_new_privs(true)?;
    let (ended_child, on_child) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, on_child)?;
    let confined = order.writable.as_deref().map_or(Ok(()), confine);
    let line_of_command = line.try_clone()?;
    let started =
        confined.and_then(|()| SupervisedCommand::start(order, line_of_command, ended_child, input));
    let report = match started {
        Err(why) => CommandReport { ended: CommandEnd::NotStarted(why), left: false },
        Ok(mut care) => {
            let why = care.until_over();
            let left = !care.end_all();
            let by_itself =
                care.status.map(ended).unwrap_or(CommandEnd::Lost("it cannot be ended".to_owned()));
            CommandReport { ended: why.unwrap_or(by_itself), left }
        }
    };
    line.write_all(&word::encode(&report)?)
}

/// Restricts this process, and with it the command, to some folders.
fn confine(writable: &[serde_bytes::ByteBuf]) -> Result<(), String> {
    let path = |bytes: &serde_bytes::ByteBuf| PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
    let folders = writable.iter().map(path).collect();
    match confine::process(&WritableFolders { folders, temporary: false, socket: None }) {
        Confinement::Confined { .. } => Ok(()),
        Confinement::Unconfined(why) => Err(format!(
            "it cannot be confined ({why}); `confine = \"off\"` in .editd.toml runs it unconfined"
        )),
    }
}

fn not_started(program: &str, why: &std::io::Error) -> String {
    match why.kind() {
        std::io::ErrorKind::NotFound => {
            format!("{program:?} was not found: install it, or start the daemon with a PATH that contains it")
        }
        _ => format!("{program:?} cannot be started: {why}"),
    }
}

/// Sets limits that the system enforces for each process of the command, and that do not harm this one: a child
/// inherits them.
fn limit_before() {
    limit(Resource::Core, 0);
    limit(Resource::Fsize, RUN_FILE_BYTES);
    // The daemon raised its own limit; some programs close as many descriptors as they may have.
    let files = getrlimit(Resource::Nofile);
    let current = Some(files.maximum.map_or(RUN_FILES, |maximum| maximum.min(RUN_FILES)));
    let _kept = setrlimit(Resource::Nofile, Rlimit { current, ..files });
}

fn limit(resource: Resource, most: u64) {
    // A limit that cannot be set is not enforced; the supervisor measures itself.
    let _kept = setrlimit(resource, at_most(getrlimit(resource), most));
}

fn at_most(now: Rlimit, most: u64) -> Rlimit {
    let maximum = Some(now.maximum.map_or(most, |maximum| maximum.min(most)));
    Rlimit { current: maximum, maximum }
}

/// Sets the command's memory limit. It is set once the command runs, since this process holds the input.
#[cfg(target_os = "linux")]
fn limit_data(command: Pid, most: u64) {
    let _kept = prlimit(Some(command), Resource::Data, at_most(getrlimit(Resource::Data), most));
}

fn ended(status: WaitStatus) -> CommandEnd {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => CommandEnd::Exited(code),
        (None, signal) => CommandEnd::Signalled(signal.unwrap_or_default()),
    }
}

/// A command under supervision.
struct SupervisedCommand {
    command: Pid,
    order: CommandOrder,
    line: UnixStream,
    ended_child: UnixStream,
    /// The part of its input that the command has not read yet.
    input: Option<CommandInput>,
    /// The exit status of the command itself, once it has one.
    status: Option<WaitStatus>,
    /// True if it was ended, as far as possible.
    over: bool,
}

/// The standard input of a command that it has not read.
struct CommandInput {
    pipe: ChildStdin,
    bytes: Vec<u8>,
    written: usize,
}

impl CommandInput {
    /// Writes as much as fits; returns true if there is more, and the command may read it.
    fn give(&mut self) -> bool {
        let left = self.bytes.get(self.written..).unwrap_or_default();
        if left.is_empty() {
            return false;
        }
        match self.pipe.write(left) {
            Ok(taken) => {
                self.written += taken;
                self.written < self.bytes.len()
            }
            Err(why) => {
                matches!(why.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted)
            }
        }
    }
}

impl Drop for SupervisedCommand {
    fn drop(&mut self) {
        if !self.over {
            let _left = self.end_all();
        }
    }
}

impl SupervisedCommand {
    /// Starts the command. From here on it is ended when the returned value is dropped.
    fn start(
        order: CommandOrder,
        line: UnixStream,
        ended_child: UnixStream,
        input: Vec<u8>,
    ) -> Result<Self, String> {
        let mut words = order.command.iter().map(|word| std::ffi::OsString::from_vec(word.to_vec()));
        let program = words.next().ok_or("the command is empty")?;
        #[expect(clippy::disallowed_methods, reason = "validate is the module that starts processes")]
        let mut command = std::process::Command::new(&program);
        command.args(words).process_group(0).stdin(Stdio::piped());
        limit_before();
        #[cfg(not(target_os = "linux"))]
        limit(Resource::Data, order.memory.saturating_mul(RUN_DATA_FACTOR));
        let mut child = command.spawn().map_err(|why| not_started(&program.to_string_lossy(), &why))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("it has no number")?;
        let mut care =
            Self { command: pid, order, line, ended_child, input: None, status: None, over: false };
        #[cfg(target_os = "linux")]
        limit_data(pid, care.order.memory.saturating_mul(RUN_DATA_FACTOR));
        // It may have exited already. Processes that it starts later inherit the priority.
        let _gone = setpriority_process(Some(pid), RUN_NICE);
        // A pipe that would block the supervisor is closed instead.
        care.input = child
            .stdin
            .take()
            .filter(|pipe| rustix::io::ioctl_fionbio(pipe, true).is_ok())
            .map(|pipe| CommandInput { pipe, bytes: input, written: 0 });
        Ok(care)
    }

    /// Waits until the command has exited, or must be ended: then it returns the reason.
    fn until_over(&mut self) -> Option<CommandEnd> {
        let clock = SystemClock::start();
        let time = Duration::from_millis(self.order.time_ms);
        let mut next_look = Duration::ZERO;
        loop {
            self.reap();
            if self.status.is_some() {
                return None;
            }
            let now = clock.monotonic();
            if now >= time {
                return Some(CommandEnd::TimedOut);
            }
            if now >= next_look {
                if let Some(too_much) = self.exceeded_limit() {
                    return Some(too_much);
                }
                let took = clock.monotonic().saturating_sub(now);
                let rest = took.saturating_mul(RUN_LOOK_SHARE);
                next_look = clock.monotonic()
                    + rest
                        .clamp(Duration::from_millis(RUN_LOOK_MS), Duration::from_millis(RUN_LOOK_LATEST_MS));
            }
            let pause = next_look.min(time).saturating_sub(clock.monotonic());
            if self.wait(pause) {
                // The daemon is gone; nobody reads the report.
                return Some(CommandEnd::TimedOut);
            }
        }
    }

    /// Waits for the end of a child, and writes the command's input meanwhile; returns true if the daemon has closed
    /// the socket.
    fn wait(&mut self, time: Duration) -> bool {
        self.input.take_if(|input| !input.give());
        let Ok(time) = Timespec::try_from(time) else { return true };
        let mut fds =
            vec![PollFd::new(&self.line, PollFlags::IN), PollFd::new(&self.ended_child, PollFlags::IN)];
        fds.extend(self.input.iter().map(|input| PollFd::new(&input.pipe, PollFlags::OUT)));
        let is_ready = poll(&mut fds, Some(&time)).is_ok_and(|ready| ready > 0);
        let mut ready = fds.iter().map(|fd| is_ready && !fd.revents().is_empty());
        let (line, child) = (ready.next() == Some(true), ready.next() == Some(true));
        if child {
            let _one = std::io::Read::read(&mut &self.ended_child, &mut [0; 64]);
        }
        // The daemon sends nothing after the order, so anything that can be read is the end of the socket.
        line
    }

    /// Reaps every child that has exited; returns true if there is none left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command => self.status = Some(status),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Returns the limit that is exceeded.
    #[cfg(target_os = "linux")]
    fn exceeded_limit(&self) -> Option<CommandEnd> {
        let family = super::descent::family();
        if family.len() > self.order.processes {
            return Some(CommandEnd::Processes);
        }
        let memory =
            family.iter().map(super::descent::DescendantProcess::memory).fold(0, u64::saturating_add);
        (memory > self.order.memory).then_some(CommandEnd::Memory)
    }

    #[cfg(not(target_os = "linux"))]
    fn exceeded_limit(&self) -> Option<CommandEnd> {
        None
    }

    /// Ends the command and all its descendants; returns true if none is left.
    ///
    /// The process group is ended first: one call reaches all of it, whatever it forks meanwhile. Then every process that
    /// is found below this one is ended, round by round, until this process has no child: every orphan becomes its
    /// child.
    fn end_all(&mut self) -> bool {
        self.over = true;
        let clock = SystemClock::start();
        loop {
            // The number of a group is not reused before its leader is reaped. On systems where orphans cannot be found,
            // it is used after that, too: systems do not reuse a number so soon.
            if self.status.is_none() || cfg!(not(target_os = "linux")) {
                let _gone = kill_process_group(self.command, Signal::KILL);
            }
            #[cfg(target_os = "linux")]
            super::descent::family().iter().for_each(super::descent::DescendantProcess::end);
            if self.reap() {
                return true;
            }
            if clock.monotonic() > Duration::from_millis(RUN_KILL_MS) {
                return false;
            }
            // The next exit of a child wakes it.
            let time = Timespec::try_from(Duration::from_millis(1)).ok();
            let mut fds = [PollFd::new(&self.ended_child, PollFlags::IN)];
            if poll(&mut fds, time.as_ref()).is_ok_and(|ready| ready > 0) {
                let _one = std::io::Read::read(&mut &self.ended_child, &mut [0; 64]);
            }
        }
    }
}
