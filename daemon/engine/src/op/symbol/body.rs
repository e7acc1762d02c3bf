//! `replace_body` and `replace`: replace the body or the whole definition. The lines in front of it stay unless the
//! text has such lines, too.

use std::borrow::Cow;
use std::ops::Range;

use editd_syntax::{Language, SymbolKind};
use editd_types::ErrorCode;

use super::around::{back_over_blanks, begins_line, indentation, line_end, line_start, over_blanks};
use super::block::{in_block, with_comment};
use super::continued;
use super::edit::{SymbolEdit, SymbolSite};
use super::expression::refuse_statements;
use super::fitting::{one_line, same, trimmed};
use super::quotes::{Braces, has_braces};
use super::repeated::without_rest;
use super::sliced::stands;
use super::spacing::deeper;
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::locate::{is_blank, lines, split_indent};
use crate::op::effect::{EditNote, Effect};
use crate::refusal::{malformed, refuse};

/// Languages whose blocks have no braces.
const UNBRACED: [Language; 7] = [
    Language::Python,
    Language::Ruby,
    Language::Yaml,
    Language::Toml,
    Language::Json,
    Language::Html,
    Language::Markdown,
];

/// Replaces the body.
pub(super) fn replace_body(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    let Some(body) = site.symbol.body.clone() else {
        let (path, kind) = (&site.symbol.path, site.symbol.kind.name());
        let message = format!("{path:?} is a {kind} without a body; use `replace` for all of it");
        return Err(refuse(ErrorCode::Unsupported, message));
    };
    let stored = site.store(clips, edit.to_clipboard.as_deref(), body.clone())?;
    let given = edit.text.resolve(clips)?;
    let there = text.content.cut(body.clone());
    let braces = braces(site, there);
    let given = if braces.is_some() { given } else { without_mark(site, &body, given) };
    let literal = edit.text.literal;
    let inside = if braces.is_some() { there.cut(1..there.len() - 1) } else { there };
    let is_same = |there: &str| same(there, &given, literal, text.breaks);
    if is_same(there) || is_same(inside) {
        return Ok(site.untouched(body, stored));
    }
    refuse_signature(site, &given, &body)?;
    let bare = trimmed(&given, text.breaks).trim_start();
    let is_block = |braces| site.quotes().is_block(bare, braces);
    let brings = braces.is_some_and(|braces| is_block(b"{}") || is_block(braces));
    if let Some(new) = in_block(site, edit, &body, &given)? {
        return Ok(site.replaced(body, &new, &edit.text, stored));
    }
    if let Some(range) = own_place(site, edit, &body, (braces.is_some(), brings), &given) {
        return Ok(site.replaced(range, bare, &edit.text, stored));
    }
    let (range, new) = match braces {
        Some(_) if brings => {
            (body.clone(), site.fit(&edit.text, closing_indent(site, &body)).inline(&given)?)
        }
        Some(braces) => (body.clone(), between_braces(site, edit, &body, (braces, &given))?),
        None => open_body(site, edit, &body, &given)?,
    };
    Ok(site.replaced(range, &new, &edit.text, stored))
}

/// Removes a mark at the end of a body that ends the definition in the file, too: it would be there twice.
fn without_mark<'g>(site: &SymbolSite<'_, '_>, body: &Range<usize>, given: Cow<'g, str>) -> Cow<'g, str> {
    let content = &site.scene.text.content;
    let own = content.cut(body.clone());
    let behind = content.cut(over_blanks(site.scene.text, body.end)..content.len());
    let (end, comment) = site.quotes().code_end(&given);
    let code = given.cut(0..end);
    let ends = |mark: &char| behind.starts_with(*mark) && code.ends_with(*mark) && !own.ends_with(*mark);
    match [';', ','].into_iter().find(ends) {
        Some(_) if !comment => Cow::Owned([given.cut(0..end - 1), given.cut(end..given.len())].concat()),
        _ => given,
    }
}

/// Returns the range that the text replaces without reindenting, if the text is a part of the file with some changes.
fn own_place(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    body: &Range<usize>,
    (braced, brings): (bool, bool),
    given: &str,
) -> Option<Range<usize>> {
    let text = site.scene.text;
    if edit.text.is_reindented() {
        return None;
    }
    let (range, target) = if braced && !brings {
        let inside = text.content.cut(body.start + 1..body.end - 1);
        let start = body.start + 1 + (inside.len() - inside.trim_start().len());
        let range = start..start + inside.trim().len();
        let target = begins_line(text, range.start).then(|| indentation(text, range.start).to_owned())?;
        (range, target)
    } else if braced {
        (body.clone(), closing_indent(site, body).to_owned())
    } else if begins_line(text, body.start) {
        let target = lines_target(site, body, given);
        (body.clone(), Some(target).filter(|target| target == indentation(text, body.start))?)
    } else {
        (body.clone(), site.column().0)
    };
    stands(text.content.cut(range.clone()), given, &target, site.quotes(), text.breaks).then_some(range)
}

/// Returns the braces around a body that is a block; they stay in the file if the text has none.
fn braces(site: &SymbolSite<'_, '_>, body: &str) -> Option<Braces> {
    let (language, kind) = (site.known.language, site.symbol.kind);
    if is_value(kind) || UNBRACED.contains(&language) {
        return None;
    }
    // The body of a Bash function may be a subshell in parentheses; `((` begins an arithmetic expression.
    let shell = language == Language::Bash && kind == SymbolKind::Function && !body.starts_with("((");
    let known: [(bool, Braces); 2] = [(true, b"{}"), (shell, b"()")];
    known.into_iter().find(|(may, braces)| *may && has_braces(body, braces)).map(|(_, braces)| braces)
}

/// Returns true if the body of such a symbol is its value.
fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field | SymbolKind::Key | SymbolKind::Type
    )
}

/// Returns the indentation of the line that closes a block: that of its brace, else that of the definition.
fn closing_indent<'t>(site: &'t SymbolSite<'_, '_>, body: &Range<usize>) -> &'t str {
    let text = site.scene.text;
    let last = body.end - 1;
    let own = begins_line(text, last) && last > body.start;
    indentation(text, if own { last } else { site.symbol.definition.start })
}

/// Returns the new text for the range between the braces of the file.
fn between_braces(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    body: &Range<usize>,
    (braces, given): (Braces, &str),
) -> Result<String, Refusal> {
    let text = site.scene.text;
    let [first, last] = braces.map(char::from);
    let inside = text.content.cut(body.start + 1..body.end - 1);
    let bare = trimmed(given, text.breaks).trim_start();
    if bare.is_empty() {
        return Ok([first, last].iter().collect());
    }
    // A comment would swallow the closing brace, and Bash needs a `;` or a line break before it.
    let swallows = bare.contains("//") || bare.contains('#') || site.known.language == Language::Bash;
    if !inside.contains(['\n', '\r']) && one_line(bare, text.breaks) && !swallows {
        let tight = !inside.is_empty() && !inside.starts_with([' ', '\t']);
        return Ok(if tight { format!("{first}{bare}{last}") } else { format!("{first} {bare} {last}") });
    }
    let outer = closing_indent(site, body).to_owned();
    let inner =
        lines(inside, text.breaks).into_iter().skip(1).map(|(line, _)| line).find(|line| !is_blank(line));
    let inner = inner.map(|line| split_indent(line).0).filter(|inner| inner.len() > outer.len());
    let inner = inner.map_or_else(|| deeper(site, &outer), str::to_owned);
    let made = site.fit(&edit.text, &inner).text(given)?;
    let ending = site.ending(body.start);
    Ok(format!("{first}{ending}{made}{ending}{outer}{last}"))
}

/// Returns the range that is replaced if the body has no braces, and its new text.
fn open_body(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    body: &Range<usize>,
    given: &str,
) -> Result<(Range<usize>, String), Refusal> {
    let text = site.scene.text;
    let bare = trimmed(given, text.breaks);
    refuse_statements(site, bare)?;
    if begins_line(text, body.start) && body.start > site.symbol.definition.start {
        let target = lines_target(site, body, given);
        let fit = site.fit_inside(&edit.text, &target, given);
        // A read of the body does not show the indentation of its first line, and Markdown is not indented anew.
        let lacks = site.known.language == Language::Markdown && split_indent(bare).0.is_empty();
        let start = if lacks { body.start } else { line_start(text, body.start) };
        return Ok((start..body.end, fit.text(given)?));
    }
    let (outer, _) = site.column();
    if needs_lines(site, bare, one_line(bare, text.breaks)) {
        let start = back_over_blanks(text, body.start);
        let inner = deeper(site, &outer);
        let made = site.fit(&edit.text, &inner).text(given)?;
        return Ok((start..body.end, [site.ending(body.start), made].concat()));
    }
    let made = site.fit_inside(&edit.text, &outer, given).inline(given)?;
    Ok(with_comment(site, body, made))
}

/// Returns the indentation of a text that replaces a body at the start of its line: that of the body. Only a list of
/// YAML may have the indentation of its key.
fn lines_target(site: &SymbolSite<'_, '_>, body: &Range<usize>, given: &str) -> String {
    let there = indentation(site.scene.text, body.start);
    let (outer, _) = site.column();
    let mut lines =
        given.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let list = lines.next().is_some_and(|line| line == "-" || line.starts_with("- "));
    let is_key = site.known.language == Language::Yaml && site.symbol.kind == SymbolKind::Key;
    if is_key && there == outer && !list { deeper(site, &outer) } else { there.to_owned() }
}

/// Returns true if a text cannot begin on the line of the definition.
fn needs_lines(site: &SymbolSite<'_, '_>, given: &str, one_line: bool) -> bool {
    let given = given.trim_start();
    match site.known.language {
        Language::Python => !one_line && !is_value(site.symbol.kind),
        // An item of a list may begin on the line of its dash.
        Language::Yaml if one_line && site.symbol.kind != SymbolKind::Key => false,
        Language::Yaml if one_line => {
            given == "-" || given.starts_with("- ") || site.quotes().is_mapping(given)
        }
        Language::Yaml => !given.starts_with(['|', '>', '[', '{', '"', '\'']),
        _ => false,
    }
}

/// Replaces the definition.
pub(super) fn replace(
    site: &SymbolSite<'_, '_>,
    edit: &SymbolEdit,
    clips: &mut Clips<'_>,
) -> Result<Effect, Refusal> {
    let text = site.scene.text;
    let (extent, definition) = (site.symbol.extent.clone(), site.symbol.definition.clone());
    // A text from a clipboard replaces only the definition.
    let quoted = edit.text.quoted().unwrap_or("");
    let alone = without_rest(site, quoted).filter(|_| !edit.text.is_reindented());
    let bare = alone.as_deref().unwrap_or(quoted).trim();
    let front = text.content.cut(extent.start..definition.start);
    let brought = first_line(bare).and_then(|first| line_in(front, first));
    let brought = brought.or_else(|| in_place_of(site, front, bare)).map(|at| extent.start + at);
    let behind = text.content.cut(definition.end..extent.end).trim_start();
    let own = text.content.cut(definition.clone());
    let closes = |mark: &char| !own.ends_with(*mark) && behind.starts_with(*mark) && bare.ends_with(*mark);
    let closes = [';', ','].into_iter().find(closes);
    let start = brought.unwrap_or(definition.start);
    let tail = text.content.cut(definition.end..extent.end);
    let end = closes.and_then(|mark| tail.find(mark)).map_or(definition.end, |at| definition.end + at + 1);
    let range = start..end;
    let stored = site.store(clips, edit.to_clipboard.as_deref(), range.clone())?;
    let repeats = alone.is_some();
    let given = alone.map_or_else(|| edit.text.resolve(clips), |alone| Ok(Cow::Owned(alone)))?;
    let told = |mut effect: Effect| {
        effect.found.note = repeats.then(|| Box::new(EditNote::Repeated));
        effect
    };
    let is_same = |there: Range<usize>| same(text.content.cut(there), &given, edit.text.literal, text.breaks);
    if is_same(range.clone()) || is_same(extent) {
        return Ok(told(site.untouched(range, stored)));
    }
    if trimmed(&given, text.breaks).is_empty() {
        return Err(malformed("`replace` needs a text; use `delete` to take the symbol out"));
    }
    continued::refuse(site, site.known.before(site.at), Some(&given), site.known.after(site.at))?;
    let (column, item) = site.column();
    let target = if item { &column } else { indentation(text, start) };
    let there = text.content.cut(range.clone());
    if !edit.text.is_reindented() && stands(there, &given, target, site.quotes(), text.breaks) {
        let bare = trimmed(&given, text.breaks).trim_start();
        return Ok(told(site.replaced(range, bare, &edit.text, stored)));
    }
    let fit = site.fit(&edit.text, target);
    if begins_line(text, start) {
        let from = line_start(text, start);
        return Ok(told(site.replaced(from..end, &fit.text(&given)?, &edit.text, stored)));
    }
    Ok(told(site.replaced(range, &fit.inline(&given)?, &edit.text, stored)))
}

/// Returns the offset in the lines above a definition from which the lines of the new text replace them. Attributes
/// replace attributes, and comments replace everything.
fn in_place_of(site: &SymbolSite<'_, '_>, front: &str, given: &str) -> Option<usize> {
    if front.is_empty() {
        return None;
    }
    let quotes = site.quotes();
    let has_comment = quotes.front(given)?;
    // Parsed alone, the definition may already seem to have a comment or an attribute in front.
    if quotes.front(site.scene.text.content.cut(site.symbol.definition.clone())).is_some() {
        return None;
    }
    if has_comment { Some(0) } else { quotes.behind_comments(front) }
}

/// Returns the offset of a line among the lines in front of a definition.
fn line_in(front: &str, wanted: &str) -> Option<usize> {
    let mut at = 0;
    for line in front.split_inclusive(['\n', '\r']) {
        if line.trim() == wanted {
            return Some(at + line.len() - line.trim_start().len());
        }
        at += line.len();
    }
    None
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

/// Refuses a body that begins with what stands before the body: it would be there twice.
fn refuse_signature(site: &SymbolSite<'_, '_>, given: &str, body: &Range<usize>) -> Result<(), Refusal> {
    let (text, symbol) = (site.scene.text, site.symbol);
    let json = site.known.language == Language::Json;
    if matches!(symbol.kind, SymbolKind::Element | SymbolKind::Section | SymbolKind::Table | SymbolKind::Rule)
        || (symbol.kind == SymbolKind::Key && !json)
    {
        return Ok(());
    }
    let named = line_start(text, symbol.name.start).max(symbol.definition.start);
    for start in [symbol.definition.start, named] {
        let signature = text.content.cut(start..body.start).trim();
        let repeated = if one_line(signature, text.breaks) {
            !signature.is_empty() && given.trim_start().starts_with(signature)
        } else {
            let line = text.content.cut(start..line_end(text, start)).trim();
            first_line(given) == Some(line)
        };
        if repeated {
            return Err(malformed(
                "the text begins with the definition's own first line; send the body alone, or use `replace`",
            ));
        }
    }
    let head = value_head(text.content.cut(named..body.start));
    if head.is_some_and(|head| begins_with(given, head)) {
        return Err(malformed(
            "the text begins with the parameters, which come before the body and stay; send what follows them, or use `replace`",
        ));
    }
    Ok(())
}

/// Returns the text between the name and the body of a function that is a value: `(a) =>`, `function (a)`.
fn value_head(signature: &str) -> Option<&str> {
    let (_, head) = signature.split_once('=').filter(|(_, head)| !head.starts_with(['=', '>']))?;
    Some(head.trim()).filter(|head| head.contains('(') || head.ends_with("=>"))
}

/// Returns true if a text begins with another, ignoring white space.
fn begins_with(text: &str, start: &str) -> bool {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    start.chars().filter(|letter| !letter.is_whitespace()).all(|letter| letters.next() == Some(letter))
}
