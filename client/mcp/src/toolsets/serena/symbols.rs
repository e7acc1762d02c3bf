//! The tools of Serena that list and find symbols, in the outline of one file.

use editd_proto::message::{OutlineReply, OutlineRequest, ReadRequest, SymbolInfo};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::context::{CallRefusal, CallTarget};
use crate::reply::ToolReply;
use crate::tools::lines::{LineForm, ReadLines, TEXT};
use crate::tools::{CallResult, ToolCall};
use crate::toolsets::schema::{flag, number, object, text};

/// The fields of Serena that mean nothing without a language server, or for one file. They are accepted and not used.
const UNUSED: [&str; 5] =
    ["include_info", "include_kinds", "exclude_kinds", "max_matches", "max_answer_chars"];

/// Returns the schema of `find_symbol`.
pub(super) fn find_schema() -> Value {
    let fields = json!({
        "name_path_pattern": text(),
        "relative_path": text(),
        "depth": number(),
        "include_body": flag(),
        "substring_matching": flag()
    });
    object(fields, &["name_path_pattern", "relative_path"])
}

/// Lists the symbols of a file, grouped by their kind.
pub(super) fn overview(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::with_unlisted("", given, &["relative_path", "depth"], &UNUSED)?;
    let path = given.required("relative_path")?;
    let depth = given.signed("depth")?.map_or(0, |depth| u64::try_from(depth).unwrap_or(0));
    let target = call.context.workspace_of(Some(&path));
    let outline = outline(&target, &path, Some(depth))?;
    let mut groups = grouped(&outline.symbols, 0, depth);
    note(&mut groups, &outline);
    Ok(ToolReply::done(Value::Object(groups).to_string(), &outline))
}

/// Finds symbols by a pattern of their name path.
pub(super) fn find(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let own = ["name_path_pattern", "relative_path", "depth", "include_body", "substring_matching"];
    let mut given = Arguments::with_unlisted("", given, &own, &UNUSED)?;
    let pattern = given.required("name_path_pattern")?;
    let Some(path) = given.text("relative_path")?.filter(|path| !path.is_empty()) else {
        return Err(given.wrong("relative_path", "is missing: symbols are found in one file"));
    };
    let depth = given.number("depth")?.unwrap_or(0);
    let (with_body, part) = (given.flag("include_body")?, given.flag("substring_matching")?);
    let target = call.context.workspace_of(Some(&path));
    let outline = outline(&target, &path, None)?;
    let (mut found, mut size) = (Vec::new(), 0);
    for (at, symbol) in outline.symbols.iter().enumerate() {
        if !matches(&symbol.name, &pattern, part) {
            continue;
        }
        let (key, more) = if with_body && size as u64 >= TEXT {
            ("note", "the body is left out; find this symbol alone".into())
        } else if with_body {
            let body = body(&target, &outline, symbol)?;
            size += body.len();
            ("body", body.into())
        } else {
            let children = inside(&outline.symbols, at);
            ("children", grouped(children, symbol.depth + 1, symbol.depth.saturating_add(depth)).into())
        };
        let mut one = described(&outline, symbol);
        if with_body || depth > 0 {
            one.insert(key.to_owned(), more);
        }
        found.push(one);
    }
    Ok(ToolReply::done(
        Value::from(found).to_string(),
        &json!({ "path": outline.path, "version": outline.version }),
    ))
}

fn outline(target: &CallTarget<'_>, path: &str, depth: Option<u64>) -> Result<OutlineReply, CallRefusal> {
    let path = target.name(path)?;
    target.ask(|it| it.outline(&OutlineRequest { path: path.clone(), depth }))
}

/// Returns the name, the kind and the place of a symbol.
fn described(outline: &OutlineReply, symbol: &SymbolInfo) -> Map<String, Value> {
    let (first, last) = symbol.lines;
    let place = json!({ "start_line": first.saturating_sub(1), "end_line": last.saturating_sub(1) });
    let facts = [
        ("name_path", json!(symbol.name)),
        ("kind", json!(symbol.kind)),
        ("relative_path", json!(outline.path)),
        ("body_location", place),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the text of a symbol, which then counts as read, with the line breaks that every read returns.
fn body(target: &CallTarget<'_>, outline: &OutlineReply, symbol: &SymbolInfo) -> Result<String, CallRefusal> {
    let request = ReadRequest {
        path: outline.path.clone(),
        lines: None,
        seen: None,
        symbol: Some(symbol.name.clone()),
        body: false,
    };
    let reply = target.ask(|it| it.read(&request))?;
    Ok(ReadLines::of(reply, u64::MAX, u64::MAX).text(LineForm::default()))
}

/// Returns the symbols inside a symbol.
fn inside(symbols: &[SymbolInfo], at: usize) -> &[SymbolInfo] {
    let (Some(holder), Some(behind)) = (symbols.get(at), symbols.get(at + 1..)) else { return &[] };
    let count = behind.iter().take_while(|symbol| symbol.depth > holder.depth).count();
    behind.get(..count).unwrap_or_default()
}

/// Returns the names of the symbols at a depth by kind; a symbol with others inside it, down to a last depth, is an object.
fn grouped(symbols: &[SymbolInfo], depth: u64, last: u64) -> Map<String, Value> {
    let mut groups: Map<String, Value> = Map::new();
    for (at, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.depth == depth) {
        let name = symbol.name.rsplit('/').next().unwrap_or(&symbol.name);
        let children = if depth < last { grouped(inside(symbols, at), depth + 1, last) } else { Map::new() };
        let one = if children.is_empty() { json!(name) } else { json!({ name: children }) };
        if let Value::Array(list) = groups.entry(symbol.kind.clone()).or_insert_with(|| json!([])) {
            list.push(one);
        }
    }
    groups
}

/// Adds a remark about symbols that are left out, and the warnings.
fn note(groups: &mut Map<String, Value>, outline: &OutlineReply) {
    let omitted = outline.omitted.map(|count| format!("{count} more symbols are left out"));
    let notes: Vec<String> = omitted.into_iter().chain(outline.warnings.iter().cloned()).collect();
    if !notes.is_empty() {
        groups.insert("warnings".to_owned(), notes.into());
    }
}

/// Returns true if a name path fits a pattern: a name, the end of a name path, or with a slash in front a whole one. With
/// `part`, the last name of the pattern may be a part of the name. A name without a number such as `[1]` fits all overloads.
fn matches(name: &str, pattern: &str, part: bool) -> bool {
    let (whole, pattern) = match pattern.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (names, wanted): (Vec<&str>, Vec<&str>) = (name.split('/').collect(), pattern.split('/').collect());
    let Some(skipped) = names.len().checked_sub(wanted.len()) else { return false };
    let last = wanted.len() - 1;
    let fits = |(at, (name, wanted)): (usize, (&&str, &&str))| {
        name == wanted || without_number(name) == *wanted || (part && at == last && name.contains(*wanted))
    };
    (!whole || skipped == 0) && names.iter().skip(skipped).zip(&wanted).enumerate().all(fits)
}

/// Returns the name of one of several definitions without its number.
fn without_number(name: &str) -> &str {
    let numbered = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numbered.filter(|(_, digits)| is_number(digits)).map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_without_a_number_fits_all_overloads() {
        for (name, pattern, fits) in [
            ("Sum/add[2]", "add", true),
            ("Sum/add[2]", "Sum/add[2]", true),
            ("Sum/add[2]", "add[1]", false),
            ("Sum[1]/add", "Sum/add", true),
            ("table[]", "table", false),
        ] {
            assert_eq!(matches(name, pattern, false), fits, "{name} {pattern}");
        }
    }

    #[test]
    fn a_pattern_is_a_name_an_end_or_a_whole_name_path() {
        for (pattern, part, fits) in [
            ("run", false, true),
            ("Job/run", false, true),
            ("/Queue/Job/run", false, true),
            ("/Job/run", false, false),
            ("ru", false, false),
            ("ru", true, true),
            ("Jo/run", true, false),
            ("a/Queue/Job/run", false, false),
        ] {
            assert_eq!(matches("Queue/Job/run", pattern, part), fits, "{pattern}");
        }
    }
}
