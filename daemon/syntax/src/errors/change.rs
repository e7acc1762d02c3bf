//! Which errors an edit brought. A file whose grammar fails though it is right must not stop an edit: that decides
//! every doubt.

use std::collections::HashMap;
use std::ops::Range;

use super::{About, Certainty, ERRORS, Fault, SOUGHT, SyntaxError, faults, place};
use crate::{Budget, Language, Unparsed};

/// Lists the errors of `new` that `old` did not have; `old` is `None` where there was no file.
///
/// * A file that is new, or had no errors: all of them.
/// * A file with errors before: those that it did not have, counted by their message. Where one of the old errors is
///   gone, or the grammar is [not sure](Language::is_sure), the others may be such as it had hidden: then only those on
///   the lines that changed. On such a line an error takes the place of an old one that is gone: the line was broken
///   before and still is.
/// * A template (data or HTML with `{{`, `{%` or `<%`), which no parser of what comes out knows: none. What had no errors
///   and no such mark does not become one.
///
/// All are [`Certainty::Sure`] where the grammar is. Where it is not, those alone that are about brackets or quotations
/// in a file that had no errors, and only where the edit brought an end too few or too many as the texts are counted.
///
/// # Errors
/// One of the texts is too long, takes too long, or the language is not in this build.
pub fn introduced(
    language: Language,
    path: &[u8],
    old: Option<&str>,
    new: &str,
    budget: &Budget,
) -> Result<Vec<SyntaxError>, Unparsed> {
    let mut found = faults(language, path, new, budget)?;
    let old = old.filter(|old| !old.trim().is_empty());
    let template = is_template(language, new);
    if found.is_empty() || template && old.is_none_or(|old| has_marks(language, old)) {
        return Ok(Vec::new());
    }
    let sure = language.is_sure();
    let mut balance = None;
    if let Some(old) = old {
        let before = faults(language, path, old, budget)?;
        if template && !before.is_empty() {
            return Ok(Vec::new());
        }
        if before.is_empty() {
            balance = Some((Balance::of(old), Balance::of(new)));
        } else {
            let full = before.len() >= SOUGHT || found.len() >= SOUGHT;
            let gone = subtract(&mut found, before);
            if full || !gone.is_empty() || !sure {
                let changed = changed(old, new);
                found.retain(|fault| changed.contains(&fault.at) || fault.at == changed.end);
                still_broken(&mut found, &gone, old, new);
            }
        }
    }
    found.truncate(ERRORS);
    let certain = |fault: &Fault| {
        let bears = |(old, new): &(Balance, Balance)| new.bears(old, fault.about);
        sure || language != Language::Html && balance.as_ref().is_some_and(bears)
    };
    let judged = found.into_iter().map(|fault| {
        let certainty = if certain(&fault) { Certainty::Sure } else { Certainty::Doubtful };
        (fault, certainty)
    });
    Ok(place::placed(new, judged))
}

/// How many brackets and quotation marks a text has, wherever they stand.
struct Balance([usize; 256]);

impl Balance {
    fn of(text: &str) -> Self {
        let mut counts = [0; 256];
        for byte in text.bytes() {
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count += 1;
            }
        }
        Self(counts)
    }

    fn count(&self, letter: char) -> usize {
        self.0.get(letter as usize).copied().unwrap_or(0)
    }

    /// Whether the text that this is the balance of, and `old` was, may have a fault that the other had not.
    fn bears(&self, old: &Self, about: About) -> bool {
        // More openings than before, against the endings.
        let more = |new: &Self, old: &Self, open: char, close: char| {
            new.count(open) + old.count(close) > old.count(open) + new.count(close)
        };
        match about {
            About::Open(open) => more(self, old, open, closing(open)),
            About::Stray(close) => more(old, self, opening(close), close),
            About::Quotation(quote) => (self.count(quote) + old.count(quote)) % 2 == 1,
            About::Other => false,
        }
    }
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

fn opening(close: char) -> char {
    match close {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}

/// Takes away as many of each message as there were before. Returns those that are gone, in their order: of each message,
/// the last.
fn subtract(found: &mut Vec<Fault>, before: Vec<Fault>) -> Vec<Fault> {
    let mut old: HashMap<String, Vec<Fault>> = HashMap::new();
    for fault in before.into_iter().rev() {
        old.entry(fault.message.clone()).or_default().push(fault);
    }
    found.retain(|fault| old.get_mut(&fault.message).and_then(Vec::pop).is_none());
    let mut gone: Vec<Fault> = old.into_values().flatten().collect();
    // A map has another order in each process, and which errors are taken for old ones must not depend on that.
    gone.sort_by(|one, other| (one.at, &one.message).cmp(&(other.at, &other.message)));
    gone
}

/// Takes away the errors on changed lines that were broken before: one for each old error that is gone and stood on the
/// same line, counted from the first changed line or from the last.
fn still_broken(found: &mut Vec<Fault>, gone: &[Fault], old: &str, new: &str) {
    let (before, after) = (changed(new, old), changed(old, new));
    let breaks = |text: &str, range: Range<usize>| {
        text.as_bytes().get(range).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
    };
    let lines = |text: &str, region: &Range<usize>, at: usize| {
        (breaks(text, region.start..at), breaks(text, at..region.end))
    };
    let there = |fault: &&Fault| before.contains(&fault.at) || fault.at == before.end;
    let mut old: Vec<_> = gone.iter().filter(there).map(|fault| lines(old, &before, fault.at)).collect();
    found.retain(|fault| {
        let (first, last) = lines(new, &after, fault.at);
        let same = old.iter().position(|line| line.0 == first || line.1 == last);
        same.map(|at| old.swap_remove(at)).is_none()
    });
}

/// The lines of `new` that are not those of `old`, as far as what is equal in front and behind tells; with the line
/// before, on which a parser may have given up.
fn changed(old: &str, new: &str) -> Range<usize> {
    let (old, bytes) = (old.as_bytes(), new.as_bytes());
    let front = old.iter().zip(bytes).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(bytes.len()) - front;
    let pairs = old.iter().rev().zip(bytes.iter().rev());
    let back = pairs.take(rest).take_while(|(old, new)| old == new).count();
    let front = place::boundary(new, front);
    let end = place::boundary(new, bytes.len() - back);
    let before = new.get(..front).unwrap_or_default().trim_end();
    let start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let behind = new.get(end..).unwrap_or_default();
    start..behind.find(['\n', '\r']).map_or(new.len(), |newline| end + newline)
}

/// Whether a text may be a template whose marks stand in its lines; `${{` is none in data, workflows are that.
fn has_marks(language: Language, text: &str) -> bool {
    if language == Language::Html {
        return is_template(language, text);
    }
    ["{{", "{%", "<%"].iter().any(|mark| {
        let mut found = text.match_indices(mark);
        found.any(|(at, _)| !text.get(..at).is_some_and(|front| front.ends_with('$')))
    })
}

/// Whether a text is a template of a language in which templates are written. In data, marks inside a line may as well
/// stand in a value, as `${{ … }}` does in a workflow; those of HTML may stand anywhere.
fn is_template(language: Language, text: &str) -> bool {
    let begins = |line: &str| ["{{", "{%", "<%"].iter().any(|mark| line.trim_start().starts_with(mark));
    match language {
        Language::Json | Language::Toml | Language::Yaml => text.lines().any(begins),
        Language::Html => ["{{", "{%", "<%", "<?"].iter().any(|mark| text.contains(mark)),
        _ => false,
    }
}
