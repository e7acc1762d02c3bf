//! The language of Rust sources: first lines of doc comments, and the names of types. It reads line by line, so it
//! expects the form that rustfmt gives.

use super::rust;

/// Words that a doc comment must not open with.
pub const QUESTION_WORDS: [&str; 7] = ["What", "Who", "Whose", "Where", "Whether", "Which", "How"];

/// The first line of a doc comment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DocOpening<'t> {
    /// Its line in the file, 1-based.
    pub line: usize,
    /// Its text without the marker.
    pub text: &'t str,
}

impl DocOpening<'_> {
    /// Returns true if it opens with a question word.
    pub fn is_question(&self) -> bool {
        let word = self.text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        QUESTION_WORDS.contains(&word)
    }
}

/// Returns the first line of each doc comment (`///` or `//!`) of a Rust file.
pub fn doc_openings(text: &str) -> Vec<DocOpening<'_>> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker));
        let marker = marker.filter(|_| !line.starts_with("////"));
        if let Some(marker) = marker.filter(|_| marker != before) {
            found.push(DocOpening { line: at + 1, text: line[marker.len()..].trim() });
        }
        before = marker;
    }
    found
}

/// A declared struct, enum, trait, union or alias.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeName {
    /// Its line in the file, 1-based.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// True if it is `pub`, also only in its crate or in a module.
    pub is_public: bool,
}

impl TypeName {
    /// The number of words in its name: `LaneTicket` has two.
    pub fn words(&self) -> usize {
        let mut was_upper = false;
        self.name
            .chars()
            .filter(|c| {
                let begins = c.is_uppercase() && !was_upper;
                was_upper = c.is_uppercase();
                begins
            })
            .count()
    }
}

/// Returns the forms that a job has between the socket and its reply, as the page about the architecture lists them:
/// the line that begins with the first form, and the lines below it that begin with an arrow.
pub fn job_forms(page: &str) -> Vec<&str> {
    let lines = page.lines().skip_while(|line| !line.starts_with("ReceivedFrame"));
    let lines = lines.enumerate().take_while(|(at, line)| *at == 0 || line.starts_with('→'));
    lines.flat_map(|(_, line)| line.split('→').map(str::trim)).filter(|name| !name.is_empty()).collect()
}

/// Returns the types that a Rust file declares outside `#[cfg(test)]`; associated types are none.
pub fn type_names(text: &str) -> Vec<TypeName> {
    let code = rust::shipped(text);
    code.lines().enumerate().filter_map(|(at, line)| type_name(at + 1, line)).collect()
}

fn type_name(line: usize, code: &str) -> Option<TypeName> {
    let rest = code.trim_start();
    let (is_public, rest) = match rest.strip_prefix("pub") {
        Some(after) if after.starts_with('(') => (true, after.split_once(") ")?.1),
        Some(after) => (true, after.strip_prefix(' ')?),
        None => (false, rest),
    };
    let (keyword, rest) = rest.strip_prefix("unsafe ").unwrap_or(rest).split_once(' ')?;
    let is_alias = keyword == "type" && (is_public || !code.starts_with(' '));
    if !is_alias && !["struct", "enum", "trait", "union"].contains(&keyword) {
        return None;
    }
    let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().filter(|n| !n.is_empty())?;
    Some(TypeName { line, name: name.to_owned(), is_public })
}

#[test]
fn the_first_line_of_each_doc_is_an_opening() {
    let text = "//! What it is.\n//! How.\n\n/// Returns one.\n/// Whether.\nfn a() {}\n\n//// Who.\n    /// Where\n    b: u8,\n";
    let found: Vec<_> = doc_openings(text).iter().map(|doc| (doc.line, doc.is_question())).collect();
    assert_eq!(found, [(1, true), (4, false), (9, true)]);
    assert!(!DocOpening { line: 1, text: "Whatever it is." }.is_question());
}

#[test]
fn types_are_found_with_their_visibility() {
    let text = "pub(super) struct LaneTicket(u8);\nenum A {}\ntype B = u8;\nimpl T for A {\n    type C = u8;\n}\n\
                // struct D;\npub unsafe trait IoError {}\n#[cfg(test)]\nmod tests {\n    struct E;\n}\n";
    let found = type_names(text);
    let found: Vec<_> = found.iter().map(|t| (t.line, t.name.as_str(), t.is_public, t.words())).collect();
    assert_eq!(
        found,
        [(1, "LaneTicket", true, 2), (2, "A", false, 1), (3, "B", false, 1), (8, "IoError", true, 2)]
    );
}
