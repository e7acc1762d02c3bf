//! Finds the syntax errors that a new content adds to a file. `editd_syntax` defines them.

use std::borrow::Cow;

use editd_syntax::{Language, ParseBudget, ParseError, SyntaxError, TextChange, TextEdit};
use editd_types::{ContentHash, FilePath};

use crate::limits::{PARSE_BYTES_PER_STEP, PARSE_STEPS};
use crate::text::{Breaks, Text};
use crate::{PlanOptions, Splice};

/// The content of a file before and after a change.
#[derive(Clone, Copy, Default, Debug)]
pub struct ContentChange<'c> {
    /// The content before; `None` for a new file.
    pub old: Option<&'c [u8]>,
    /// The hash of the content before, if it is known.
    pub old_hash: Option<ContentHash>,
    /// The content after.
    pub new: &'c [u8],
    /// The hash of the content after, if it is known.
    pub new_hash: Option<ContentHash>,
    /// The splices from the one content to the other, if they are known.
    pub splices: Option<&'c [Splice]>,
}

/// Returns the syntax errors that a new content adds, with 1-based lines and columns of the new content. Returns none
/// if the content is not text or its language is not known.
///
/// # Errors
/// The content was not checked, since it is too long or parsing it takes too long.
pub fn introduced(
    path: &FilePath,
    ContentChange { old, old_hash, new, new_hash, splices }: ContentChange<'_>,
    options: &PlanOptions,
) -> Result<Vec<SyntaxError>, ParseError> {
    // Only a text that begins with `#!` has a language by its content. Any other one is not decoded for that.
    let may_be_script = matches!(new, [b'#', b'!', ..] | [0xef | 0xfe | 0xff, ..]);
    if !may_be_script && Language::of(path.as_bytes(), "").is_none() {
        return Ok(Vec::new());
    }
    let Ok(text) = Text::read(new, options.label(path)) else { return Ok(Vec::new()) };
    let content = lines(&text);
    let Some(language) = Language::of(path.as_bytes(), &content) else { return Ok(Vec::new()) };
    let old = old.and_then(|old| Text::read(old, options.label(path)).ok());
    let edits = old.as_ref().zip(splices).and_then(|(old, splices)| edits(old, splices));
    let old_hash = old.as_ref().and_then(|old| text_hash(old, old_hash));
    let old = old.as_ref().map(lines);
    let steps = PARSE_STEPS.saturating_add(new.len() as u64 / PARSE_BYTES_PER_STEP);
    let budget = ParseBudget { steps: ParseBudget::default().steps.min(steps), ..ParseBudget::default() };
    let change = TextChange {
        old: old.as_deref(),
        old_hash,
        new: &content,
        new_hash: text_hash(&text, new_hash),
        edits: edits.as_deref(),
    };
    options.trees.introduced_errors(language, path.as_bytes(), change, &budget)
}

/// Returns the hash of the lines of a text by the hash of its file; `None` if they are not the bytes of the file.
fn text_hash(text: &Text<'_>, hash: Option<ContentHash>) -> Option<[u8; 32]> {
    let is_same = text.bom == 0 && text.breaks != Breaks::Cr && matches!(text.content, Cow::Borrowed(_));
    hash.filter(|_| is_same).map(|hash| *hash.as_bytes())
}

/// Converts the splices of a file to changes of its text; `None` if the text has other offsets than the file.
fn edits(old: &Text<'_>, splices: &[Splice]) -> Option<Vec<TextEdit>> {
    let edit = |splice: &Splice| {
        let at = usize::try_from(splice.at).ok()?.checked_sub(old.bom)?;
        Some(TextEdit { at, old: splice.old.len(), new: splice.new.len() })
    };
    matches!(old.content, Cow::Borrowed(_)).then(|| splices.iter().map(edit).collect())?
}

/// Replaces each lone `\r`, which grammars do not know as the end of a line, by `\n` of the same length.
fn lines<'t>(text: &'t Text<'_>) -> Cow<'t, str> {
    match text.breaks {
        Breaks::Cr => Cow::Owned(text.content.replace('\r', "\n")),
        Breaks::Lf | Breaks::None => Cow::Borrowed(text.content.as_ref()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn places(path: &str, old: Option<&[u8]>, new: &[u8]) -> Vec<(u64, u64)> {
        let change = ContentChange { old, new, ..ContentChange::default() };
        let found = introduced(&path.into(), change, &PlanOptions::default()).unwrap();
        found.iter().map(|error| (error.line, error.column)).collect()
    }

    #[test]
    fn encodings_are_read_before_syntax_is() {
        let broken = "{\"a\": 1,\n \"b\" 2}";
        assert_eq!(places("a.json", None, broken.as_bytes()).len(), 1);
        let utf16: Vec<u8> =
            [0xFEFF].into_iter().chain(broken.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(places("a.json", None, &utf16), places("a.json", None, broken.as_bytes()));
        let other_breaks = broken.replace('\n', "\r");
        assert_eq!(
            places("a.json", None, other_breaks.as_bytes()),
            places("a.json", None, broken.as_bytes())
        );
    }

    #[test]
    fn binary_files_and_unknown_languages_are_not_checked() {
        assert!(places("a.json", None, b"{\0").is_empty());
        assert!(places("notes", None, b"{").is_empty());
    }
}
