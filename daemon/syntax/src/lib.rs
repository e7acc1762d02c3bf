//! Outlines, symbol lookup and syntax errors for the text of a single file. The crate is pure: it uses no file, clock
//! or process.
//!
//! *Calling sequence*: [`Language::of`] recognises a file. [`outline()`] lists its definitions, and [`Outline::named`]
//! and [`Outline::at`] look one of them up. [`errors()`] lists the syntax errors of a text, [`introduced_errors`] lists
//! those that an edit added. [`non_code()`] lists the strings and comments. A [`TreeCache`] has the same functions for texts
//! that are edited again and again.
//!
//! *Invariants*: the same text always gives the same result; two extents are either nested or disjoint; no text causes
//! a panic, and each parse stops when its [`ParseBudget`] is used up.
//!
//! *Limitations*: without a [`TreeCache`], each call parses the text again. Work is counted in steps of the parser, since the crate has no
//! clock.

mod budget;
mod delta;
mod errors;
mod find;
mod grammar;
mod guard;
mod item;
mod kept;
mod language;
mod languages;
mod memory;
mod nest;
mod non_code;
mod outline;
mod parse;
mod part;
mod paths;
mod surroundings;
mod trees;
mod walk;
mod words;

pub use budget::ParseBudget;
pub use delta::TextEdit;
pub use errors::{Certainty, MAX_ERRORS, SyntaxError, TextChange, errors, introduced_errors};
pub use find::LookupError;
pub use language::Language;
pub use memory::count_parser_memory;
pub use non_code::{NonCode, non_code};
pub use outline::{Outline, Symbol, SymbolKind};
pub use parse::ParseError;
pub use trees::TreeCache;
pub use walk::outline;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct SyntaxReadmeExample;
