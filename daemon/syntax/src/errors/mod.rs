//! Finds syntax errors in a text, and the errors that an edit added. Proposes no corrections.
//!
//! *Calling sequence*: [`errors`] for one text; [`introduced_errors`] for the two texts of an edit, or the method of
//! [`TreeCache`] with that name for the texts of many.
//!
//! *Invariants*: a list has at most [`MAX_ERRORS`] errors, in the order of the file, each on a character boundary.
//!
//! *Limitations*: only the first error of JSON, TOML and YAML is reported. In CSS only brackets are checked. Markdown
//! has no errors.
//!
//! The table shows the number of published files in which errors are reported. Nearly all of these reports are wrong,
//! and `examples/errors.rs` counts them; a template counts as a file with errors. If more than one file in a hundred
//! has errors, [`Language::is_sure`] returns false and most errors are [`Certainty::Doubtful`]:
//!
//! | language | files | with errors | is sure |
//! |---|---:|---:|---|
//! | JSON, TOML, YAML | 5,927 | 0 | yes |
//! | Python | 19,850 | 3 | yes |
//! | JavaScript | 14,249 | 29 | yes |
//! | Java | 6,573 | 1 | yes |
//! | PHP | 9,862 | 1 | yes |
//! | Ruby | 5,742 | 5 | yes |
//! | Rust | 6,098 | 24 | yes |
//! | CSS | 163 | 1 | yes |
//! | Go | 8,095 | 65 | yes |
//! | TypeScript | 12,398 | 2,021, of sources 203 of 2,977 | no |
//! | C# | 4,850 | 257 | no |
//! | Bash | 726 | 29 | no |
//! | C, C++ | 3,743 | one in three | no |
//! | HTML | 196 | 36, all templates | no: a browser takes any text |

mod brackets;
mod breaks;
mod change;
#[cfg(feature = "json")]
mod json;
mod position;
mod region;
mod strays;
#[cfg(feature = "toml")]
mod toml;
mod tree;
#[cfg(feature = "yaml")]
mod yaml;

pub use change::{TextChange, introduced_errors};

use crate::trees::{FormerText, KnownText};
use crate::{Language, ParseBudget, ParseError, TreeCache};

/// Maximum number of reported errors of one text. Most errors follow from the first.
pub const MAX_ERRORS: usize = 50;

/// Maximum number of errors that are collected of one text, so that the errors of two texts can be compared.
const SOUGHT: usize = 1000;

/// A place at which the text does not follow the syntax of its language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The byte offset in the text.
    pub at: usize,
    /// The line, from 1. Lines end with `\n` or `\r\n`, or with `\r` in a text that has no `\n`.
    pub line: u64,
    /// The column, from 1, in Unicode scalar values.
    pub column: u64,
    /// A description of the error, without its position.
    pub message: String,
    /// The reliability of the error.
    pub certainty: Certainty,
}

/// The reliability of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// The text is wrong. An edit that adds this error may be refused.
    Sure,
    /// The grammar may not know the construct. The error should be a warning only.
    Doubtful,
}

/// An error at a byte offset.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SyntaxFault {
    at: usize,
    message: String,
    about: FaultSubject,
}

/// The subject of a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum FaultSubject {
    /// A bracket that is not closed.
    Open(char),
    /// A closing bracket that matches no opening bracket.
    Stray(char),
    /// A string delimiter without a counterpart.
    Quotation(char),
    /// Any other text that the grammar does not accept.
    Other,
}

impl SyntaxFault {
    /// Returns a fault that is about neither brackets nor strings.
    fn other(at: usize, message: String) -> Self {
        Self { at, message, about: FaultSubject::Other }
    }
}

/// Lists the syntax errors of a text. The path determines if a JSON file may have comments.
///
/// ```
/// use editd_syntax::{Language, ParseBudget, errors};
///
/// let found = errors(Language::Rust, b"a.rs", "fn f() {\n    g(;\n}\n", &ParseBudget::default())?;
/// assert_eq!((found[0].line, found[0].column), (2, 6));
/// assert_eq!(found[0].message, "`(` is not closed");
/// # Ok::<(), editd_syntax::ParseError>(())
/// ```
///
/// # Errors
/// The text is too long, its parse takes too long, or this build has no grammar of the language.
pub fn errors(
    language: Language,
    path: &[u8],
    text: &str,
    budget: &ParseBudget,
) -> Result<Vec<SyntaxError>, ParseError> {
    let mut faults = faults(language, path, KnownText::new(text), None, budget, &TreeCache::default())?;
    faults.truncate(MAX_ERRORS);
    let certainty = if language.is_sure() { Certainty::Sure } else { Certainty::Doubtful };
    Ok(position::with_positions(text, faults.into_iter().map(|fault| (fault, certainty))))
}

/// Returns true for a language in which a tree without errors may be that of a text with some.
pub(crate) fn has_hidden_errors(language: Language) -> bool {
    matches!(language, Language::Python | Language::Ruby | Language::Bash)
}

/// Returns up to [`SOUGHT`] errors without lines and columns.
fn faults(
    language: Language,
    path: &[u8],
    known: KnownText<'_>,
    former: Option<FormerText<'_>>,
    budget: &ParseBudget,
    trees: &TreeCache,
) -> Result<Vec<SyntaxFault>, ParseError> {
    let text = known.text;
    let mut faults = match language {
        Language::Markdown => Vec::new(),
        #[cfg(feature = "json")]
        Language::Json if !json::may_have_comments(path) => json::faults(text, budget)?,
        #[cfg(feature = "json")]
        Language::Json => json::with_comments(text, budget)?,
        #[cfg(feature = "toml")]
        Language::Toml => toml::faults(text)?,
        #[cfg(feature = "yaml")]
        Language::Yaml => yaml::faults(text)?,
        _ => tree::faults(language, known, former, budget, trees)?,
    };
    faults.sort();
    faults.dedup();
    faults.truncate(SOUGHT);
    Ok(faults)
}
