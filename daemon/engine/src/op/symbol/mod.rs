//! `symbol`: one definition, found by the syntax tree. Fields: `name` (a name path such as `Class/method`) or `within`
//! (`{"symbol": name}`, or `{"position": {line, column}}`: 0-based, in UTF-16 units); `action`; `text`; `eol`;
//! clipboards and `reindent`. It never touches a byte outside what the action names.
//!
//! *Actions*: `replace_body` replaces the body: a text with its own braces replaces the file's, a text without goes
//! between them, or below the `|` of a YAML block if it has none. `replace` replaces the definition: the lines in front
//! (comments, and attributes in languages that have them outside) stay, unless the text begins with one of them, or has
//! comments or attributes of its own; a text that repeats what else is on its lines is taken without that. `insert_before` and `insert_after` put the text on lines of its own, before or
//! after everything that belongs to the symbol, as far apart as its neighbours are, and in a list with the commas that
//! it needs. `delete` removes everything that belongs to the symbol, with its lines, a comma that is no longer needed,
//! and the smaller of the two runs of blank lines around it (all blank lines at the start or end of its parent).
//!
//! *Indentation*: the common indentation of the text's lines is replaced by that of the symbol, or of the lines
//! of its body; steps of another width become those of the symbol, else of the file (never in YAML). The first line may
//! have lost its indentation. A text with the right indentation stays as it is, and so does a text that is the file's
//! own with some changes. Blank lines at either end of the text are ignored. `reindent` replaces all of these rules.
//! Lines that begin in a string, a heredoc or an element such as `pre` stay as they are. In Markdown nothing is
//! reindented.
//!
//! *Invariants*: a body that is sent back unchanged changes nothing. Everything is found in the file as it was before
//! the entry; a symbol's edits own what they replace, so that two of them never share a range.
//!
//! *Limitations*: a string that is a statement by itself (the docstring of a Python function) is indented with the
//! code; a text that cannot be parsed is not reindented; a file with syntax errors is edited with a warning, since a
//! symbol may end elsewhere there than its author thinks.

mod add;
mod around;
mod block;
mod body;
mod brackets;
mod continued;
mod edit;
mod expression;
mod fitting;
mod quotes;
mod remove;
mod repeated;
mod sliced;
mod spacing;
mod step;
mod symbols;

pub(crate) use edit::{SymbolEdit, parse};
pub(crate) use symbols::{SymbolSelector, Symbols};

#[cfg(test)]
mod tests;
