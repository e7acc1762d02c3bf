//! Descriptions of the edit operations: names, fields with their types, and examples that a test applies. Parses no
//! edit.

mod table;

use std::fmt::Write as _;

pub use table::OPERATIONS;

/// The description of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The value of the field `op`.
    pub name: &'static str,
    /// The purpose, as a clause.
    pub purpose: &'static str,
    /// The fields besides `op`.
    pub fields: &'static [OperationField],
    /// Examples of valid edits.
    pub examples: &'static [OperationExample],
    /// The file entry of an edit of several files, if the operation supports that.
    pub of_several: Option<&'static str>,
}

/// The description of a field.
#[derive(Clone, Copy, Debug)]
pub struct OperationField {
    /// The name of the field.
    pub name: &'static str,
    /// The type of the value. A `?` at the end marks an optional field.
    pub takes: &'static str,
    /// The meaning, in a few words.
    pub meaning: &'static str,
}

/// An example: an edit in JSON, and the file before and after it.
#[derive(Clone, Copy, Debug)]
pub struct OperationExample {
    /// The edit.
    pub edit: &'static str,
    /// The content before the edit, or `None` if there is no file.
    pub before: Option<&'static str>,
    /// The content after the edit, or `None` if there is no file.
    pub after: Option<&'static str>,
}

/// The fields whose value is an object, with the names of the object's fields.
pub const NESTED: &[(&str, &[&str])] = &[
    ("at", &["line", "before", "after"]),
    ("within", &["lines", "symbol", "position"]),
    ("within.position", &["line", "column"]),
    ("reindent", &["strip", "add"]),
];

/// Splits the name of a nested field, such as `at.lne`, into the outer field and its own name. Also returns the names
/// that the outer field has. Returns `None` for any other name.
fn nested(name: &str) -> Option<(&str, &str, &'static [&'static str])> {
    let (holder, own) = name.rsplit_once('.')?;
    let (_, fields) = NESTED.iter().find(|(field, _)| *field == holder)?;
    Some((holder, own, fields))
}

/// Returns the operation with a name.
pub fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

impl Operation {
    /// Returns the help text: purpose, fields and examples.
    pub fn help(&self) -> String {
        let mut out = format!("{}: {}\n", self.name, self.purpose);
        let width =
            |text: fn(&OperationField) -> &str| self.fields.iter().map(text).map(str::len).max().unwrap_or(0);
        let (name, takes) = (width(|field| field.name), width(|field| field.takes));
        for field in self.fields {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "  {:name$}  {:takes$}  {}", field.name, field.takes, field.meaning);
        }
        for example in self.examples {
            let _ = writeln!(out, "  {}", example.edit);
        }
        if let Some(entry) = self.of_several {
            let _ = writeln!(out, "  in several files, as an entry of `files`: {entry}");
        }
        out
    }

    /// Returns an error message that lists all unknown fields of an edit, or `None` if there is none. The name of a
    /// nested field starts with the outer field: `reindent.stirp`.
    pub fn unknown_fields_error(&self, given: &[&str]) -> Option<String> {
        let has = |name: &str| self.fields.iter().any(|field| field.name == name);
        // If the operation does not have the outer field, its nested fields are not reported as well.
        let is_told_with_another = |name: &str| {
            let outermost = name.split('.').next().unwrap_or_default();
            nested(name).is_some() && !has(outermost) && given.contains(&outermost)
        };
        let wrong: Vec<&str> =
            given.iter().copied().filter(|name| !has(name) && !is_told_with_another(name)).collect();
        if wrong.is_empty() {
            return None;
        }
        let left = |field: &&OperationField| !given.contains(&field.name);
        let open: Vec<&str> = self.fields.iter().filter(left).map(|field| field.name).collect();
        let listed: Vec<String> =
            wrong.iter().take(NAMES_LISTED).map(|name| self.correction(name, &open)).collect();
        let more = wrong.len().saturating_sub(NAMES_LISTED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let word = if wrong.len() == 1 { "field" } else { "fields" };
        let has = self.valid_fields(&wrong).join("; ");
        Some(format!("`{}` has no {word} {}{more}; {has}", self.name, listed.join(", ")))
    }

    /// Returns the valid fields, for the wrong names of an edit.
    fn valid_fields(&self, wrong: &[&str]) -> Vec<String> {
        let mut listed = Vec::new();
        if wrong.iter().any(|name| nested(name).is_none()) {
            let fields: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
            listed.push(match fields.as_slice() {
                [] => "it has none".to_owned(),
                fields => format!("it has {}", fields.join(", ")),
            });
        }
        for (holder, fields) in NESTED {
            if wrong.iter().any(|name| nested(name).is_some_and(|(inside, ..)| inside == *holder)) {
                listed.push(format!("`{holder}` has {}", fields.join(", ")));
            }
        }
        listed
    }

    /// Returns a wrong name with a correction.
    fn correction(&self, name: &str, open: &[&str]) -> String {
        let shown: String = name.chars().take(NAME_LENGTH).flat_map(char::escape_debug).collect();
        if let Some((holder, own, fields)) = nested(name) {
            return match nearest(own, fields) {
                Some(near) => format!("`{shown}` (use `{holder}.{near}`)"),
                None => format!("`{shown}` (leave it out)"),
            };
        }
        let other = || OPERATIONS.iter().find(|other| other.fields.iter().any(|field| field.name == name));
        match nearest(name, open) {
            Some(near) => format!("`{shown}` (use `{near}`)"),
            None => match other() {
                Some(other) => format!("`{shown}` (leave it out: it is one of `{}`)", other.name),
                None => format!("`{shown}` (leave it out)"),
            },
        }
    }
}

/// Maximum number of names in a message.
const NAMES_LISTED: usize = 8;

/// Maximum number of characters of a name in a message.
const NAME_LENGTH: usize = 40;

/// Common wrong names of each field, without `_` and `-` and in lowercase.
const ALSO_CALLED: &[(&str, &[&str])] = &[
    ("old", &["search", "find", "from", "expected", "original", "contextold"]),
    ("new", &["replace", "replacewith", "with", "replacement"]),
    ("text", &["content", "contents", "body", "insert", "new", "lines", "code"]),
    ("at", &["position", "where", "anchor", "line", "place"]),
    ("start", &["line", "first", "from", "begin"]),
    ("end", &["last", "until", "through"]),
    ("before", &["contextbefore", "above"]),
    ("after", &["contextafter", "below"]),
    ("pattern", &["search", "find", "old", "query"]),
    ("replacement", &["replace", "new", "with"]),
    ("within", &["range", "scope", "symbol", "lines", "in", "inside"]),
    ("name", &["symbol", "symbolname", "namepath"]),
    ("all", &["replaceall", "global", "everywhere"]),
    ("expect", &["expected", "occurrences", "expectedoccurrences", "times"]),
    ("count", &["limit", "max", "times"]),
    ("flags", &["ignorecase", "options"]),
    ("to", &["target", "destination", "dest", "newpath", "newname"]),
    ("mode", &["permissions", "perm"]),
    ("overwrite", &["force"]),
    ("action", &["kind", "type"]),
];

/// Returns the name in `known` that is most similar to `name`, if any is similar enough. The first one wins a tie.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let wanted = plain(&name.chars().take(NAME_LENGTH).collect::<String>());
    if let Some(same) = known.iter().find(|known| plain(known) == wanted) {
        return Some(same);
    }
    let also = |known: &&&str| {
        ALSO_CALLED.iter().any(|(field, names)| field == *known && names.contains(&wanted.as_str()))
    };
    if let Some(called) = known.iter().find(also) {
        return Some(called);
    }
    let words = words(name);
    if let Some(part) = known.iter().find(|known| words.iter().any(|word| word == *known)) {
        return Some(part);
    }
    let near = known.iter().map(|known| (distance(&wanted, &plain(known)), *known));
    let near = near.filter(|(steps, known)| *steps <= 1 + known.len() / 4 && *steps < known.len());
    near.min_by_key(|(steps, _)| *steps).map(|(_, known)| known)
}

/// Returns the words of a name. `old_string` and `oldString` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars().take(NAME_LENGTH) {
        if letter == '_' || letter == '-' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_' && letter != '-') {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// Returns the edit distance of two names, in characters inserted, removed, replaced or swapped with the next one.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let above = rows.last().map_or(&[][..], Vec::as_slice);
            let mut least =
                (at(above, j) + usize::from(a != b)).min(at(above, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if let Some(before) = rows.get(i.wrapping_sub(1)).filter(|_| swapped) {
                least = least.min(at(before, j - 1) + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(0)
}

/// Returns the help of all operations.
pub fn manual() -> String {
    let each: Vec<String> = OPERATIONS.iter().map(Operation::help).collect();
    each.join("\n")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_misspelt_field_finds_the_one_that_is_meant() {
        for (op, given, meant) in [
            ("replace", "exepct", "expect"),
            ("replace", "old_string", "old"),
            ("replace", "newText", "new"),
            ("replace", "replace_all", "all"),
            ("replace", "wholelines", "whole_lines"),
            ("lines", "strat", "start"),
            ("lines", "end_line", "end"),
            ("chunk", "context_before", "before"),
            ("chunk", "range", "within"),
            ("substitute", "patern", "pattern"),
            ("write", "content", "text"),
            ("symbol", "name_path", "name"),
        ] {
            let message = operation(op).unwrap().unknown_fields_error(&[given]).unwrap();
            assert!(message.contains(&format!("`{given}` (use `{meant}`)")), "{message}");
        }
    }

    #[test]
    fn all_strays_of_an_edit_are_told_at_once_and_no_given_field_is_proposed() {
        let replace = operation("replace").unwrap();
        assert_eq!(replace.unknown_fields_error(&["old", "new", "near"]), None);
        let message = replace.unknown_fields_error(&["old", "olds", "pattern", "x1"]).unwrap();
        assert!(message.starts_with("`replace` has no fields `olds` (leave it out), "), "{message}");
        assert!(message.contains(
            "`pattern` (leave it out: it is one of `substitute`), `x1` (leave it out); it has old, "
        ));
        let many: Vec<String> = (0..20).map(|number| format!("zz{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(replace.unknown_fields_error(&many).unwrap().contains(", and 12 more; "));
        assert!(
            operation("delete").unwrap().unknown_fields_error(&["text"]).unwrap().ends_with("; it has none")
        );
    }

    #[test]
    fn a_field_inside_another_is_told_with_both_names() {
        let insert = operation("insert").unwrap();
        let message =
            insert.unknown_fields_error(&["txt", "at", "at.lne", "reindent", "reindent.add2"]).unwrap();
        assert!(
            message.contains(
                "`txt` (use `text`), `at.lne` (use `at.line`), `reindent.add2` (use `reindent.add`)"
            )
        );
        assert!(message.ends_with("; `at` has line, before, after; `reindent` has strip, add"), "{message}");
        let message = operation("chunk").unwrap().unknown_fields_error(&["within.position.colum"]).unwrap();
        let expected = "`chunk` has no field `within.position.colum` (use `within.position.column`); \
                        `within.position` has line, column";
        assert_eq!(message, expected);
        // If the operation does not have the outer field, its nested fields are not reported as well.
        let message = operation("write").unwrap().unknown_fields_error(&["text", "at", "at.lne"]).unwrap();
        assert!(message.starts_with("`write` has no field `at` (leave it out"), "{message}");
        assert!(operation("write").unwrap().unknown_fields_error(&["text", "at.lne"]).is_some());
    }

    #[test]
    fn steps_between_names_are_counted() {
        for (one, other, steps) in
            [("", "", 0), ("a", "", 1), ("strat", "start", 1), ("olds", "old", 1), ("ab", "cd", 2)]
        {
            assert_eq!(distance(one, other), steps, "{one} {other}");
        }
    }
}
