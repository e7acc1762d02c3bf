//! Look-around and back-references: a backtracking engine that counts its steps. It never runs without a limit.
//!
//! The engine does not report how many steps a search took, only that it exceeded its limit. So a search begins
//! with a low limit, which is multiplied each time it does not suffice; the steps allowed are the steps charged.

use std::sync::OnceLock;

use fancy_regex::{Captures, Error, Regex, RegexBuilder};

use super::engine::{Flags, Groups, too_many_steps};
use super::reach;
use crate::limits;
use crate::plan::Budget;
use crate::refusal::spent;
use crate::{Refusal, refusal};

/// A pattern for the backtracking engine.
#[derive(Debug)]
pub(crate) struct Backtracking {
    pattern: String,
    flags: Flags,
    crlf: bool,
    /// The same pattern with ever higher limits; the first is compiled at once, the others when they are needed.
    tiers: Vec<Tier>,
    /// Bytes that it reads from one place, on the average.
    reach: usize,
}

#[derive(Debug)]
struct Tier {
    /// Steps that a search may take.
    limit: usize,
    regex: OnceLock<Regex>,
}

impl Backtracking {
    /// Compiles for a text.
    ///
    /// # Errors
    /// The message of the regular expression engine.
    pub(crate) fn new(pattern: &str, flags: Flags, crlf: bool, text: &str) -> Result<Self, String> {
        let reach = reach::mean(pattern, flags, text);
        // If the next match is far away, each place before it takes a step, too.
        let far = text.len().saturating_mul(4).saturating_add(limits::BACKTRACKS).min(limits::FAR_BACKTRACKS);
        // One step may read `reach` bytes.
        let most = far.min(limits::BACKTRACK_WORK / reach.max(1)).max(1);
        let lower = std::iter::successors(Some(limits::FEW_BACKTRACKS), |limit| limit.checked_mul(4));
        let limits = lower.take_while(|limit| *limit < most).chain([most]);
        let tiers = limits.map(|limit| Tier { limit, regex: OnceLock::new() }).collect();
        let made = Self { pattern: pattern.to_owned(), flags, crlf, tiers, reach };
        if let Some(first) = made.tiers.first() {
            made.compiled(first).map_err(|error| error.to_string())?;
        }
        Ok(made)
    }

    fn compiled<'t>(&self, tier: &'t Tier) -> Result<&'t Regex, Box<Error>> {
        if let Some(regex) = tier.regex.get() {
            return Ok(regex);
        }
        let regex = RegexBuilder::new(&self.pattern)
            .case_insensitive(self.flags.case_insensitive)
            .multi_line(self.flags.multi_line)
            .dot_matches_new_line(self.flags.dot_all)
            .verbose_mode(self.flags.verbose)
            .crlf(self.crlf)
            .backtrack_limit(tier.limit)
            .delegate_size_limit(limits::REGEX_SIZE)
            .build()?;
        Ok(tier.regex.get_or_init(|| regex))
    }

    /// Returns the pattern with the lowest limit.
    fn usual(&self) -> Option<&Regex> {
        self.tiers.first().and_then(|tier| tier.regex.get())
    }

    /// Returns the average number of bytes that a search reads from one place.
    pub(crate) fn reach(&self) -> usize {
        self.reach
    }

    /// Returns the names of the groups; the first group is the match itself.
    pub(crate) fn names(&self) -> Vec<Option<&str>> {
        self.usual().map(|regex| regex.capture_names().collect()).unwrap_or_default()
    }

    /// Returns the first match at or after an offset.
    ///
    /// # Errors
    /// `limit` if the search, or all searches of the job, take too many steps.
    pub(crate) fn next(&self, text: &str, from: usize, budget: &Budget) -> Result<Option<Groups>, Refusal> {
        // A step that reads far takes as long as several.
        let weight = 1 + self.reach / limits::STEP_BYTES;
        for tier in &self.tiers {
            if !budget.backtrack(tier.limit.saturating_mul(weight)) {
                return Err(worn_out());
            }
            let regex = self
                .compiled(tier)
                .map_err(|_| refusal::internal("a pattern does not compile twice; please report this job"))?;
            if let Ok(found) = regex.captures_from_pos(text, from) {
                return Ok(found.map(|captures| groups(&captures)));
            }
        }
        Err(too_many_steps())
    }
}

fn worn_out() -> Refusal {
    spent(
        "the look-around and back-references of this job take more steps than a job may; avoid them, or send several jobs",
        limits::BACKTRACK_STEPS,
    )
}

fn groups(captures: &Captures<'_, str>) -> Groups {
    (0..captures.len()).map(|i| captures.get(i).map(|at| at.start()..at.end())).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use editd_types::ErrorCode;

    use super::*;
    use crate::op::substitute::engine::Engine;

    /// Returns the matches that are found with this number of remaining steps of the job.
    fn matches(pattern: &str, text: &str, left: u64) -> Result<usize, ErrorCode> {
        let budget = Budget::new();
        let gone = limits::BACKTRACK_STEPS.saturating_sub(left);
        assert!(budget.backtrack(usize::try_from(gone).unwrap()));
        let regex = Backtracking::new(pattern, Flags::default(), false, text).unwrap();
        let mut count = 0;
        let engine = Engine::Backtracking(Box::new(regex));
        let done = engine.each_inside(text, &(0..text.len()), &budget, &mut |_| {
            count += 1;
            Ok(true)
        });
        done.map(|()| count).map_err(|refusal| refusal.code)
    }

    #[test]
    fn all_searches_of_a_job_share_their_steps() {
        // Each search tries both ways at every letter.
        let hard = format!("{}b\n", "a".repeat(12)).repeat(20);
        let pattern = "(?:(?:a|a(?=a|b))*c|a+b)";
        assert_eq!(matches(pattern, &hard, limits::BACKTRACK_STEPS), Ok(20));
        assert_eq!(matches(pattern, &hard, 100_000), Err(ErrorCode::Limit));
        // Easy searches cost little.
        let easy = "ab\n".repeat(100);
        assert_eq!(matches("a(?=b)", &easy, 100_000), Ok(100));
    }
}
