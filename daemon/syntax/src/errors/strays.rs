//! Finds words that end a block that was never opened. Some grammars distinguish keywords from names by the words that
//! may follow, so they take such a word for a name. Supports Ruby and Bash only.

use tree_sitter::{Node, Tree};

use super::brackets::STRAY;
use super::region::Region;
use super::{FaultSubject, SOUGHT, SyntaxFault};
use crate::Language;
use crate::parse::NodeWalk;

/// Returns these words as faults, in the order of the text.
pub(super) fn faults(language: Language, text: &str, tree: &Tree, region: &Region) -> Vec<SyntaxFault> {
    let is_stray = match language {
        Language::Ruby => ends_nothing,
        Language::Bash => is_no_command,
        _ => return Vec::new(),
    };
    let mut faults = Vec::new();
    let mut walk = NodeWalk::of(tree);
    while faults.len() < SOUGHT
        && let Some(node) = walk.next()
    {
        if !region.touches(&node.byte_range()) {
            walk.skip_children();
        } else if let Some(word) = is_stray(node, walk.field_name(), text) {
            let about = if word == "}" { FaultSubject::Stray('}') } else { FaultSubject::Other };
            faults.push(SyntaxFault { at: node.start_byte(), message: format!("`{word}` {STRAY}"), about });
        }
    }
    faults
}

/// Words of Ruby that are not names at the start of a line.
const RESERVED: [&str; 6] = ["end", "else", "elsif", "ensure", "then", "do"];

/// Returns such a word if it starts its line and is not the name of a method.
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

/// Returns a `}` at the place of a command. Reserved words are not checked, since the grammar also puts them there
/// after a mistake of its own.
fn is_no_command<'t>(node: Node<'_>, _: Option<&str>, text: &'t str) -> Option<&'t str> {
    let word = text.get(node.byte_range()).filter(|word| *word == "}")?;
    (node.kind() == "command_name").then_some(word)
}
