//! Where a hunk may stand below the lines that are said to stand above it. It reads the lines and their
//! indentation, no syntax.

use std::ops::Range;

use editd_proto::error::Code;

use crate::Refusal;
use crate::limits;
use crate::locate::{Fit, each_hit, excerpt};
use crate::op::Scene;
use crate::refusal::refuse;
use crate::text::Text;

/// The part of a file below some lines.
#[derive(Debug)]
pub(super) struct Scope {
    /// Where the first place for the last of the lines starts.
    from: usize,
    /// The indented blocks below it, by their start; one may lie in another.
    blocks: Vec<Range<usize>>,
    /// The furthest end of the blocks up to each.
    ends: Vec<usize>,
}

impl Scope {
    /// The part below `headers`, a list of lines.
    ///
    /// # Errors
    /// `not_found` naming the line that is not there; `limit`.
    pub(super) fn of(scene: &Scene<'_>, headers: &str) -> Result<Self, Refusal> {
        let text = scene.text;
        let all = text.len().saturating_add(1);
        let mut scope = Self { from: 0, blocks: std::iter::once(0..all).collect(), ends: vec![all] };
        for (number, header) in headers.lines().enumerate() {
            scene.pay(text.len().saturating_mul(limits::SCOPE_PASSES))?;
            let mut starts = places(text, header.trim());
            starts.retain(|start| *start > scope.from || (number == 0 && *start == 0));
            let Some(first) = starts.first() else { return Err(missing(text, header)) };
            scope.from = *first;
            starts.retain(|start| scope.holds(*start));
            scope.blocks = blocks(text, &starts);
            scope.ends = scope
                .blocks
                .iter()
                .scan(0, |end, block| {
                    *end = block.end.max(*end);
                    Some(*end)
                })
                .collect();
        }
        Ok(scope)
    }

    /// How a place that starts at an offset fits in.
    pub(super) fn fit(&self, start: usize) -> Fit {
        match (start >= self.from, self.holds(start)) {
            (false, _) => Fit::Out,
            (true, false) => Fit::May,
            (true, true) => Fit::Meant,
        }
    }

    fn holds(&self, start: usize) -> bool {
        let above = self.blocks.partition_point(|block| block.start <= start);
        above.checked_sub(1).and_then(|at| self.ends.get(at)).is_some_and(|end| start < *end)
    }
}

fn missing(text: &Text<'_>, header: &str) -> Refusal {
    let header = excerpt(header.trim(), 0);
    let message = format!("the line `{header}` does not stand above the hunk; quote a line that does");
    let mut error = refuse(Code::NotFound, message);
    error.lines = Some(text.lines() as u64);
    error.marker = Some(header);
    error
}

/// The starts of the lines that are a text but for white space around it.
fn places(text: &Text<'_>, header: &str) -> Vec<usize> {
    let mut found = Vec::new();
    if header.is_empty() {
        return found;
    }
    let mut taken = 0;
    let _ = each_hit(text.content.as_bytes(), header.as_bytes(), false, &mut |at| {
        if at >= taken {
            let line = text.line_of(at);
            let start = text.line_start(line);
            taken = text.line_start(line.saturating_add(1)).max(at.saturating_add(1));
            if text.line(line).trim() == header {
                found.push(start);
            }
        }
        std::ops::ControlFlow::Continue(())
    });
    found
}

/// The lines from each start to where something stands that is indented no deeper.
fn blocks(text: &Text<'_>, starts: &[usize]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = starts.iter().map(|start| *start..text.len()).collect();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut next, mut at) = (0, 0);
    for line in text.content.split_inclusive(char::from(text.breaks.stop())) {
        let start = at;
        at += line.len();
        let bare = line.trim_start();
        // What closes a bracket belongs to the line that opened it.
        if bare.is_empty() || bare.starts_with([')', ']', '}']) {
            continue;
        }
        let indent = line.len() - bare.len();
        while let Some((_, index)) = open.pop_if(|(deep, _)| *deep >= indent) {
            if let Some(block) = blocks.get_mut(index) {
                block.end = start;
            }
        }
        if starts.get(next) == Some(&start) {
            open.push((indent, next));
            next += 1;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;

    fn of(content: &str, starts: &[usize]) -> Vec<String> {
        let text = Text::read(content.as_bytes(), None);
        text.map(|text| blocks(&text, starts))
            .unwrap_or_default()
            .into_iter()
            .map(|block| content.cut(block).to_owned())
            .collect()
    }

    #[test]
    fn a_block_ends_where_something_is_indented_no_deeper() {
        let text = "class A:\n  def f():\n    a\n\n  def g():\n    b\nrest\n";
        assert_eq!(of(text, &[9]), ["  def f():\n    a\n\n"]);
        assert_eq!(of(text, &[0, 9]).len(), 2);
        assert_eq!(of("fn f() {\n  a\n}\nfn g() {}\n", &[0]), ["fn f() {\n  a\n}\n"]);
    }
}
