//! Matches in which a wildcard swallowed a second start of the pattern: `start.*?end` over `start A start B end`. It
//! finds a shorter match with the same end inside a match, and does not choose between them.
//!
//! *Meaning*: a *wildcard* is a repetition that can match a letter or digit and something else, too (`.*?`, `[^)]*`),
//! so neither `\w+` nor `\s*`. The pattern must require something before it, and something after it other than white
//! space alone (the line end in `#.*\n` does not count; but if the wildcard crosses lines, any ending counts). A match
//! is refused if another match of the whole pattern begins inside the text that a wildcard matched and has the same
//! end. Matches that begin earlier, in `\s*` or `\w+` at the front of the pattern, are the same start, so that `\w+`,
//! `a+`, `.*` and `\s*foo.*?;` are never refused for their own suffixes.
//!
//! *Limitations*: for a pattern that this module cannot rewrite (recursion, conditions) every later start counts; a
//! pattern of more than `limits::GUARDED_PATTERN` bytes is not checked.

use std::ops::Range;

use fancy_regex::Expr;

use super::engine::{Engine, Flags, Groups, after_letter};
use super::wildcard::{MatchMinimum, PatternWriter};
use crate::Refusal;
use crate::limits;
use crate::plan::Budget;

/// A pattern with wildcards that may swallow.
pub(super) struct WildcardGuard {
    /// The pattern with a group around each wildcard; `None` if it cannot be rewritten.
    rewritten: Option<String>,
    /// The numbers of those groups.
    wildcards: Vec<usize>,
    flags: Flags,
    crlf: bool,
    engine: Option<Engine>,
}

impl WildcardGuard {
    /// Returns the wildcards of a pattern, or `None` if no match of it can swallow a start.
    pub(super) fn of(pattern: &str, flags: Flags, crlf: bool) -> Option<Self> {
        if pattern.len() > limits::GUARDED_PATTERN {
            return None;
        }
        let tree = Expr::parse_tree(&[&flags.inline(), pattern].concat()).ok()?;
        let mut writer = PatternWriter::default();
        let mut out = String::new();
        let done = writer.write(&tree.expr, MatchMinimum::NONE, MatchMinimum::NONE, &mut out);
        if writer.wildcards.is_empty() {
            return None;
        }
        let flags = Flags { ascii: flags.ascii, ..Flags::default() };
        Some(Self { rewritten: done.map(|()| out), wildcards: writer.wildcards, flags, crlf, engine: None })
    }

    /// Returns the start of another match that begins inside a wildcard of the match at `whole` and has the same
    /// end.
    ///
    /// # Errors
    /// `limit` if the search takes more than the job may.
    pub(super) fn second(
        &mut self,
        engine: &Engine,
        text: &str,
        whole: &Range<usize>,
        budget: &Budget,
    ) -> Result<Option<usize>, Refusal> {
        let mut from = after_letter(text, whole.start);
        let mut spans: Option<Vec<Range<usize>>> = None;
        while from < whole.end {
            let found = engine.next(text, from, budget)?;
            let Some(inner) = found.and_then(|groups| groups.into_iter().next().flatten()) else {
                return Ok(None);
            };
            if !budget.regex(inner.end.min(whole.end).saturating_sub(from).saturating_add(1)) {
                return Err(super::edit::worn_out());
            }
            if inner.start >= whole.end {
                return Ok(None);
            }
            if inner.end == whole.end && !inner.is_empty() {
                let spans = match &mut spans {
                    Some(spans) => spans,
                    None => spans.insert(self.spans(text, whole, budget)?),
                };
                if spans.iter().any(|span| span.contains(&inner.start)) {
                    return Ok(Some(inner.start));
                }
            }
            from = after_letter(text, inner.start);
        }
        Ok(None)
    }

    /// Returns the ranges that the wildcards matched; the whole match if they cannot be distinguished.
    fn spans(
        &mut self,
        text: &str,
        whole: &Range<usize>,
        budget: &Budget,
    ) -> Result<Vec<Range<usize>>, Refusal> {
        if let (None, Some(rewritten)) = (&self.engine, &self.rewritten) {
            self.engine = Engine::new(rewritten, self.flags, self.crlf, text).ok();
        }
        let groups: Option<Groups> = match &self.engine {
            Some(engine) => engine.next(text, whole.start, budget)?,
            None => None,
        };
        let groups = groups.filter(|groups| groups.first() == Some(&Some(whole.clone())));
        Ok(match groups {
            Some(groups) => {
                self.wildcards.iter().filter_map(|at| groups.get(*at).cloned().flatten()).collect()
            }
            None => vec![whole.clone()],
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Returns the second start in the first match of a pattern.
    fn second(pattern: &str, text: &str) -> Option<usize> {
        let flags = Flags::default();
        let budget = Budget::new();
        let engine = Engine::new(pattern, flags, false, text).unwrap();
        let whole = engine.next(text, 0, &budget).unwrap().unwrap().first().cloned().flatten().unwrap();
        let mut guard = WildcardGuard::of(pattern, flags, false)?;
        guard.second(&engine, text, &whole, &budget).unwrap()
    }

    #[test]
    fn a_wildcard_that_swallows_a_second_start_is_found() {
        for (pattern, text, at) in [
            ("start.*?end", "start A start B end", 8),
            ("start.*end", "start A start B end", 8),
            ("start(.*?)end", "start A start B end", 8),
            ("(start)(.*?)(end)", "start A start B end", 8),
            ("(?:start|begin).*?end", "start A begin B end", 8),
            ("begin|start.*?end", "start A start B end", 8),
            ("start(?:.|\n)*?end", "start\nstart\nend", 6),
            (r"start[\s\S]*?end", "start\nstart\nend", 6),
            ("(?s)start.*?end", "start\nstart\nend", 6),
            ("start[a-z ]*?end", "start a start b end", 8),
            ("start.{0,40}?end", "start A start B end", 8),
            ("start(?:.*\n)*?end", "start\nstart\nend", 6),
            (r"\w+\(.*?\);", "foo(a; bar(b);", 7),
            (r"\(.*?\)", "f(a, g(b)", 6),
            (r"Vec<[^>]+>", "Vec<Vec<u8>", 4),
            (r"(?s)/\*.*?\*/", "/* a\n/* b */", 5),
            (r"start.*?(?=end)", "start A start B end", 8),
            (r"(?<=start).*?end", "start A start B end", 13),
            (r#"(["']).*?\1;"#, r#""a "b";"#, 3),
            ("(?i)start.*?END", "Start A start B end", 8),
            ("é.*?ü", "éaéü", 3),
            ("(?s)start.*?\n\n", "start a start b\n\n", 8),
        ] {
            assert_eq!(second(pattern, text), Some(at), "{pattern} over {text}");
        }
    }

    #[test]
    fn patterns_without_a_second_start_are_accepted() {
        for (pattern, text) in [
            (r"\w+", "hello"),
            ("a+", "aaaa"),
            ("a+b", "aaab"),
            (".*", "one line"),
            (".*;", "a; b;"),
            ("#.*", "# a # b"),
            ("#.*\n", "# a # b\n"),
            ("//[^\n]*\r?\n", "// see http://x\n"),
            ("#.*$", "# a # b"),
            ("^.*foo.*$", "foo foo foo"),
            (r"(.*)foo(.*)bar", "x foo y foo z bar"),
            (r"\s*foo.*?bar", "   foo x bar"),
            (r"(?:\w+ )*foo.*?bar", "a b foo x bar"),
            (r"\w+\.\w+", "self.name"),
            (r"(\w+::)+\w+\(", "a::b::c("),
            (r"a_\w+_b", "a_x_a_y_b"),
            (r"\n\s*\n", "x\n\n\n\n"),
            (r#"".*?""#, r#""a" + "b""#),
            (r"fn \w+\(.*?\)", "fn one(a: u8)"),
            (r"\d+-\d+", "2020-2021"),
            (r"https?://\S+", "https://x"),
            (r"start.*?end", "start A end start B end"),
            (r"\bfoo.*?bar\b", "foo xfoo bar"),
            (r",\s*\)", "f(a,   )"),
        ] {
            assert_eq!(second(pattern, text), None, "{pattern} over {text}");
        }
    }
}
