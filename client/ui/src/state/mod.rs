//! The state of the interface: [`UiState::step`] takes an input and returns requests. It knows no terminal, no socket and no
//! clock.
//!
//! *Invariants*: the selection stays on its entry when others arrive; at most one request for the newest and one for older
//! entries is on its way; nothing is undone before a question was answered with `y`.

pub(crate) mod detail;
pub(crate) mod entry_row;
pub(crate) mod journal;
mod keys;
pub(crate) mod layout;
pub(crate) mod overlay;
pub(crate) mod sessions;
pub(crate) mod undo;

use detail::{DetailPage, EntryText};
use entry_row::EntryRow;
use journal::{EntryFilter, ListRequest, LoadedJournal};
pub(crate) use keys::Key;
use layout::ScreenLayout;
use overlay::Overlay;
use sessions::SessionList;
use undo::{UndoResult, UndoTarget};

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Input {
    /// The user pressed a key.
    Key(Key),
    /// The user pasted a text.
    Pasted(String),
    /// The screen has this size now: columns and rows.
    Resized(u16, u16),
    /// The daemon sends events from now on.
    Connected,
    /// There is no daemon, for this reason.
    Lost(String),
    /// The daemon reported a change, or nothing happened for a while.
    Changed,
    /// A message for the user.
    Noticed(String),
    /// The reply to a request for entries, and true if there are older ones.
    Listed(ListRequest, Result<(Vec<EntryRow>, bool), String>),
    /// The reply to a request for the text of an entry behind so many files.
    Shown(u64, u64, Result<DetailPage, String>),
    /// The result of an undo or redo.
    Undone(UndoTarget, UndoResult),
}

/// Something to do. The reply is an [`Input`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// Get entries.
    List(ListRequest),
    /// Get the text of an entry, without that of so many files.
    Show(u64, u64),
    /// Undo or redo.
    Undo(UndoTarget),
    /// Connect again at once; a daemon may be started.
    Reconnect,
    /// End the program.
    Quit,
}

/// The connection to the daemon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DaemonLink {
    /// Not yet tried.
    Connecting,
    /// It sends events.
    Live,
    /// There is none, for this reason.
    Lost(String),
}

/// The pane that takes the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FocusedPane {
    /// The list of entries.
    List,
    /// The text of the selected entry.
    Text,
}

/// The state of the interface.
#[derive(Debug)]
pub(crate) struct UiState {
    /// The workspace, for the title.
    pub(crate) workspace: String,
    pub(crate) size: (u16, u16),
    pub(crate) link: DaemonLink,
    pub(crate) focus: FocusedPane,
    pub(crate) journal: LoadedJournal,
    pub(crate) text: EntryText,
    /// The list of sessions while it is open.
    pub(crate) sessions: Option<SessionList>,
    pub(crate) overlay: Option<Overlay>,
    /// A report that waits until no other part of the screen takes the keys.
    report: Option<Overlay>,
    /// A message in the last line, until the next key.
    pub(crate) notice: Option<String>,
    /// The undo that is on its way.
    pub(crate) undoing: Option<UndoTarget>,
}

impl UiState {
    /// Creates the state of an interface that has no size and no connection yet.
    pub(crate) fn new(workspace: String) -> Self {
        Self {
            workspace,
            size: (0, 0),
            link: DaemonLink::Connecting,
            focus: FocusedPane::List,
            journal: LoadedJournal::default(),
            text: EntryText::default(),
            sessions: None,
            overlay: None,
            report: None,
            notice: None,
            undoing: None,
        }
    }

    /// Takes an input, and returns what is to be done.
    pub(crate) fn step(&mut self, input: Input) -> Vec<Request> {
        let mut requests = match input {
            Input::Key(key) => self.press(key),
            Input::Pasted(text) => {
                self.paste(&text);
                Vec::new()
            }
            Input::Resized(width, height) => {
                self.size = (width, height);
                Vec::new()
            }
            Input::Connected => self.connected(),
            // The first reason stays while no attempt to connect succeeds.
            Input::Lost(_) if matches!(self.link, DaemonLink::Lost(_)) => Vec::new(),
            Input::Lost(reason) => {
                self.link = DaemonLink::Lost(reason);
                self.journal.lost();
                self.text.lost();
                Vec::new()
            }
            Input::Changed if self.link == DaemonLink::Live => {
                self.journal.refresh().into_iter().map(Request::List).collect()
            }
            Input::Changed => Vec::new(),
            Input::Noticed(words) => {
                self.notice = Some(words.trim_end().to_owned());
                Vec::new()
            }
            Input::Listed(request, reply) => self.listed(&request, reply),
            Input::Shown(entry, from, page) => {
                if self.text.entry == Some(entry) {
                    self.text.take(from, page);
                }
                Vec::new()
            }
            Input::Undone(target, result) => self.undone(target, &result),
        };
        requests.extend(self.settled());
        requests
    }

    fn connected(&mut self) -> Vec<Request> {
        self.link = DaemonLink::Live;
        let request = if self.journal.loaded {
            self.journal.refresh()
        } else {
            Some(self.journal.begin(self.journal.filter.clone()))
        };
        // The entry may have been undone meanwhile, and a text that failed may be there now.
        let text = self.text.entry.map(|entry| Request::Show(entry, 0));
        request.map(Request::List).into_iter().chain(text).collect()
    }

    fn listed(
        &mut self,
        request: &ListRequest,
        reply: Result<(Vec<EntryRow>, bool), String>,
    ) -> Vec<Request> {
        let reply = match reply {
            Ok(reply) => Some(reply),
            Err(error) => {
                self.notice = Some(error);
                None
            }
        };
        let before = self.journal.selected_row().cloned();
        let next = self.journal.take(request, reply);
        let mut requests: Vec<Request> = next.into_iter().map(Request::List).collect();
        let now = self.journal.selected_row();
        let changed =
            before.as_ref().is_some_and(|row| now.is_some_and(|now| row.id == now.id && row != now));
        if let Some(entry) = self.text.entry.filter(|_| changed) {
            // The text stays until the new one is there.
            requests.push(Request::Show(entry, 0));
        }
        if let Some(list) = &mut self.sessions {
            list.take(&self.journal.rows);
        }
        requests
    }

    fn undone(&mut self, target: UndoTarget, result: &UndoResult) -> Vec<Request> {
        self.undoing = None;
        let entry = target.entry;
        let first = result.text.lines().next().unwrap_or_default();
        self.notice = Some(first.to_owned()).filter(|_| !result.refused);
        if result.refused || result.has_details {
            let title = match (result.refused, target.redo) {
                (true, false) => "undo refused",
                (true, true) => "redo refused",
                (false, false) => "undone",
                (false, true) => "redone",
            };
            let merge = result.can_merge.then(|| target.merged());
            let lines = result.text.lines().map(str::to_owned).collect();
            self.report = Some(Overlay::Report { title: title.to_owned(), lines, offset: 0, merge });
        }
        let again = self.journal.again(entry);
        self.journal.refresh().into_iter().chain([again]).map(Request::List).collect()
    }

    /// Begins a list with this filter.
    fn choose(&mut self, filter: EntryFilter) -> Vec<Request> {
        let same =
            (&filter.session, &filter.path) == (&self.journal.filter.session, &self.journal.filter.path);
        if same {
            self.journal.search(filter.text);
            return Vec::new();
        }
        let request = self.journal.begin(filter);
        if self.link == DaemonLink::Live { vec![Request::List(request)] } else { Vec::new() }
    }

    /// Returns the layout of the screen.
    pub(crate) fn layout(&self) -> Option<ScreenLayout> {
        ScreenLayout::of(self.size.0, self.size.1)
    }

    /// Brings the selections onto the screen, and requests what it lacks.
    fn settled(&mut self) -> Vec<Request> {
        self.overlay = self.overlay.take().or_else(|| self.report.take());
        let Some(layout) = self.layout() else { return Vec::new() };
        let mut requests = Vec::new();
        let selected = self.journal.selected_row().map(|row| row.id);
        if selected != self.text.entry {
            self.text.begin(selected);
            requests.extend(selected.map(|entry| Request::Show(entry, 0)));
        }
        self.journal.scroll(layout.entries());
        self.text.scroll(layout.lines());
        if let Some(list) = &mut self.sessions {
            list.scroll(layout.sessions());
        }
        if self.link == DaemonLink::Live {
            let more = self.text.need_more(layout.lines());
            requests.extend(self.text.entry.zip(more).map(|(entry, from)| Request::Show(entry, from)));
            requests.extend(self.journal.need_older(layout.entries()).map(Request::List));
        }
        requests
    }
}
