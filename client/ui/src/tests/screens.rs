//! The screens as files: each file in `cases` has the steps and the screen after them. `BLESS=1` rewrites the screens.
//!
//! Steps: `size 80x24`, `journal standard|empty|long|renamed`, `plain` (no colours), `connect`, `lost REASON`, `keys …`, `add ENTRY SESSION
//! PATH` (another session makes an entry), `mute` (no further reply), `receipt JSON` (the reply to an undo), and `styles`: the
//! styles of the screen are part of the case.

use std::fs;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::journal_in_memory::{Interface, entry, folder, long, standard, stored};
use crate::state::Input;
use crate::view::{Palette, draw};

/// Returns the screen after the steps of a case.
fn screen(steps: &str) -> String {
    let (mut size, mut entries, mut colours, mut styles) = ((80, 24), standard(), true, false);
    let mut interface = None;
    for step in steps.lines() {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        match word {
            "size" => {
                let (width, height) = rest.split_once('x').unwrap();
                size = (width.parse().unwrap(), height.parse().unwrap());
                if let Some(interface) = &mut interface {
                    Interface::give(interface, Input::Resized(size.0, size.1));
                }
                continue;
            }
            "journal" => {
                entries = match rest {
                    "standard" => standard(),
                    "renamed" => stored("renamed"),
                    "empty" => Vec::new(),
                    "long" => long(1000),
                    other => panic!("no journal is called {other}"),
                };
                continue;
            }
            "plain" => {
                colours = false;
                continue;
            }
            "styles" => {
                styles = true;
                continue;
            }
            _ => {}
        }
        let interface = interface.get_or_insert_with(|| Interface::new(entries.clone(), size));
        match word {
            "connect" => interface.give(Input::Connected),
            "lost" => interface.give(Input::Lost(rest.to_owned())),
            "keys" => interface.press(rest),
            "mute" => interface.mute = true,
            "receipt" => interface.receipt = Some(serde_json::from_str(rest).unwrap()),
            "add" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let [id, session, path] = words.as_slice() else { panic!("{step}") };
                interface.entries.push(entry(id.parse().unwrap(), session, path));
                interface.give(Input::Changed);
            }
            other => panic!("no step is called {other}"),
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    let state = &interface.unwrap().state;
    let palette = Palette { colours };
    terminal.draw(|frame| draw(state, palette, frame.area(), frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let mut out = text(buffer);
    if styles {
        out.push_str("=== styles\n");
        out.push_str(&styles_of(buffer));
    }
    out
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content().chunks(usize::from(buffer.area.width))
}

fn text(buffer: &Buffer) -> String {
    let rows = rows(buffer).map(|row| {
        let (mut line, mut skipped) = (String::new(), 0);
        for cell in row {
            // A wide letter takes the cell behind it.
            if skipped == 0 {
                line.push_str(cell.symbol());
            }
            let wide = ratatui::text::Span::raw(cell.symbol()).width();
            skipped = if skipped == 0 { wide.saturating_sub(1) } else { skipped - 1 };
        }
        format!("{}\n", line.trim_end())
    });
    rows.collect()
}

/// Returns the runs of text that have a style: row, columns, style and text.
fn styles_of(buffer: &Buffer) -> String {
    let mut out = String::new();
    for (number, row) in rows(buffer).enumerate() {
        let mut column = 0;
        for run in row.chunk_by(|one, two| name(one) == name(two)) {
            let text: String = run.iter().map(Cell::symbol).collect();
            let style = run.first().map(name).unwrap_or_default();
            if !style.is_empty() && (!text.trim().is_empty() || style.contains("reversed")) {
                out.push_str(&format!("{number}:{column}{style} {:?}\n", text.trim_end()));
            }
            column += run.len();
        }
    }
    out
}

fn name(cell: &Cell) -> String {
    assert_eq!(cell.bg, Color::Reset, "no background is fixed");
    let colour = match cell.fg {
        Color::Reset => String::new(),
        Color::Red | Color::Green | Color::Yellow | Color::Cyan => format!(" {:?}", cell.fg).to_lowercase(),
        other => panic!("{other:?} is none of the colours of the terminal that are used"),
    };
    let modifiers = [(Modifier::BOLD, " bold"), (Modifier::DIM, " dim"), (Modifier::REVERSED, " reversed")];
    let modifiers = modifiers.iter().filter(|(modifier, _)| cell.modifier.contains(*modifier));
    colour + &modifiers.map(|(_, name)| *name).collect::<String>()
}

#[test]
fn every_case_has_the_screen_that_it_says() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "screen") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let (steps, expected) = text.split_once("=== screen\n").unwrap_or((&text, ""));
        let found = screen(steps);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, format!("{steps}=== screen\n{found}")).unwrap();
        } else if found != expected {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{} screens differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen >= 20, "only {seen} cases were found");
}
