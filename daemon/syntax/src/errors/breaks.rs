//! Finds line ends that the Python grammar ignores. Where no statement can end, the grammar takes a line end for white
//! space, so `x =` continues in the next line. Finds no other errors.

use tree_sitter::Tree;

use super::region::Region;
use super::{SOUGHT, SyntaxFault};
use crate::parse::NodeWalk;

/// Nodes whose children may be on separate lines, and strings.
const LINES: [&str; 21] = [
    "string",
    "string_content",
    "interpolation",
    "module",
    "block",
    "decorated_definition",
    "function_definition",
    "class_definition",
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "while_statement",
    "try_statement",
    "except_clause",
    "except_group_clause",
    "finally_clause",
    "with_statement",
    "match_statement",
    "case_clause",
    "case_block",
];

/// An ancestor of the current node.
struct OpenNode {
    /// Set if a line may end between its children.
    lines: bool,
    /// The number of brackets open in it, up to the cursor.
    open: usize,
    /// The end of its last child that is not a comment.
    end: Option<usize>,
    /// Set if its children are statements, each of which may be wrong by itself.
    statements: bool,
}

/// Returns the statements that continue in the next line without brackets or a backslash, in the order of the text.
pub(super) fn faults(text: &str, tree: &Tree, region: &Region) -> Vec<SyntaxFault> {
    let mut faults = Vec::new();
    let mut walk = NodeWalk::of(tree);
    let mut above: Vec<OpenNode> = Vec::new();
    while faults.len() < SOUGHT
        && let Some(node) = walk.next()
    {
        above.truncate(walk.depth());
        if above.last().is_some_and(|parent| parent.statements) && !region.touches(&node.byte_range()) {
            walk.skip_children();
        }
        let lines = LINES.contains(&node.kind());
        let mut open = 0;
        if let Some(parent) = above.last_mut().filter(|_| !node.is_extra()) {
            let from = parent.end.filter(|_| !parent.lines && parent.open == 0);
            let gap = from.and_then(|from| Some((from, text.get(from..node.start_byte())?)));
            if let Some((from, _)) = gap.filter(|(_, gap)| ends(gap)) {
                faults.push(SyntaxFault::other(from, "expected more on this line".to_owned()));
            }
            match node.kind() {
                "(" | "[" | "{" => parent.open += 1,
                ")" | "]" | "}" => parent.open = parent.open.saturating_sub(1),
                _ => {}
            }
            parent.end = Some(node.end_byte());
            // A block inside of brackets counts its own brackets.
            open = if lines { 0 } else { parent.open };
        }
        let statements = matches!(node.kind(), "module" | "block");
        above.push(OpenNode { lines, open, end: None, statements });
    }
    faults
}

/// Returns true if a line ends in the gap between two nodes without a backslash.
fn ends(gap: &str) -> bool {
    let mut rest = gap;
    while let Some(at) = rest.find(['\n', '\r']) {
        if !rest.get(..at).is_some_and(|line| line.ends_with('\\')) {
            return true;
        }
        let behind = rest.get(at..).unwrap_or_default();
        rest = behind.strip_prefix("\r\n").or_else(|| behind.get(1..)).unwrap_or_default();
    }
    false
}
