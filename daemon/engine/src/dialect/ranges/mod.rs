//! The dialect `ranges`: raw text for callers that see line numbers, in the fewest tokens. A header names a file and
//! the version that was read, a header names a range of its lines, and the new lines follow. It finds no text.
//!
//! *Form*: `@@ PATH VERSION` opens a file; then `@@ 10-12` (or `@@ 10`) replaces lines by those below it, `@@ 10-12
//! delete` removes them, `@@ before 10`, `@@ after 10` and `@@ end` insert. `@@ PATH new` creates a file from the
//! lines below it, `@@ PATH VERSION delete` removes a file. A blank line below a header is a line like any other.
//!
//! *Headers and content*: the marker is the run of `@` (two or more) at the start of the text, and a header is a line
//! that begins with it. Every line that begins with the marker must be a header, or the text is refused; so content
//! is never read as a header unless it has exactly that form. Content that begins with the marker is written below a
//! longer one (`@@@ PATH VERSION`, `@@@ 10-12`), as with fences in Markdown; content is never unescaped.
//!
//! *Numbers* are those of the version in the header, in any order; ranges that overlap are refused.
//!
//! *Lenient*: one code fence around the text, `\r\n`. *Strict*: a range without lines must have `delete`, since a
//! text that was cut off may end in such a range.

mod header;
mod parse;
mod reply;
mod translate;

pub(super) use translate::Ranges;

#[cfg(test)]
mod tests;
