//! Finds the step of indentation of a text, by the additional indentation of its deeper lines. It changes nothing.

use crate::cut::Cut;
use crate::locate::{Unit, is_blank, split_indent};

/// The steps that are recognized.
const STEPS: [Unit; 5] = [Unit::Tab, Unit::Spaces(2), Unit::Spaces(3), Unit::Spaces(4), Unit::Spaces(8)];

/// Returns the most frequent step by which a line is deeper than the line before. Lines below a line that opens a
/// block have priority, since continued lines are often deeper. Of equally frequent steps, the first is returned;
/// `None` if no line is deeper.
pub(super) fn of(text: &str) -> Option<Unit> {
    let (mut blocks, mut others) = ([0_usize; STEPS.len()], [0_usize; STEPS.len()]);
    let mut above: Option<(&str, bool)> = None;
    for line in text.split(['\n', '\r']).filter(|line| !is_blank(line)) {
        let indent = split_indent(line).0;
        if let Some((step, opens)) = above.and_then(|(above, opens)| Some((added(above, indent)?, opens))) {
            let counts = if opens { &mut blocks } else { &mut others };
            let at = STEPS.iter().position(|known| *known == step);
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        above = Some((indent, line.trim_end().ends_with(['{', ':', '[', '>'])));
    }
    most(blocks).or_else(|| most(others))
}

fn most(counts: [usize; STEPS.len()]) -> Option<Unit> {
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    STEPS.into_iter().zip(counts).find(|(_, count)| *count == most).map(|(step, _)| step)
}

/// Returns the step by which one indentation is deeper than another.
fn added(above: &str, indent: &str) -> Option<Unit> {
    let more = indent.strip_prefix(above)?;
    match (more.len(), more.as_bytes().first()?) {
        (1, b'\t') => Some(Unit::Tab),
        (width, b' ') if more.bytes().all(|byte| byte == b' ') => Some(Unit::Spaces(width)),
        _ => None,
    }
}

/// Returns the different steps of some lines' indentations, in order: each is the difference to the nearest line above
/// that is shallower.
pub(super) fn all<'l>(indents: impl Iterator<Item = &'l str>) -> Vec<Unit> {
    let mut steps: Vec<Unit> = Vec::new();
    let mut stack: Vec<&str> = Vec::new();
    for indent in indents {
        while stack.last().is_some_and(|top| top.len() >= indent.len()) {
            stack.pop();
        }
        let above = stack.last().copied().unwrap_or("");
        if let Some(step) = added(above, indent).filter(|step| STEPS.contains(step) && !steps.contains(step))
        {
            steps.push(step);
        }
        stack.push(indent);
    }
    steps
}

/// Returns an indentation in steps of another width. A rest that is not a whole step is kept.
pub(super) fn converted(indent: &str, from: Unit, to: Unit) -> String {
    let letters = indent.len() - indent.trim_start_matches(from.letter()).len();
    let whole = letters / from.width();
    let rest = indent.cut(whole * from.width()..indent.len());
    to.times(whole).map_or_else(|| indent.to_owned(), |steps| steps + rest)
}
