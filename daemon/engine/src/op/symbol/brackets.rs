//! Finds the brackets that are open at the start and end of each line of a text. It ignores indentation.

use std::ops::Range;

/// The depth of nested brackets up to which they are matched; code has some ten. Deeper ones are ignored.
const DEEPEST: usize = 256;

/// The open brackets around a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Open {
    /// True if the line begins inside `(` or `[`, which allow any indentation.
    pub(super) inside: bool,
    /// True if any bracket, `{` included, is open at the end of the line.
    pub(super) after: bool,
}

/// Returns the brackets that are open at the start of each line; `lengths` are the sizes of the lines with their
/// breaks. Brackets in `non_code` do not count, and neither do closing brackets without an opening one, such as that of
/// a case in a shell.
pub(super) fn around(
    text: &str,
    lengths: impl Iterator<Item = usize>,
    non_code: &[Range<usize>],
) -> Vec<Open> {
    let mut non_code = non_code.iter().peekable();
    let mut bytes = text.bytes().enumerate();
    let mut stack: Vec<u8> = Vec::new();
    let mut around = Vec::new();
    for length in lengths {
        let inside = stack.iter().any(|open| *open != b'{');
        for (at, byte) in bytes.by_ref().take(length) {
            while non_code.next_if(|range| range.end <= at).is_some() {}
            if non_code.peek().is_some_and(|range| range.start <= at) {
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' if stack.len() < DEEPEST => stack.push(byte),
                b')' | b']' | b'}' if stack.last() == Some(&opening(byte)) => {
                    stack.pop();
                }
                _ => {}
            }
        }
        around.push(Open { inside, after: !stack.is_empty() });
    }
    around
}

fn opening(close: u8) -> u8 {
    match close {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}
