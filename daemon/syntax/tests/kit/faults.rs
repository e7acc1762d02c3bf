//! Checks the invariants of an outline. Reads no file.

use std::collections::HashSet;
use std::ops::Range;

use editd_syntax::{Outline, Symbol};

/// Maximum number of symbols whose path is looked up. Each lookup visits all symbols.
const LOOKED_UP: usize = 400;

/// Returns all violated invariants of an outline, one sentence each.
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
        let lies_in = |parent: &Symbol| {
            let ends = symbol.definition.end == parent.definition.end;
            // Text behind the last symbol of a parent belongs to both.
            let outer =
                if ends { parent.definition.start..parent.extent.end } else { parent.definition.clone() };
            within(&symbol.definition, &parent.definition) && within(&symbol.extent, &outer)
        };
        must(parent.is_none_or(lies_in), "it leaves its parent");
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

/// Two extents are nested, the parent around its child, or disjoint and in order.
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

/// Each path selects its own symbol and no other.
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
