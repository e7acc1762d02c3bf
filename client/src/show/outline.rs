//! Formats an outline as a tree.

use editd_proto::message::{OutlineReply, SymbolInfo};

use super::OutputStyle;
use super::letters::{TextStyle, lines, one_line, range};

/// Maximum number of levels that are indented.
const LEVELS: usize = 20;

/// Returns a line per symbol: its lines in the file, its kind, and its name without that of its parent.
pub fn tree(reply: &OutlineReply, style: &OutputStyle) -> String {
    let ranges: Vec<String> = reply.symbols.iter().map(|symbol| range(symbol.lines)).collect();
    let width = ranges.iter().map(String::len).max().unwrap_or_default();
    let mut holders: Vec<&str> = Vec::new();
    let mut out = String::new();
    for (symbol, range) in reply.symbols.iter().zip(&ranges) {
        let depth = usize::try_from(symbol.depth).unwrap_or(usize::MAX);
        holders.truncate(depth);
        let name = holders.last().and_then(|holder| symbol.name.strip_prefix(holder)?.strip_prefix('/'));
        let name = one_line(name.unwrap_or(&symbol.name));
        let kind = one_line(&symbol.kind);
        // The name of an implementation starts with the word.
        let kind = format!("{kind} ");
        let kind = if name.starts_with(&kind) { "" } else { &kind };
        let place = style.paint(TextStyle::Place, &format!("{range:>width$}"));
        let indentation = "  ".repeat(depth.min(LEVELS));
        out.push_str(&format!("{place}  {indentation}{kind}{}\n", style.paint(TextStyle::Strong, &name)));
        holders.push(&symbol.name);
    }
    if reply.symbols.is_empty() {
        out.push_str("no definitions\n");
    }
    if let Some(omitted) = reply.omitted {
        out.push_str(&style.paint(TextStyle::Notice, &format!("{omitted} more are left out")));
        out.push('\n');
    }
    for warning in &reply.warnings {
        out.push_str(&format!("{}: {}\n", style.paint(TextStyle::Notice, "warning"), lines(warning)));
    }
    out
}

/// Lists the mere declarations of a symbol, if they have the same name.
pub fn declarations(symbol: &SymbolInfo) -> Option<String> {
    let named = |name: &str, (first, last): (u64, u64)| match first == last {
        true => format!("{} (line {first})", one_line(name)),
        false => format!("{} (lines {first}-{last})", one_line(name)),
    };
    let told: Vec<String> = symbol.declarations.iter().map(|one| named(&one.name, one.lines)).collect();
    let chosen = named(&symbol.name, symbol.lines);
    (!told.is_empty())
        .then(|| format!("editctl: {chosen} is the implementation; declarations: {}\n", told.join(", ")))
}
