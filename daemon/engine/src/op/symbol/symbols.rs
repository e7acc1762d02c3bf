//! The definitions of the edited file: parsed on first use, for all edits of the entry. It changes nothing.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use editd_syntax::{Language, Outline, ParseBudget, Symbol, TreeCache};
use editd_types::{EditScope, ErrorCode, SymbolPosition, limits as shown};

use super::step;
use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{Unit, candidate};
use crate::op::{EditContext, EditNote};
use crate::refusal::{out_of_range, refuse, spent};
use crate::symbols::{chosen, named, parsed, short};
use crate::text::Text;

/// A way to name a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolSelector<'a> {
    /// The symbol of a name path.
    Name(&'a str),
    /// The symbol at a position.
    Position(SymbolPosition),
}

impl<'a> SymbolSelector<'a> {
    /// Returns the symbol that `within` names, or `None` for a range of lines.
    pub(crate) fn of(within: &'a EditScope) -> Option<Self> {
        match within {
            EditScope::Lines(_) => None,
            EditScope::Symbol(name) => Some(Self::Name(name)),
            EditScope::Position(position) => Some(Self::Position(*position)),
        }
    }
}

/// The definitions of a file, parsed when first needed.
pub(crate) struct Symbols<'s> {
    /// The symbols that the edits of the entry delete.
    deleted: Vec<SymbolSelector<'s>>,
    trees: &'s TreeCache,
    known: OnceCell<Result<ParsedFile, Refusal>>,
    going: OnceCell<HashMap<usize, (usize, usize)>>,
    /// Symbols that got a comma from an insertion behind them.
    pub(super) parted: RefCell<HashSet<usize>>,
}

/// The result of parsing a file.
pub(super) struct ParsedFile {
    pub(super) language: Language,
    pub(super) outline: Outline,
    /// The step of indentation that the file is written in.
    pub(super) unit: Option<Unit>,
    /// For each symbol the one before and the one after it in the same parent.
    beside: Vec<(Option<usize>, Option<usize>)>,
}

impl<'s> Symbols<'s> {
    /// Creates a record of symbols without parsing the file.
    pub(crate) fn new(deleted: impl Iterator<Item = SymbolSelector<'s>>, trees: &'s TreeCache) -> Self {
        let deleted = deleted.collect();
        let parted = RefCell::default();
        Self { deleted, trees, known: OnceCell::new(), going: OnceCell::new(), parted }
    }

    /// Returns the parsed file.
    ///
    /// # Errors
    /// `unsupported` if the language is not known, `too_large` and `limit` if the file cannot be parsed.
    pub(super) fn known(&self, scene: &EditContext<'_>) -> Result<&ParsedFile, Refusal> {
        self.known.get_or_init(|| ParsedFile::of(scene, self.trees)).as_ref().map_err(Clone::clone)
    }

    /// Returns the symbols that the edits of the entry delete, each with the first and the last of its adjacent
    /// deleted symbols.
    pub(super) fn going(
        &self,
        scene: &EditContext<'_>,
        known: &ParsedFile,
    ) -> &HashMap<usize, (usize, usize)> {
        self.going.get_or_init(|| {
            let named = self.deleted.iter().filter_map(|selector| known.find(scene, *selector).ok());
            let going: BTreeSet<usize> = named.collect();
            let mut firsts: HashMap<usize, usize> = HashMap::new();
            let mut lasts: HashMap<usize, usize> = HashMap::new();
            for at in &going {
                let before = known.before(*at).filter(|before| known.touch(scene.text, *before, *at));
                let first = before.and_then(|before| firsts.get(&before)).copied().unwrap_or(*at);
                firsts.insert(*at, first);
                lasts.insert(first, *at);
            }
            let run = |(at, first): (usize, usize)| (at, (first, lasts.get(&first).copied().unwrap_or(at)));
            firsts.iter().map(|(at, first)| run((*at, *first))).collect()
        })
    }

    /// Returns the first and the last line of a symbol, with all that belongs to it.
    ///
    /// # Errors
    /// As those of an edit of the symbol.
    pub(crate) fn lines(
        &self,
        scene: &EditContext<'_>,
        selector: SymbolSelector<'_>,
    ) -> Result<(u64, u64), Refusal> {
        let known = self.known(scene)?;
        let at = known.find(scene, selector)?;
        Ok(known.get(at).map_or((1, 1), |symbol| scene.text.lines_of(symbol.extent.clone())))
    }

    /// Returns a note about the symbol, if it was preferred to symbols that only declare it.
    pub(crate) fn chosen(
        &self,
        scene: &EditContext<'_>,
        selector: SymbolSelector<'_>,
    ) -> Option<Box<EditNote>> {
        let (SymbolSelector::Name(name), Some(Ok(known))) = (selector, self.known.get()) else { return None };
        let symbol = known.outline.named(name).ok()?;
        chosen(scene.text, &known.outline, symbol, name).map(|told| Box::new(EditNote::Chosen(told)))
    }

    /// Returns true if the file was parsed and has syntax errors.
    pub(crate) fn broken(&self) -> bool {
        matches!(self.known.get(), Some(Ok(known)) if known.outline.broken)
    }
}

impl ParsedFile {
    fn of(scene: &EditContext<'_>, trees: &TreeCache) -> Result<Self, Refusal> {
        let text = scene.text;
        if !scene.budget.parse(text.len()) {
            let message =
                "this job has too much text parsed; send it as several jobs, or use `replace` or `lines`";
            return Err(spent(message, limits::PARSE_WORK));
        }
        let usual = ParseBudget::default();
        let steps = limits::PARSE_STEPS + text.len() as u64 / limits::PARSE_BYTES_PER_STEP;
        let budget = ParseBudget { steps: steps.min(usual.steps), ..usual };
        let (language, outline) = parsed(text, scene.origin, &budget, trees)?;
        let beside = beside(&outline);
        let unit = step::of(&text.content);
        Ok(Self { language, outline, unit, beside })
    }

    /// Returns a symbol by its number.
    pub(super) fn get(&self, at: usize) -> Option<&Symbol> {
        self.outline.symbols.get(at)
    }

    /// Returns the number of the symbol before one in the same parent.
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        self.beside.get(at)?.0
    }

    /// Returns the number of the symbol after one in the same parent.
    pub(super) fn after(&self, at: usize) -> Option<usize> {
        self.beside.get(at)?.1
    }

    /// Returns true if only blanks stand between two symbols.
    fn touch(&self, text: &Text<'_>, first: usize, second: usize) -> bool {
        let (Some(first), Some(second)) = (self.get(first), self.get(second)) else { return false };
        let gap = first.extent.end..second.extent.start;
        gap.start <= gap.end && between(text, gap).trim().is_empty()
    }

    /// Returns the number of the named symbol.
    ///
    /// # Errors
    /// `symbol_not_found` and `ambiguous` with the candidates, `out_of_range` for a position outside the file.
    pub(super) fn find(
        &self,
        scene: &EditContext<'_>,
        selector: SymbolSelector<'_>,
    ) -> Result<usize, Refusal> {
        scene.pay(scene.text.len())?;
        let found = match selector {
            SymbolSelector::Name(name) => match named(&self.outline, name, scene.origin) {
                Ok(found) => found,
                Err(refusal) => {
                    scene.pay(self.outline.symbols.len().saturating_mul(limits::SYMBOL_LISTED))?;
                    return Err(self.with_places(scene.text, refusal));
                }
            },
            SymbolSelector::Position(place) => {
                let at = offset(scene.text, place)?;
                self.outline.at(at).ok_or_else(|| self.nothing_at(place))?
            }
        };
        let index = self.outline.symbols.iter().position(|symbol| std::ptr::eq(symbol, found));
        index.ok_or_else(|| crate::refusal::internal("a symbol has no number; please report this job"))
    }

    /// Adds the lines of the candidates to a refusal.
    fn with_places(&self, text: &Text<'_>, mut refusal: Refusal) -> Refusal {
        if refusal.code == ErrorCode::Ambiguous {
            let meant: HashSet<&str> = refusal.symbols.iter().map(String::as_str).collect();
            let places = self.outline.symbols.iter().filter(|symbol| meant.contains(symbol.path.as_str()));
            let places = places.take(shown::CANDIDATES);
            let places = places.map(|symbol| candidate(text, symbol.name.start)).collect();
            refusal.candidates = places;
        }
        refusal
    }

    fn nothing_at(&self, place: SymbolPosition) -> Refusal {
        let message = format!(
            "no symbol is at line {}, column {} (from 0); name one that there is",
            place.line, place.column
        );
        let mut error = refuse(ErrorCode::SymbolNotFound, message);
        let there = self.outline.symbols.iter().take(shown::SYMBOLS_LISTED);
        error.symbols = short(there.map(|symbol| symbol.path.clone()).collect());
        error
    }
}

/// Returns the offset of a position. A position in the white space at the start of a line means the first character
/// behind it.
fn offset(text: &Text<'_>, place: SymbolPosition) -> Result<usize, Refusal> {
    let line = usize::try_from(place.line).unwrap_or(usize::MAX).saturating_add(1);
    if line > text.lines() {
        let count = text.lines() as u64;
        let message = format!(
            "line {} (from 0) does not lie in the file, which has {count} lines; read its outline again",
            place.line
        );
        return Err(out_of_range(message, count));
    }
    let line_text = text.line(line);
    let mut left = place.column;
    let mut at = 0;
    for letter in line_text.chars() {
        let units = letter.len_utf16() as u64;
        if left < units {
            break;
        }
        left -= units;
        at += letter.len_utf8();
    }
    let blank = line_text.len() - line_text.trim_start_matches(crate::locate::BLANKS).len();
    Ok(text.line_start(line) + if at < blank && blank < line_text.len() { blank } else { at })
}

/// Returns for each symbol the ones before and after it in the same parent.
fn beside(outline: &Outline) -> Vec<(Option<usize>, Option<usize>)> {
    let mut beside = vec![(None, None); outline.symbols.len()];
    let mut last: HashMap<Option<usize>, usize> = HashMap::new();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let before = last.insert(symbol.parent, at);
        if let Some(slot) = beside.get_mut(at) {
            slot.0 = before;
        }
        if let Some(slot) = before.and_then(|before| beside.get_mut(before)) {
            slot.1 = Some(at);
        }
    }
    beside
}

/// Returns the text between two offsets.
pub(super) fn between<'t>(text: &'t Text<'_>, range: Range<usize>) -> &'t str {
    text.content.cut(range)
}
