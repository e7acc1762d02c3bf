//! Puts each definition under the one that holds it, with what belongs to it. It sees places only, no tree.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use crate::Symbol;
use crate::grammar::Name;
use crate::outline::Segment;
use crate::surroundings::Surroundings;
use crate::walk::Draft;

/// The symbols of a text, in its order; those that overlap others without lying in them are left out, which only
/// errors in the text bring about.
pub(crate) fn symbols(
    text: &str,
    aloof: &[&str],
    surroundings: &Surroundings<'_>,
    drafts: Vec<Draft>,
) -> Vec<Symbol> {
    let mut nest = Nest { text, aloof, surroundings, symbols: Vec::new(), open: Vec::new(), ended: 0 };
    for (mut definition, several, draft) in placed(text, drafts) {
        definition.end = surroundings.end(&definition);
        nest.put(definition, several, draft);
    }
    nest.symbols
}

/// Each with its whole definition, and whether it shares what stands around it with others.
fn placed(text: &str, drafts: Vec<Draft>) -> Vec<(Range<usize>, bool, Draft)> {
    let mut shared: HashMap<Range<usize>, usize> = HashMap::new();
    for draft in &drafts {
        *shared.entry(draft.outer.clone()).or_default() += 1;
    }
    let mut placed: Vec<_> = drafts
        .into_iter()
        .map(|draft| {
            // What stands around several definitions belongs to none of them alone.
            let several = draft.beside || shared.get(&draft.outer).is_some_and(|count| *count > 1);
            let whole = if several { draft.inner.clone() } else { draft.outer.clone() };
            (trimmed(text, whole), several, draft)
        })
        .collect();
    // What stands around one may hold another that comes before it, such as a class in a decorator.
    placed.sort_by_key(|(definition, ..)| (definition.start, Reverse(definition.end)));
    placed
}

struct Nest<'n, 's> {
    text: &'s str,
    aloof: &'n [&'n str],
    surroundings: &'n Surroundings<'s>,
    symbols: Vec<Symbol>,
    /// The symbols that are open, each with where the last one in it ended.
    open: Vec<(usize, usize)>,
    /// Where the last one that lies in none ended.
    ended: usize,
}

impl Nest<'_, '_> {
    fn put(&mut self, definition: Range<usize>, several: bool, draft: Draft) {
        let Draft { rule, name, body, outer, .. } = draft;
        let ends_before =
            |symbol: Option<&Symbol>| symbol.is_some_and(|top| top.definition.end <= definition.start);
        while self.open.last().is_some_and(|(top, _)| ends_before(self.symbols.get(*top))) {
            self.open.pop();
        }
        let parent = self.open.last().map(|(top, _)| *top);
        let holder = parent.and_then(|parent| self.symbols.get(parent));
        let (end, behind) =
            holder.map_or((usize::MAX, self.text.len()), |holder| (holder.definition.end, holder.extent.end));
        // What stands behind the last thing in it belongs to both.
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
                self.surroundings.extent(&outer, limits, false, self.aloof)
            }
        });
        let extent = self.surroundings.extent(&definition, *floor..ceiling, listed, self.aloof);
        *floor = extent.end;
        let comma = if listed { self.surroundings.comma(extent.start) } else { None };
        let within = |range: &Range<usize>| definition.start <= range.start && range.end <= definition.end;
        let at = if within(&name.at) { name.at } else { definition.start..definition.start };
        let clipped = |body: Range<usize>| body.start.min(definition.end)..body.end.min(definition.end);
        let body = body.map(|body| trimmed(self.text, clipped(body))).filter(within);
        let plain = |name| Segment { name, also: Vec::new(), whole: None, alias: None, number: None };
        let mut segments: Vec<Segment> = name.under.into_iter().map(plain).collect();
        let Name { name: own, also, whole, alias, .. } = name;
        segments.push(Segment { name: own, also, whole, alias, number: None });
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

/// A range without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let Some(inside) = text.get(range.clone()) else { return range.start..range.start };
    let start = range.start + (inside.len() - inside.trim_start().len());
    let end = range.end - (inside.len() - inside.trim_end().len());
    if start < end { start..end } else { range.start..range.start }
}
