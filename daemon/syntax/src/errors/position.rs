//! Converts byte offsets to lines and columns, in one pass over the text.

use super::{Certainty, SyntaxError, SyntaxFault};

/// Gives each fault its line and column. The faults must be in the order of the text.
pub(super) fn with_positions(
    text: &str,
    faults: impl Iterator<Item = (SyntaxFault, Certainty)>,
) -> Vec<SyntaxError> {
    let line_break = if text.contains('\n') { '\n' } else { '\r' };
    let (mut line, mut column, mut here) = (1, 1, 0);
    let mut position = |(fault, certainty): (SyntaxFault, Certainty)| {
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
    faults.map(&mut position).collect()
}
