//! The dialect `text-editor`: one command for one file, `{command, path, …}`: `view` (`view_range`), `create`
//! (`file_text`), `str_replace` (`old_str`, `new_str`), `insert` (`insert_line`, and `insert_text` or `new_str`),
//! `undo_edit`. It finds no place in a file.
//!
//! *Fields*: `view_range` is the first and last line, -1 for the end. `insert_line` is the line after which lines go, 0
//! for the start. A `new_str` that is absent removes. Fields that a command does not read are passed over with a
//! warning; fields that nobody knows are `malformed`.
//!
//! *Declared*: `create` never overwrites, as the tool's first versions; `old_str` is found by the ladder, and the
//! answer says where that took more than what was quoted; the final line break of an inserted text is optional.

mod fields;
mod translate;
mod words;

pub(super) use translate::TextEditor;

#[cfg(test)]
mod tests;
