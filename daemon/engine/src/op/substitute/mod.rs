//! `substitute` replaces occurrences of a literal text or a regular expression. Fields: `pattern`, `replacement`,
//! `regex`, `flags`, `count` (all if absent), `expect`, `eol`. Flags: `i m s x`, and `a` for classes of ASCII letters
//! only, with `regex`; `o` if the pattern need not match, and the edit is then `unchanged`; `1` if it must match at
//! one place, which unlike `expect` permits no swallowed start.
//!
//! *Limitations*: a compiled regular expression has at most `limits::REGEX_SIZE` bytes, and look-around and
//! back-references take a bounded number of steps; exceeding either is `limit`.
//!
//! *Swallowed starts*: a match in which a wildcard swallowed a second start is `ambiguous` if no `expect` is given: see
//! `wildcard_guard`.
//!
//! *Invariants*: a break is never split. A pattern sees each break as `\n`, whatever the file has, and inserted breaks
//! follow the file. A pattern that names `\r` sees the bytes; `^`, `$` and `.` then still treat `\r\n` as one break. No
//! match begins or ends between `\r` and `\n`.

mod ascii;
mod backtrack;
mod edit;
mod engine;
mod matches;
mod meter;
mod reach;
mod template;
mod wildcard;
mod wildcard_guard;

pub(crate) use edit::{Substitute, parse};
