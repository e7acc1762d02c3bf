//! `symbol`: one definition, found by the syntax tree. Fields: `name` (a name path such as `Class/method`) or `within`
//! (`{"symbol": name}`, or `{"position": {line, column}}`: 0-based, in UTF-16 units); `action`; `text`; `eol`;
//! clipboards and `reindent`. It never touches a byte outside what the action names.
//!
//! *Actions*: `replace_body` puts the text in the place of the body: with its own braces, or without, then it goes
//! between the file's; below the `|` of a YAML block where it brings none. `replace` puts it in the place of the definition: what stands in front (comments, and attributes
//! where the language has them outside) stays, unless the text begins with one of its lines, or brings comments or
//! attributes of its own. `insert_before` and
//! `insert_after` put it on lines of its own, before or after all that belongs to the symbol, as far apart as its
//! neighbours are; in a list with the commas that it needs. `delete` takes all that belongs to the symbol, with its
//! lines, a comma that is then one too many, and of the blank lines around it the smaller number (all of them at the
//! start or end of what holds it).
//!
//! *Indentation*: what all lines of the text have in common gives way to the indentation of the symbol, or of the lines
//! of its body; steps of another width become those of the symbol, else of the file
//! (never in YAML). A text whose first line lost its indentation is understood,
//! one that is indented rightly stays as it is, and so does one that is the file's own with some of it changed. Blank lines at either end of the text do not count. `reindent`
//! takes the place of all this. Lines that begin in a string, a heredoc or an element such as `pre` stay as they are. In Markdown nothing is indented anew.
//!
//! *Invariants*: a body that is sent back as it is changes nothing. Everything is found in the file as it was before the
//! entry; a symbol's edits own what they replace, so that two of them never meet in one range.
//!
//! *Limitations*: a string that is a statement by itself (what documents a function of Python) is indented with the code;
//! a text that cannot be parsed stays as it came; a file with syntax errors is
//! edited with a warning, since a symbol may end elsewhere there than its author thinks.

mod add;
mod around;
mod block;
mod body;
mod brackets;
mod edit;
mod expression;
mod fitting;
mod goes_on;
mod quotes;
mod remove;
mod sliced;
mod spacing;
mod step;
mod symbols;

pub(crate) use edit::{FIELDS, SymbolEdit, parse};
pub(crate) use symbols::{Symbols, Which};

#[cfg(test)]
mod tests;
