//! Builds the symbols from the drafts: nests each in its parent and adds the text that belongs to it. Uses offsets
//! only, no tree.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use crate::Symbol;
use crate::grammar::SymbolName;
use crate::outline::PathSegment;
use crate::surroundings::Surroundings;
use crate::walk::SymbolDraft;

/// Returns the symbols of a text, in its order. Drafts that overlap others without being nested in them are left out;
/// this happens only in texts with syntax errors.
pub(crate) fn symbols(
    text: &str,
    file_comments: &[&str],
    surroundings: &Surroundings<'_>,
    drafts: Vec<SymbolDraft>,
) -> Vec<Symbol> {
    let mut nest =
        NestBuilder { text, file_comments, surroundings, symbols: Vec::new(), open: Vec::new(), ended: 0 };
    for (mut definition, several, draft) in placed(text, drafts) {
        definition.end = surroundings.end(&definition);
        nest.put(definition, several, draft);
    }
    nest.symbols
}

/// Returns each draft with the range of its definition, and true if it shares its wrapper with other definitions.
fn placed(text: &str, drafts: Vec<SymbolDraft>) -> Vec<(Range<usize>, bool, SymbolDraft)> {
    let mut shared: HashMap<Range<usize>, usize> = HashMap::new();
    for draft in &drafts {
        *shared.entry(draft.outer.clone()).or_default() += 1;
    }
    let mut placed: Vec<_> = drafts
        .into_iter()
        .map(|draft| {
            // A wrapper around several definitions belongs to none of them alone.
            let several = draft.beside || shared.get(&draft.outer).is_some_and(|count| *count > 1);
            let whole = if several { draft.inner.clone() } else { draft.outer.clone() };
            (trimmed(text, whole), several, draft)
        })
        .collect();
    // A wrapper may contain another definition in front of its own, such as a class in a decorator.
    placed.sort_by_key(|(definition, ..)| (definition.start, Reverse(definition.end)));
    placed
}

struct NestBuilder<'n, 's> {
    text: &'s str,
    file_comments: &'n [&'n str],
    surroundings: &'n Surroundings<'s>,
    symbols: Vec<Symbol>,
    /// The open symbols, each with the end of the last symbol in it.
    open: Vec<(usize, usize)>,
    /// The end of the last symbol at the top level.
    ended: usize,
}

impl NestBuilder<'_, '_> {
    fn put(&mut self, definition: Range<usize>, several: bool, draft: SymbolDraft) {
        let SymbolDraft { rule, name, body, outer, .. } = draft;
        let ends_before =
            |symbol: Option<&Symbol>| symbol.is_some_and(|top| top.definition.end <= definition.start);
        while self.open.last().is_some_and(|(top, _)| ends_before(self.symbols.get(*top))) {
            self.open.pop();
        }
        let parent = self.open.last().map(|(top, _)| *top);
        let holder = parent.and_then(|parent| self.symbols.get(parent));
        let (end, behind) =
            holder.map_or((usize::MAX, self.text.len()), |holder| (holder.definition.end, holder.extent.end));
        // Text behind the last symbol of a parent belongs to both.
        let ceiling = if definition.end == end { behind } else { end.min(behind) };
        let floor = self.open.last_mut().map_or(&mut self.ended, |(_, ended)| ended);
        if definition.is_empty() || definition.end > end || definition.start < *floor {
            return;
        }
        let listed = name.listed || several;
        let shares = several && outer != definition;
        let statement = shares.then(|| match self.symbols.last().and_then(|last| last.statement.clone()) {
            Some(last) if last.start <= outer.start && outer.end <= last.end => last,
            _ => {
                let limits = (*floor).min(outer.start)..ceiling.max(outer.end);
                self.surroundings.extent(&outer, limits, false, self.file_comments)
            }
        });
        let extent = self.surroundings.extent(&definition, *floor..ceiling, listed, self.file_comments);
        *floor = extent.end;
        let comma = if listed { self.surroundings.comma(extent.start) } else { None };
        let within = |range: &Range<usize>| definition.start <= range.start && range.end <= definition.end;
        let at = if within(&name.at) { name.at } else { definition.start..definition.start };
        let clipped = |body: Range<usize>| body.start.min(definition.end)..body.end.min(definition.end);
        let body = body.map(|body| trimmed(self.text, clipped(body))).filter(within);
        let plain = |name| PathSegment { name, also: Vec::new(), whole: None, alias: None, number: None };
        let mut segments: Vec<PathSegment> = name.under.into_iter().map(plain).collect();
        let SymbolName { name: own, also, whole, alias, .. } = name;
        segments.push(PathSegment { name: own, also, whole, alias, number: None });
        let depth = self.open.len();
        self.open.push((self.symbols.len(), definition.start));
        self.symbols.push(Symbol {
            path: String::new(),
            kind: name.kind.unwrap_or(rule.kind),
            parent,
            depth,
            extent,
            definition,
            name: at,
            body,
            listed,
            comma,
            statement,
            declares: false,
            segments,
        });
    }
}

/// Returns the range without the white space at both ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let Some(inside) = text.get(range.clone()) else { return range.start..range.start };
    let start = range.start + (inside.len() - inside.trim_start().len());
    let end = range.end - (inside.len() - inside.trim_end().len());
    if start < end { start..end } else { range.start..range.start }
}
