//! Finds the strings, heredocs and comments of a text. Does not look at their content.

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::Grammar;
use crate::parse::{NodeWalk, lines, parse};
use crate::{Language, ParseBudget, ParseError};

/// The kind of a range that is not code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NonCode {
    /// A string, heredoc, character, regular expression, or an element such as `pre`. Its white space is significant.
    String,
    /// A string that is a statement by itself, such as a docstring of Python.
    Docstring,
    /// A comment.
    Comment,
}

/// Added in front of PHP code that has no opening tag.
#[cfg(feature = "php")]
const TAG: &str = "<?php\n";

/// Lists the strings and comments of a text in its order. The text may be a part of a file. The ranges never overlap.
/// The list is empty for YAML and Markdown.
///
/// ```
/// use editd_syntax::{Language, NonCode, ParseBudget, non_code};
///
/// let found = non_code(Language::Go, "a := \"b\" // c\n", &ParseBudget::default())?;
/// assert_eq!(found, [(5..8, NonCode::String), (9..13, NonCode::Comment)]);
/// # Ok::<(), editd_syntax::ParseError>(())
/// ```
///
/// # Errors
/// The text is too long, its parse takes too long, or this build has no grammar of the language.
pub fn non_code(
    language: Language,
    text: &str,
    budget: &ParseBudget,
) -> Result<Vec<(Range<usize>, NonCode)>, ParseError> {
    if matches!(language, Language::Yaml | Language::Markdown) {
        return Ok(Vec::new());
    }
    let text = &*lines(text);
    #[cfg(feature = "php")]
    if language == Language::Php && !text.contains("<?") {
        let found = listed(language, &[TAG, text].concat(), budget)?;
        let moved =
            |range: Range<usize>| range.start.saturating_sub(TAG.len())..range.end.saturating_sub(TAG.len());
        return Ok(found.into_iter().map(|(range, aside)| (moved(range), aside)).collect());
    }
    listed(language, text, budget)
}

fn listed(
    language: Language,
    text: &str,
    budget: &ParseBudget,
) -> Result<Vec<(Range<usize>, NonCode)>, ParseError> {
    let grammar = language.grammar().ok_or(ParseError::Unsupported(language.name()))?;
    let tree = parse(language, text, budget)?;
    let mut found = Vec::new();
    let mut walk = NodeWalk::of(&tree);
    // For each ancestor of the node: true if it is a statement of one expression.
    let mut statements: Vec<bool> = Vec::new();
    while let Some(node) = walk.next() {
        statements.truncate(walk.depth());
        let in_statement = statements.last().copied().unwrap_or(false);
        let aside = if counts(language, node, text) {
            Some(NonCode::String)
        } else {
            of(grammar, node, in_statement)
        };
        if let Some(aside) = aside {
            found.push((node.byte_range(), aside));
            walk.skip_children();
        } else {
            statements.push(node.kind() == "expression_statement" && node.named_child_count() == 1);
        }
    }
    Ok(found)
}

/// Returns true for an HTML element with significant white space: `pre`, `textarea`, or a script with a multi-line
/// string.
fn counts(language: Language, node: Node<'_>, text: &str) -> bool {
    if language != Language::Html {
        return false;
    }
    match node.kind() {
        "raw_text" => text.get(node.byte_range()).is_some_and(|says| says.contains('`')),
        "element" => {
            let name = node.named_child(0).and_then(|tag| tag.named_child(0));
            let name = name.and_then(|name| text.get(name.byte_range())).unwrap_or_default();
            ["pre", "textarea"].iter().any(|tag| name.eq_ignore_ascii_case(tag))
        }
        _ => false,
    }
}

fn of(grammar: &Grammar, node: Node<'_>, in_statement: bool) -> Option<NonCode> {
    if !node.is_named() {
        return None;
    }
    let kind = node.kind();
    if grammar.comments.contains(&kind) {
        Some(NonCode::Comment)
    } else if grammar.strings.contains(&kind) {
        Some(if in_statement { NonCode::Docstring } else { NonCode::String })
    } else {
        None
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn strings(language: Language, text: &str) -> Vec<&str> {
        let found = non_code(language, text, &ParseBudget::default()).unwrap();
        found.into_iter().filter(|(_, is)| *is == NonCode::String).map(|(at, _)| &text[at]).collect()
    }

    #[test]
    #[cfg(all(
        feature = "bash",
        feature = "html",
        feature = "java",
        feature = "javascript",
        feature = "php",
        feature = "python",
        feature = "ruby",
        feature = "rust"
    ))]
    fn strings_of_several_lines_are_found_in_parts_of_files() {
        for (language, text, expected) in [
            (Language::Bash, "cat <<EOF\nnew\nEOF\necho x", "<<EOF\nnew\nEOF"),
            (Language::Html, "<p>\n<PRE id=a>\n a\n</PRE>\n</p>", "<PRE id=a>\n a\n</PRE>"),
            (Language::Html, "<script>a = `\n`</script><script>b()</script>", "a = `\n`"),
            (Language::Python, "return f\"\"\"\na\n  b\n\"\"\"\n        x", "f\"\"\"\na\n  b\n\"\"\""),
            (Language::JavaScript, "m() {\n  return `a\n${b}\n`\n}", "`a\n${b}\n`"),
            (Language::Rust, "Self { a: r#\"b\n}\"# }", "r#\"b\n}\"#"),
            (Language::Java, "return \"\"\"\n  a\n  \"\"\";", "\"\"\"\n  a\n  \"\"\""),
            (Language::Php, "return <<<E\na {\nE;", "<<<E\na {\nE"),
            (Language::Ruby, "a = <<~E\n  b\nE\ngo", "\n  b\nE"),
        ] {
            assert_eq!(strings(language, text), [expected], "{}", language.name());
        }
    }

    #[test]
    #[cfg(feature = "python")]
    fn documentation_of_a_function_counts_as_idle() {
        let text = "\"\"\"A.\n\nB.\n\"\"\"\n# c\nreturn \"d\"";
        let found = non_code(Language::Python, text, &ParseBudget::default()).unwrap();
        let kinds: Vec<NonCode> = found.into_iter().map(|(_, is)| is).collect();
        assert_eq!(kinds, [NonCode::Docstring, NonCode::Comment, NonCode::String]);
    }
}
