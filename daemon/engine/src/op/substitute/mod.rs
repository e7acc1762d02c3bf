//! `substitute`: occurrences of a literal text or a regular expression. Fields: `pattern`, `replacement`,
//! `regex`, `flags` (`i m s x`, and `a` for classes of ASCII letters only, with `regex`; `o` where it may be nowhere,
//! which is `unchanged` then; `1` where it must be at one place, which unlike `expect` allows no swallowed start), `count` (all where absent), `expect`, `eol`.
//!
//! *Limitations*: a regular expression costs at most `limits::REGEX_SIZE` compiled, and look-around and
//! back-references a bounded number of steps; both end as `limit`.
//!
//! *Swallowed starts*: a match in which a wildcard swallowed a second start is `ambiguous` where no `expect` is given: see
//! `swallow`.
//!
//! *Invariants*: a break is one thing. A pattern sees each as `\n`, whatever the file has there, and what is inserted
//! follows the file. A pattern that names `\r` sees the bytes; `^`, `$` and `.` take `\r\n` for one break then too. No
//! match begins or ends between `\r` and `\n`.

mod ascii;
mod backtrack;
mod edit;
mod engine;
mod meter;
mod reach;
mod swallow;
mod template;
mod wildcard;

pub(crate) use edit::{FIELDS, Substitute, parse};
