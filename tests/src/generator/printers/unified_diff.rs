//! The dialect `unified-diff`: headers, and hunks with line numbers that may be wrong.

use fastrand::Rng;

use super::{ContextPlace, EditPrinter, FormProperties, PrintTask, PrintedRequest};
use crate::generator::quoting::QuotedEdit;

/// The dialect.
pub(super) struct UnifiedDiffPrinter;

impl EditPrinter for UnifiedDiffPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties {
            context: ContextPlace::Beside,
            context_lines: 2,
            hints: true,
            always_hints: true,
            numbered: false,
            ..FormProperties::named("unified-diff")
        }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let (path, eol) = (&ask.source.path, ask.eol);
        let mut text = format!("--- a/{path}{eol}+++ b/{path}{eol}");
        let mut shift = 0_i64;
        for said in ask.edits {
            let (old, new) = (said.quoted().len(), said.before.len() + said.new.len() + said.after.len());
            let first = said.hint.unwrap_or(said.start as u64 + 1);
            let start = if old == 0 { first - 1 } else { first };
            let there = i64::try_from(start).unwrap_or(0) + shift;
            text.push_str(&format!("@@ -{start},{old} +{},{new} @@{eol}", there.max(0)));
            let open = ask.source.is_open() && said.span().end == ask.source.lines.len();
            let mark = format!("\\ No newline at end of file{eol}");
            text.push_str(&body(said, eol, if open { &mark } else { "" }));
            shift += new as i64 - old as i64;
        }
        Some(PrintedRequest::Payload { dialect: "unified-diff", text, beside: false })
    }
}

/// The lines of a hunk. The lines that old and new share at their start and end are context. `open` follows the last lines of
/// old and new.
pub(super) fn body(said: &QuotedEdit, eol: &str, open: &str) -> String {
    let head = said.old.iter().zip(&said.new).take_while(|(a, b)| a == b).count();
    let most = said.old.len().min(said.new.len()) - head;
    let tail =
        said.old.iter().rev().zip(said.new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let marked = |mark: char, lines: &[String]| -> String {
        let mark = mark.to_string();
        lines.iter().flat_map(|line| [mark.as_str(), line, eol]).collect()
    };
    let above = marked(' ', &said.before) + &marked(' ', &said.old[..head]);
    let removed = marked('-', &said.old[head..said.old.len() - tail]);
    let added = marked('+', &said.new[head..said.new.len() - tail]);
    let below = marked(' ', &said.old[said.old.len() - tail..]) + &marked(' ', &said.after);
    if below.is_empty() {
        let shut = |text: String| if text.is_empty() { text } else { text + open };
        return above + &shut(removed) + &shut(added);
    }
    above + &removed + &added + &below + open
}
