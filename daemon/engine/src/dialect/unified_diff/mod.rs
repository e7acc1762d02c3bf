//! The dialect `unified-diff`: a diff of one file or several, each hunk a native `hunk` near the line that it names. It
//! finds no place in a file.
//!
//! *Understood*: plain and git diffs with prefixes, timestamps, quoted names, `/dev/null`; files that are created,
//! deleted, renamed or copied, and their modes; CRLF around and inside; text around the diff, a fence, the signature
//! of a mail; a list of hunks without file headers if the request names the file; files that GNU diff marks as
//! created or deleted by the time stamp of the epoch, or by `-0,0`; beside another hunk, `-0,0` is the place before the first
//! line, as in `git diff -U0`.
//!
//! *Names*: all names of a section must be of one file, or the section is refused. In one commit, every name refers
//! to the files before the commit, so that files may exchange names in a row or in a ring. A second section for a
//! path, and each commit of a mailbox or a log, applies to the result of the earlier ones.
//!
//! *Repaired, with a warning*: wrong counts. Wrong line numbers are reported as an offset.
//!
//! *Refused*: binary patches, links and submodules, diffs of a merge, two names for one file, a line without a sign
//! in the middle of a hunk. A deleted file must have exactly the lines that the diff removes, and be empty if it
//! removes none. A hunk with `-0,0` alone is never applied to a file that has lines.
//!
//! *Limitations*: `a` to `b` and `b` to `c` in two diffs without the start of a commit between them are read as one
//! commit: `b` must exist.

mod body;
mod header;
mod mark;
mod names;
mod operation;
mod order;
mod parse;
mod reply;
mod stamp;
mod translate;

pub(super) use translate::UnifiedDiff;

#[cfg(test)]
mod tests;
