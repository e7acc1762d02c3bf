//! Draws the last line: the prompt, the question, a message, or the most important keys. A long question grows upwards.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::paint::{Palette, dim, fitted, put, safe, wrapped};
use crate::state::overlay::Overlay;
use crate::state::{DaemonLink, FocusedPane, UiState};

/// The keys that answer a question.
const ANSWERS: &str = "  y: yes  n: no";

/// Draws the last line of the screen.
pub(super) fn draw(state: &UiState, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let last = area.height.saturating_sub(1);
    match &state.overlay {
        Some(Overlay::Prompt { subject, text, proposed }) => {
            let text = safe(text);
            let style = if *proposed { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
            let word = format!("{}: ", subject.word());
            let room = width.saturating_sub(word.len() + 1);
            let skipped = text.chars().count().saturating_sub(room);
            let tail: String = text.chars().skip(skipped).collect();
            let spans = vec![Span::raw(word), Span::styled(tail, style), Span::raw("_")];
            put(buffer, area, last, &Line::from(spans));
        }
        Some(Overlay::Question { target }) => {
            let mut lines = wrapped(&target.question(), width);
            let most = usize::from(last.max(1));
            match lines.last_mut() {
                Some(line) if Line::from(line.as_str()).width() + ANSWERS.len() <= width => {
                    line.push_str(ANSWERS)
                }
                _ => lines.push(ANSWERS.trim_start().to_owned()),
            }
            if lines.len() > most {
                lines.truncate(most.saturating_sub(1));
                lines.push(format!("\u{2026}{ANSWERS}"));
            }
            block(&lines, palette.notice().add_modifier(Modifier::BOLD), area, buffer);
        }
        Some(Overlay::Help { .. }) => {
            put(buffer, area, last, &Line::from("up down: scroll  any other key: close"))
        }
        Some(Overlay::Report { .. }) => put(buffer, area, last, &Line::from("up down: scroll  Esc: close")),
        None => match (&state.undoing, &state.notice, &state.link) {
            (Some(target), ..) => {
                let text = fitted(&format!("waiting for the {} of {}", target.verb(), target.entry), width);
                put(buffer, area, last, &Line::from(Span::styled(text, palette.notice())));
            }
            (None, Some(notice), _) => put(buffer, area, last, &palette.line(notice, 0, width)),
            (None, None, DaemonLink::Lost(reason)) => {
                let mut lines = wrapped(&format!("{}  R: connect now", safe(reason)), width);
                lines.truncate(usize::from(area.height / 2));
                block(&lines, palette.bad(), area, buffer);
            }
            _ => put(buffer, area, last, &Line::from(Span::styled(fitted(keys(state), width), dim()))),
        },
    }
}

/// Draws lines at the bottom of an area.
fn block(lines: &[String], style: Style, area: Rect, buffer: &mut Buffer) {
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let below = Rect { y: area.y + area.height - height, height, ..area };
    Clear.render(below, buffer);
    for (row, line) in (0..height).zip(lines) {
        put(buffer, below, row, &Line::from(Span::styled(line.clone(), style)));
    }
}

/// Returns the most important keys.
fn keys(state: &UiState) -> &'static str {
    match (state.sessions.is_some(), state.focus) {
        (true, _) => "Enter: entries of the session  Esc: back  ?: help  q: quit",
        (false, FocusedPane::List) => "?: help  Tab: text  /: search  s: session  f: path  u: undo  q: quit",
        (false, FocusedPane::Text) => {
            "?: help  Tab: list  n p: next, previous part  u: undo  r: redo  q: quit"
        }
    }
}
