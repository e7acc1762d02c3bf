//! Draws the state: the title, the panes, and the last line. Changes nothing.

mod entries;
mod last_line;
mod paint;
mod report;
mod text;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use crate::state::layout::ScreenLayout;
use crate::state::overlay::Overlay;
use crate::state::{DaemonLink, FocusedPane, UiState};
pub(crate) use paint::Palette;
use paint::{dim, put};

/// Draws the whole screen.
pub(crate) fn draw(state: &UiState, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let Some(layout) = ScreenLayout::of(area.width, area.height) else {
        put(buffer, area, 0, &Line::from("too small"));
        return;
    };
    put(buffer, area, 0, &title(state, palette, area.width));
    let body = Rect { y: area.y + 1, height: layout.body, ..area };
    match &state.overlay {
        Some(Overlay::Help { offset }) => report::help(*offset, palette, body, buffer),
        Some(Overlay::Report { title, lines, offset, merge }) => {
            let lines = lines.iter().skip(*offset);
            report::report(title, lines, merge.is_some(), palette, body, buffer);
        }
        _ => panes(state, layout, palette, body, buffer),
    }
    last_line::draw(state, palette, area, buffer);
}

fn panes(state: &UiState, layout: ScreenLayout, palette: Palette, body: Rect, buffer: &mut Buffer) {
    if let Some(sessions) = &state.sessions {
        return entries::sessions(sessions, state, palette, body, buffer);
    }
    match (layout.list, state.focus) {
        (None, FocusedPane::List) => entries::list(state, palette, body, buffer),
        (None, FocusedPane::Text) => text::text(state, palette, body, buffer),
        (Some(width), _) => {
            let list = Rect { width, ..body };
            entries::list(state, palette, list, buffer);
            for row in 0..body.height {
                let border = Rect { x: body.x + width, width: 1, ..body };
                put(buffer, border, row, &Line::from(Span::styled("\u{2502}", dim())));
            }
            let right = Rect { x: body.x + width + 1, width: body.width.saturating_sub(width + 1), ..body };
            text::text(state, palette, right, buffer);
        }
    }
}

/// The line with the workspace, the filter and the connection.
fn title(state: &UiState, palette: Palette, width: u16) -> Line<'static> {
    let link = match &state.link {
        DaemonLink::Connecting => ("connecting", palette.notice()),
        DaemonLink::Live => ("live", palette.good()),
        DaemonLink::Lost(_) => ("NO DAEMON", palette.bad()),
    };
    let filter = &state.journal.filter;
    let chosen = [("session ", filter.session.as_ref()), ("path ", filter.path.as_ref())];
    let mut words: Vec<String> = chosen
        .iter()
        .filter_map(|(word, value)| Some(format!("{word}{}", paint::safe(value.as_ref()?))))
        .collect();
    if !filter.text.is_empty() {
        words.push(format!("\u{201c}{}\u{201d}", paint::safe(&filter.text)));
    }
    let folder = state.workspace.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = if words.is_empty() { paint::safe(&state.workspace) } else { paint::safe(folder) };
    let loaded = state.journal.rows.len();
    let more = if state.journal.more { "+" } else { "" };
    let shown = if filter.text.is_empty() {
        let word = if loaded == 1 { "entry" } else { "entries" };
        format!("{loaded}{more} {word}")
    } else {
        format!("{} of {loaded}{more} entries", state.journal.visible.len())
    };
    let end = format!("  {shown}  ");
    let room = usize::from(width).saturating_sub(end.chars().count() + link.0.len());
    let left = paint::fitted(&[vec![name], words].concat().join(" \u{b7} "), room);
    let pad = " ".repeat(room.saturating_sub(Line::from(left.as_str()).width()));
    Line::from(vec![
        Span::styled(left, Modifier::BOLD),
        Span::raw(pad),
        Span::styled(end, dim()),
        Span::styled(link.0, link.1),
    ])
}
