//! The dialect `text-editor`: one command for one file, `{command, path, …}`: `view` (`view_range`), `create`
//! (`file_text`), `str_replace` (`old_str`, `new_str`), `insert` (`insert_line`, and `insert_text` or `new_str`),
//! `undo_edit`. It finds no place in a file.
//!
//! *Fields*: `view_range` is the first and last line, -1 for the end. `insert_line` is the line after which lines are
//! inserted, 0 for the start. An absent `new_str` removes. Fields that a command does not read are ignored with a
//! warning; unknown fields are `malformed`.
//!
//! *Declared*: `create` never overwrites, as in the first versions of the tool. The ladder finds `old_str`, and the
//! answer reports a match that is not exact. The final line break of an inserted text is optional.

mod fields;
mod reply;
mod translate;

pub(super) use translate::TextEditor;

#[cfg(test)]
mod tests;
