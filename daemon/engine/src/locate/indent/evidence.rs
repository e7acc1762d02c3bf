//! Evidence for one reading of new lines: the agreement of the lines that it would write with the lines of the file
//! that they replace, or between which they are put. It prefers no reading.

use std::collections::HashMap;

use super::decide::IndentFrame;
use super::passage::{LineReplacement, Passage};
use super::unit::{BLANKS, Unit, is_blank, split_indent};
use crate::cut::Cut;
use crate::splice::shared_start;

/// The agreement of the lines of one reading with the file. The same position means the same in each reading of a
/// passage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Evidence {
    /// For each site: the first line, the last line and the least indentation are those of the lines there.
    pub(super) edges: Vec<[bool; 3]>,
    /// As many lines are inserted as removed at each site, each as deep as the one that it replaces.
    pub(super) shaped: bool,
    /// For each line that is removed and inserted again: true if it keeps its indentation.
    pub(super) shared: Vec<bool>,
    /// The steps to deeper lines are those of the file.
    pub(super) steps: bool,
    /// A line that is removed and inserted again would move to the left.
    pub(super) moved_left: bool,
    /// A line that is removed and inserted again is indented as it is quoted, but not as in the file.
    pub(super) requoted: bool,
    /// A line lands left of the lines that are replaced.
    pub(super) left: bool,
    /// The lines of every site start at their least indentation and end there, or as deep as those there do.
    pub(super) framed: bool,
}

impl Evidence {
    /// Returns true if the lines are tied to this place: by a line that keeps its depth, or by the first and another
    /// edge.
    pub(super) fn ties(&self) -> bool {
        let starts = self.edges.iter().any(|edges| matches!(edges, [true, true, _] | [true, _, true]));
        match (self.shared.is_empty(), self.shared.iter().any(|kept| *kept)) {
            (true, _) => starts,
            (false, true) => true,
            // All of them moved: to the right in a new block, or to the left out of one that ends with the lines.
            (false, false) => starts && if self.moved_left { self.is_edged() } else { self.framed },
        }
    }

    /// Returns true if all edges of all sites agree with the file.
    pub(super) fn is_edged(&self) -> bool {
        self.edges.iter().flatten().all(|holds| *holds)
    }

    /// Returns true if the first line of every site is as deep as the file's.
    pub(super) fn starts_alike(&self) -> bool {
        self.edges.iter().all(|[first, ..]| *first)
    }
}

/// Returns the evidence for lines that would be written in place of the given ones, in one frame. `unit` is the step
/// of the file, if it matters.
pub(super) fn evidence(
    passage: &Passage<'_>,
    written: &[String],
    unit: Option<Unit>,
    reading: IndentFrame,
) -> Evidence {
    let mut found = Evidence { framed: true, shaped: true, ..Evidence::default() };
    let (mut stepped, mut wrong) = (false, false);
    let known = steps(passage.there.iter().copied());
    for site in &passage.sites {
        let added: Vec<&str> = written
            .get(site.added.clone())
            .unwrap_or_default()
            .iter()
            .map(String::as_str)
            .filter(|line| !is_blank(line))
            .collect();
        let (Some(first), Some(last)) = (added.first(), added.last()) else { continue };
        let [first, last] = [first, last].map(|line| split_indent(line).0);
        let base = common(added.iter().copied());
        let frame = ExpectedIndents::of(passage, site, reading, &added);
        // The indentation of the first line was supplied, and is no evidence.
        let own = reading == IndentFrame::Torn && site.added.start == 0;
        let edges = [
            !own && frame.first.iter().any(|indent| indent.admits(first)),
            // Lines that are inserted between others and end deeper than they start do not end at an edge of those.
            (last.len() <= first.len() || !passage.removed(site).is_empty())
                && frame.last.iter().any(|indent| indent.admits(last)),
            frame.base.iter().any(|indent| indent.admits(base)),
        ];
        found.framed &= edges == [true; 3] || (edges == [true, false, true] && last == base);
        found.edges.push(edges);
        let indents =
            |lines: &[&str]| lines.iter().map(|line| split_indent(line).0.len()).collect::<Vec<_>>();
        found.shaped &= indents(&added) == indents(&passage.removed(site));
        found.left |= added.iter().any(|line| !split_indent(line).0.starts_with(frame.left));
        shared(passage, site, written, &mut found);
        for step in steps(added.iter().copied()) {
            stepped = true;
            let usual = unit.is_some_and(|unit| unit.depth(step) == Some(1));
            wrong |= !usual && !known.contains(&step);
        }
    }
    found.steps = stepped && !wrong;
    found
}

/// An indentation that is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected<'p> {
    /// This one.
    Just(&'p str),
    /// Any deeper than this.
    Below(&'p str),
}

impl Expected<'_> {
    fn admits(self, indent: &str) -> bool {
        match self {
            Self::Just(own) => own == indent,
            Self::Below(own) => own.len() < indent.len() && indent.starts_with(own),
        }
    }
}

/// The indentations that are expected at a site.
struct ExpectedIndents<'p> {
    first: Vec<Expected<'p>>,
    last: Vec<Expected<'p>>,
    base: Vec<Expected<'p>>,
    /// The common start of the indentation of all lines there.
    left: &'p str,
}

impl<'p> ExpectedIndents<'p> {
    fn of(passage: &Passage<'p>, site: &LineReplacement, reading: IndentFrame, added: &[&str]) -> Self {
        let removed = passage.removed(site);
        let indent = |line: &'p str| split_indent(line).0;
        if let (Some(first), Some(last)) = (removed.first(), removed.last()) {
            let base = common(removed.iter().copied());
            return Self {
                first: vec![Expected::Just(indent(first))],
                last: vec![Expected::Just(indent(last))],
                base: vec![Expected::Just(base)],
                left: base,
            };
        }
        let (above, below) = passage.neighbours(site);
        let between = match (above, below) {
            (Some(above), Some(below)) => {
                let (up, down) = (indent(above), indent(below));
                match closes(below) {
                    _ if down.len() > up.len() && down.starts_with(up) => vec![Expected::Just(down)],
                    true if up == down && opens(above) => vec![Expected::Below(up)],
                    true if reading == IndentFrame::Quoted && reopens(added, below) => {
                        vec![Expected::Just(up), Expected::Just(down)]
                    }
                    true => vec![Expected::Just(up)],
                    false => {
                        // Any block that ends here may go on.
                        let blocks = passage.there.cut(0..site.removed.start).iter().map(|line| indent(line));
                        let open = blocks.filter(|own| up.starts_with(own) && own.starts_with(down));
                        open.chain([up, down]).map(Expected::Just).collect()
                    }
                }
            }
            (Some(line), None) | (None, Some(line)) => vec![Expected::Just(indent(line))],
            (None, None) => Vec::new(),
        };
        let expected = between.iter().map(|(Expected::Just(indent) | Expected::Below(indent))| *indent);
        let left = common(expected);
        Self { first: between.clone(), last: between.clone(), base: between, left }
    }
}

/// Returns true if a line begins with a closing bracket.
fn closes(line: &str) -> bool {
    line.trim_start_matches(BLANKS).starts_with(['}', ')', ']'])
}

/// Returns true if lines open a block that the bracket, with which the line below them begins, closes: one of the same
/// kind at its depth, or a label in braces.
fn reopens(lines: &[&str], below: &str) -> bool {
    let (depth, rest) = split_indent(below);
    let opener = match rest.chars().next() {
        Some('}') => ['{', ':'].as_slice(),
        Some(')') => &['('],
        Some(']') => &['['],
        _ => &[],
    };
    let mut heads = lines.iter().rev().filter(|line| split_indent(line).0 == depth);
    heads.next().is_some_and(|head| head.trim_end().ends_with(opener))
}

/// Returns true if a line ends in an opening bracket.
fn opens(line: &str) -> bool {
    line.trim_end().ends_with(['{', '(', '['])
}

/// Returns the common start of the indentations of some lines.
fn common<'l>(lines: impl Iterator<Item = &'l str>) -> &'l str {
    let mut indents = lines.map(|line| split_indent(line).0);
    let first = indents.next().unwrap_or("");
    let shared = |indent: &str| shared_start(first.as_bytes(), indent.as_bytes());
    let length = indents.fold(first.len(), |least, indent| least.min(shared(indent)));
    first.get(..length).unwrap_or("")
}

/// Returns the additional indentation of each line that is not blank and deeper than the line before.
fn steps<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<&'l str> {
    let indents: Vec<&str> = lines.filter(|line| !is_blank(line)).map(|line| split_indent(line).0).collect();
    let deeper = indents.iter().zip(indents.iter().skip(1));
    deeper.filter_map(|(above, line)| line.strip_prefix(above)).filter(|step| !step.is_empty()).collect()
}

/// Compares the lines that a site removes and adds again: each should be as deep as an equal line was.
fn shared(passage: &Passage<'_>, site: &LineReplacement, written: &[String], found: &mut Evidence) {
    let indent = |line: &str| split_indent(line).0.len();
    let mut removed: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in site.removed.clone() {
        let says = |line: &&&str| line.contains(char::is_alphanumeric);
        if let Some(line) = passage.quoted.get(at).filter(says) {
            removed.entry(line.trim_matches(BLANKS)).or_default().push(at);
        }
    }
    for added in site.added.clone() {
        let (Some((given, _)), Some(written)) = (passage.given.get(added), written.get(added)) else {
            continue;
        };
        let Some(alike) = removed.get(given.trim_matches(BLANKS)) else { continue };
        let depth = |lines: &[&str], at: &usize| lines.get(*at).map(|line| indent(line));
        let kept = alike.iter().any(|at| depth(&passage.there, at) == Some(indent(written)));
        let quoted = alike.iter().any(|at| depth(&passage.quoted, at) == Some(indent(given)));
        found.shared.push(kept);
        found.requoted |= !kept && quoted;
        found.moved_left |= alike.iter().all(|at| depth(&passage.there, at) > Some(indent(written)));
    }
}
