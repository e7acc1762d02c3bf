//! The terminal: raw mode and the alternate screen, which are left on every way out, and the keys and signals.

use std::io;
use std::sync::mpsc::Sender;

use ratatui::DefaultTerminal;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use ratatui::layout::Rect;

use super::ShellEvent;
use super::workers::start_thread;
use crate::state::{Input, Key};

/// The screen while it is in use. Dropping it restores the terminal; so does a panic of any thread.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    open: bool,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Self> {
        let screen = Self { terminal: ratatui::try_init()?, open: true };
        // Without it the letters of a pasted text would be keys, and could undo something. Some terminals lack it.
        let _ = execute!(io::stdout(), EnableBracketedPaste);
        Ok(screen)
    }

    /// Returns the number of columns and rows.
    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }

    /// Draws a screen.
    pub(super) fn draw(&mut self, paint: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        self.terminal.draw(|frame| paint(frame.area(), frame.buffer_mut())).map(drop)
    }

    /// Restores the terminal.
    pub(super) fn close(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.open) {
            return Ok(());
        }
        // All are tried.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        let cursor = self.terminal.show_cursor();
        ratatui::try_restore().and(cursor)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The error that led here is reported instead.
        let _ = self.close();
    }
}

/// Starts the thread that reads keys.
pub(super) fn read_keys(sender: &Sender<ShellEvent>) {
    let sender = sender.clone();
    start_thread("keys", sender.clone(), move || {
        while let Ok(event) = event::read() {
            let input = match event {
                Event::Key(key) => meaning(key).map(Input::Key),
                Event::Resize(width, height) => Some(Input::Resized(width, height)),
                Event::Paste(text) => Some(Input::Pasted(text)),
                _ => None,
            };
            if input.is_some_and(|input| sender.send(ShellEvent::Input(input)).is_err()) {
                return;
            }
        }
    });
}

/// Returns the key for the state, if it has a meaning.
fn meaning(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Key::Interrupt),
            KeyCode::Char('h') => Some(Key::Backspace),
            KeyCode::Char('n') => Some(Key::Down),
            KeyCode::Char('p') => Some(Key::Up),
            KeyCode::Char('f') => Some(Key::PageDown),
            KeyCode::Char('b') => Some(Key::PageUp),
            _ => None,
        };
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    Some(match key.code {
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Tab | KeyCode::BackTab => Key::Tab,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}

/// Starts the thread that waits for the signals that end the program.
#[cfg(unix)]
pub(super) fn read_signals(sender: &Sender<ShellEvent>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let sender = sender.clone();
    start_thread("signals", sender.clone(), move || {
        for signal in signals.forever() {
            if sender.send(ShellEvent::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Ends the process by a signal, so that its status says so.
#[cfg(unix)]
pub(super) fn end_by(signal: i32) -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal)
}

/// There are no signals on this system.
#[cfg(not(unix))]
pub(super) fn read_signals(_: &Sender<ShellEvent>) -> io::Result<()> {
    Ok(())
}

/// There are no signals on this system.
#[cfg(not(unix))]
pub(super) fn end_by(_: i32) -> io::Result<()> {
    Ok(())
}
