//! What is no syntax of a language in a text, and which of that an edit brought. It never says how to mend it.
//!
//! *Calling sequence*: [`errors`] for one text; [`introduced`] for the two texts of an edit.
//!
//! *Invariants*: at most [`ERRORS`] errors, in the order of the file, each on a character boundary.
//!
//! *Limitations*: JSON, TOML and YAML tell their first error only. Of CSS brackets alone are looked at. Markdown has no
//! errors.
//!
//! Published files in which errors are found, nearly all of them wrongly (`examples/errors.rs` counts them; templates
//! are told as files with errors). Where it is more than one in a hundred, [`Language::is_sure`] says no, and most errors are [`Certainty::Doubtful`]:
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
mod place;
mod strays;
#[cfg(feature = "toml")]
mod toml;
mod tree;
#[cfg(feature = "yaml")]
mod yaml;

pub use change::introduced;

use crate::{Budget, Language, Unparsed};

/// Errors that are told of one text: nobody reads more, and most of them follow from the first.
pub const ERRORS: usize = 50;

/// Errors that are looked for in one text, so that those of two texts can be compared.
const SOUGHT: usize = 1000;

/// Something that is no syntax of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Byte of the text.
    pub at: usize,
    /// Line, from 1. Lines end with `\n` or `\r\n`; with `\r` in a text that has no `\n`.
    pub line: u64,
    /// Column, from 1, in Unicode scalars.
    pub column: u64,
    /// What is wrong, without a place.
    pub message: String,
    /// How far that can be relied on.
    pub certainty: Certainty,
}

/// How far an error can be relied on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// It is wrong: an edit that brings it may be refused.
    Sure,
    /// The grammar may only not know what stands there: worth a word, and no more.
    Doubtful,
}

/// What is wrong at which byte.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Fault {
    at: usize,
    message: String,
    about: About,
}

/// What a fault is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum About {
    /// A bracket that is not closed.
    Open(char),
    /// A bracket that closes none.
    Stray(char),
    /// A quotation that begins or ends with this and has no other end.
    Quotation(char),
    /// What the grammar does not take.
    Other,
}

impl Fault {
    /// One that is about neither brackets nor quotations.
    fn other(at: usize, message: String) -> Self {
        Self { at, message, about: About::Other }
    }
}

/// Lists the errors of a text. `path` tells whether a JSON file may have comments.
///
/// # Errors
/// The text is too long, takes too long, or its language is not in this build.
pub fn errors(
    language: Language,
    path: &[u8],
    text: &str,
    budget: &Budget,
) -> Result<Vec<SyntaxError>, Unparsed> {
    let mut faults = faults(language, path, text, budget)?;
    faults.truncate(ERRORS);
    let certainty = if language.is_sure() { Certainty::Sure } else { Certainty::Doubtful };
    Ok(place::placed(text, faults.into_iter().map(|fault| (fault, certainty))))
}

/// The same without lines and columns, up to [`SOUGHT`].
fn faults(language: Language, path: &[u8], text: &str, budget: &Budget) -> Result<Vec<Fault>, Unparsed> {
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
        _ => tree::faults(language, text, budget)?,
    };
    faults.sort();
    faults.dedup();
    faults.truncate(SOUGHT);
    Ok(faults)
}
