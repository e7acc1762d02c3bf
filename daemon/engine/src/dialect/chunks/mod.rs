//! The dialect `chunks`: `{relative_path, line, column, name_path, chunks: [{context_before, old_lines, new_lines,
//! context_after}]}`, each chunk a native `chunk` edit. It finds no place in a file.
//!
//! *Fields*: the lists of lines are lists, or one string that is lines of text. `""`, `[]` and an absent context are
//! no lines, `[""]` is one blank line. `old_lines` and `new_lines` must be there. `line` and `column` (0-based, UTF-16)
//! are the start of a symbol, `name_path` is its name, absent where it is empty; without either the whole file is
//! searched. An item may end in one line break, `\n` or `\r\n`; a lone `\r` there is `malformed`, since only the file
//! could tell whether it is a break.
//!
//! *Strict*: a field that is not named here is `malformed`, so that a misspelt context is never no constraint.

mod payload;
mod reply;
mod translate;

pub(super) use translate::Chunks;

#[cfg(test)]
mod tests;
