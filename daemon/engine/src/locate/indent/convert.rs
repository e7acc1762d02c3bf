//! New lines whose indentation differs in kind from the file's: tabs instead of spaces, or spaces instead of tabs. It
//! lists the possible meanings and chooses none.

use std::collections::BTreeSet;

use super::passage::Passage;
use super::unit::{Kinds, Unit, is_blank, split_indent};
use crate::limits;

/// Steps of a file or a payload that is indented with spaces.
const WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// The rule that turns a depth in the payload into one in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Conversion {
    payload: Unit,
    file: Unit,
    /// Characters that every line of the file has more, in the file's own kind.
    deeper: i64,
}

impl Conversion {
    fn line(self, line: &str) -> Option<String> {
        let (indent, rest) = split_indent(line);
        if rest.is_empty() {
            return Some(line.to_owned());
        }
        if !indent.is_empty() && indent.chars().all(|c| c == self.file.letter()) {
            // A line that is indented with the file's character was written for the file.
            return Some(line.to_owned());
        }
        let depth = i64::try_from(self.payload.depth(indent)?).ok()?;
        let width = i64::try_from(self.file.width()).ok()?;
        let count = usize::try_from(depth.checked_mul(width)?.checked_add(self.deeper)?).ok()?;
        (count <= limits::INDENT).then(|| self.file.letter().to_string().repeat(count) + rest)
    }

    /// Returns the conversion of these units that explains every quoted line.
    fn explaining(passage: &Passage<'_>, payload: Unit, file: Unit) -> Option<Self> {
        let mut found = None;
        for (quoted, there) in passage.pairs() {
            let width = i64::try_from(payload.depth(quoted)?.checked_mul(file.width())?).ok()?;
            if !there.chars().all(|c| c == file.letter()) {
                return None;
            }
            let deeper = i64::try_from(there.len()).ok()? - width;
            if *found.get_or_insert(deeper) != deeper {
                return None;
            }
        }
        Some(Self { payload, file, deeper: found? })
    }
}

/// Returns the possible lines if the payload and the file differ in kind: with the depth of the quoted lines mapped
/// to the file's, and with their own depth.
pub(super) fn converted(passage: &Passage<'_>, file: Option<Unit>) -> Vec<(bool, Vec<String>)> {
    let there = match (passage.kinds_there(), file) {
        (kinds @ (Kinds { tabs: true, spaces: false } | Kinds { tabs: false, spaces: true }), _) => kinds,
        (Kinds { tabs: false, spaces: false }, Some(unit)) => {
            Kinds { tabs: unit == Unit::Tab, spaces: unit != Unit::Tab }
        }
        _ => return Vec::new(),
    };
    let given = passage.kinds_given();
    let foreign = if there.tabs { given.spaces } else { given.tabs };
    if !foreign {
        return Vec::new();
    }
    let mut made: Vec<(bool, Vec<String>)> = Vec::new();
    let mut add = |mapped: bool, conversion: Conversion| {
        let lines = passage.given.iter().map(|(line, _)| conversion.line(line)).collect::<Option<Vec<_>>>();
        if let Some(lines) = lines.filter(|lines| !made.iter().any(|(_, other)| other == lines)) {
            made.push((mapped, lines));
        }
    };
    for (payload, file) in units(passage, there, file) {
        if let Some(conversion) = Conversion::explaining(passage, payload, file) {
            add(true, conversion);
            add(false, Conversion { deeper: 0, ..conversion });
        }
    }
    made
}

/// Returns the units that the payload and the file may have.
fn units(passage: &Passage<'_>, there: Kinds, file: Option<Unit>) -> Vec<(Unit, Unit)> {
    if there.tabs {
        let fits = |width: &usize| {
            let quoted = passage.quoted.iter().copied();
            let mut lines = quoted.chain(passage.given.iter().map(|(line, _)| *line));
            lines.all(|line| is_blank(line) || spaces(line).is_none_or(|count| count.is_multiple_of(*width)))
        };
        return WIDTHS.into_iter().filter(fits).map(|width| (Unit::Spaces(width), Unit::Tab)).collect();
    }
    // Two depths of the quoted lines give the width of a step of the file; one depth does so if the file does not.
    let depths: Vec<(i64, i64)> = passage
        .pairs()
        .filter_map(|(quoted, there)| {
            Some((i64::try_from(Unit::Tab.depth(quoted)?).ok()?, i64::try_from(there.len()).ok()?))
        })
        .collect();
    let Some((first, wide)) = depths.first().copied() else { return Vec::new() };
    let other = depths.iter().find(|(depth, _)| *depth != first);
    let observed = wide.checked_div(first);
    let usual = match file {
        Some(Unit::Spaces(width)) => i64::try_from(width).ok(),
        _ => None,
    };
    let widths = match (other, usual) {
        (Some((depth, width)), _) => [(width - wide).checked_div(depth - first), None],
        // A narrower step is as possible as quoted lines that are too deep.
        (None, Some(usual)) => [Some(usual), observed.filter(|observed| *observed < usual)],
        (None, None) => [observed, None],
    };
    let widths = widths.into_iter().flatten().filter_map(|width| usize::try_from(width).ok());
    widths.filter(|width| WIDTHS.contains(width)).map(|width| (Unit::Tab, Unit::Spaces(width))).collect()
}

/// Returns true if some width of a tab explains the order of depths in which new lines would be written: deeper lines stay
/// at least as deep, and equally deep ones equally deep. Lines of one kind of indentation always do.
pub(super) fn keeps_order<'l>(lines: impl Iterator<Item = (&'l str, &'l str)>) -> bool {
    let filled = lines.filter(|(given, _)| !is_blank(given));
    let observed: BTreeSet<(&str, &str)> =
        filled.map(|(given, written)| (split_indent(given).0, split_indent(written).0)).collect();
    let kinds = observed.iter().fold(Kinds::default(), |all, (given, _)| all.and(Kinds::of(given)));
    let explains = |width: &usize| {
        let columns = |indent: &str| indent.chars().map(|c| if c == '\t' { *width } else { 1 }).sum();
        let mut depths: Vec<(usize, usize)> =
            observed.iter().map(|(given, written)| (columns(given), columns(written))).collect();
        depths.sort_unstable();
        depths
            .iter()
            .zip(depths.iter().skip(1))
            .all(|(above, below)| if above.0 == below.0 { above.1 == below.1 } else { above.1 <= below.1 })
    };
    !kinds.is_mix() || WIDTHS.iter().any(explains)
}

/// Returns the number of spaces that indent a line; `None` for tabs.
fn spaces(line: &str) -> Option<usize> {
    let indent = split_indent(line).0;
    (!indent.contains('\t')).then_some(indent.len())
}
