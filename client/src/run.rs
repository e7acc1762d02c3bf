//! The commands: each builds a request, sends it and formats the reply. Prints nothing, except for `watch`, which does
//! not end.

mod checks;
mod clip;
mod companion;
mod config;
mod content;
mod daemon;
mod export;
mod files;
mod forget;
mod help;
mod journal;
mod session;
mod status;
mod trust;
mod watch;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
use editctl::retry::Caller;
use editctl::show::{self, OutputStyle};
use editctl::{CallError, Connection, Workspace, machine};
use editd_proto::message::{OnStale, Receipt};
use editd_proto::{ErrorCode, FilePath, RequestError, limits};
use serde::Serialize;

use crate::args::{Command, CommandLine, GlobalFlags, JobFlags};
use editctl::failure::{ExitStatus, Failure};
use session::ActiveSession;

/// The name of this program in the journal.
const CLIENT: &str = "editctl";

/// Prints a progress message to standard error.
fn tell(words: &str) {
    // If this fails, the message cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "editctl: {}", show::letters::one_line(words));
}

/// The output and the exit status of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
    pub(crate) exit: ExitStatus,
}

impl CommandOutput {
    /// Creates an output of text.
    fn text(out: impl Into<Vec<u8>>) -> Self {
        Self { out: out.into(), err: String::new(), exit: ExitStatus::Done }
    }

    /// Creates an output of a JSON object.
    pub(crate) fn json(reply: &impl Serialize) -> Self {
        match serde_json::to_vec(reply) {
            Ok(mut out) => {
                out.push(b'\n');
                Self::text(out)
            }
            Err(error) => Self {
                out: Vec::new(),
                err: format!("editctl: the reply cannot be written as JSON: {error}\n"),
                exit: ExitStatus::Fault,
            },
        }
    }
}

/// Runs a command.
pub(crate) fn run(line: CommandLine, style: &OutputStyle) -> Result<CommandOutput, Failure> {
    if let Command::Help { name } = &line.command {
        return help::run(name.as_deref(), style);
    }
    let (flags, command) = (line.everywhere, line.command);
    let command = match command {
        Command::Mcp { runtime, tools } => return companion::mcp(flags, runtime, tools),
        Command::Hook { words } => return companion::hook(flags, words),
        Command::Setup { words } => return companion::setup(flags, words),
        Command::Ui => return companion::ui(flags),
        Command::Diff { words } => return companion::history(flags, "diff", words),
        Command::Blame { words } => return companion::history(flags, "blame", words),
        Command::Report { words } => return companion::history(flags, "report", words),
        other => other,
    };
    let mut context = CommandContext::open(flags, line.job, style)?;
    if command.selects_by_session() && context.chosen_session.is_some() {
        // Otherwise the session would count as one that knows the undone changes.
        context.session = ActiveSession::choose(None)?;
    }
    let kept = command.uses_its_session();
    let answer = dispatch(&context, command);
    if kept { context.session_noted(answer) } else { answer }
}

fn dispatch(context: &CommandContext<'_>, command: Command) -> Result<CommandOutput, Failure> {
    match command {
        Command::Read(words) => files::read(context, &words),
        Command::Edit(words) => files::edit(context, words),
        Command::Dialects => files::dialects(context),
        Command::Help { name } => help::run(name.as_deref(), context.style),
        Command::Mcp { runtime, tools } => companion::mcp(GlobalFlags::default(), runtime, tools),
        Command::Hook { words } => companion::hook(GlobalFlags::default(), words),
        Command::Setup { words } => companion::setup(GlobalFlags::default(), words),
        Command::Ui => companion::ui(GlobalFlags::default()),
        Command::Diff { words } => companion::history(GlobalFlags::default(), "diff", words),
        Command::Blame { words } => companion::history(GlobalFlags::default(), "blame", words),
        Command::Report { words } => companion::history(GlobalFlags::default(), "report", words),
        Command::Replace(words) => files::replace(context, words),
        Command::Create(words) => files::create(context, "create", words),
        Command::Write(words) => files::create(context, "write", words),
        Command::Mv(words) => files::rename(context, &words),
        Command::Rm { path } => files::delete(context, &path),
        Command::Symbol(words) => files::symbol(context, words),
        Command::Outline { path, depth } => files::outline(context, &path, depth),
        Command::Undo(words) => journal::undo(context, words),
        Command::Mark(words) => journal::mark(context, &words.name),
        Command::Redo(words) => journal::redo(context, words),
        Command::Log(words) => journal::log(context, words),
        Command::Show { job, from, bytes } => journal::show(context, job, from, bytes),
        Command::Cat(words) => content::cat(context, &words),
        Command::Clip(words) => clip::run(context, words),
        Command::Forget { path } => forget::run(context, &path),
        Command::Watch { globs } => watch::run(context, globs),
        Command::Status(words) => status::run(context, &words),
        Command::Metrics => status::exposition(context),
        Command::Config => config::run(context),
        Command::Doctor => daemon::doctor(context),
        Command::Salvage { state } => daemon::salvage(context, state.as_deref()),
        Command::Export(words) => export::export(context, &words),
        Command::Import(words) => export::import(context, &words),
        Command::Trust(words) => trust::run(context, words),
        Command::Checks(words) => checks::run(context, &words),
        Command::Stop => daemon::stop(context),
        Command::Wait(words) => journal::wait(context, &words),
        Command::Cancel { job } => journal::cancel(context, job),
    }
}

/// The workspace, session and options of a command.
struct CommandContext<'a> {
    workspace: Workspace,
    current: PathBuf,
    session: ActiveSession,
    /// The default of the session's jobs for stale files.
    on_stale: Option<OnStale>,
    /// The value of `--session`, if it was given.
    chosen_session: Option<String>,
    socket: Option<PathBuf>,
    start: SpawnPolicy,
    flags: JobFlags,
    style: &'a OutputStyle,
}

impl<'a> CommandContext<'a> {
    fn open(everywhere: GlobalFlags, flags: JobFlags, style: &'a OutputStyle) -> Result<Self, Failure> {
        let current =
            machine::current_folder().map_err(|error| Failure::File("the current folder".into(), error))?;
        let workspace =
            Workspace::choose(everywhere.workspace.as_deref(), &current).map_err(Failure::Usage)?;
        let session = ActiveSession::choose(everywhere.session.as_ref())?;
        let start = if everywhere.no_spawn { SpawnPolicy::Never } else { SpawnPolicy::Program(program()) };
        Ok(Self {
            workspace,
            current,
            session,
            on_stale: session::on_stale()?,
            chosen_session: everywhere.session,
            socket: everywhere.socket,
            start,
            flags,
            style,
        })
    }

    /// Returns a path of the user as a path in the workspace.
    fn name(&self, path: &Path) -> FilePath {
        self.workspace.file_name(&self.current, path)
    }

    fn connect(&self, start: &SpawnPolicy) -> Result<Connection, Failure> {
        let socket = self.socket.as_deref();
        let session = &self.session.name;
        let caller = ClientOptions { client: CLIENT, session, on_stale: self.on_stale, socket, tell };
        Ok(reach(&self.workspace, &caller, start)?)
    }

    fn caller(&self) -> Caller<'_, Failure> {
        Caller::new(|| self.connect(&self.start), tell)
    }

    /// See [`Caller::ask`].
    fn ask<R>(
        &self,
        repeatable: bool,
        request: impl Fn(&mut Connection) -> Result<R, CallError>,
    ) -> Result<R, Failure> {
        self.caller().ask(repeatable, request)
    }

    /// See [`Caller::ask_job`].
    fn ask_job(
        &self,
        repeatable: bool,
        request: impl Fn(&mut Connection) -> Result<Receipt, CallError>,
    ) -> Result<Receipt, Failure> {
        self.caller().ask_job(repeatable, request)
    }

    /// See [`Caller::ask_once`].
    fn ask_once<R>(&self, request: impl Fn(&mut Connection) -> Result<R, CallError>) -> Result<R, Failure> {
        self.caller().ask_once(request)
    }

    /// Returns the output for a reply, in JSON or as text.
    fn answer<R: Serialize>(
        &self,
        reply: &R,
        text: impl FnOnce(&R, &OutputStyle) -> String,
    ) -> CommandOutput {
        if self.style.json {
            CommandOutput::json(reply)
        } else {
            CommandOutput::text(text(reply, self.style))
        }
    }

    /// Requests diffs if the output is a terminal; else `None`, which leaves the choice to the daemon.
    fn shows_diffs(&self) -> Option<bool> {
        (self.style.terminal && !self.style.json).then_some(true)
    }

    /// Returns the output for a receipt. It is not shortened if the command line asks for a diff or a budget.
    fn receipt(&self, mut receipt: Receipt, style: &OutputStyle) -> CommandOutput {
        let style = &style.whole(self.flags.diff || self.flags.budget.is_some());
        let exit = ExitStatus::of_receipt(&receipt);
        let unread = receipt.error.as_mut().filter(|error| error.code == ErrorCode::Unread);
        let limits = unread.and_then(|error| Some((error, self.session.limits()?)));
        if self.style.json {
            if let Some((error, limits)) = limits {
                error.message = format!("{}; {limits}", error.message);
            }
            let json = if style.whole {
                CommandOutput::json(&receipt)
            } else {
                CommandOutput::json(&show::json::short(&receipt))
            };
            return CommandOutput { exit, ..json };
        }
        let note = limits.map(|(_, limits)| format!("editctl: {limits}\n")).unwrap_or_default();
        let texts = show::receipt::text(&receipt, style);
        CommandOutput { out: texts.out.into_bytes(), err: texts.err + &note, exit }
    }

    /// Adds a warning to the output of a command that depends on its session, if no later command will have that
    /// session.
    fn session_noted(&self, answer: Result<CommandOutput, Failure>) -> Result<CommandOutput, Failure> {
        let Some(limits) = self.session.limits().filter(|_| self.session.ends_with_the_command()) else {
            return answer;
        };
        match answer {
            Ok(mut answer) if !self.style.json => {
                answer.err.push_str(&format!("editctl: {limits}\n"));
                Ok(answer)
            }
            Err(Failure::Refused(mut error)) => {
                error.message = format!("{}; {limits}", error.message);
                Err(Failure::Refused(error))
            }
            other => other,
        }
    }

    /// Reads a file of the user, or standard input for `-` or no path, up to the size of a frame.
    fn payload(&self, file: Option<&Path>) -> Result<Vec<u8>, Failure> {
        let file = file.filter(|path| path.as_os_str() != "-");
        let name = file.map_or_else(|| "standard input".into(), |path| path.display().to_string());
        if file.is_none() && std::io::stdin().is_terminal() {
            // Without this message a user who forgot the file would not know that the program waits for input.
            let _ = writeln!(std::io::stderr(), "editctl: reading from the terminal until Ctrl-D");
        }
        machine::read_whole(file, limits::FRAME).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => {
                let message = format!("{name} has {error}; send less at once");
                let refusal = RequestError {
                    limit: Some(limits::FRAME as u64),
                    ..RequestError::new(ErrorCode::TooLarge, message)
                };
                Failure::Refused(Box::new(refusal))
            }
            ErrorKind::NotFound if name.starts_with(['{', '[']) => Failure::Usage(
                "a job is read from a file or from standard input, not from an argument".into(),
            ),
            _ => Failure::File(name, error),
        })
    }

    /// Reads the same as text.
    fn payload_text(&self, file: Option<&Path>) -> Result<String, Failure> {
        String::from_utf8(self.payload(file)?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::Usage(format!("the text is not UTF-8 at byte {at}; only text can be edited"))
        })
    }
}
