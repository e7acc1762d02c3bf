//! Recognizes a text that repeats the rest of the lines beside a definition, as a read of the symbol shows them: whole
//! lines, even if the definition does not fill them. It changes no indentation.

use super::around::{line_end, line_start};
use super::edit::SymbolSite;
use crate::cut::Cut;
use crate::locate::{is_blank, split_indent};

/// Returns a text without what stands in the file on the first line before the definition and on the last line after
/// it, or `None` if the text does not repeat this.
///
/// A `}`, `,` or `;` alone after a definition that begins its line does not count: the text may end so itself. If the
/// definition itself begins with what is before it, or ends with what is after it, the text repeats nothing that has
/// this only once.
pub(super) fn without_rest(site: &SymbolSite<'_, '_>, given: &str) -> Option<String> {
    let (text, symbol) = (site.scene.text, site.symbol);
    let definition = symbol.definition.clone();
    let first = line_start(text, definition.start);
    // Comments and attributes on the line belong to the symbol.
    let own = if symbol.extent.start < first { first } else { symbol.extent.start };
    let before = text.content.cut(first..own).trim_start();
    let after = text.content.cut(definition.end..line_end(text, definition.end)).trim_end();
    let repeats = !before.is_empty() || after.contains(char::is_alphanumeric);
    if !repeats {
        return None;
    }
    let bare = given.trim_start_matches(['\n', '\r']);
    let (indent, rest) = split_indent(bare);
    let rest = rest.strip_prefix(before)?.trim_end().strip_suffix(after)?;
    let begins = |start: usize| text.content.cut(start..definition.end).starts_with(before);
    if (begins(own) || begins(definition.start)) && !rest.starts_with(before)
        || text.content.cut(definition.clone()).ends_with(after) && !rest.ends_with(after)
    {
        return None;
    }
    // A text that is nothing else is no definition.
    (!is_blank(rest)).then(|| [indent, rest].concat())
}
