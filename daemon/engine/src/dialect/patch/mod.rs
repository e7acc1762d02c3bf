//! The dialect `patch`: a list of patches for one file. It finds no place in a file.
//!
//! `{path, patches: [{operation, oldText, newText, toClipboard, fromClipboard, reindent, replaceAll}]}`. A patch is
//! one native edit, in the same order; an absent `newText` is empty. Fields that the operation of a patch does not
//! read are ignored with a warning, as in the original tool; unknown fields are `malformed`.
//!
//! The daemon warns of generated files in `FileOutcome.warnings`, for every dialect: a translation does not see the
//! file.

mod fields;
mod reply;
mod translate;

pub(super) use translate::Patch;

#[cfg(test)]
mod tests;
