//! The shell around the state: it reads keys, signals and the daemon, gives each to the state, carries out the requests, and
//! draws. Decides nothing.

pub(crate) mod daemon;
mod terminal;
mod workers;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::state::{Input, Request, UiState};
use crate::view::{Palette, draw};
use daemon::DaemonAddress;
use terminal::Screen;
use workers::Workers;

/// The time without an input after which the journal is looked at again: there is no event for a change of a file that git
/// ignores.
const IDLE: Duration = Duration::from_secs(10);

/// The error that ends the program.
#[derive(Debug)]
pub(crate) enum ShellError {
    /// The options or the terminal do not fit.
    Usage(String),
    /// The system failed at a file.
    File(PathBuf, io::Error),
    /// The terminal failed.
    Terminal(io::Error),
    /// A thread ended, which the program needs.
    Worker(&'static str),
}

impl ShellError {
    /// Returns the exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::File(..) | Self::Terminal(_) | Self::Worker(_) => 5,
        }
    }
}

impl std::fmt::Display for ShellError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(message) => out.write_str(message),
            Self::File(path, error) => write!(out, "{}: {error}", path.display()),
            Self::Terminal(error) => write!(out, "the terminal: {error}"),
            Self::Worker(name) => write!(out, "the thread `{name}` ended; start editctl ui again"),
        }
    }
}

/// A message to the shell.
enum ShellEvent {
    /// For the state.
    Input(Input),
    /// This signal ends the program.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has signals"))]
    Signal(i32),
    /// A thread ended.
    Ended(&'static str),
}

/// Runs the interface until the user quits.
pub(crate) fn run(address: DaemonAddress, palette: Palette) -> Result<(), ShellError> {
    let mut state = UiState::new(address.workspace.root().display().to_string());
    let (sender, events) = channel();
    let mut screen = Screen::open().map_err(ShellError::Terminal)?;
    terminal::read_signals(&sender).map_err(ShellError::Terminal)?;
    terminal::read_keys(&sender);
    let workers = Workers::start(Arc::new(address), &sender);
    let (width, height) = screen.size().map_err(ShellError::Terminal)?;
    let mut inputs = vec![Input::Resized(width, height)];
    loop {
        for input in inputs.drain(..) {
            for request in state.step(input) {
                match request {
                    Request::Quit => return screen.close().map_err(ShellError::Terminal),
                    request => workers.send(request),
                }
            }
        }
        screen.draw(|area, buffer| draw(&state, palette, area, buffer)).map_err(ShellError::Terminal)?;
        let first = match events.recv_timeout(IDLE) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => ShellEvent::Input(Input::Changed),
            Err(RecvTimeoutError::Disconnected) => return Err(ShellError::Worker("all")),
        };
        // What came meanwhile is drawn once.
        for event in std::iter::once(first).chain(events.try_iter()) {
            match event {
                ShellEvent::Input(input) => inputs.push(input),
                ShellEvent::Signal(signal) => {
                    screen.close().map_err(ShellError::Terminal)?;
                    return terminal::end_by(signal).map_err(ShellError::Terminal);
                }
                ShellEvent::Ended(name) => return Err(ShellError::Worker(name)),
            }
        }
    }
}
