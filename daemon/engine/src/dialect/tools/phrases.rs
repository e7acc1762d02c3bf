//! The wording of a dialect's replies as templates, and how they are filled. It decides nothing.

/// One template for each outcome. `{path}`, `{to}`, `{old}`, `{count}`, `{expected}` and
/// `{last}` are replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phrases {
    /// Text was changed.
    pub(super) edited: &'static str,
    /// A file was made.
    pub(super) created: &'static str,
    /// A file was written whole.
    pub(super) overwritten: &'static str,
    /// A file was moved.
    pub(super) moved: &'static str,
    /// There is nothing to change.
    pub(super) unchanged: &'static str,
    /// The text is not there.
    pub(super) not_found: &'static str,
    /// The text is there more than once.
    pub(super) ambiguous: &'static str,
    /// The text is there another number of times than expected.
    pub(super) count: &'static str,
    /// No symbol has the name.
    pub(super) no_symbol: &'static str,
    /// Several symbols have the name.
    pub(super) symbols: &'static str,
    /// The file does not exist.
    pub(super) missing: &'static str,
    /// A file to be made exists.
    pub(super) exists: &'static str,
    /// The target of a move exists.
    pub(super) target: &'static str,
    /// A match of a pattern contains the start of another one.
    pub(super) swallowed: &'static str,
    /// A line is not in the file.
    pub(super) range: &'static str,
    /// The file was not read.
    pub(super) unread: &'static str,
    /// The file changed since it was read.
    pub(super) stale: &'static str,
}

impl Phrases {
    /// The wording for outcomes for which a tool has no words of its own.
    pub(super) const COMMON: Self = Self {
        edited: "Edited {path}.",
        created: "Created {path}.",
        overwritten: "Wrote {path}.",
        moved: "Moved {path} to {to}.",
        unchanged: "No changes to make in {path}.",
        not_found: "The text was not found in {path}.\nText: {old}",
        ambiguous: "The text is not unique, it was found {count} times in {path}; quote more lines around it.\nText: {old}",
        count: "The text was found {count} times in {path}, not {expected}.\nText: {old}",
        no_symbol: "The symbol {old} was not found in {path}.",
        symbols: "Several symbols in {path} are called {old}.",
        missing: "File not found: {path}",
        exists: "{path} already exists and is not empty; quote the text to replace.",
        target: "{to} already exists; choose another path.",
        swallowed: "",
        range: "",
        unread: "{path} has not been read yet. Read it first before writing to it.",
        stale: "{path} has been modified since it was read.",
    };
}

/// The values of a template.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Values<'v> {
    /// The file.
    pub(super) path: &'v str,
    /// The path that it gets.
    pub(super) to: &'v str,
    /// The text that was searched, shortened.
    pub(super) old: &'v str,
    /// The number of its occurrences.
    pub(super) count: u64,
    /// The number of occurrences that was expected.
    pub(super) expected: u64,
    /// The last line of the file, from 0.
    pub(super) last: u64,
}

/// Fills a template. A value that looks like a placeholder stays as it is.
pub(super) fn filled(template: &str, values: &Values<'_>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once('{') {
        out.push_str(text);
        let Some((name, behind)) = behind.split_once('}') else { break };
        match name {
            "path" => out.push_str(values.path),
            "to" => out.push_str(values.to),
            "old" => out.push_str(values.old),
            "count" => out.push_str(&values.count.to_string()),
            "last" => out.push_str(&values.last.to_string()),
            "expected" => out.push_str(&values.expected.to_string()),
            _ => {}
        }
        rest = behind;
    }
    out + rest
}
