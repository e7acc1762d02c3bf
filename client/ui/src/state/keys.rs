//! The effects of keys.

use super::detail::EntryPart;
use super::journal::EntryFilter;
use super::overlay::{KEYS, Overlay, PromptSubject, erased, typed};
use super::sessions::SessionList;
use super::undo::UndoTarget;
use super::{DaemonLink, FocusedPane, Request, UiState};

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    Char(char),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Tab,
    Enter,
    Esc,
    Backspace,
    /// Ctrl-C.
    Interrupt,
}

/// Columns by which the text moves sideways, and those to which it moves at most.
const ACROSS: usize = 8;
const FARTHEST: usize = 4096;

impl Key {
    /// Returns the number of rows by which the key moves on a screen of `page` rows.
    fn steps(self, page: usize) -> Option<isize> {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        Some(match self {
            Self::Up | Self::Char('k') => -1,
            Self::Down | Self::Char('j') => 1,
            Self::PageUp => -page,
            Self::PageDown | Self::Char(' ') => page,
            Self::Home | Self::Char('g') => isize::MIN,
            Self::End | Self::Char('G') => isize::MAX,
            _ => return None,
        })
    }
}

impl UiState {
    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Vec<Request> {
        self.notice = None;
        if key == Key::Interrupt {
            return vec![Request::Quit];
        }
        match self.overlay.take() {
            Some(overlay) => self.press_in_overlay(key, overlay),
            None if self.sessions.is_some() => self.press_in_sessions(key),
            None => self.press_in_panes(key),
        }
    }

    /// Takes a pasted text: its first line goes into an open prompt. Elsewhere its letters are no keys.
    pub(super) fn paste(&mut self, pasted: &str) {
        if let Some(Overlay::Prompt { text, proposed, .. }) = &mut self.overlay {
            let line = pasted.lines().next().unwrap_or_default();
            line.chars().for_each(|letter| typed(text, proposed, letter));
        }
    }

    fn press_in_overlay(&mut self, key: Key, overlay: Overlay) -> Vec<Request> {
        let page = self.layout().map_or(1, |layout| layout.lines());
        match overlay {
            Overlay::Prompt { subject, text, proposed } => self.press_in_prompt(key, subject, text, proposed),
            Overlay::Question { target } => match key {
                Key::Char('y') => self.begin_undo(target),
                Key::Char('n' | 'q') | Key::Esc => Vec::new(),
                _ => {
                    self.overlay = Some(Overlay::Question { target });
                    Vec::new()
                }
            },
            Overlay::Report { title, lines, offset, merge } => {
                if key == Key::Char('m')
                    && let Some(target) = merge
                {
                    self.overlay = Some(Overlay::Question { target });
                    return Vec::new();
                }
                let last = lines.len().saturating_sub(1);
                let moved = key.steps(page).map(|steps| offset.saturating_add_signed(steps).min(last));
                let stays = !matches!(key, Key::Esc | Key::Enter | Key::Char('q'));
                let offset = moved.unwrap_or(offset);
                self.overlay = stays.then_some(Overlay::Report { title, lines, offset, merge });
                Vec::new()
            }
            Overlay::Help { offset } => {
                let last = KEYS.len().saturating_sub(1);
                let moved = key.steps(page).map(|steps| offset.saturating_add_signed(steps).min(last));
                self.overlay = moved.map(|offset| Overlay::Help { offset });
                Vec::new()
            }
        }
    }

    fn press_in_prompt(
        &mut self,
        key: Key,
        subject: PromptSubject,
        mut text: String,
        mut proposed: bool,
    ) -> Vec<Request> {
        match key {
            Key::Esc => return Vec::new(),
            Key::Enter => {
                let mut filter = self.journal.filter.clone();
                let given = Some(text.clone()).filter(|text| !text.is_empty());
                match subject {
                    PromptSubject::Text => filter.text = text,
                    PromptSubject::Session => filter.session = given,
                    PromptSubject::Path => filter.path = given,
                }
                return self.choose(filter);
            }
            Key::Backspace => erased(&mut text, &mut proposed),
            Key::Char(letter) => typed(&mut text, &mut proposed, letter),
            Key::Left | Key::Right | Key::Home | Key::End => proposed = false,
            _ => {}
        }
        self.overlay = Some(Overlay::Prompt { subject, text, proposed });
        Vec::new()
    }

    fn press_in_sessions(&mut self, key: Key) -> Vec<Request> {
        let page = self.layout().map_or(1, |layout| layout.sessions());
        let Some(list) = &mut self.sessions else { return Vec::new() };
        if let Some(steps) = key.steps(page) {
            let at_end = list.select_by(steps) && steps > 0;
            // More sessions may be among older entries.
            let end = self.journal.visible.len();
            self.journal.offset = if at_end { end } else { self.journal.offset };
            let older = if at_end { self.journal.need_older(page) } else { None };
            return older.map(Request::List).into_iter().collect();
        }
        match key {
            Key::Enter => {
                let session = list.selected.clone();
                self.sessions = None;
                self.choose(EntryFilter { session, ..EntryFilter::default() })
            }
            Key::Esc | Key::Char('S') => {
                self.sessions = None;
                Vec::new()
            }
            Key::Char('?' | 'q' | 'R') => self.press_anywhere(key),
            _ => Vec::new(),
        }
    }

    fn press_in_panes(&mut self, key: Key) -> Vec<Request> {
        let Some(layout) = self.layout() else { return self.press_anywhere(key) };
        match (self.focus, key) {
            (FocusedPane::List, key) if key.steps(1).is_some() => {
                self.journal.select_by(key.steps(layout.entries()).unwrap_or_default());
            }
            (FocusedPane::Text, key) if key.steps(1).is_some() => {
                self.text.move_by(key.steps(layout.lines()).unwrap_or_default());
            }
            (_, Key::Char('n' | 'p')) => {
                self.focus = FocusedPane::Text;
                self.text.move_to_part(key == Key::Char('n'));
            }
            (_, Key::Left | Key::Char('h')) => self.text.across = self.text.across.saturating_sub(ACROSS),
            (_, Key::Right | Key::Char('l')) => self.text.across = (self.text.across + ACROSS).min(FARTHEST),
            (FocusedPane::List, Key::Tab | Key::Enter) => self.focus = FocusedPane::Text,
            (FocusedPane::Text, Key::Tab) => self.focus = FocusedPane::List,
            (FocusedPane::Text, Key::Esc) if layout.list.is_none() => self.focus = FocusedPane::List,
            (_, key) => return self.press_anywhere(key),
        }
        Vec::new()
    }

    fn press_anywhere(&mut self, key: Key) -> Vec<Request> {
        match key {
            Key::Esc => {
                self.focus = FocusedPane::List;
                return self.choose(EntryFilter::default());
            }
            Key::Char('q') => return vec![Request::Quit],
            Key::Char('R') => return self.look_again(),
            Key::Char('S') => {
                let text = self.choose(EntryFilter::default());
                let mut list = SessionList::default();
                list.take(&self.journal.rows);
                self.sessions = Some(list);
                return text;
            }
            Key::Char('?') => self.overlay = Some(Overlay::Help { offset: 0 }),
            Key::Char('/') => self.ask_for(PromptSubject::Text),
            Key::Char('s') => self.ask_for(PromptSubject::Session),
            Key::Char('f') => self.ask_for(PromptSubject::Path),
            Key::Char('u') => self.ask_to_undo(false),
            Key::Char('r') => self.ask_to_undo(true),
            _ => {}
        }
        Vec::new()
    }

    fn look_again(&mut self) -> Vec<Request> {
        match self.link {
            DaemonLink::Live => {
                let shown = self.text.entry.map(|entry| Request::Show(entry, 0));
                self.journal.refresh_all().map(Request::List).into_iter().chain(shown).collect()
            }
            _ => {
                self.link = DaemonLink::Connecting;
                vec![Request::Reconnect]
            }
        }
    }

    /// Opens a prompt that proposes the value of the selected entry.
    fn ask_for(&mut self, subject: PromptSubject) {
        let row = self.journal.selected_row();
        let here = match self.text.part().filter(|_| self.focus == FocusedPane::Text) {
            Some(EntryPart::File(path) | EntryPart::Hunk(path, _)) => Some(path.display()),
            _ => None,
        };
        let text = match subject {
            PromptSubject::Text => Some(self.journal.filter.text.clone()),
            PromptSubject::Session => row.map(|row| row.session.clone()),
            PromptSubject::Path => here.or_else(|| row.and_then(|row| row.paths.first().cloned())),
        };
        let text = text.unwrap_or_default();
        self.overlay = Some(Overlay::Prompt { subject, proposed: !text.is_empty(), text });
    }

    /// Asks about the undo or redo of the part at the cursor; of the whole entry if the list has the focus.
    fn ask_to_undo(&mut self, redo: bool) {
        if self.undoing.is_some() {
            self.notice = Some("wait until the last undo or redo is done".to_owned());
            return;
        }
        let Some(row) = self.journal.selected_row() else { return };
        let part = match self.focus {
            FocusedPane::List => EntryPart::Entry,
            FocusedPane::Text => match self.text.part() {
                Some(part) => part.clone(),
                None => return self.notice = Some("wait until the text of the entry is there".to_owned()),
            },
        };
        self.overlay = Some(Overlay::Question { target: UndoTarget::new(row, part, redo) });
    }

    fn begin_undo(&mut self, target: UndoTarget) -> Vec<Request> {
        self.undoing = Some(target.clone());
        vec![Request::Undo(target)]
    }
}
