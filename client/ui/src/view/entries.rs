//! Draws the list of entries and the list of sessions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::paint::{Palette, dim, fitted, put, safe};
use crate::state::entry_row::{EntryRow, UndoneExtent};
use crate::state::layout::ENTRY;
use crate::state::sessions::SessionList;
use crate::state::{DaemonLink, FocusedPane, UiState};

/// Columns below which the table of sessions has only numbers and times.
const NARROW: u16 = 60;

/// Draws the list of entries.
pub(super) fn list(state: &UiState, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let journal = &state.journal;
    if journal.visible.is_empty() {
        let text = match (&state.link, journal.loaded, journal.search_waits()) {
            (_, true, true) => format!("none among {} entries; down: search on", journal.rows.len()),
            (_, true, false) if journal.rows.is_empty() && !is_filtered(state) => {
                "the journal is empty".into()
            }
            (_, true, false) if journal.more => "searching".into(),
            (_, true, false) => "no entry matches; Esc shows all".into(),
            (DaemonLink::Lost(_), ..) => "no entries without a daemon".into(),
            _ => "loading".into(),
        };
        return put(buffer, area, 0, &Line::from(Span::styled(text, dim())));
    }
    let selected = journal.position();
    let mut row = 0;
    for position in journal.offset..journal.visible.len() {
        if row + ENTRY > area.height {
            break;
        }
        let Some(entry) = journal.at(position) else { break };
        let is_selected = selected == Some(position);
        let focused = is_selected && state.focus == FocusedPane::List;
        let (first, second) = lines(entry, palette, usize::from(area.width), is_selected, focused);
        put(buffer, area, row, &first);
        put(buffer, area, row + 1, &second);
        row += ENTRY;
    }
    if row < area.height && (journal.loading_older || journal.more) {
        let text =
            if journal.search_waits() { "down: search older entries" } else { "loading older entries" };
        put(buffer, area, row, &Line::from(Span::styled(text, dim())));
    }
}

fn is_filtered(state: &UiState) -> bool {
    let filter = &state.journal.filter;
    filter.session.is_some() || filter.path.is_some() || !filter.text.is_empty()
}

/// Returns the two lines of an entry.
fn lines(
    entry: &EntryRow,
    palette: Palette,
    width: usize,
    selected: bool,
    focused: bool,
) -> (Line<'static>, Line<'static>) {
    let base = match entry.undone {
        UndoneExtent::Whole => dim(),
        _ => Style::new(),
    };
    let base = if focused { base.add_modifier(Modifier::REVERSED) } else { base };
    let strong = if selected { base.add_modifier(Modifier::BOLD) } else { base };
    let mark = if selected { ">" } else { " " };
    let undone = match entry.undone {
        UndoneExtent::Nothing => "",
        UndoneExtent::Partly => "partly undone ",
        UndoneExtent::Whole => "undone ",
    };
    // The year is in the text of the entry.
    let time = entry.time.get(5..).unwrap_or(&entry.time);
    let start = format!("{mark}{:>5} {time} ", entry.id);
    let room = width.saturating_sub(start.chars().count());
    let session = fitted(&entry.shown_session(), room);
    let pad = " ".repeat(room.saturating_sub(Line::from(session.as_str()).width()));
    let first =
        Line::from(vec![Span::styled(start, strong), Span::styled(session, strong), Span::styled(pad, base)]);
    let (added, removed) = (format!("+{}", entry.added), format!("-{}", entry.removed));
    let blank = if selected { ">      " } else { "       " };
    let room = width.saturating_sub(blank.len() + undone.len() + added.len() + removed.len() + 2);
    let rest = fitted(&rest(entry), room);
    let pad = " ".repeat(room.saturating_sub(Line::from(rest.as_str()).width()));
    let second = Line::from(vec![
        Span::styled(blank, strong),
        Span::styled(undone, base.patch(palette.notice())),
        Span::styled(added, base.patch(palette.good())),
        Span::styled(" ", base),
        Span::styled(removed, base.patch(palette.bad())),
        Span::styled(format!(" {rest}{pad}"), base),
    ]);
    (first, second)
}

/// Returns the label and the paths.
fn rest(entry: &EntryRow) -> String {
    let mut paths = entry.paths.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    if entry.files > 3 {
        paths.push_str(&format!(" and {} more", entry.files - 3));
    }
    if entry.label.is_empty() { paths } else { format!("{} {paths}", entry.label) }
}

/// Draws the table of sessions.
pub(super) fn sessions(
    list: &SessionList,
    state: &UiState,
    palette: Palette,
    area: Rect,
    buffer: &mut Buffer,
) {
    let (loaded, more) = (state.journal.rows.len(), state.journal.more);
    let of = if more {
        format!("sessions of the {loaded} newest entries (End: load more)")
    } else {
        format!("sessions of all {loaded} entries")
    };
    put(buffer, area, 0, &Line::from(Span::styled(of, dim())));
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let at = list.position();
    for (row, (position, session)) in (0..below.height).zip(list.rows.iter().enumerate().skip(list.offset)) {
        let base = if position == at { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        let mark = if position == at { ">" } else { " " };
        let time = session.last.get(5..).unwrap_or(&session.last);
        let word = if session.entries == 1 { "entry  " } else { "entries" };
        let end = if area.width < NARROW {
            format!(" {:>6}  {time}", session.entries)
        } else {
            format!(" {:>6} {word}  {time}", session.entries)
        };
        let extent = [format!(" +{}", session.added), format!(" -{}", session.removed)];
        let extent = if area.width < NARROW { [String::new(), String::new()] } else { extent };
        let used = 1 + end.len() + extent.iter().map(String::len).sum::<usize>();
        let room = usize::from(area.width).saturating_sub(used);
        let name = fitted(&safe(&session.name), room);
        let pad = " ".repeat(room.saturating_sub(Line::from(name.as_str()).width()));
        let [added, removed] = extent;
        let line = Line::from(vec![
            Span::styled(format!("{mark}{name}{pad}"), base),
            Span::styled(added, base.patch(palette.good())),
            Span::styled(removed, base.patch(palette.bad())),
            Span::styled(end, base),
        ]);
        put(buffer, below, row, &line);
    }
}
