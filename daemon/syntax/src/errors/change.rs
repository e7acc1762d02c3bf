//! Finds the errors that an edit added. In doubt an error is left out, since a correct file that the grammar does not
//! accept must not block an edit.

use std::collections::HashMap;
use std::ops::Range;

use super::{
    Certainty, FaultSubject, MAX_ERRORS, SOUGHT, SyntaxError, SyntaxFault, brackets, faults, position,
};
use crate::delta::{TextEdit, shared_end, shared_start};
use crate::kept::TextKey;
use crate::trees::{FormerText, KnownText};
use crate::{Language, ParseBudget, ParseError, TreeCache};

/// Lists the errors of `new` that `old` did not have. `old` is `None` for a new file.
///
/// * If the file is new or had no errors, all errors are listed.
/// * If the file had errors before, only additional errors are listed; errors are compared by their message. If one of
///   the old errors is gone, or the grammar is [not sure](Language::is_sure), an error may have been hidden by an old
///   one, so only errors on changed lines are listed. On such a line an error replaces an old error that is gone: the
///   line was broken before and still is.
/// * If the text is a template (data or HTML with `{{`, `{%` or `<%`), no error is listed, since no parser of the
///   output language accepts it. A text that had neither errors nor such a mark is not taken for a template.
///
/// With a sure grammar all listed errors are [`Certainty::Sure`]. Otherwise only errors about brackets or strings are,
/// if the file had no errors before and the edit changed the balance of the delimiters in the text.
///
/// ```
/// use editd_syntax::{Certainty, Language, ParseBudget, introduced_errors};
///
/// let (old, new) = ("fn f() { let x = ; }\n", "fn f() { let x = ; }\nfn g() {\n");
/// let added = introduced_errors(Language::Rust, b"a.rs", Some(old), new, &ParseBudget::default())?;
/// assert_eq!(added.len(), 1);
/// assert_eq!((added[0].line, added[0].certainty), (2, Certainty::Sure));
/// # Ok::<(), editd_syntax::ParseError>(())
/// ```
///
/// # Errors
/// One of the texts is too long, its parse takes too long, or this build has no grammar of the language.
pub fn introduced_errors(
    language: Language,
    path: &[u8],
    old: Option<&str>,
    new: &str,
    budget: &ParseBudget,
) -> Result<Vec<SyntaxError>, ParseError> {
    TreeCache::default().introduced_errors(
        language,
        path,
        TextChange { old, new, ..TextChange::default() },
        budget,
    )
}

/// A text before and after an edit.
#[derive(Clone, Copy, Default, Debug)]
pub struct TextChange<'t> {
    /// The text before; `None` for a new file.
    pub old: Option<&'t str>,
    /// The BLAKE3 hash of the text before, if the caller knows it.
    pub old_hash: Option<[u8; 32]>,
    /// The text after.
    pub new: &'t str,
    /// The BLAKE3 hash of the text after, if the caller knows it.
    pub new_hash: Option<[u8; 32]>,
    /// The changes, in the order of the text, if they are known. Others are taken if these do not make `new` of `old`.
    pub edits: Option<&'t [TextEdit]>,
}

impl TreeCache {
    /// Returns the same as [`introduced_errors`]. The tree of the old text is used if it is kept, and that of the new
    /// text is kept for the next edit.
    ///
    /// # Errors
    /// Those of [`introduced_errors`].
    pub fn introduced_errors(
        &self,
        language: Language,
        path: &[u8],
        TextChange { old, old_hash, new, new_hash, edits }: TextChange<'_>,
        budget: &ParseBudget,
    ) -> Result<Vec<SyntaxError>, ParseError> {
        let known = |hash: Option<[u8; 32]>| hash.map(|hash| TextKey::known(language, hash));
        let former = old.map(|text| FormerText { text: KnownText { text, key: known(old_hash) }, edits });
        let text = KnownText { text: new, key: known(new_hash) };
        if let Some(former) =
            former.filter(|_| matches!(language, Language::Json | Language::Markdown | Language::Toml))
        {
            self.follow(language, text, former, budget);
        }
        let found = faults(language, path, text, former, budget, self)?;
        let old = old.filter(|old| !old.trim().is_empty());
        let template = is_template(language, new);
        if found.is_empty() || template && old.is_none_or(|old| has_marks(language, old)) {
            return Ok(Vec::new());
        }
        let before = match old {
            Some(old) => Some((old, faults(language, path, KnownText::new(old), None, budget, self)?)),
            None => None,
        };
        if template && before.as_ref().is_some_and(|(_, before)| !before.is_empty()) {
            return Ok(Vec::new());
        }
        Ok(added(language, found, before, new))
    }
}

/// Returns the errors of `new` without those of the old text.
fn added(
    language: Language,
    mut found: Vec<SyntaxFault>,
    before: Option<(&str, Vec<SyntaxFault>)>,
    new: &str,
) -> Vec<SyntaxError> {
    let sure = language.is_sure();
    let mut balance = None;
    if let Some((old, before)) = before {
        if before.is_empty() {
            balance = Some((ByteCounts::of(old), ByteCounts::of(new)));
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
    found.truncate(MAX_ERRORS);
    let certain = |fault: &SyntaxFault| {
        let bears = |(old, new): &(ByteCounts, ByteCounts)| new.bears(old, fault.about);
        sure || language != Language::Html && balance.as_ref().is_some_and(bears)
    };
    let judged = found.into_iter().map(|fault| {
        let certainty = if certain(&fault) { Certainty::Sure } else { Certainty::Doubtful };
        (fault, certainty)
    });
    position::with_positions(new, judged)
}

/// The number of times that each byte occurs in a text. Used for brackets and quotation marks.
struct ByteCounts([usize; 256]);

impl ByteCounts {
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

    /// Returns true if the counts of the new text (`self`) and the old text allow for a fault that the old text did not
    /// have.
    fn bears(&self, old: &Self, about: FaultSubject) -> bool {
        // True if the number of unclosed brackets grew.
        let more = |new: &Self, old: &Self, open: char, close: char| {
            new.count(open) + old.count(close) > old.count(open) + new.count(close)
        };
        match about {
            FaultSubject::Open(open) => more(self, old, open, brackets::closing(open)),
            FaultSubject::Stray(close) => more(old, self, brackets::opening(close), close),
            FaultSubject::Quotation(quote) => (self.count(quote) + old.count(quote)) % 2 == 1,
            FaultSubject::Other => false,
        }
    }
}

/// Removes as many faults of each message as there were before. Returns the old faults that are gone, in the order of
/// the text. If some faults of a message remain, the last of them count as gone.
fn subtract(found: &mut Vec<SyntaxFault>, before: Vec<SyntaxFault>) -> Vec<SyntaxFault> {
    let mut old: HashMap<String, Vec<SyntaxFault>> = HashMap::new();
    for fault in before.into_iter().rev() {
        old.entry(fault.message.clone()).or_default().push(fault);
    }
    found.retain(|fault| old.get_mut(&fault.message).and_then(Vec::pop).is_none());
    let mut gone: Vec<SyntaxFault> = old.into_values().flatten().collect();
    // The iteration order of a map differs between processes, but the result must not.
    gone.sort_by(|one, other| (one.at, &one.message).cmp(&(other.at, &other.message)));
    gone
}

/// Removes faults on changed lines that were broken before: one for each old fault that is gone and was on the same
/// line, counted from the first changed line or from the last.
fn still_broken(found: &mut Vec<SyntaxFault>, gone: &[SyntaxFault], old: &str, new: &str) {
    let (before, after) = (changed(new, old), changed(old, new));
    let breaks = |text: &str, range: Range<usize>| {
        text.as_bytes().get(range).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
    };
    let lines = |text: &str, region: &Range<usize>, at: usize| {
        (breaks(text, region.start..at), breaks(text, at..region.end))
    };
    let there = |fault: &&SyntaxFault| before.contains(&fault.at) || fault.at == before.end;
    let mut old: Vec<_> = gone.iter().filter(there).map(|fault| lines(old, &before, fault.at)).collect();
    found.retain(|fault| {
        let (first, last) = lines(new, &after, fault.at);
        let same = old.iter().position(|line| line.0 == first || line.1 == last);
        same.map(|at| old.swap_remove(at)).is_none()
    });
}

/// Returns the range of the changed lines in `new`: everything between the common start and the common end of both
/// texts. The line before is included, since a parser may report the error there.
fn changed(old: &str, new: &str) -> Range<usize> {
    let (old, bytes) = (old.as_bytes(), new.as_bytes());
    let front = shared_start(old, bytes);
    let back = shared_end(old, bytes).min(old.len().min(bytes.len()) - front);
    let front = new.floor_char_boundary(front);
    let end = new.floor_char_boundary(bytes.len() - back);
    let before = new.get(..front).unwrap_or_default().trim_end();
    let start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let behind = new.get(end..).unwrap_or_default();
    start..behind.find(['\n', '\r']).map_or(new.len(), |newline| end + newline)
}

/// Returns true if a text may be a template with marks inside of its lines. In data `${{` is no mark, since workflow
/// files use it.
fn has_marks(language: Language, text: &str) -> bool {
    if language == Language::Html {
        return is_template(language, text);
    }
    ["{{", "{%", "<%"].iter().any(|mark| {
        let mut found = text.match_indices(mark);
        found.any(|(at, _)| !text.get(..at).is_some_and(|front| front.ends_with('$')))
    })
}

/// Returns true if a text is a template. In data a line must start with the mark, since a value may contain one, such
/// as `${{ … }}` in a workflow file. In HTML the mark may be anywhere.
fn is_template(language: Language, text: &str) -> bool {
    let begins = |line: &str| ["{{", "{%", "<%"].iter().any(|mark| line.trim_start().starts_with(mark));
    match language {
        Language::Json | Language::Toml | Language::Yaml => text.lines().any(begins),
        Language::Html => ["{{", "{%", "<%", "<?"].iter().any(|mark| text.contains(mark)),
        _ => false,
    }
}
