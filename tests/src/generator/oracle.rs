//! The permitted results of a quotation, from the lines of the file alone: applied at its place, refused, or either.
//! It knows the specification and not the engine.

use super::disturb::Disturbance;
use super::printers::FormProperties;
use super::quoting::{QuotedEdit, exact_at, overlapping};
use super::source::{LineEndings, SourceFile, loosened, plain};

/// Lines either way within which a hint chooses the only candidate.
const NEAR: usize = 40;

/// The least similarity that the generator asks for, and by how much another place must be less similar so that
/// one place is surely left: the specification's 0.02, and what foldings of blanks may make of it.
pub(super) const SIMILAR: f64 = 0.85;
const MARGIN: f64 = 0.05;

/// A permitted result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PermittedResult {
    /// The lines that were meant are replaced by the lines that were meant.
    Placed,
    /// The quotation stands word for word at this offset of the text with `\n`: there it is replaced as given.
    Literal(usize),
    /// Nothing says which place is meant, or the text is not there.
    Refused,
    /// As `Placed`, or refused.
    Either,
}

/// Returns the permitted result of one edit; `None` if the quotation fits another place just as well.
pub(super) fn right(
    source: &SourceFile,
    truth: &QuotedEdit,
    said: &QuotedEdit,
    ways: &FormProperties,
    how: Disturbance,
) -> Option<PermittedResult> {
    if !ways.quotes {
        return Some(PermittedResult::Placed);
    }
    let want = source.starts[truth.start] + truth.column;
    let exact = exact_at(source, said, ways);
    match exact.as_slice() {
        [] => absent(source, truth, said, ways, how),
        [one] if ways.anywhere => {
            // A blank line too many may be the break of the line above.
            let from = source.starts[truth.start].saturating_sub(1);
            let to = source.starts.get(truth.span().end).copied().unwrap_or(source.lf.len() + 1);
            (from..to).contains(one).then_some(PermittedResult::Literal(*one))
        }
        [one] => (*one == want).then_some(PermittedResult::Placed),
        _ if source.endings == LineEndings::Mixed || !exact.contains(&want) => None,
        many => match said.hint.map(|line| chosen(source, many, line)) {
            // A diff says of the last line, too, that the file ends there.
            Some(None) if ways.always_hints && source.is_open() && truth.span().end == source.lines.len() => {
                Some(PermittedResult::Either)
            }
            None | Some(None) => Some(PermittedResult::Refused),
            Some(Some(at)) if at == want => {
                Some(if ways.anywhere { PermittedResult::Literal(at) } else { PermittedResult::Placed })
            }
            Some(Some(_)) => None,
        },
    }
}

/// The candidate that a line number names: the one that starts there, else the only one near it.
fn chosen(source: &SourceFile, candidates: &[usize], hint: u64) -> Option<usize> {
    let hint = usize::try_from(hint).ok()?;
    let line = |at: usize| source.starts.partition_point(|start| *start <= at);
    let only = |within: usize| {
        let mut near = candidates.iter().filter(|at| line(**at).abs_diff(hint) <= within);
        let first = near.next().copied();
        (first, near.next().is_some())
    };
    match (only(0), only(NEAR)) {
        ((Some(at), false), _) => Some(at),
        ((Some(_), true), _) => None,
        (_, (Some(at), false)) => Some(at),
        _ => None,
    }
}

/// The quotation does not stand in the file word for word.
fn absent(
    source: &SourceFile,
    truth: &QuotedEdit,
    said: &QuotedEdit,
    ways: &FormProperties,
    how: Disturbance,
) -> Option<PermittedResult> {
    match how {
        Disturbance::Typo | Disturbance::Stale => {
            // What looks like another place quotes that one. At an edge it may be cut off.
            let elsewhere = !alike(source, said, ways, how).is_empty();
            let right = if ways.edge { PermittedResult::Either } else { PermittedResult::Refused };
            (!elsewhere).then_some(right)
        }
        Disturbance::TypoSimilar => similar(source, truth, said),
        _ if trails_elsewhere(source, truth, said) => None,
        _ => {
            let places = alike(source, truth, ways, how).len();
            // An insertion has an anchor instead of an old text, and nothing can be cut from both old and new.
            let cut = how != Disturbance::LineTooMany || !truth.old.is_empty();
            // Brackets alone are told apart by their indentation only.
            let indents = how.is_of_indentation();
            let says = !indents || truth.quoted().iter().any(|line| line.contains(char::is_alphanumeric));
            let one = places == 1 && said.sure && says && cut && how.is_repaired(ways);
            Some(if one { PermittedResult::Placed } else { PermittedResult::Either })
        }
    }
}

/// Returns true if the quotation occurs at another place, apart from white space at line ends and the last break.
fn trails_elsewhere(source: &SourceFile, truth: &QuotedEdit, said: &QuotedEdit) -> bool {
    let quoted = said.quoted();
    if said.phrase.is_some() || quoted.is_empty() {
        return false;
    }
    let lines = source.lines.windows(quoted.len()).enumerate();
    lines.filter(|(at, _)| *at != truth.start).any(|(_, window)| {
        window.iter().zip(&quoted).all(|(line, quoted)| line.text.trim_end() == quoted.trim_end())
    })
}

/// Returns the places of texts that resemble the quotation.
fn alike(source: &SourceFile, said: &QuotedEdit, ways: &FormProperties, how: Disturbance) -> Vec<usize> {
    let (old, _) = said.texts("\n");
    if said.phrase.is_some() || (ways.anywhere && how == Disturbance::Quotes) {
        return overlapping(&plain(&source.lf), &plain(&old));
    }
    source.alike(&said.quoted())
}

/// Compares the similarity of the meant place with all others; `None` if another place is more similar.
fn similar(source: &SourceFile, truth: &QuotedEdit, said: &QuotedEdit) -> Option<PermittedResult> {
    if said.phrase.is_some() {
        return Some(PermittedResult::Either);
    }
    let quoted: Vec<String> = said.quoted().iter().map(|line| loosened(line)).collect();
    let text = quoted.join("\n");
    let score = |at: usize| similarity(&source.loose[at..at + quoted.len()].join("\n"), &text);
    let own = score(truth.start);
    let places = 0..=source.lines.len() - quoted.len();
    let others = places.filter(|at| *at != truth.start).map(score);
    let best = others.fold(0.0, f64::max);
    if best > own {
        return None;
    }
    let sure = said.sure && own > SIMILAR + MARGIN && best + MARGIN < own;
    Some(if sure { PermittedResult::Placed } else { PermittedResult::Either })
}

/// One less the share of letters to change; 0 where it is surely below what is asked for.
fn similarity(a: &str, b: &str) -> f64 {
    let most = a.chars().count().max(b.chars().count()).max(1);
    let share = |distance: usize| 1.0 - distance as f64 / most as f64;
    // Each change of a letter changes at most four bytes of either side.
    let mut bag = [0_i64; 256];
    a.bytes().for_each(|byte| bag[usize::from(byte)] += 1);
    b.bytes().for_each(|byte| bag[usize::from(byte)] -= 1);
    let more: i64 = bag.iter().filter(|count| **count > 0).sum();
    let less: i64 = bag.iter().filter(|count| **count < 0).sum();
    let plain = a.is_ascii() && b.is_ascii();
    let least = usize::try_from(more.max(-less)).unwrap_or(0) / if plain { 1 } else { 4 };
    if share(least) < SIMILAR - MARGIN { 0.0 } else { share(distance(a, b)) }
}

/// Levenshtein's distance, by the book.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
