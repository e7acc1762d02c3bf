//! The new lines of an edit, the quoted lines, and the lines of the file that match them, side by side. It changes
//! none of them.

use std::ops::Range;

use super::unit::{BLANKS, Kinds, is_blank, split_indent};
use crate::cut::Cut;
use crate::locate::{AdaptableText, Quote, lines};
use crate::text::Text;

/// Lines that are looked at for one that is not blank, above and below the quoted lines.
const NEIGHBOURS: usize = 64;

/// A place in the quoted lines where new lines are put, as ranges of lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LineReplacement {
    /// The quoted lines that go; empty for an insertion.
    pub(super) removed: Range<usize>,
    /// The new lines that are inserted.
    pub(super) added: Range<usize>,
}

/// The lines of an edit at the place of the quoted ones.
#[derive(Debug)]
pub(super) struct Passage<'p> {
    /// The quoted lines.
    pub(super) quoted: Vec<&'p str>,
    /// The lines of the file, one for each quoted line.
    pub(super) there: Vec<&'p str>,
    /// The new lines with their breaks.
    pub(super) given: Vec<(&'p str, &'p str)>,
    /// The places where they are put.
    pub(super) sites: Vec<LineReplacement>,
    above: Option<&'p str>,
    below: Option<&'p str>,
}

impl<'p> Passage<'p> {
    /// Returns the lines of a quotation at a range; `None` if it has no new lines.
    pub(super) fn of(text: &'p Text<'_>, quote: &Quote<'p>, range: &Range<usize>) -> Option<Self> {
        let (new, points) = match quote.new_text {
            AdaptableText::Nothing => return None,
            AdaptableText::Instead(new) => (new, None),
            AdaptableText::Beside(new, points) => (new, Some(points)),
        };
        let list = |part: &'p str| lines(part, text.breaks);
        let bare = |part: &'p str| list(part).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        let quoted = bare(quote.old);
        let mut there = bare(text.content.cut(range.clone()));
        there.resize(quoted.len(), "");
        let given = list(new);
        let counted = |part: &'p str, at: Range<usize>| {
            let from = list(part.cut(0..at.start)).len();
            from..from + list(part.cut(at)).len()
        };
        let sites = match points {
            None => vec![LineReplacement { removed: 0..quoted.len(), added: 0..given.len() }],
            Some(points) => points
                .iter()
                .map(|point| LineReplacement {
                    removed: counted(quote.old, point.removed.range()),
                    added: counted(new, point.added.range()),
                })
                .collect(),
        };
        let stop = char::from(text.breaks.stop());
        let filled = |line: &&str| !is_blank(line.trim_end_matches('\r'));
        let (head, tail) = (text.content.cut(0..range.start), text.content.cut(range.end..text.len()));
        let above = head.rsplit(stop).take(NEIGHBOURS).find(filled);
        let below = tail.split(stop).take(NEIGHBOURS).find(filled);
        Some(Self { quoted, there, given, sites, above, below })
    }

    /// Returns the lines of the file that go at a site and are not blank.
    pub(super) fn removed(&self, site: &LineReplacement) -> Vec<&'p str> {
        let there = self.there.cut(site.removed.clone());
        there.iter().copied().filter(|line| !is_blank(line)).collect()
    }

    /// Returns the nearest lines of the file above and below a site that are not blank.
    pub(super) fn neighbours(&self, site: &LineReplacement) -> (Option<&'p str>, Option<&'p str>) {
        let filled = |line: &&&str| !is_blank(line);
        let head = self.there.cut(0..site.removed.start).iter().rev().find(filled);
        let tail = self.there.cut(site.removed.end..self.there.len()).iter().find(filled);
        (head.copied().or(self.above), tail.copied().or(self.below))
    }

    /// Returns the indentation of the line below new lines without indentation that are inserted after quoted lines
    /// without indentation: if the file ends a block or a statement there, it is unknown if the new lines still
    /// belong to it. `None` if a bracket closes the block, or if new lines are inserted at several sites.
    pub(super) fn depth_below_bare_lines(&self) -> Option<&'p str> {
        let [site] = self.sites.as_slice() else { return None };
        let filled = |line: &&&str| !is_blank(line);
        let bare = |line: &&str| split_indent(line).0.is_empty();
        let given = self.given.iter().map(|(line, _)| *line).find(|line| !is_blank(line))?;
        let quoted = self.quoted.get(..site.removed.start)?.iter().rev().find(filled)?;
        let (Some(above), Some(below)) = self.neighbours(site) else { return None };
        let (up, down) = (split_indent(above).0, split_indent(below).0);
        let closes = below.trim_start_matches(BLANKS).starts_with(['}', ')', ']']);
        let ends = up.len() > down.len() && up.starts_with(down) && !closes;
        (site.removed.is_empty() && ends && bare(&given) && bare(quoted)).then_some(down)
    }

    /// Returns true if these lines, in place of the given ones, would leave the file as it is.
    pub(super) fn is_there(&self, lines: &[String]) -> bool {
        self.sites.iter().all(|site| {
            let added = lines.get(site.added.clone()).unwrap_or_default();
            let removed = self.there.cut(site.removed.clone());
            let bare = |line: &str| line.trim_end().to_owned();
            added.iter().map(|line| bare(line)).eq(removed.iter().map(|line| bare(line)))
        })
    }

    /// Returns the characters with which the file indents these lines.
    pub(super) fn kinds_there(&self) -> Kinds {
        kinds(self.there.iter().copied())
    }

    /// Returns the characters with which the caller indents the quoted and the new lines.
    pub(super) fn kinds_given(&self) -> Kinds {
        kinds(self.quoted.iter().copied().chain(self.given.iter().map(|(line, _)| *line)))
    }

    /// Returns the indentation of each quoted line that is not blank, and of the line of the file.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'p str, &'p str)> {
        let pairs = self.quoted.iter().zip(&self.there).filter(|(line, _)| !is_blank(line));
        pairs.map(|(quoted, there)| (split_indent(quoted).0, split_indent(there).0))
    }

    /// Returns a quoted line with the file's indentation.
    pub(super) fn as_there(&self, at: usize) -> Option<String> {
        let (quoted, there) = (self.quoted.get(at)?, self.there.get(at)?);
        Some([split_indent(there).0, quoted.trim_start_matches(BLANKS)].concat())
    }
}

fn kinds<'l>(lines: impl Iterator<Item = &'l str>) -> Kinds {
    let filled = lines.filter(|line| !is_blank(line));
    filled.fold(Kinds::default(), |all, line| all.and(Kinds::of(split_indent(line).0)))
}
