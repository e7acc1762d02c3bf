//! `substitute`: occurrences of a literal text or a regular expression. Fields: `pattern`, `replacement`,
//! `regex`, `flags` (`i m s x`, and `a` for classes of ASCII letters only, with `regex`; `o` where it may be nowhere,
//! which is `unchanged` then), `count` (all where absent), `expect`, `eol`.
//!
//! *Limitations*: a regular expression costs at most `limits::REGEX_SIZE` compiled, and look-around and
//! back-references a bounded number of steps; both end as `limit`. In a file with `\r\n` breaks `^`, `$` and `.`
//! treat them as line ends, and a literal `\n` stands for either break.

mod ascii;
mod backtrack;
mod edit;
mod engine;
mod meter;
mod reach;
mod template;

pub(crate) use edit::{FIELDS, Substitute, parse};
