//! The dialect `unified-diff`: a diff of one file or several, each hunk a native `hunk` near the line that it names. It
//! finds no place in a file.
//!
//! *Understood*: plain and git diffs with prefixes, timestamps, quoted names, `/dev/null`; files that come, go, are
//! renamed or copied, and their modes; CRLF around and inside; text around the diff, a fence, a mail's signature; a
//! list of hunks without file headers where the request names the file; files that GNU diff marks by the time stamp of
//! the epoch, or by `-0,0`, as coming or going.
//!
//! *Names*: all names of a section are of one file, or it is refused. In one commit every name is that of the files as
//! they were, so that files may change names in a row or in a ring. A second section for a path, and each commit of a
//! mailbox or a log, sees what was made before it.
//!
//! *Repaired, with a warning*: counts that are wrong. Line numbers that are wrong are reported as an offset.
//!
//! *Refused*: binary patches, links and submodules, diffs of a merge, two names for one file, a line in the middle of
//! a hunk that has no sign. A file that goes must have just the lines that the diff removes, and be empty where it
//! removes none; a hunk with `-0,0` is never put into a file that has lines.
//!
//! *Limitations*: `a` to `b` and `b` to `c` in two diffs with nothing between them that says where a commit begins are
//! read as of one commit: `b` must be there.

mod body;
mod deed;
mod header;
mod mark;
mod names;
mod order;
mod parse;
mod stamp;
mod translate;
mod words;

pub(super) use translate::UnifiedDiff;

#[cfg(test)]
mod tests;
