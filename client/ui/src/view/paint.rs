//! Colours, and lines of text that fit. Only the 16 colours of the terminal are used, and no background.

use editctl::show::letters::{TextStyle, one_line, runs};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Columns between tab stops.
const TAB: usize = 4;

/// The colours that may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Palette {
    /// Colours are used; otherwise only bold, dim and reversed text.
    pub(crate) colours: bool,
}

impl Palette {
    fn of(self, colour: Color) -> Style {
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn good(self) -> Style {
        self.of(Color::Green)
    }

    pub(super) fn bad(self) -> Style {
        self.of(Color::Red)
    }

    pub(super) fn notice(self) -> Style {
        self.of(Color::Yellow)
    }

    /// Returns the style of a run of text.
    fn style(self, style: Option<TextStyle>) -> Style {
        match style {
            None => Style::new(),
            Some(TextStyle::Strong) => Style::new().add_modifier(Modifier::BOLD),
            Some(TextStyle::Good) => self.good(),
            Some(TextStyle::Bad) => self.bad(),
            Some(TextStyle::Notice) => self.notice(),
            Some(TextStyle::Place) => self.of(Color::Cyan),
            Some(TextStyle::GoodPart) => self.good().add_modifier(Modifier::REVERSED),
            Some(TextStyle::BadPart) => self.bad().add_modifier(Modifier::REVERSED),
        }
    }

    /// Returns the part of a painted text that begins at a column and is `width` columns wide. Tabs become blanks.
    pub(super) fn line(self, painted: &str, across: usize, width: usize) -> Line<'static> {
        let mut spans = Vec::new();
        let mut column = 0;
        for (style, text) in runs(painted) {
            let mut part = String::new();
            for letter in text.chars() {
                let blanks = if letter == '\t' { TAB - column % TAB } else { 0 };
                let wide = if blanks > 0 { blanks } else { columns(letter) };
                if column >= across && column + wide <= across + width {
                    match blanks {
                        0 => part.push(letter),
                        blanks => part.push_str(&" ".repeat(blanks)),
                    }
                }
                column += wide;
                if column > across + width {
                    break;
                }
            }
            spans.push(Span::styled(part, self.style(style)));
        }
        Line::from(spans)
    }
}

/// The style of what matters less.
pub(super) fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// Returns the number of columns of a letter.
fn columns(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { Span::raw(letter.to_string()).width() }
}

/// Returns a text that the terminal does not obey.
pub(super) fn safe(text: &str) -> String {
    one_line(text)
}

/// Returns a text of at most `width` columns; a longer one ends with an ellipsis.
pub(super) fn fitted(text: &str, width: usize) -> String {
    let whole: usize = text.chars().map(columns).sum();
    if whole <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut out = String::new();
    for letter in text.chars() {
        let wide = columns(letter);
        if wide > left {
            break;
        }
        left -= wide;
        out.push(letter);
    }
    if width > 0 {
        out.push('\u{2026}');
    }
    out
}

/// Splits a painted text into lines of at most `width` columns, at blanks if there are some. The colour of a line that is
/// split ends with its first part.
pub(super) fn wrapped(painted: &str, width: usize) -> Vec<String> {
    let whole: usize = runs(painted).iter().flat_map(|(_, text)| text.chars()).map(columns).sum();
    if whole <= width || width == 0 {
        return vec![painted.to_owned()];
    }
    let plain: String = runs(painted).iter().map(|(_, text)| *text).collect();
    let (mut out, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in plain.split_inclusive(' ') {
        let wide: usize = word.trim_end().chars().map(columns).sum();
        if used > 0 && used + wide > width {
            out.push(std::mem::take(&mut line));
            used = 0;
        }
        for letter in word.chars() {
            let wide = columns(letter);
            if used + wide > width {
                out.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(letter);
            used += wide;
        }
    }
    out.push(line);
    out
}

/// Writes a line into a row of an area.
pub(super) fn put(buffer: &mut Buffer, area: Rect, row: u16, line: &Line<'_>) {
    if row < area.height {
        buffer.set_line(area.x, area.y + row, line, area.width);
    }
}
