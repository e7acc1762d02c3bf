//! Clients that count: each job writes the next number into all files of its client, and creates or deletes one more.
//! The files then show how far each client came, and if a job is only applied in part, however the daemon ended.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ClipAction, ClipReply, ClipRequest, EntrySummary, FileEdit, FileEntry, HistoryReply, HistoryRequest,
    JobRequest, JobStatus, Receipt, UndoRequest, kind,
};

use crate::client::{Client, RequestFailure};
use crate::test_daemon::TestDaemon;
use crate::wait;

/// Files of every client that each of its jobs edits.
pub const FILES: usize = 4;

/// A client that counts its files up, one job a step.
pub struct CounterClient {
    client: usize,
    step: u64,
}

impl CounterClient {
    /// One that has not begun.
    #[must_use]
    pub fn new(client: usize) -> Self {
        Self { client, step: 0 }
    }

    /// Makes the files as they are before the first step.
    pub fn prepare(&self, daemon: &TestDaemon) {
        for file in 0..FILES {
            daemon.put(&name(self.client, file), content(self.client, file, 0));
        }
    }

    /// Steps until `done`, each under its own key until it is acknowledged, and tells `acknowledged` of it. Returns the
    /// last step.
    ///
    /// # Panics
    /// Where a step is refused.
    pub fn run(mut self, socket: &Path, done: &AtomicBool, acknowledged: impl Fn(u64)) -> u64 {
        let mut connection: Option<Client> = None;
        loop {
            let step = self.step + 1;
            let Some(client) = connected(&mut connection, socket, self.client) else { continue };
            match client.ask::<Receipt>(kind::EDIT, &job(self.client, step)) {
                Ok(receipt) => {
                    let applied = receipt.status == JobStatus::Applied;
                    assert!(applied, "client {} step {step}: {receipt:?}", self.client);
                    acknowledged(step);
                    self.step = step;
                    if done.load(Ordering::Relaxed) {
                        return step;
                    }
                }
                Err(RequestFailure::Lost(_)) => connection = None,
                Err(RequestFailure::Refused(error)) => {
                    panic!("client {} step {step}: {error:?}", self.client)
                }
            }
        }
    }
}

/// Returns the connection of a client, or opens one; `None`, after a pause, if no daemon accepts it.
fn connected<'c>(connection: &'c mut Option<Client>, socket: &Path, client: usize) -> Option<&'c mut Client> {
    if connection.is_none() {
        *connection = Client::connect(socket, &session(client)).ok();
        if connection.is_none() {
            wait::pause(Duration::from_millis(2));
        }
    }
    connection.as_mut()
}

impl CounterClient {
    /// Steps until `done` on a disk that may fail, each step under its own key until it is acknowledged. Returns the
    /// codes of the refusals, each once, and those that a failing disk does not explain with their messages.
    pub fn run_on_failing_disk(
        mut self,
        socket: &Path,
        done: &AtomicBool,
        acknowledged: impl Fn(u64),
    ) -> BTreeSet<String> {
        let mut refusals = BTreeSet::new();
        let mut connection: Option<Client> = None;
        while !done.load(Ordering::Relaxed) {
            let step = self.step + 1;
            let Some(client) = connected(&mut connection, socket, self.client) else { continue };
            let refused = match client.ask::<Receipt>(kind::EDIT, &job(self.client, step)) {
                Ok(receipt) if receipt.status == JobStatus::Applied => {
                    acknowledged(step);
                    self.step = step;
                    None
                }
                Ok(receipt) => receipt.error,
                Err(RequestFailure::Refused(error)) => Some(*error),
                Err(RequestFailure::Lost(_)) => {
                    connection = None;
                    None
                }
            };
            if let Some(error) = refused {
                refusals.insert(match error.code {
                    ErrorCode::Io | ErrorCode::Busy | ErrorCode::Denied | ErrorCode::Stopping => {
                        format!("{:?}", error.code)
                    }
                    _ => format!("client {} step {step}: {error:?}", self.client),
                });
                wait::pause(Duration::from_millis(20));
            }
        }
        refusals
    }
}

/// Replaces the number by the next, so that a job done twice or on a lost one is refused.
#[must_use]
pub fn job(client: usize, step: u64) -> JobRequest {
    let replace = |clip: Option<String>| FileEdit {
        op: "replace".to_owned(),
        old: Some(format!("number {}\n", step - 1)),
        new: Some(format!("number {step}\n")),
        to_clipboard: clip,
        ..FileEdit::default()
    };
    let numbered = |file: usize| FileEntry {
        path: name(client, file).as_str().into(),
        base: None,
        edits: vec![replace((file == 0).then(|| "last".to_owned()))],
        ..FileEntry::default()
    };
    let (op, text) = if stands(step) { ("create", Some(turn_text(client, step))) } else { ("delete", None) };
    let turn = FileEntry {
        path: turn_name(client).as_str().into(),
        // A job that recovery has finished leaves no receipt for lines.
        base: (op == "delete").then(|| "any".to_owned()),
        edits: vec![FileEdit { op: op.to_owned(), text, ..FileEdit::default() }],
        ..FileEntry::default()
    };
    JobRequest {
        key: Some(format!("step {step}")),
        diff: Some(false),
        files: (0..FILES).map(numbered).chain([turn]).collect(),
        ..JobRequest::default()
    }
}

/// Returns true if the file that is created and deleted in turn exists after a step.
fn stands(step: u64) -> bool {
    step % 2 == 1
}

/// Returns the step of a client, if all of its files agree.
///
/// # Errors
/// A description of the files if they disagree.
pub fn shown(daemon: &TestDaemon, client: usize) -> Result<u64, String> {
    let all: Vec<u64> = (0..FILES).map(|file| number(daemon, client, file)).collect::<Result<_, _>>()?;
    let turn = std::fs::read_to_string(daemon.workspace().join(turn_name(client))).ok();
    let first = all.first().copied().unwrap_or_default();
    let right = stands(first).then(|| turn_text(client, first));
    if all.iter().any(|one| *one != first) || turn != right {
        return Err(format!("client {client}: its files say {all:?} and {turn:?}"));
    }
    Ok(first)
}

/// The journal, the clipboard and the keys of a client that came to a step.
///
/// # Errors
/// The first violated expectation.
pub fn check(daemon: &TestDaemon, client: usize, step: u64) -> Result<(), String> {
    let came = shown(daemon, client)?;
    if came != step {
        return Err(format!("client {client} came to {step}; its files say {came}"));
    }
    if step == 0 {
        return Ok(());
    }
    let mut connection = daemon.client(&session(client));
    let clip = ClipRequest { action: ClipAction::Show, name: Some("last".to_owned()), to: None, text: None };
    let clip: ClipReply =
        connection.ask(kind::CLIP, &clip).map_err(|e| format!("client {client}'s clipboard: {e:?}"))?;
    if clip.text != Some(format!("number {}\n", step - 1)) {
        return Err(format!("client {client} came to {step}; its clipboard has {:?}", clip.text));
    }
    let entries = entries(&mut connection, client)?.len() as u64;
    if entries != step {
        return Err(format!("client {client} came to {step}; the journal has {entries} entries of it"));
    }
    // A key of long ago is still the same job.
    let again: Receipt =
        connection.ask(kind::EDIT, &job(client, 1)).map_err(|e| format!("client {client}'s key: {e:?}"))?;
    if !again.repeated || again.status != JobStatus::Applied {
        return Err(format!("client {client}: its first job sent again: {again:?}"));
    }
    Ok(())
}

/// Takes back the newest entries of a client, as many at once as one undo takes.
///
/// # Errors
/// The refusal of the daemon, or fewer entries than `steps`.
pub fn undo(daemon: &TestDaemon, client: usize, steps: usize) -> Result<(), String> {
    let mut connection = daemon.client(&session(client));
    let all: Vec<JobId> = entries(&mut connection, client)?.iter().map(|entry| entry.id).collect();
    let newest = all.get(..steps).ok_or_else(|| format!("client {client} has {} entries", all.len()))?;
    for some in newest.chunks(900) {
        let request = UndoRequest { jobs: some.to_vec(), diff: Some(false), ..UndoRequest::default() };
        let receipt: Receipt =
            connection.ask(kind::UNDO, &request).map_err(|e| format!("client {client}'s undo: {e:?}"))?;
        if receipt.status != JobStatus::Applied {
            return Err(format!("client {client}'s undo: {receipt:?}"));
        }
    }
    Ok(())
}

/// The entries of a client, newest first.
fn entries(connection: &mut Client, client: usize) -> Result<Vec<EntrySummary>, String> {
    let mut all: Vec<EntrySummary> = Vec::new();
    loop {
        let page = HistoryRequest {
            session: Some(session(client)),
            before: all.last().map(|entry| entry.id),
            limit: Some(1000),
            ..HistoryRequest::default()
        };
        let page: HistoryReply =
            connection.ask(kind::HISTORY, &page).map_err(|e| format!("client {client}'s history: {e:?}"))?;
        all.extend(page.entries);
        if !page.more {
            return Ok(all);
        }
    }
}

fn session(client: usize) -> String {
    format!("client {client}")
}

/// One of a client's files.
#[must_use]
pub fn name(client: usize, file: usize) -> String {
    format!("c{client}/file {file}.txt")
}

/// The file that comes with every odd step and goes with every even one.
fn turn_name(client: usize) -> String {
    format!("c{client}/turn/turn.txt")
}

fn turn_text(client: usize, step: u64) -> String {
    format!("client {client} made this in step {step}\n")
}

fn content(client: usize, file: usize, number: u64) -> String {
    let filler: String = (0..60).map(|n| format!("line {n} of file {file} of client {client}\n")).collect();
    format!("{filler}number {number}\n{filler}")
}

fn number(daemon: &TestDaemon, client: usize, file: usize) -> Result<u64, String> {
    let path = name(client, file);
    let bytes = std::fs::read(daemon.workspace().join(&path)).map_err(|e| format!("{path}: {e}"))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let number = text.lines().find_map(|line| line.strip_prefix("number ")?.parse().ok());
    number
        .filter(|number| text == content(client, file, *number))
        .ok_or_else(|| format!("{path} is torn: {} bytes, {text:?}", text.len()))
}
