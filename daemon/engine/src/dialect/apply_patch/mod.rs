//! The dialect `apply-patch`: a `*** Begin Patch` envelope of files to add, delete, update and move, each hunk of an
//! update a native `hunk`. It finds no place in a file.
//!
//! *Lenient*: a heredoc, a fence, or a JSON object with `input` around the envelope, white space around its markers,
//! an empty line for a blank one of context, `@@ -1,2 +1,2 @@` for `@@`.
//!
//! *Accepted with a warning*: a call of `apply_patch`, itself or through a shell, as JSON (`command`, `patch`) or as
//! text; hunks without lines; lines of context without the blank in front; a blank last line of context at the end of
//! a file.
//!
//! *Strict*: an envelope that is cut off is refused whole; so is a hunk below a header that quotes no line, since
//! tools do not agree on where it goes. A hunk that fits twice is refused; its header may name the block that is meant.
//!
//! *Declared*: a file or the target of a move is never overwritten; a file without a final line break keeps
//! none; hunks of one file need no order where each stands at one place only, and all are located in the file as it was.
//! If a hunk stands at several places, the order of the hunks of the update decides, if it leaves one place.

mod envelope;
mod translate;
mod unsigned;
mod words;
mod wrap;

pub(super) use translate::ApplyPatch;

#[cfg(test)]
mod tests;
