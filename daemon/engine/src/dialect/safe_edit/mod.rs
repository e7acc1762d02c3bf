//! The dialect `safe-edit`: one file by whole content, line edits, inserted lines, or search and replace. It finds no
//! place in a file.
//!
//! `{path, mode, show_diff, content | line_edits | search_replace | insert_lines}`, exactly one of the last four, or
//! flat `search`, `replace`, `regex`, `search_count`, `search_flags`. Regular expressions and their replacements are
//! Python's: what would mean something else here is rewritten, and what cannot be is refused.
//!
//! *Limitations*: `mode` says whether a search that finds nothing is an error; one that only the request gives
//! comes after the translation, so that such a search is an error there. A line edit one line past the last appends,
//! as in the native `lines`. An empty match directly behind another match does not count, though Python counts it.

mod fields;
mod flags;
mod pattern;
mod template;
mod translate;
mod words;

pub(super) use translate::SafeEdit;

#[cfg(test)]
mod tests;
