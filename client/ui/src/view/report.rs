//! Draws the texts that take the place of the panes: a report of the daemon, and the help.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::paint::{Palette, put, wrapped};
use crate::state::overlay::KEYS;

/// Columns of the keys.
const KEY: usize = 20;

/// Columns from which the help has the keys and their effects side by side.
const SIDE_BY_SIDE: u16 = 76;

/// Draws a report.
pub(super) fn report<'l>(
    title: &str,
    lines: impl Iterator<Item = &'l String>,
    can_merge: bool,
    palette: Palette,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width);
    let way = if can_merge { "; m: merge with the later changes" } else { "" };
    put(buffer, area, 0, &Line::from(Span::styled(format!("{title}{way}"), Modifier::BOLD)));
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let wrapped = lines.flat_map(|line| wrapped(line, width));
    for (row, line) in (0..below.height).zip(wrapped) {
        put(buffer, below, row, &palette.line(&line, 0, width));
    }
}

/// Draws the help.
pub(super) fn help(offset: usize, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let lines = KEYS.iter().skip(offset).flat_map(|(key, effect)| match (key.is_empty(), area.width) {
        (true, _) => vec![Line::from(Span::styled(*effect, Modifier::BOLD))],
        (false, SIDE_BY_SIDE..) => {
            let keys = format!("  {key:<KEY$}");
            vec![Line::from(vec![Span::styled(keys, palette.notice()), Span::raw(*effect)])]
        }
        (false, width) => {
            let keys = Line::from(Span::styled(format!("  {key}"), palette.notice()));
            let effect = wrapped(effect, usize::from(width.saturating_sub(4)));
            let effect = effect.into_iter().map(|line| Line::from(format!("    {line}")));
            std::iter::once(keys).chain(effect).collect()
        }
    });
    for (row, line) in (0..area.height).zip(lines) {
        put(buffer, area, row, &line);
    }
}
