//! The dialect `apply-patch`: a `*** Begin Patch` envelope of files to add, delete, update and move. Each hunk of an
//! update becomes a native `hunk`. It finds no place in a file.
//!
//! *Lenient*: a heredoc, a fence, or a JSON object with `input` around the envelope, white space around its markers,
//! an empty line for a blank one of context, `@@ -1,2 +1,2 @@` for `@@`.
//!
//! *Accepted with a warning*: a call of `apply_patch`, itself or through a shell, as JSON (`command`, `patch`) or as
//! text; hunks without lines; lines of context without the blank in front; a blank last line of context at the end of
//! a file.
//!
//! *Strict*: an envelope that is cut off is refused completely. So is a hunk with a header that quotes no line,
//! since tools do not agree on its place. A hunk that fits twice is refused, unless its header names the block.
//!
//! *Declared*: a file or the target of a move is never overwritten. A file without a final line break keeps none. All
//! hunks of a file are located in its old content, in any order if each has only one place. If a hunk has several
//! places, the order of the hunks decides, if it leaves one place.

mod envelope;
mod reply;
mod translate;
mod unsigned;
mod wrap;

pub(super) use translate::ApplyPatch;

#[cfg(test)]
mod tests;
