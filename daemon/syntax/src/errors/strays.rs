//! Words that end a block where none is open: grammars that tell keywords from names by what may follow take such a word
//! for a name. It knows Ruby and Bash, and nothing of what the blocks say.

use tree_sitter::{Node, Tree};

use super::brackets::STRAY;
use super::{About, Fault, SOUGHT};
use crate::Language;

/// Such words, in the order of the text.
pub(super) fn faults(language: Language, text: &str, tree: &Tree) -> Vec<Fault> {
    let is_stray = match language {
        Language::Ruby => ends_nothing,
        Language::Bash => is_no_command,
        _ => return Vec::new(),
    };
    let mut faults = Vec::new();
    let mut cursor = tree.walk();
    while faults.len() < SOUGHT {
        let node = cursor.node();
        if let Some(word) = is_stray(node, cursor.field_name(), text) {
            let about = if word == "}" { About::Stray('}') } else { About::Other };
            faults.push(Fault { at: node.start_byte(), message: format!("`{word}` {STRAY}"), about });
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return faults;
            }
        }
    }
    faults
}

/// Words of Ruby that name nothing where a line begins.
const RESERVED: [&str; 6] = ["end", "else", "elsif", "ensure", "then", "do"];

/// Such a word that begins its line and is no method's name.
fn ends_nothing<'t>(node: Node<'_>, field: Option<&str>, text: &'t str) -> Option<&'t str> {
    if node.kind() != "identifier" {
        return None;
    }
    let word = text.get(node.byte_range()).filter(|word| RESERVED.contains(word))?;
    let above = text.get(..node.start_byte())?;
    let line = above.rfind(['\n', '\r']).map_or(above, |at| above.get(at + 1..).unwrap_or_default());
    let is_name = matches!(field, Some("method" | "name" | "receiver"));
    (line.trim().is_empty() && !is_name).then_some(word)
}

/// A bracket that stands where a command begins. Reserved words stand there too where the grammar loses its way.
fn is_no_command<'t>(node: Node<'_>, _: Option<&str>, text: &'t str) -> Option<&'t str> {
    let word = text.get(node.byte_range()).filter(|word| *word == "}")?;
    (node.kind() == "command_name").then_some(word)
}
