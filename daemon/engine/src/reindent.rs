//! Changes the indentation of inserted text: removes a prefix from every line that is not blank, and adds another. The
//! rest of the lines stays.

use editd_types::{ErrorCode, Reindent};

use crate::Refusal;
use crate::cut::Cut;
use crate::locate::excerpt;
use crate::refusal::{on_line, refuse};
use crate::text::{Breaks, break_list};

/// Returns the text with the new indentation.
///
/// # Errors
/// `strip_mismatch` with the first line that does not start with `strip`.
pub(crate) fn reindent(text: &str, how: &Reindent) -> Result<String, Refusal> {
    let (strip, add) = (how.strip.as_deref().unwrap_or(""), how.add.as_deref().unwrap_or(""));
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let ends = break_list(text, Breaks::of(text)).into_iter().map(|at| (at.start, at.end));
    for (number, (stop, next)) in ends.chain([(text.len(), text.len())]).enumerate() {
        let line = text.cut(from..stop);
        if line.trim().is_empty() {
            out.push_str(line);
        } else {
            let rest = line.strip_prefix(strip).ok_or_else(|| mismatch(number + 1, line, strip))?;
            out.push_str(add);
            out.push_str(rest);
        }
        out.push_str(text.cut(stop..next));
        from = next;
    }
    Ok(out)
}

fn mismatch(number: usize, line: &str, strip: &str) -> Refusal {
    let shown = excerpt(line, 0);
    let message = format!(
        "line {number} of the inserted text is {shown:?} and does not start with {strip:?}; change `strip`"
    );
    on_line(number as u64, refuse(ErrorCode::StripMismatch, message))
}
