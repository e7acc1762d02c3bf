//! The dialect `safe-edit`: one file by whole content, line edits, inserted lines, or search and replace. It finds no
//! place in a file.
//!
//! `{path, mode, show_diff, content | line_edits | search_replace | insert_lines}`, exactly one of the last four, or
//! flat `search`, `replace`, `regex`, `search_count`, `search_flags`. Regular expressions and their replacements are
//! Python's: constructs with another meaning here are rewritten, or refused if that is not possible.
//!
//! *Limitations*: `mode` decides if a search that finds nothing is an error. A mode that only the request gives
//! arrives after the translation, so such a search is an error there. A line edit one line past the last appends, as
//! in the native `lines`. An empty match directly after another match does not count, though Python counts it.

mod fields;
mod flags;
mod pattern;
mod reply;
mod template;
mod translate;

pub(super) use translate::SafeEdit;

#[cfg(test)]
mod tests;
