//! The step of indentation that most of a file's lines are made with. It reads the whole file, so callers keep the
//! answer.

use super::unit::{Unit, is_blank, split_indent};

/// Of so many steps to a deeper line most must be alike.
const OF: usize = 10;
/// So many of these.
const ALIKE: usize = 6;
/// Of so many indented lines all but one must be of one kind.
const KIND: usize = 10;

/// Returns the dominant step of a content whose lines end in `stop`; `None` if there is none.
pub(crate) fn dominant(content: &str, stop: char) -> Option<Unit> {
    let (mut tabs, mut spaces) = (0, 0);
    let mut steps = [0_usize; 9];
    let mut above = 0;
    for line in content.split(stop) {
        let line = line.trim_end_matches('\r');
        if is_blank(line) {
            continue;
        }
        let indent = split_indent(line).0;
        if indent.starts_with('\t') {
            tabs += 1;
        } else if indent.len() > 1 {
            spaces += 1;
            if let Some(step) = indent.len().checked_sub(above).and_then(|step| steps.get_mut(step)) {
                *step += 1;
            }
        }
        above = indent.len();
    }
    if tabs * KIND >= (tabs + spaces) * (KIND - 1) && tabs > 0 {
        return Some(Unit::Tab);
    }
    let all: usize = steps.iter().skip(1).sum();
    let (width, count) = steps.iter().copied().enumerate().skip(2).max_by_key(|(_, count)| *count)?;
    let clear = spaces * KIND >= (tabs + spaces) * (KIND - 1) && count * OF >= all * ALIKE && count > 0;
    (clear && [2, 3, 4, 8].contains(&width)).then_some(Unit::Spaces(width))
}
