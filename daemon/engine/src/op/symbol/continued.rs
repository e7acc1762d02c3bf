//! Checks fields of classes in languages in which the end of a line may replace `;`: a member that begins with `[` or
//! `*` would continue the value of the field above it.

use editd_syntax::{Language, SymbolKind};

use super::edit::SymbolSite;
use crate::Refusal;
use crate::cut::Cut;
use crate::locate::excerpt;
use crate::refusal::malformed;

/// Checks a text that is inserted behind the member of the number `above` and before that of the number `below`;
/// without a text, checks that the two members may stand beside each other.
///
/// # Errors
/// `malformed` if one of them would continue in the next.
pub(super) fn refuse(
    site: &SymbolSite<'_, '_>,
    above: Option<usize>,
    given: Option<&str>,
    below: Option<usize>,
) -> Result<(), Refusal> {
    use Language::{JavaScript, Tsx, TypeScript};
    let class = site.symbol.parent.and_then(|parent| site.known.get(parent));
    let has_fields = class.is_some_and(|class| class.kind == SymbolKind::Class);
    if !has_fields || !matches!(site.known.language, JavaScript | Tsx | TypeScript) {
        return Ok(());
    }
    let member = |at: Option<usize>| {
        let symbol = at.and_then(|at| site.known.get(at))?;
        Some(site.scene.text.content.cut(symbol.definition.start..symbol.extent.end))
    };
    let (above, below) = (member(above), member(below));
    let given = given.filter(|given| !given.trim().is_empty());
    for (first, second) in [(above, given.or(below)), (given, below)] {
        let (Some(first), Some(second)) = (first, second) else { continue };
        if continues(site, first, second) {
            return Err(malformed(format!(
                "`{}` has no `;`, so that the line after it, `{}`, would continue its value; put a `;` between them",
                excerpt(first.trim().lines().next_back().unwrap_or_default(), 0),
                excerpt(second.trim().lines().next().unwrap_or_default(), 0),
            )));
        }
    }
    Ok(())
}

/// Returns true if the value of a field would continue in the text behind it.
fn continues(site: &SymbolSite<'_, '_>, first: &str, second: &str) -> bool {
    let quotes = site.quotes();
    let begins = quotes.behind_comments(second).unwrap_or(second.len() - second.trim_start().len());
    let follows = second.get(begins..).is_some_and(|rest| rest.starts_with(['[', '*']));
    follows && {
        let code = first.cut(0..quotes.code_end(first).0);
        let mut lines = [code.trim_start().lines().next(), code.lines().next_back()].into_iter().flatten();
        !code.ends_with(';') && lines.any(has_value)
    }
}

/// Returns true if a line gives a field a value.
fn has_value(line: &str) -> bool {
    let name = line.split(['(', '{']).next().unwrap_or_default();
    name.contains('=')
}
