//! What holds for every outline, how one is told, and how a text is damaged. It reads no file.

use std::collections::HashSet;
use std::ops::Range;

use editd_syntax::{Outline, Symbol};

/// Symbols of one outline whose path is looked up; each look-up goes through all of them.
const LOOKED_UP: usize = 400;

/// Everything that is wrong with the outline of a text, one sentence each.
pub(crate) fn faults(text: &str, outline: &Outline) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let path = &symbol.path;
        let parent = symbol.parent.and_then(|parent| outline.symbols.get(parent));
        let mut must = |holds: bool, what: &str| {
            if !holds {
                faults.push(format!("{path}: {what}"));
            }
        };
        ranges(text, symbol, &mut must);
        must(symbol.parent.is_none_or(|parent| parent < at), "it stands before its parent");
        must(
            parent.map_or(0, |parent| parent.depth + 1) == symbol.depth,
            "its depth is not its parent's and one",
        );
        must(parent.is_none_or(|parent| within(&symbol.extent, &parent.definition)), "it leaves its parent");
    }
    faults.extend(crossings(outline));
    faults.extend(paths(outline));
    faults
}

fn ranges(text: &str, symbol: &Symbol, must: &mut impl FnMut(bool, &str)) {
    let trimmed = |range: &Range<usize>| {
        text.get(range.clone()).is_some_and(|inside| !inside.is_empty() && inside.trim() == inside)
    };
    must(trimmed(&symbol.extent), "its extent is no trimmed text");
    must(trimmed(&symbol.definition), "its definition is no trimmed text");
    must(text.get(symbol.name.clone()).is_some(), "its name is no text");
    must(within(&symbol.definition, &symbol.extent), "its definition leaves its extent");
    must(within(&symbol.name, &symbol.definition), "its name leaves its definition");
    if let Some(body) = &symbol.body {
        must(
            text.get(body.clone()).is_some_and(|inside| inside.trim() == inside),
            "its body is no trimmed text",
        );
        must(within(body, &symbol.definition), "its body leaves its definition");
    }
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Of two extents one lies in the other, the parent around its child, or they are apart and in order.
fn crossings(outline: &Outline) -> Vec<String> {
    let mut crossings = Vec::new();
    let mut open: Vec<(usize, &Symbol)> = Vec::new();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        while open.last().is_some_and(|(_, top)| top.extent.end <= symbol.extent.start) {
            open.pop();
        }
        if open.last().map(|(top, _)| *top) != symbol.parent {
            crossings.push(format!("{}: it does not lie in its parent alone", symbol.path));
        }
        open.push((at, symbol));
    }
    crossings
}

/// Every path names its own symbol and no other.
fn paths(outline: &Outline) -> Vec<String> {
    let mut seen = HashSet::new();
    let twice = outline.symbols.iter().filter(|symbol| !seen.insert(symbol.path.as_str()));
    let mut faults: Vec<String> = twice.map(|symbol| format!("{}: there are two", symbol.path)).collect();
    let step = outline.symbols.len().div_ceil(LOOKED_UP).max(1);
    for symbol in outline.symbols.iter().step_by(step) {
        for path in [symbol.path.clone(), format!("/{}", symbol.path)] {
            match outline.named(&path) {
                Ok(found) if found == symbol => {}
                found => faults.push(format!("{path}: it gives {:?}", found.map(|found| &found.path))),
            }
        }
    }
    faults
}

/// An outline as a case expects it: a symbol a line, indented by depth, with its places (line:column, from 1, columns
/// in characters) and how each begins and ends. `definition` is left out where it is the extent.
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

/// Characters of each end of a place that are shown.
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

/// Damages that one text takes at most.
const DAMAGES: usize = 4;

/// A text with parts cut out, doubled, moved or replaced by what opens and closes things; the same for the same seed.
pub(crate) fn damaged(text: &str, seed: u64) -> String {
    const SMALL: [&str; 16] =
        ["{", "}", "(", ")", "\"", "'", "`", "\n", "\r", "\t", "/*", "//", "#", ";", ",", "é"];
    let mut random = fastrand::Rng::with_seed(seed);
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..random.usize(1..=DAMAGES) {
        let from = random.usize(0..=letters.len());
        let to = (from + random.usize(0..=40)).min(letters.len());
        let part: Vec<char> = letters.get(from..to).unwrap_or_default().to_vec();
        let elsewhere = random.usize(0..=letters.len());
        match random.u8(0..4) {
            0 => drop(letters.drain(from..to)),
            1 => drop(letters.splice(elsewhere..elsewhere, part)),
            2 => letters.truncate(to),
            _ => {
                let small = random.choice(SMALL).unwrap_or_default();
                letters.splice(from..from, small.chars());
            }
        }
    }
    letters.into_iter().collect()
}
