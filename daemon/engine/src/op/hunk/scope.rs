//! Limits a hunk to the part of the file below the header lines that it names. It reads the lines and their
//! indentation, no syntax.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use editd_types::ErrorCode;

use crate::Refusal;
use crate::cut::Span;
use crate::limits;
use crate::locate::{CandidateFit, excerpt};
use crate::op::EditContext;
use crate::refusal::refuse;
use crate::text::Text;

/// The lines of a file that hunks of an entry name, found in one pass for all of them when the first asks.
pub(crate) struct HeaderIndex<'o> {
    named: Vec<&'o str>,
    scopes: OnceCell<HashMap<&'o str, Rc<Scope>>>,
}

impl<'o> HeaderIndex<'o> {
    /// Registers these lists of lines. Nothing is searched yet.
    pub(crate) fn new(lists: impl Iterator<Item = &'o str>) -> Self {
        Self { named: lists.flat_map(named).collect(), scopes: OnceCell::new() }
    }

    /// Returns the part of the file below every occurrence of a line, or `None` if there is none.
    fn scope(&self, scene: &EditContext<'_>, header: &str) -> Result<Option<Rc<Scope>>, Refusal> {
        if self.scopes.get().is_none() {
            scene.pay(scene.text.len().saturating_mul(limits::SCOPE_PASSES))?;
        }
        let scopes = self.scopes.get_or_init(|| {
            let found = blocks(scene.text, &self.named);
            found.into_iter().map(|(header, blocks)| (header, Rc::new(Scope::new(blocks)))).collect()
        });
        Ok(scopes.get(header).cloned())
    }
}

/// Returns the lines of a list, without the white space around them.
fn named(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim)
}

/// The part of a file below some lines.
#[derive(Debug)]
pub(super) struct Scope {
    /// The offset at which the first occurrence of the last header line starts.
    from: usize,
    /// The indented blocks below it, by their start; one may lie in another.
    blocks: Vec<Span>,
    /// The furthest end of the blocks up to each.
    ends: Vec<u32>,
}

impl Scope {
    fn new(blocks: Vec<Span>) -> Self {
        let end = |block: &Span| u32::try_from(block.end()).unwrap_or(u32::MAX);
        let furthest = blocks.iter().scan(0, |furthest, block| {
            *furthest = end(block).max(*furthest);
            Some(*furthest)
        });
        Self { from: blocks.first().map_or(0, |block| block.start()), ends: furthest.collect(), blocks }
    }

    /// Returns the part below `headers`, a list of lines.
    ///
    /// # Errors
    /// `not_found`, naming the missing line; `limit`.
    pub(super) fn of(scene: &EditContext<'_>, headers: &str) -> Result<Option<Rc<Self>>, Refusal> {
        let mut scope: Option<Rc<Self>> = None;
        for header in named(headers) {
            let found = scene.outline.scope(scene, header)?.ok_or_else(|| missing(scene.text, header))?;
            scope = Some(match scope {
                None => found,
                Some(above) => {
                    scene.pay(found.blocks.len().saturating_mul(limits::SCOPE_PLACE))?;
                    Rc::new(above.narrowed(&found).ok_or_else(|| missing(scene.text, header))?)
                }
            });
        }
        Ok(scope)
    }

    /// Returns the part of this scope below another line, or `None` if that line is not in it.
    fn narrowed(&self, line: &Self) -> Option<Self> {
        let below = line.blocks.partition_point(|block| block.start() <= self.from);
        let below = line.blocks.get(below..)?;
        let from = below.first()?.start();
        let blocks = below.iter().filter(|block| self.holds(block.start())).copied();
        Some(Self { from, ..Self::new(blocks.collect()) })
    }

    /// Returns the fit of a place that starts at an offset.
    pub(super) fn fit(&self, start: usize) -> CandidateFit {
        match (start >= self.from, self.holds(start)) {
            (false, _) => CandidateFit::Out,
            (true, false) => CandidateFit::May,
            (true, true) => CandidateFit::Meant,
        }
    }

    fn holds(&self, start: usize) -> bool {
        let above = self.blocks.partition_point(|block| block.start() <= start);
        above.checked_sub(1).and_then(|at| self.ends.get(at)).is_some_and(|end| start < *end as usize)
    }
}

fn missing(text: &Text<'_>, header: &str) -> Refusal {
    let header = excerpt(header, 0);
    let message = format!("the line `{header}` is not above the hunk; quote a line that is");
    let mut error = refuse(ErrorCode::NotFound, message);
    error.lines = Some(text.lines() as u64);
    error.marker = Some(header);
    error
}

/// Returns the places of each named line, each up to the next line that is not indented deeper. White space at the
/// ends of a line is ignored.
fn blocks<'n>(text: &Text<'_>, named: &[&'n str]) -> HashMap<&'n str, Vec<Span>> {
    let lines: HashMap<&'n str, u32> = named.iter().copied().zip(0..).collect();
    let mut places: Vec<Vec<Span>> = vec![Vec::new(); named.len()];
    // The places whose blocks are still open, by their indentation.
    let mut open: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
    let mut at = 0;
    for line in text.content.split_inclusive(char::from(text.breaks.stop())) {
        let start = at;
        at += line.len();
        let bare = line.trim_start();
        if bare.is_empty() {
            continue;
        }
        let indent = line.len() - bare.len();
        // A closing bracket ends no block: it belongs to the line that opened it.
        let closes = bare.starts_with([')', ']', '}']);
        while !closes && let Some(last) = open.last_entry().filter(|last| *last.key() >= indent) {
            for (line, index) in last.remove() {
                let blocks = places.get_mut(line as usize);
                if let Some(block) = blocks.and_then(|blocks| blocks.get_mut(index as usize)) {
                    *block = Span::new(block.start()..start);
                }
            }
        }
        let line = lines.get(bare.trim_end()).copied();
        if let Some((line, blocks)) = line.and_then(|line| Some((line, places.get_mut(line as usize)?))) {
            open.entry(indent).or_default().push((line, u32::try_from(blocks.len()).unwrap_or(u32::MAX)));
            blocks.push(Span::new(start..text.len()));
        }
    }
    let found = named.iter().copied().zip(places);
    found.filter(|(_, blocks)| !blocks.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;

    fn of<'c>(content: &'c str, named: &[&'static str]) -> Vec<(&'static str, Vec<&'c str>)> {
        let found = Text::read(content.as_bytes(), None).map(|text| blocks(&text, named)).unwrap_or_default();
        let mut found: Vec<_> = found
            .into_iter()
            .map(|(line, blocks)| (line, blocks.iter().map(|block| content.cut(block.range())).collect()))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_block_ends_where_something_is_indented_no_deeper() {
        let text = "class A:\n  def f():\n    a\n\n  def g():\n    b\nrest\n";
        assert_eq!(of(text, &["def f():"]), [("def f():", vec!["  def f():\n    a\n\n"])]);
        let class = text.cut(0..text.len() - "rest\n".len());
        assert_eq!(
            of(text, &["rest", "class A:", "none", ""]),
            [("class A:", vec![class]), ("rest", vec!["rest\n"])]
        );
        assert_eq!(
            of("fn f() {\n  a\n}\nfn g() {}\n", &["fn f() {"]),
            [("fn f() {", vec!["fn f() {\n  a\n}\n"])]
        );
    }

    #[test]
    fn a_line_that_closes_a_bracket_has_a_block_of_its_own() {
        let text = "    if a {\n        b\n    } else {\n        c\n    }\n    d\n";
        let otherwise = "    } else {\n        c\n    }\n";
        let whole = text.cut(0..text.len() - "    d\n".len());
        assert_eq!(
            of(text, &["if a {", "} else {"]),
            [("if a {", vec![whole]), ("} else {", vec![otherwise])]
        );
        assert_eq!(
            of("  a\n} b\n a\nc\n", &["a", "} b"]),
            [("a", vec!["  a\n} b\n", " a\n"]), ("} b", vec!["} b\n a\n"])]
        );
    }
}
