//! Ends of lines that Python's grammar passes over: where no statement can end, it takes one for white space, so that
//! `x =` goes on in the next line. Nothing else is looked at.

use tree_sitter::Tree;

use super::{Fault, SOUGHT};

/// Nodes whose parts stand on lines of their own, and strings.
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

/// A node above the cursor.
struct Above {
    /// Whether a line may end between its parts.
    lines: bool,
    /// Brackets that are open in it, up to the cursor.
    open: usize,
    /// Where the last part that is no comment ends.
    end: Option<usize>,
}

/// Statements that go on in another line without brackets or a backslash, in the order of the text.
pub(super) fn faults(text: &str, tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut cursor = tree.walk();
    let mut above: Vec<Above> = Vec::new();
    while faults.len() < SOUGHT {
        let node = cursor.node();
        let lines = LINES.contains(&node.kind());
        let mut open = 0;
        if let Some(parent) = above.last_mut().filter(|_| !node.is_extra()) {
            let from = parent.end.filter(|_| !parent.lines && parent.open == 0);
            let gap = from.and_then(|from| Some((from, text.get(from..node.start_byte())?)));
            if let Some((from, _)) = gap.filter(|(_, gap)| ends(gap)) {
                faults.push(Fault::other(from, "expected more on this line".to_owned()));
            }
            match node.kind() {
                "(" | "[" | "{" => parent.open += 1,
                ")" | "]" | "}" => parent.open = parent.open.saturating_sub(1),
                _ => {}
            }
            parent.end = Some(node.end_byte());
            // What stands in a block has brackets of its own.
            open = if lines { 0 } else { parent.open };
        }
        if cursor.goto_first_child() {
            above.push(Above { lines, open, end: None });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return faults;
            }
            above.pop();
        }
    }
    faults
}

/// Whether a line ends in what stands between two parts, and no backslash takes it on.
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
