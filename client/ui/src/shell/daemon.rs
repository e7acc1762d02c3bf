//! The requests of the interface to the daemon, and the events. A daemon is started at the beginning and when the user asks
//! for something, never because another one stopped.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::mpsc::Sender;

use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
use editctl::retry::Caller;
use editctl::show::{OutputStyle, state};
use editctl::{CallError, Connection, Workspace};
use editd_proto::RequestError;
use editd_proto::ids::JobId;
use editd_proto::message::{HistoryRequest, SubscribeRequest};

use super::ShellEvent;
use crate::state::Input;
use crate::state::detail::DetailPage;
use crate::state::entry_row::EntryRow;
use crate::state::journal::ListRequest;
use crate::state::undo::{UndoResult, UndoTarget};

/// The name of this program in the journal.
const CLIENT: &str = "editctl-ui";

/// The way to find out whether an undo was carried out.
const ADVICE: &str = "the list has its entry if it was done";

/// The receiver of messages about long waits. The library has no other way to tell them.
static NOTICES: OnceLock<Sender<ShellEvent>> = OnceLock::new();

fn tell(words: &str) {
    if let Some(sender) = NOTICES.get() {
        // At the end of the program nobody listens.
        let _ = sender.send(ShellEvent::Input(Input::Noticed(words.to_owned())));
    }
}

/// Sends messages about long waits to the shell from now on.
pub(super) fn tell_to(sender: &Sender<ShellEvent>) {
    let _ = NOTICES.set(sender.clone());
}

/// The error of a call.
struct CallFailure(Box<RequestError>);

impl From<CallError> for CallFailure {
    fn from(error: CallError) -> Self {
        Self(Box::new(error.refusal(ADVICE)))
    }
}

/// The permission to start a daemon if none runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpawnReason {
    /// The user started the program or asked for something: a daemon is started unless `--no-spawn` forbids it.
    User,
    /// Nobody asked: none is started.
    Nobody,
}

/// The daemon to connect to, and the options of the command line.
#[derive(Debug)]
pub(crate) struct DaemonAddress {
    /// The workspace.
    pub(crate) workspace: Workspace,
    /// The session that undoes.
    pub(crate) session: String,
    /// The value of `--socket`.
    pub(crate) socket: Option<PathBuf>,
    /// `--no-spawn` was given.
    pub(crate) no_spawn: bool,
}

impl DaemonAddress {
    fn connect(&self, reason: SpawnReason) -> Result<Connection, CallFailure> {
        let options = ClientOptions {
            client: CLIENT,
            session: &self.session,
            on_stale: None,
            socket: self.socket.as_deref(),
            tell,
        };
        let start = match reason {
            SpawnReason::User if !self.no_spawn => SpawnPolicy::Program(program()),
            _ => SpawnPolicy::Never,
        };
        reach(&self.workspace, &options, &start).map_err(|error| CallFailure(Box::new(error.refusal())))
    }

    /// Returns a caller for requests that start no daemon.
    fn caller(&self) -> Caller<'_, CallFailure> {
        Caller::new(|| self.connect(SpawnReason::Nobody), tell)
    }

    /// Sends the events of the daemon to the shell until it stops. Returns the reason for the end.
    pub(super) fn follow(
        &self,
        reason: SpawnReason,
        sender: &Sender<ShellEvent>,
        style: &OutputStyle,
    ) -> String {
        let send = |input| drop(sender.send(ShellEvent::Input(input)));
        // The next daemon is not started here.
        let reason = Cell::new(reason);
        let connect = || self.connect(reason.replace(SpawnReason::Nobody));
        let ended = Caller::new(connect, tell).ask(true, |connection| {
            connection.subscribe(&SubscribeRequest::default())?;
            send(Input::Connected);
            loop {
                match connection.next_event() {
                    Ok(event) => {
                        // Only damage has a message.
                        let message = event.message.as_ref().map(|_| state::change(&event, style));
                        message.into_iter().for_each(|words| send(Input::Noticed(words)));
                        send(Input::Changed);
                    }
                    Err(error) => {
                        send(Input::Lost("the daemon stopped".to_owned()));
                        return Err::<(), _>(error);
                    }
                }
            }
        });
        ended.err().map(|error| error.0.message).unwrap_or_default()
    }

    /// Gets entries.
    pub(super) fn list(&self, request: &ListRequest, style: &OutputStyle) -> Input {
        let asked = HistoryRequest {
            path: request.path.as_deref().map(Into::into),
            session: request.session.clone(),
            before: request.before.map(JobId),
            limit: Some(request.limit),
            ..HistoryRequest::default()
        };
        let reply = self.caller().ask(true, |it| it.history(&asked));
        let reply = reply.map_err(|error| error.0.message).map(|reply| {
            let rows = reply.entries.iter().map(|entry| EntryRow::of(entry, style)).collect();
            (rows, reply.more)
        });
        Input::Listed(request.clone(), reply)
    }

    /// Gets the text of an entry.
    pub(super) fn show(&self, entry: u64, from: u64, style: &OutputStyle) -> Input {
        let skipped = (from > 0).then_some(from);
        let reply = self.caller().ask(true, |it| it.show(JobId(entry), skipped));
        let page = reply.map_err(|error| error.0.message).map(|reply| DetailPage::of(&reply, from, style));
        Input::Shown(entry, from, page)
    }

    /// Undoes or redoes.
    pub(super) fn undo(&self, target: UndoTarget, style: &OutputStyle) -> Input {
        let request = target.request(ulid::Ulid::generate().to_string());
        let caller = Caller::new(|| self.connect(SpawnReason::User), tell);
        let reply =
            caller.ask_job(true, |it| if target.redo { it.redo(&request) } else { it.undo(&request) });
        let result = match reply {
            Ok(receipt) => UndoResult::of(&target, &receipt, style),
            Err(CallFailure(error)) => UndoResult::failed(&error, style),
        };
        Input::Undone(target, result)
    }
}
