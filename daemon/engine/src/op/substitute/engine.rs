//! One interface to the two regular expression engines: linear time by default, backtracking with a step limit
//! if the pattern needs it. It never runs the second if the first suffices.

use std::borrow::Cow;
use std::ops::Range;

use editd_types::ErrorCode;

use super::ascii;
use super::backtrack::Backtracking;
use super::meter::Meter;
use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::locate::{excerpt, too_many_places};
use crate::plan::Budget;
use crate::refusal::{refuse, spent};

/// Flags of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Flags {
    /// `i`
    pub(crate) case_insensitive: bool,
    /// `m`
    pub(crate) multi_line: bool,
    /// `s`
    pub(crate) dot_all: bool,
    /// `x`
    pub(crate) verbose: bool,
    /// `a`
    pub(crate) ascii: bool,
}

impl Flags {
    /// Returns the flags as the start of a pattern.
    pub(crate) fn inline(self) -> String {
        let all =
            [(self.case_insensitive, 'i'), (self.multi_line, 'm'), (self.dot_all, 's'), (self.verbose, 'x')];
        let letters: String = all.into_iter().filter(|(on, _)| *on).map(|(_, letter)| letter).collect();
        if letters.is_empty() { letters } else { format!("(?{letters})") }
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) enum Engine {
    /// Linear time.
    Linear(regex::Regex),
    /// Look-around or back-references.
    Backtracking(Box<Backtracking>),
}

/// The ranges of a match and its groups.
pub(crate) type Groups = Vec<Option<Range<usize>>>;

impl Engine {
    /// Compiles for a text; `crlf` if `\r` ends lines, too.
    ///
    /// # Errors
    /// `invalid_regex`; `limit` if the compiled pattern is too large.
    pub(crate) fn new(pattern: &str, flags: Flags, crlf: bool, text: &str) -> Result<Self, Refusal> {
        let spelt = |boundaries| {
            if flags.ascii { Cow::Owned(ascii::spell(pattern, boundaries)) } else { Cow::Borrowed(pattern) }
        };
        let linear = regex::RegexBuilder::new(&spelt(ascii::LINEAR))
            .case_insensitive(flags.case_insensitive)
            .multi_line(flags.multi_line)
            .dot_matches_new_line(flags.dot_all)
            .ignore_whitespace(flags.verbose)
            .crlf(crlf)
            .size_limit(limits::REGEX_SIZE)
            .build();
        match linear {
            Ok(regex) => Ok(Self::Linear(regex)),
            Err(regex::Error::CompiledTooBig(_)) => Err(too_big()),
            Err(error) => {
                let why = error.to_string();
                match Backtracking::new(&spelt(ascii::BACKTRACKING), flags, crlf, text) {
                    Ok(regex) => Ok(Self::Backtracking(Box::new(regex))),
                    // The messages of the linear engine are better, except about constructs that it does not support.
                    Err(other) if why.contains("look-around") || why.contains("backreference") => {
                        Err(invalid(&other))
                    }
                    Err(_) => Err(invalid(&why)),
                }
            }
        }
    }

    /// Counts what searching costs.
    pub(crate) fn meter(&self, pattern: &str, flags: Flags, crlf: bool) -> Meter {
        match self {
            Self::Linear(_) => Meter::new(pattern, flags, crlf),
            Self::Backtracking(regex) => Meter::each(regex.reach()),
        }
    }

    /// Returns the names of the groups; the first group is the match itself.
    pub(crate) fn names(&self) -> Vec<Option<&str>> {
        match self {
            Self::Linear(regex) => regex.capture_names().collect(),
            Self::Backtracking(regex) => regex.names(),
        }
    }

    /// Returns the first match at or after an offset.
    ///
    /// # Errors
    /// `limit` if backtracking takes too many steps.
    pub(crate) fn next(&self, text: &str, from: usize, budget: &Budget) -> Result<Option<Groups>, Refusal> {
        match self {
            Self::Linear(regex) if regex.captures_len() == 1 => {
                Ok(regex.find_at(text, from).map(|found| vec![Some(found.range())]))
            }
            Self::Linear(regex) => {
                let found = regex.captures_at(text, from);
                Ok(found.map(|found| found.iter().map(|group| group.map(|at| at.range())).collect()))
            }
            Self::Backtracking(regex) => regex.next(text, from, budget),
        }
    }

    /// Visits matches that lie in a stretch of the text and do not overlap, in order, until `visit` returns false.
    ///
    /// # Errors
    /// The errors of `visit`; `limit` if there are too many matches or backtracking takes too many steps.
    pub(crate) fn each_inside(
        &self,
        text: &str,
        inside: &Range<usize>,
        budget: &Budget,
        visit: &mut dyn FnMut(&mut Groups) -> Result<bool, Refusal>,
    ) -> Result<(), Refusal> {
        let is_all = inside.len() == text.len();
        let (most, too_many): (usize, fn() -> Refusal) = match self {
            Self::Linear(regex) if is_all => return linear_matches(regex, text, visit),
            Self::Backtracking(_) if is_all => (limits::BACKTRACK_MATCHES, too_many_steps),
            _ => (limits::PLACES, too_many_places),
        };
        let (mut from, mut last_end) = (inside.start, None);
        // An empty match at the end of the stretch is outside of it, unless the text ends there, too.
        let until = if inside.end == text.len() { inside.end + 1 } else { inside.end };
        for _ in 0..=most {
            let found = if from < until { self.next(text, from, budget)? } else { None };
            let Some(mut groups) = found else { return Ok(()) };
            let whole = groups.first().cloned().flatten().unwrap_or(from..from);
            if whole.start >= until {
                return Ok(());
            }
            if whole.end > inside.end {
                // A later match may end inside the stretch.
                if !budget.regex(whole.end - from) {
                    return Err(super::edit::worn_out());
                }
                from = after_letter(text, whole.start);
                continue;
            }
            let repeats = whole.is_empty() && last_end == Some(whole.end);
            from = if whole.is_empty() { after_letter(text, whole.end) } else { whole.end };
            last_end = Some(whole.end);
            if !repeats && !visit(&mut groups)? {
                return Ok(());
            }
        }
        Err(too_many())
    }
}

fn linear_matches(
    regex: &regex::Regex,
    text: &str,
    visit: &mut dyn FnMut(&mut Groups) -> Result<bool, Refusal>,
) -> Result<(), Refusal> {
    // `find_iter` is several times faster than `captures_iter`.
    if regex.captures_len() == 1 {
        for found in regex.find_iter(text) {
            if !visit(&mut vec![Some(found.range())])? {
                break;
            }
        }
        return Ok(());
    }
    for found in regex.captures_iter(text) {
        let mut groups = found.iter().map(|group| group.map(|at| at.range())).collect();
        if !visit(&mut groups)? {
            break;
        }
    }
    Ok(())
}

fn invalid(why: &str) -> Refusal {
    let why = why.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
    let why = why.trim().trim_start_matches("error: ");
    refuse(
        ErrorCode::InvalidRegex,
        format!("`pattern` is not a regular expression ({}); correct it", excerpt(why, 0)),
    )
}

fn too_big() -> Refusal {
    spent(
        "`pattern` compiles to more than 1 MiB; use smaller repetitions or classes",
        limits::REGEX_SIZE as u64,
    )
}

/// Creates the refusal of a search that backtracks too much.
pub(crate) fn too_many_steps() -> Refusal {
    spent(
        "`pattern` takes too many steps on this file; avoid look-around and back-references, or nested repetition",
        limits::BACKTRACKS as u64,
    )
}

/// Returns the offset behind the character at an offset, or one more than the end at the end.
pub(super) fn after_letter(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// Returns true if a regular expression names `\r`, so that it means the bytes of a break and not the break.
pub(super) fn names_return(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(at) = rest.find(['\\', '\r']) {
        let named = rest.cut(at..rest.len());
        let mut letters = named.chars();
        if letters.next() == Some('\r') {
            return true;
        }
        match letters.next() {
            Some('r') => return true,
            Some('x' | 'u' | 'U') => {
                let digits = letters.as_str().trim_start_matches('{').trim_start_matches('0');
                let more = digits.chars().nth(1).is_some_and(|digit| digit.is_ascii_hexdigit());
                let braced = letters.as_str().starts_with('{');
                if digits.starts_with(['d', 'D']) && !(braced && more) {
                    return true;
                }
            }
            _ => {}
        }
        rest = letters.as_str();
    }
    false
}
