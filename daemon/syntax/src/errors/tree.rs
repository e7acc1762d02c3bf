//! Finds the errors of a syntax tree: the text that its parser skipped and the tokens that it added. Contains special
//! cases for Python, CSS and PHP.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::region::Region;
use super::{FaultSubject, SOUGHT, SyntaxFault, brackets, breaks, has_hidden_errors, strays};
use crate::parse::{NodeWalk, lines};
use crate::trees::{FormerText, KnownText};
use crate::{Language, ParseBudget, ParseError, TreeCache};

/// Maximum number of characters that a message quotes.
const QUOTED: usize = 30;

/// The word that ends PHP code. Any text may follow it.
const HALT: &str = "__halt_compiler";

/// Maximum number of positions that are tried as such an end.
const HALTS: usize = 2;

/// Minimum number of errors from which a text may not be one of its language.
const MANY: usize = 100;

/// Maximum number of bytes for each error of such a text. Prose has an error for every 30 to 110 bytes in most
/// languages, a source with a few damages one for every thousand.
const DENSE: usize = 128;

/// A fault found at a node of the tree.
struct NodeFault {
    fault: SyntaxFault,
    /// The text that the parser could not use.
    range: Range<usize>,
    /// Set if a closing bracket is missing.
    closer: bool,
}

/// Returns the errors of a text, by its tree.
pub(super) fn faults(
    language: Language,
    text: KnownText<'_>,
    former: Option<FormerText<'_>>,
    budget: &ParseBudget,
    trees: &TreeCache,
) -> Result<Vec<SyntaxFault>, ParseError> {
    budget.allows(text.text)?;
    let converted = lines(text.text);
    let known = trees.known(language, text, &converted);
    let text = known.text;
    let former_lines = former.map(|former| lines(former.text.text));
    let former = former.zip(former_lines.as_deref()).map(|(former, converted)| {
        let text = trees.known(language, former.text, converted);
        FormerText { text, ..former }
    });
    if let Some(errors) = former.and_then(|former| trees.errors_before(known, former)) {
        return Err(ParseError::Foreign { errors, language: language.name() });
    }
    let faults = of_text(language, known, former, budget, trees)?;
    if language != Language::Php || faults.is_empty() {
        return Ok(faults);
    }
    // The word may be in a comment or a string. The end with the fewest errors is used.
    let mut fewest = faults;
    for end in halts(text) {
        let part = text.get(..end).unwrap_or_default();
        let faults = of_text(language, KnownText::new(part), None, budget, &TreeCache::default())?;
        if faults.len() < fewest.len() {
            fewest = faults;
        }
    }
    Ok(fewest)
}

/// Returns the possible ends of PHP code: the offsets behind each `__halt_compiler();`.
fn halts(text: &str) -> impl Iterator<Item = usize> {
    let words = text.match_indices(['_']).filter_map(|(at, _)| {
        let word = text.get(at..at + HALT.len()).filter(|word| word.eq_ignore_ascii_case(HALT))?;
        let mut rest = text.get(at + word.len()..)?;
        for token in ["(", ")", ";"] {
            rest = rest.trim_start().strip_prefix(token)?;
        }
        Some(text.len() - rest.len())
    });
    words.take(HALTS)
}

fn of_text(
    language: Language,
    text: KnownText<'_>,
    former: Option<FormerText<'_>>,
    budget: &ParseBudget,
    trees: &TreeCache,
) -> Result<Vec<SyntaxFault>, ParseError> {
    if let Some(former) = former {
        let is_correct =
            |part: &str, tree: &Tree| of_correct(language, part, tree, &Region::of(part, None)).is_empty();
        if trees.is_correct_around(language, (text.text, text.key), former, budget, is_correct) {
            return Ok(Vec::new());
        }
    }
    let known = trees.tree(language, text, former, budget)?;
    let text = text.text;
    if known.faultless {
        return Ok(Vec::new());
    }
    let mut tree = known.tree;
    if !tree.root_node().has_error() {
        let faults = of_correct(language, text, &tree, &Region::of(text, known.changed));
        if faults.is_empty() {
            trees.faultless(known.key);
        }
        let Some(key) = known.key.filter(|_| known.made && !faults.is_empty()) else { return Ok(faults) };
        tree = trees.parsed(language, text, key, budget)?;
        if !tree.root_node().has_error() {
            return Ok(of_correct(language, text, &tree, &Region::of(text, None)));
        }
    }
    let mut faults = brackets::faults(language, text, &tree);
    if language == Language::Css {
        // A browser ignores what it does not know, so the language grows faster than its grammar.
        return Ok(faults);
    }
    if let Some(errors) = too_many(text, &tree) {
        trees.foreign(known.key, errors);
    }
    let mut places: Vec<usize> = faults.iter().map(|fault| fault.at).collect();
    places.sort_unstable();
    // An error around an unmatched bracket follows from that bracket.
    let follows = |told: &NodeFault| {
        let after = places.partition_point(|at| *at < told.range.start);
        !places.is_empty() && (told.closer || places.get(after).is_some_and(|at| *at < told.range.end))
    };
    faults.extend(of_nodes(text, &tree).into_iter().filter(|told| !follows(told)).map(|told| told.fault));
    faults.sort();
    Ok(faults)
}

/// Returns the errors that a tree without errors does not show, as far as they are in the region.
fn of_correct(language: Language, text: &str, tree: &Tree, region: &Region) -> Vec<SyntaxFault> {
    match language {
        _ if !has_hidden_errors(language) => Vec::new(),
        Language::Python => [empty_blocks(text, tree, region), breaks::faults(text, tree, region)].concat(),
        _ => strays::faults(language, text, tree, region),
    }
}

/// Returns the number of errors of a text that has too many: [`MANY`], and one for every [`DENSE`] bytes.
fn too_many(text: &str, tree: &Tree) -> Option<usize> {
    let mut errors = 0;
    let mut walk = NodeWalk::of(tree);
    while let Some(node) = walk.next() {
        errors += usize::from(node.is_error() || node.is_missing());
        if !node.has_error() {
            walk.skip_children();
        }
    }
    (errors >= MANY && text.len() / errors < DENSE).then_some(errors)
}

/// Returns Python blocks without a statement, which the grammar accepts.
fn empty_blocks(text: &str, tree: &Tree, region: &Region) -> Vec<SyntaxFault> {
    let is_bare = |node: &Node<'_>| {
        node.kind() == "block" && node.named_children(&mut node.walk()).all(|child| child.is_extra())
    };
    let mut faults = Vec::new();
    let mut walk = NodeWalk::of(tree);
    while faults.len() < SOUGHT
        && let Some(node) = walk.next()
    {
        if !region.touches(&node.byte_range()) {
            walk.skip_children();
        } else if is_bare(&node) {
            faults.push(no_block(text, node));
        }
    }
    faults
}

/// Returns the fault of a missing block, at the end of the text in front of it.
fn no_block(text: &str, block: Node<'_>) -> SyntaxFault {
    let at = text.get(..block.start_byte()).unwrap_or_default().trim_end().len();
    SyntaxFault::other(at, "expected an indented block".to_owned())
}

/// Returns the outermost error nodes and missing nodes, in the order of the text, up to [`SOUGHT`].
fn of_nodes(text: &str, tree: &Tree) -> Vec<NodeFault> {
    let mut told = Vec::new();
    let mut walk = NodeWalk::of(tree);
    while told.len() < SOUGHT
        && let Some(node) = walk.next()
    {
        if node.is_missing() {
            told.push(missing(text, node));
        } else if node.is_error() {
            told.push(unexpected(text, node));
        } else if node.has_error() {
            continue;
        }
        walk.skip_children();
    }
    told
}

/// Returns the fault of a missing node, at the end of the text in front of it.
fn missing(text: &str, node: Node<'_>) -> NodeFault {
    let range = node.byte_range();
    let at = text.get(..range.start).unwrap_or_default().trim_end().len();
    let kind = node.kind();
    let message = if node.is_named() {
        format!("missing {}", kind.replace('_', " "))
    } else {
        format!("missing `{}`", kind.escape_debug())
    };
    let closer = matches!(kind, ")" | "]" | "}");
    let about = match kind.chars().next().filter(|_| !node.is_named()) {
        Some(quote @ ('"' | '\'' | '`')) => FaultSubject::Quotation(quote),
        Some(close @ (')' | ']' | '}')) => FaultSubject::Open(brackets::opening(close)),
        _ => FaultSubject::Other,
    };
    NodeFault { fault: SyntaxFault { at, message, about }, range, closer }
}

/// Returns the fault of an error node, at the offset at which the parser failed as far as the tree shows it.
fn unexpected(text: &str, node: Node<'_>) -> NodeFault {
    let range = node.byte_range();
    let inner = node.children(&mut node.walk()).find(|child| child.is_error() || child.is_missing());
    let place = inner.map_or(range.start, |inner| inner.start_byte());
    let said = text.get(place..range.end).unwrap_or_default();
    let blank = said.len() - said.trim_start().len();
    let line = said.trim_start().lines().next().unwrap_or_default().trim_end();
    let about = match line.chars().next() {
        Some(quote @ ('"' | '\'' | '`')) if line.matches(quote).count() == 1 => {
            FaultSubject::Quotation(quote)
        }
        _ if line.matches('"').count() % 2 == 1 => FaultSubject::Quotation('"'),
        _ => FaultSubject::Other,
    };
    let message = match line.char_indices().nth(QUOTED) {
        _ if line.is_empty() => "unexpected end".to_owned(),
        None if matches!(line, "\"" | "'" | "`") => format!("`{line}` {}", brackets::OPEN),
        None => format!("unexpected `{line}`"),
        Some((end, _)) => format!("unexpected `{}…`", line.get(..end).unwrap_or_default().trim_end()),
    };
    NodeFault { fault: SyntaxFault { at: place + blank, message, about }, range, closer: false }
}
