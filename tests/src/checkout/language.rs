//! The language of Rust sources: the sentences of doc comments, and the names of types. It reads line by line, so it
//! expects the form that rustfmt gives.

use super::rust;

/// Words that a doc comment must not open with.
pub const QUESTION_WORDS: [&str; 10] =
    ["What", "Whatever", "Who", "Whoever", "Whose", "Where", "Whether", "Which", "Why", "How"];

/// The question word that also begins a condition: `Where the kernel has Landlock, …`.
const CONDITION: &str = "Where";

/// The first line of a doc comment, or the start of a later sentence in it.
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
        QUESTION_WORDS.contains(&self.word())
    }

    /// Returns true if it opens with a question word that does not begin a condition.
    pub fn is_clause(&self) -> bool {
        self.is_question() && self.word() != CONDITION
    }

    fn word(&self) -> &str {
        self.text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("")
    }
}

/// Returns the first line of each doc comment (`///` or `//!`) of a Rust file.
pub fn doc_openings(text: &str) -> Vec<DocOpening<'_>> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, line) in text.lines().enumerate() {
        let doc = doc_line(line);
        let marker = doc.map(|(marker, _)| marker);
        if let Some((_, text)) = doc.filter(|_| marker != before) {
            found.push(DocOpening { line: at + 1, text });
        }
        before = marker;
    }
    found
}

/// Returns the starts of the later sentences of each doc comment of a Rust file, outside of code blocks. The text of a
/// start reaches to the end of its line.
pub fn later_sentences(text: &str) -> Vec<DocOpening<'_>> {
    let mut found = Vec::new();
    let mut before = None;
    let (mut in_code, mut after_end) = (false, false);
    for (at, line) in text.lines().enumerate() {
        let doc = doc_line(line);
        let is_first = doc.map(|(marker, _)| marker) != before;
        before = doc.map(|(marker, _)| marker);
        let Some((_, text)) = doc else { continue };
        in_code &= !is_first;
        if text.starts_with("```") {
            (in_code, after_end) = (!in_code, true);
            continue;
        }
        if in_code || text.is_empty() {
            after_end = true;
            continue;
        }
        let item = text.strip_prefix("* ").or_else(|| text.strip_prefix("- "));
        let start = (!is_first && (after_end || item.is_some())).then_some(item.unwrap_or(text));
        let inside = text.match_indices(' ').filter(|(space, _)| ends_sentence(&text[..*space]));
        let all = start.into_iter().chain(inside.map(|(space, _)| text[space..].trim_start()));
        found.extend(all.map(|text| DocOpening { line: at + 1, text }));
        after_end = text.starts_with('#') || ends_sentence(text);
    }
    found
}

/// Returns the marker of a line of a doc comment, and its text.
fn doc_line(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let marker = ["///", "//!"].into_iter().find(|marker| line.starts_with(marker))?;
    (!line.starts_with("////")).then(|| (marker, line[marker.len()..].trim()))
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches([')', '`', '*', '"']).ends_with(['.', '!', '?'])
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
    assert!(!DocOpening { line: 1, text: "Whereas it is." }.is_question());
}

#[test]
fn later_sentences_begin_after_an_end_a_heading_or_a_mark_of_a_list() {
    let text = "//! What it is. How it is.\n//! Whether\n//! What follows.\n//!\n//! Who\n\n/// Returns `a.b`, What.\
                \n/// Where it can, it does. (Or not.) Whose\n/// # Errors\n/// Why\n/// * Whether\n/// ```\n/// One. How\
                \n/// ```\nfn a() {}\n// One. How.\n";
    let found: Vec<_> = later_sentences(text).into_iter().map(|doc| (doc.line, doc.text)).collect();
    let expected = [
        (1, "How it is."),
        (2, "Whether"),
        (5, "Who"),
        (8, "Where it can, it does. (Or not.) Whose"),
        (8, "(Or not.) Whose"),
        (8, "Whose"),
        (10, "Why"),
        (11, "Whether"),
    ];
    assert_eq!(found, expected);
    let clauses = later_sentences(text).into_iter().filter(DocOpening::is_clause).map(|doc| doc.line);
    assert_eq!(clauses.collect::<Vec<_>>(), [1, 2, 5, 8, 10, 11]);
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
