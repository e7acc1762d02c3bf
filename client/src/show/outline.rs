//! An outline as a tree for people. It is given what is shown, and orders nothing.

use editd_proto::message::{OutlineReply, SymbolInfo};

use super::Look;
use super::letters::{Paint, lines, one_line};

/// Levels that are indented: a terminal is no wider.
const LEVELS: usize = 20;

/// A line for each symbol: its lines in the file, its kind, and its name below that of what it lies in.
pub(crate) fn tree(reply: &OutlineReply, look: &Look) -> String {
    let ranges: Vec<String> = reply.symbols.iter().map(range).collect();
    let width = ranges.iter().map(String::len).max().unwrap_or_default();
    let mut holders: Vec<&str> = Vec::new();
    let mut out = String::new();
    for (symbol, range) in reply.symbols.iter().zip(&ranges) {
        let depth = usize::try_from(symbol.depth).unwrap_or(usize::MAX);
        holders.truncate(depth);
        let name = holders.last().and_then(|holder| symbol.name.strip_prefix(holder)?.strip_prefix('/'));
        let name = one_line(name.unwrap_or(&symbol.name));
        let kind = one_line(&symbol.kind);
        // An implementation bears the word in its name.
        let kind = format!("{kind} ");
        let kind = if name.starts_with(&kind) { "" } else { &kind };
        let place = look.paint(Paint::Place, &format!("{range:>width$}"));
        let indentation = "  ".repeat(depth.min(LEVELS));
        out.push_str(&format!("{place}  {indentation}{kind}{}\n", look.paint(Paint::Strong, &name)));
        holders.push(&symbol.name);
    }
    if reply.symbols.is_empty() {
        out.push_str("no definitions\n");
    }
    if let Some(omitted) = reply.omitted {
        out.push_str(&look.paint(Paint::Notice, &format!("{omitted} more are left out")));
        out.push('\n');
    }
    for warning in &reply.warnings {
        out.push_str(&format!("{}: {}\n", look.paint(Paint::Notice, "warning"), lines(warning)));
    }
    out
}

/// The definitions that only declare what a symbol implements, where its name is theirs, too.
pub(crate) fn declarations(symbol: &SymbolInfo) -> Option<String> {
    let named = |name: &str, (first, last): (u64, u64)| match first == last {
        true => format!("{} (line {first})", one_line(name)),
        false => format!("{} (lines {first}-{last})", one_line(name)),
    };
    let told: Vec<String> = symbol.declarations.iter().map(|one| named(&one.name, one.lines)).collect();
    let chosen = named(&symbol.name, symbol.lines);
    (!told.is_empty())
        .then(|| format!("editctl: {chosen} is the implementation; declarations: {}\n", told.join(", ")))
}

/// `7-12`, or `7` where it is one line.
fn range(symbol: &SymbolInfo) -> String {
    match symbol.lines {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}
