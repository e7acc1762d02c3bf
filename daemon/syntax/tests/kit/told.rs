//! Formats an outline for the expectation of a case. Checks nothing.

use std::ops::Range;

use editd_syntax::Outline;

/// Returns the outline as text: a line per symbol, indented by depth, with its ranges (line:column, from 1, columns in
/// characters) and the text at their ends. `definition` is left out if it equals the extent.
pub(crate) fn told(text: &str, outline: &Outline) -> String {
    let mut told = String::new();
    if outline.broken {
        told.push_str("broken\n");
    }
    for symbol in &outline.symbols {
        let indent = "  ".repeat(symbol.depth);
        let listed = if symbol.listed { " listed" } else { "" };
        told.push_str(&format!("{indent}{} {}{listed}\n", symbol.kind.name(), on_one_line(&symbol.path)));
        let mut place = |what: &str, range: &Range<usize>| {
            told.push_str(&format!("{indent}      {what} {}\n", clip(text, range)));
        };
        place("extent    ", &symbol.extent);
        if symbol.definition != symbol.extent {
            place("definition", &symbol.definition);
        }
        if let Some(body) = &symbol.body {
            place("body      ", body);
        }
    }
    told
}

/// Number of characters shown at each end of a range.
const SHOWN: usize = 24;

fn clip(text: &str, range: &Range<usize>) -> String {
    let inside = text.get(range.clone()).unwrap_or("?");
    let letters: Vec<char> = inside.chars().collect();
    let says: String = if letters.len() <= 2 * SHOWN {
        inside.to_owned()
    } else {
        let (front, back) = (letters.iter().take(SHOWN), letters.iter().skip(letters.len() - SHOWN));
        front.chain(['…'].iter()).chain(back).collect()
    };
    format!("{}-{}  {}", place(text, range.start), place(text, range.end), on_one_line(&says))
}

fn on_one_line(text: &str) -> String {
    text.replace('\n', "⏎").replace('\r', "␍").replace('\t', "⇥")
}

fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    format!("{line}:{column}")
}
