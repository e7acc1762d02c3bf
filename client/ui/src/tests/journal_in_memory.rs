//! A journal in memory that answers the requests of the state, in the place of the shell and the daemon.

use std::path::PathBuf;

use editctl::show::OutputStyle;
use editd_proto::message::{EntrySummary, Receipt, ShowReply};
use jiff::tz::TimeZone;

use crate::state::detail::DetailPage;
use crate::state::entry_row::EntryRow;
use crate::state::journal::ListRequest;
use crate::state::undo::UndoResult;
use crate::state::{Input, Key, Request, UiState};

pub(super) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")
}

pub(super) fn style() -> OutputStyle {
    OutputStyle::for_screen().at_zone(TimeZone::UTC)
}

/// A state and the journal behind it.
pub(super) struct Interface {
    pub(super) state: UiState,
    /// The entries, oldest first.
    pub(super) entries: Vec<ShowReply>,
    /// Requests are kept instead of being answered.
    pub(super) mute: bool,
    /// Every request so far.
    pub(super) asked: Vec<Request>,
    /// The reply to each undo.
    pub(super) receipt: Option<Receipt>,
}

impl Interface {
    /// An interface of this size without a connection.
    pub(super) fn new(entries: Vec<ShowReply>, size: (u16, u16)) -> Self {
        let state = UiState::new("/home/me/project".to_owned());
        let mut interface = Self { state, entries, mute: false, asked: Vec::new(), receipt: None };
        interface.give(Input::Resized(size.0, size.1));
        interface
    }

    /// The same with a connection.
    pub(super) fn connected(entries: Vec<ShowReply>, size: (u16, u16)) -> Self {
        let mut interface = Self::new(entries, size);
        interface.give(Input::Connected);
        interface
    }

    /// Gives an input, and the replies to all requests that follow.
    pub(super) fn give(&mut self, input: Input) {
        let mut inputs = vec![input];
        while !inputs.is_empty() {
            for request in self.state.step(inputs.remove(0)) {
                self.asked.push(request.clone());
                if !self.mute {
                    inputs.extend(self.answer(request));
                }
            }
        }
    }

    /// Presses keys: names of keys, and words that are typed.
    pub(super) fn press(&mut self, keys: &str) {
        for word in keys.split(' ') {
            let named = match word {
                "Up" => Some(Key::Up),
                "Down" => Some(Key::Down),
                "Left" => Some(Key::Left),
                "Right" => Some(Key::Right),
                "PgUp" => Some(Key::PageUp),
                "PgDn" => Some(Key::PageDown),
                "Home" => Some(Key::Home),
                "End" => Some(Key::End),
                "Tab" => Some(Key::Tab),
                "Enter" => Some(Key::Enter),
                "Esc" => Some(Key::Esc),
                "Backspace" => Some(Key::Backspace),
                "Ctrl-C" => Some(Key::Interrupt),
                _ => None,
            };
            let typed = word.chars().filter(|_| named.is_none()).map(Key::Char);
            for key in named.into_iter().chain(typed) {
                self.give(Input::Key(key));
            }
        }
    }

    pub(super) fn answer(&self, request: Request) -> Option<Input> {
        match request {
            Request::List(request) => {
                let reply = self.list(&request);
                Some(Input::Listed(request, Ok(reply)))
            }
            Request::Show(entry, from) => {
                let found = self.entries.iter().find(|one| one.entry.id.0 == entry);
                let page = found.map(|reply| DetailPage::of(reply, from, &style()));
                Some(Input::Shown(entry, from, page.ok_or_else(|| "there is no such entry".to_owned())))
            }
            Request::Undo(target) => {
                let receipt = self.receipt.as_ref()?;
                let result = UndoResult::of(&target, receipt, &style());
                Some(Input::Undone(target, result))
            }
            Request::Reconnect | Request::Quit => None,
        }
    }

    fn list(&self, request: &ListRequest) -> (Vec<EntryRow>, bool) {
        let has =
            |entry: &EntrySummary, path: &String| entry.files.iter().any(|file| &file.path.display() == path);
        let mut found = self.entries.iter().rev().map(|one| &one.entry).filter(|entry| {
            request.before.is_none_or(|before| entry.id.0 < before)
                && request.session.as_ref().is_none_or(|session| &entry.session == session)
                && request.path.as_ref().is_none_or(|path| has(entry, path))
        });
        let limit = usize::try_from(request.limit).unwrap();
        let rows = found.by_ref().take(limit).map(|entry| EntryRow::of(entry, &style())).collect();
        (rows, found.next().is_some())
    }
}

/// Returns the journal of the cases.
pub(super) fn standard() -> Vec<ShowReply> {
    stored("standard")
}

/// Returns the entries of a file beside the cases.
pub(super) fn stored(name: &str) -> Vec<ShowReply> {
    let file = folder().join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Returns a small entry.
pub(super) fn entry(id: u64, session: &str, path: &str) -> ShowReply {
    let diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old {id}\n+new {id}\n");
    let entry = serde_json::json!({
        "entry": { "id": id, "key": null, "time": 1_763_633_100_000 + id * 1000, "session": session,
            "client": "codex", "label": null, "kind": "edit", "undone": false,
            "files": [{ "path": path, "before": "0123456789ab", "after": "ba9876543210", "added": 1, "removed": 1 }] },
        "changes": [{ "path": path, "diff": diff, "omitted_hunks": 0,
            "hunks": [{ "hunk": 1, "line": 1, "added": 1, "removed": 1 }] }]
    });
    serde_json::from_value(entry).unwrap()
}

/// Returns a journal of this many small entries of three sessions.
pub(super) fn long(count: u64) -> Vec<ShowReply> {
    (1..=count).map(|id| entry(id, &format!("agent-{}", id % 3), &format!("src/file{id}.rs"))).collect()
}
