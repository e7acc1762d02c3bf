//! Determines the blank lines between definitions and the indentation inside of them: as in the file, or else as usual
//! in the language.

use editd_syntax::{Language, Symbol, SymbolKind};

use super::around::{blank_above, blank_below, line_start, next_line};
use super::edit::SymbolSite;
use super::symbols::ParsedFile;
use crate::Refusal;
use crate::limits;
use crate::locate::Unit;
use crate::op::EditContext;

/// Returns an indentation one step deeper than another.
pub(super) fn deeper(site: &SymbolSite<'_, '_>, outer: &str) -> String {
    let usual = match site.known.language {
        Language::Go => Unit::Tab,
        Language::Css
        | Language::Html
        | Language::JavaScript
        | Language::Json
        | Language::Ruby
        | Language::Tsx
        | Language::TypeScript
        | Language::Yaml => Unit::Spaces(2),
        _ => Unit::Spaces(4),
    };
    let unit = site.unit().unwrap_or(usual);
    outer.to_owned() + &unit.times(1).unwrap_or_default()
}

/// Returns the number of blank lines between a symbol and a new one before (or after) it.
///
/// # Errors
/// `limit`.
pub(super) fn blank_lines(site: &SymbolSite<'_, '_>, after: bool) -> Result<usize, Refusal> {
    let known = site.known;
    let (own, other) = (Gap::of(known, site.at, after), Gap::of(known, site.at, !after));
    let like = || {
        let like = |at: &usize| alike(known, *at, site.symbol);
        (0..known.outline.symbols.len()).filter(like).find_map(|at| Gap::of(known, at, true))
    };
    let gap = own.or(other).or_else(like);
    let count = gap.map_or_else(|| Ok(usual(site)), |gap| gap.blank_lines(site.scene))?;
    Ok(count.min(limits::BLANK_LINES))
}

/// Returns true if a symbol and the one after it have the kind and the depth of another symbol.
fn alike(known: &ParsedFile, at: usize, symbol: &Symbol) -> bool {
    let alike =
        |at: usize| known.get(at).is_some_and(|one| one.kind == symbol.kind && one.depth == symbol.depth);
    alike(at) && known.after(at).is_some_and(alike)
}

/// The gap between two symbols of one parent.
struct Gap {
    /// The end of the first symbol and the start of the second.
    from: usize,
    to: usize,
    /// True if the gap lies above the edited symbol.
    above: bool,
}

impl Gap {
    fn of(known: &ParsedFile, at: usize, after: bool) -> Option<Self> {
        let other = known.get(if after { known.after(at)? } else { known.before(at)? })?;
        let own = known.get(at)?;
        let (first, second) = if after { (own, other) } else { (other, own) };
        Some(Self { from: first.extent.end, to: second.extent.start, above: !after })
    }

    fn blank_lines(&self, scene: &EditContext<'_>) -> Result<usize, Refusal> {
        let text = scene.text;
        let (from, to) = (next_line(text, self.from), line_start(text, self.to));
        if from > to {
            return Ok(0);
        }
        Ok(if self.above { blank_above(scene, to, from)?.1 } else { blank_below(scene, from, to)?.len() })
    }
}

/// Returns the usual number of blank lines for a symbol without neighbours.
fn usual(site: &SymbolSite<'_, '_>) -> usize {
    let symbol = site.symbol;
    let plain = matches!(
        symbol.kind,
        SymbolKind::Field
            | SymbolKind::Variant
            | SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Key
            | SymbolKind::Element
            | SymbolKind::Type
    );
    match site.known.language {
        _ if symbol.listed || plain => 0,
        Language::Python if symbol.depth == 0 => 2,
        _ => 1,
    }
}
