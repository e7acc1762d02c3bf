//! Draws the text of the selected entry. A bar marks the part at the cursor, which `u` undoes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::paint::{Palette, dim, put, safe, wrapped};
use crate::state::detail::DetailStatus;
use crate::state::{FocusedPane, UiState};

/// Draws the text.
pub(super) fn text(state: &UiState, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let text = &state.text;
    let entry = text.entry.unwrap_or_default();
    match &text.status {
        DetailStatus::Empty => return,
        DetailStatus::Loading => {
            return put(buffer, area, 0, &Line::from(Span::styled(format!("loading entry {entry}"), dim())));
        }
        DetailStatus::Failed(error) => {
            let lines =
                wrapped(&format!("entry {entry} cannot be shown: {}", safe(error)), usize::from(area.width));
            for (row, line) in (0..area.height).zip(lines) {
                put(buffer, area, row, &Line::from(Span::styled(line, palette.bad())));
            }
            return;
        }
        DetailStatus::Ready => {}
    }
    let focused = state.focus == FocusedPane::Text;
    let part = text.part_at(text.cursor);
    let shown = text.rows.iter().enumerate().skip(text.offset);
    let width = usize::from(area.width.saturating_sub(2));
    for (row, (at, line)) in (0..area.height).zip(shown) {
        let (mark, style) = match (focused, at == text.cursor, Some(line.part) == part) {
            (true, true, _) => (">", Style::new().add_modifier(Modifier::BOLD)),
            (true, false, true) => ("\u{2503}", Style::new()),
            _ => (" ", Style::new()),
        };
        put(buffer, area, row, &Line::from(Span::styled(mark, style)));
        let inner = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
        put(buffer, inner, row, &palette.line(&line.text, text.across, width));
    }
}
