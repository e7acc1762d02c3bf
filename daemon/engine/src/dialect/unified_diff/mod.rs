//! The dialect `unified-diff`: a diff of one file or several, each hunk a native `hunk` near the line that it names. It
//! finds no place in a file.
//!
//! *Understood*: plain and git diffs with prefixes, timestamps, quoted names, `/dev/null`; files that come, go, are
//! renamed or copied, and their modes; CRLF around and inside; text around the diff, a fence, a mail's signature; a
//! list of hunks without file headers where the request names the file.
//!
//! *Repaired, with a warning*: counts that are wrong. Line numbers that are wrong are reported as an offset.
//!
//! *Refused*: binary patches, links and submodules, diffs of a merge, two names for one file, a line in the middle of
//! a hunk that has no sign. A file that goes must have just the lines that the diff removes.
//!
//! *Limitations*: files that change their names in a ring are refused, since each target exists when its turn comes.

mod body;
mod header;
mod mark;
mod parse;
mod translate;
mod words;

pub(super) use translate::UnifiedDiff;

#[cfg(test)]
mod tests;
