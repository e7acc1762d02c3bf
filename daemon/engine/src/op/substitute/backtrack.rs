//! Look-around and back-references: a backtracking engine that counts its steps. It never runs without a limit.

use fancy_regex::{Captures, Regex, RegexBuilder};

use super::engine::{Flags, Groups, too_many_steps};
use super::reach;
use crate::Refusal;
use crate::limits;

/// A pattern for the backtracking engine, with a limit for each search.
#[derive(Debug)]
pub(crate) struct Backtracking {
    usual: Regex,
    /// The same with a limit that grows with the text, for where the next match is far away: every place that
    /// is passed takes a step too.
    far: Regex,
    /// Bytes that it reads from one place, on the average.
    reach: usize,
}

impl Backtracking {
    /// Compiles for a text.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn new(pattern: &str, flags: Flags, crlf: bool, text: &str) -> Result<Self, String> {
        let far = text.len().saturating_mul(4).saturating_add(limits::BACKTRACKS).min(limits::FAR_BACKTRACKS);
        let reach = reach::mean(pattern, flags, text);
        // One step may read that far.
        let most = limits::BACKTRACK_WORK / reach.max(1);
        let build = |limit: usize| {
            RegexBuilder::new(pattern)
                .case_insensitive(flags.case_insensitive)
                .multi_line(flags.multi_line)
                .dot_matches_new_line(flags.dot_all)
                .verbose_mode(flags.verbose)
                .crlf(crlf)
                .backtrack_limit(limit.min(most))
                .delegate_size_limit(limits::REGEX_SIZE)
                .build()
                .map_err(|error| error.to_string())
        };
        Ok(Self { usual: build(limits::BACKTRACKS)?, far: build(far)?, reach })
    }

    /// Bytes that it reads from one place, on the average.
    pub(crate) fn reach(&self) -> usize {
        self.reach
    }

    /// The groups' names; the first is the match itself.
    pub(crate) fn names(&self) -> Vec<Option<&str>> {
        self.usual.capture_names().collect()
    }

    /// Visits matches that do not overlap, in order, until `visit` wants no more.
    ///
    /// # Errors
    /// What `visit` refuses; `limit` where one search, or all of them, take too many steps.
    pub(crate) fn each(
        &self,
        text: &str,
        visit: &mut dyn FnMut(&mut Groups) -> Result<bool, Refusal>,
    ) -> Result<(), Refusal> {
        let (mut from, mut last_end, mut far_left) = (0, None, limits::FAR_SEARCHES);
        for _ in 0..=limits::BACKTRACK_MATCHES {
            let Some(mut groups) = self.next(text, from, &mut far_left)? else {
                return Ok(());
            };
            let whole = groups.first().cloned().flatten().unwrap_or(from..from);
            let repeats = whole.is_empty() && last_end == Some(whole.end);
            from = if whole.is_empty() { after_letter(text, whole.end) } else { whole.end };
            last_end = Some(whole.end);
            if !repeats && !visit(&mut groups)? {
                return Ok(());
            }
            if from > text.len() {
                return Ok(());
            }
        }
        Err(too_many_steps())
    }

    fn next(&self, text: &str, from: usize, far_left: &mut usize) -> Result<Option<Groups>, Refusal> {
        let found = match self.usual.captures_from_pos(text, from) {
            Err(_) if *far_left > 0 => {
                *far_left -= 1;
                self.far.captures_from_pos(text, from)
            }
            other => other,
        };
        Ok(found.map_err(|_| too_many_steps())?.map(|captures| groups(&captures)))
    }
}

fn groups(captures: &Captures<'_, str>) -> Groups {
    (0..captures.len()).map(|i| captures.get(i).map(|at| at.start()..at.end())).collect()
}

/// Where the letter after an offset ends; past the end at the end.
fn after_letter(text: &str, at: usize) -> usize {
    let letter = text.get(at..).and_then(|rest| rest.chars().next());
    at + letter.map_or(1, char::len_utf8)
}
