//! Syntax trees of single files: which definitions there are, where each begins and ends, and what is wrong with the
//! text. Pure: no file, clock or process is touched here.
//!
//! *Calling sequence*: [`Language::of`] recognises a file, [`outline`] lists its definitions, [`Outline::named`] and
//! [`Outline::at`] find one of them; [`errors`] says what is no syntax of the language,
//! [`introduced`] what of that an edit brought; [`asides`] says where a text is no code.
//!
//! *Invariants*: the same text gives the same answer; of two extents one lies in the other or they are apart; no text
//! panics, and every parse ends within its [`Budget`].
//!
//! *Limitations*: a tree is made anew for each call; work is counted in steps of the parser, since no clock is here.

mod asides;
mod budget;
mod errors;
mod find;
mod grammar;
mod guard;
mod language;
mod languages;
mod nest;
mod outline;
mod parse;
mod paths;
mod surroundings;
mod walk;

pub use asides::{Aside, asides};
pub use budget::Budget;
pub use errors::{Certainty, ERRORS, SyntaxError, errors, introduced};
pub use find::NotOne;
pub use language::Language;
pub use outline::{Kind, Outline, Symbol};
pub use parse::Unparsed;
pub use walk::outline;
