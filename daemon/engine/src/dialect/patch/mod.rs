//! The dialect `patch`: a list of patches for one file. It finds no place in a file.
//!
//! `{path, patches: [{operation, oldText, newText, toClipboard, fromClipboard, reindent, replaceAll}]}`. A patch is
//! one native edit, in the same order; `newText` that is absent is empty. Fields that a patch's operation does not
//! read are passed over with a warning, as the tool's callers know it; fields that nobody knows are `malformed`.
//!
//! That a file is generated, the daemon says in `FileOutcome.warnings`, for every dialect: a translation does not see
//! the file.

mod fields;
mod translate;
mod words;

pub(super) use translate::Patch;

#[cfg(test)]
mod tests;
