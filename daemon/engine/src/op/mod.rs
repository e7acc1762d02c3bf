//! The edit kinds. Each file or folder is one kind, with its fields and its meaning. A kind only computes what would
//! change.
//!
//! *Calling sequence*: [`parse`] turns a `FileEdit` into an [`Op`], or refuses it with the name of the wrong field.
//! The `effect` of a text edit then finds its places.
//!
//! *To add a kind*: one file here, its `mod` line, and an [`Op`] and a line in the table in `registry`. The compiler asks for
//! what other steps must know; the recipe in daemon/ARCHITECTURE.md lists the places that it does not ask for.

mod chmod;
mod chunk;
mod create;
mod earlier;
mod effect;
mod facts;
mod fields;
mod given;
mod hunk;
mod insert;
mod lines;
mod moves;
mod quote;
mod registry;
mod replace;
mod substitute;
mod symbol;
mod within;
mod write;

pub(crate) use chunk::{Chunk, ChunkCheck};
pub(crate) use create::Create;
pub(crate) use earlier::EarlierChanges;
pub(crate) use effect::{EditContext, EditNote, Effect, PlaceReport};
pub use facts::{NamedLines, Quotation};
pub(crate) use hunk::{HeaderIndex, HunkEdit, Neighbours};
pub(crate) use insert::Insert;
pub(crate) use lines::Lines;
pub(crate) use moves::Target;
pub(crate) use quote::checked_threshold;
pub(crate) use registry::{Op, parse};
pub(crate) use replace::Replace;
pub(crate) use substitute::Substitute;
pub(crate) use symbol::{SymbolEdit, SymbolSelector, Symbols};
pub(crate) use write::Write;

#[cfg(test)]
mod tests;
