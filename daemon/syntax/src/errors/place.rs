//! From bytes to lines and columns, in one pass over the text.

use super::{Certainty, Fault, SyntaxError};

/// Gives each fault its place. They are in the order of the text.
pub(super) fn placed(text: &str, faults: impl Iterator<Item = (Fault, Certainty)>) -> Vec<SyntaxError> {
    let line_break = if text.contains('\n') { '\n' } else { '\r' };
    let (mut line, mut column, mut here) = (1, 1, 0);
    let mut place = |(fault, certainty): (Fault, Certainty)| {
        for letter in text.get(here..fault.at).unwrap_or_default().chars() {
            if letter == line_break {
                line += 1;
                column = 1;
            } else {
                column += 1;
            }
        }
        here = fault.at.max(here);
        SyntaxError { at: fault.at, line, column, message: fault.message, certainty }
    };
    faults.map(&mut place).collect()
}

/// The nearest character boundary at or before a byte.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
