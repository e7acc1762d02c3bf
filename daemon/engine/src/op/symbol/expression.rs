//! Checks bodies that are an expression, such as that of an arrow function: a statement is not valid there. It changes
//! nothing.

use editd_syntax::{Language, SymbolKind};
use editd_types::ErrorCode;

use super::edit::SymbolSite;
use crate::Refusal;
use crate::cut::Cut;
use crate::refusal::refuse;

/// Refuses statements in the place of an expression.
///
/// # Errors
/// `unsupported`.
pub(super) fn refuse_statements(site: &SymbolSite<'_, '_>, given: &str) -> Result<(), Refusal> {
    use Language::{CSharp, JavaScript, Tsx, TypeScript};
    let (language, kind) = (site.known.language, site.symbol.kind);
    let is_code = matches!(
        kind,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property
    );
    if !is_code || !matches!(language, CSharp | JavaScript | Tsx | TypeScript) {
        return Ok(());
    }
    // An arrow function may have a block as well.
    let block = site.quotes().is_block(given, b"{}");
    if block && language != CSharp || !block && !says_statements(site, given) {
        return Ok(());
    }
    Err(refuse(ErrorCode::Unsupported, "its body is an expression; send one, without `;`, or use `replace`"))
}

/// Returns true if the text has a `;` outside of brackets, or begins with `return`.
fn says_statements(site: &SymbolSite<'_, '_>, given: &str) -> bool {
    let returns = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    if given.trim_start().strip_prefix("return").is_some_and(returns) {
        return true;
    }
    // Text between tags is not code, and entities end in `;`.
    if ["</", "/>"].iter().any(|tag| given.contains(tag)) {
        return false;
    }
    let ranges = site.quotes().non_code(given).unwrap_or_default();
    let mut from = 0;
    let mut open = 0_usize;
    let end = given.len()..given.len();
    for range in ranges.into_iter().map(|(range, _)| range).chain(std::iter::once(end)) {
        for byte in given.cut(from..range.start.max(from)).bytes() {
            match byte {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                b';' if open == 0 => return true,
                _ => {}
            }
        }
        from = range.end;
    }
    false
}
