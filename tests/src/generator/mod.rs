//! Real-looking edits of real files, said in every dialect, disturbed the way callers disturb them, and judged by
//! a model that shares nothing with the engine. It asks the engine for plans only and touches no file.
//!
//! *Calling sequence*: [`Corpus::find`] lists real files, [`run()`] draws edits of them and judges what the engine
//! makes of each, [`ResultTable`] says how they ended. The same seed and corpus give the same table.
//!
//! *Judging an edit*: `change` draws it, or `versions` takes it from two versions of a real file, `quoting` quotes what it
//! replaces, `disturb` spoils the quotation, `oracle` says from the lines of the file alone what may become of that, a
//! printer says it in a dialect, and `judge` compares. **Applied wrongly** means that the written content is not the
//! intended one.
//!
//! *Limitations*: files are UTF-8; a quotation that, once disturbed, is a word for word quotation of another
//! place is drawn again and counted, since nobody could tell what was meant.

mod corpus;
mod source;

mod change;
mod fragments;
mod versions;

mod quoting;

mod disturb;
mod spoil;
mod spoil_indent;

mod expected;
mod oracle;

mod judge;
mod printers;

mod draw;
mod run;
mod table;

pub use corpus::{Corpus, Language};
pub use run::{RunExtent, run};
pub use table::ResultTable;

#[cfg(test)]
mod tests;
