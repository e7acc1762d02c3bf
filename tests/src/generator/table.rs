//! The results of payloads, by form and error. It counts and prints; it judges nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use super::corpus::Language;
use super::disturb::Disturbance;
use super::draw::ExpectedOutcome;
use super::judge::PayloadResult;
use super::run::DrawnFiles;

/// Payloads of each kind that are shown in full.
const SHOWN: usize = 3;

/// Payloads that are shown in full of those that were applied wrongly.
const WRONG: usize = 60;

#[derive(Clone, Copy, Default, Debug)]
struct ResultCount {
    edits: u64,
    rightly: u64,
    refused: u64,
    though: u64,
    wrongly: u64,
    /// Payloads whose edits each have one right place, and how many of them were applied.
    placed: u64,
    placed_rightly: u64,
}

impl ResultCount {
    fn add(&mut self, other: &Self) {
        self.edits += other.edits;
        self.rightly += other.rightly;
        self.refused += other.refused;
        self.though += other.though;
        self.wrongly += other.wrongly;
        self.placed += other.placed;
        self.placed_rightly += other.placed_rightly;
    }

    fn row(&self, f: &mut fmt::Formatter<'_>, head: &str) -> fmt::Result {
        writeln!(
            f,
            "| {head} | {} | {} | {} | {} | {} | {} |",
            self.edits,
            self.rightly,
            self.refused,
            self.though,
            self.wrongly,
            share(self.placed_rightly, self.placed),
        )
    }
}

/// The results of payloads.
#[derive(Default, Debug)]
pub struct ResultTable {
    counts: BTreeMap<(&'static str, Disturbance), ResultCount>,
    seen: DrawnFiles,
    /// Disturbed quotations that quoted another place, and were drawn anew.
    pub(super) elsewhere: u64,
    /// Ways that the engine does not have yet.
    pub(super) lacking: BTreeSet<&'static str>,
    wrong: Vec<String>,
    though: BTreeMap<(&'static str, Disturbance), Vec<String>>,
}

impl ResultTable {
    /// Payloads that were judged.
    pub fn edits(&self) -> usize {
        self.counts.values().map(|count| usize::try_from(count.edits).unwrap_or(usize::MAX)).sum()
    }

    /// Payloads that were applied wrongly.
    pub fn wrongly(&self) -> u64 {
        self.counts.values().map(|count| count.wrongly).sum()
    }

    /// The share of undisturbed payloads with one right place that were applied, and of disturbed ones; `None` where no
    /// such payload was judged, as no payload of a way that quotes nothing can be disturbed.
    pub fn shares(&self) -> (Option<f64>, Option<f64>) {
        let of = |count: ResultCount| {
            (count.placed > 0).then(|| count.placed_rightly as f64 / count.placed as f64)
        };
        (of(self.total(Disturbance::is_none)), of(self.total(|how| !how.is_none())))
    }

    /// Returns true if no payload was applied wrongly and the shares of those that were applied are at least these, where
    /// there are payloads to have a share of.
    pub fn passes(&self, (none, some): (f64, f64)) -> bool {
        let (undisturbed, disturbed) = self.shares();
        self.edits() > 0
            && self.wrongly() == 0
            && undisturbed.is_none_or(|share| share >= none)
            && disturbed.is_none_or(|share| share >= some)
    }

    /// Payloads that were applied wrongly, in full; bounded.
    pub fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// Payloads that were refused though each edit has one right place, in full; bounded.
    pub fn though(&self) -> impl Iterator<Item = &String> {
        self.though.values().flatten()
    }

    fn total(&self, which: impl Fn(Disturbance) -> bool) -> ResultCount {
        let mut sum = ResultCount::default();
        self.counts.iter().filter(|((_, how), _)| which(*how)).for_each(|(_, count)| sum.add(count));
        sum
    }

    pub(super) fn count(
        &mut self,
        name: &'static str,
        how: Disturbance,
        verdict: ExpectedOutcome,
        ended: &PayloadResult,
    ) {
        let count = self.counts.entry((name, how)).or_default();
        count.edits += 1;
        let placed = verdict == ExpectedOutcome::Applied;
        count.placed += u64::from(placed);
        match ended {
            PayloadResult::AppliedRightly => {
                count.rightly += 1;
                count.placed_rightly += u64::from(placed);
            }
            PayloadResult::RefusedRightly => count.refused += 1,
            PayloadResult::RefusedThough(_) => count.though += 1,
            PayloadResult::AppliedWrongly(_) => count.wrongly += 1,
            PayloadResult::Unsupported => {}
        }
    }

    pub(super) fn keep(
        &mut self,
        ended: &PayloadResult,
        name: &'static str,
        how: Disturbance,
        text: impl FnOnce() -> String,
    ) {
        if matches!(ended, PayloadResult::AppliedWrongly(_)) {
            if self.wrong.len() < WRONG {
                self.wrong.push(text());
            }
        } else {
            let kept = self.though.entry((name, how)).or_default();
            if kept.len() < SHOWN {
                kept.push(text());
            }
        }
    }

    pub(super) fn saw(&mut self, language: Language, path: PathBuf) {
        self.seen.insert((language, path));
    }

    pub(super) fn take_in(&mut self, other: Self) {
        for (key, count) in &other.counts {
            self.counts.entry(*key).or_default().add(count);
        }
        self.seen.extend(other.seen);
        self.elsewhere += other.elsewhere;
        self.lacking.extend(other.lacking);
        self.wrong.extend(other.wrong);
        self.wrong.truncate(WRONG);
        for (key, texts) in other.though {
            let kept = self.though.entry(key).or_default();
            kept.extend(texts);
            kept.truncate(SHOWN);
        }
    }
}

fn share(part: u64, of: u64) -> String {
    if of == 0 { "–".to_owned() } else { format!("{:.2} %", part as f64 * 100.0 / of as f64) }
}

const HEAD: &str = "edits | applied rightly | refused rightly | refused though one right place | applied wrongly | \
                    applied, of those with one right place |";
const RULE: &str = "---:|---:|---:|---:|---:|---:|";

impl fmt::Display for ResultTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut files: BTreeMap<&str, u64> = BTreeMap::new();
        self.seen.iter().for_each(|(language, _)| *files.entry(language.name()).or_default() += 1);
        let list: Vec<String> = files.iter().map(|(name, count)| format!("{count} {name}")).collect();
        writeln!(f, "{} edits of {} files ({}).\n", self.edits(), self.seen.len(), list.join(", "))?;
        writeln!(f, "| disturbance | {HEAD}\n|---|{RULE}")?;
        let mut kinds: Vec<Disturbance> = self.counts.keys().map(|(_, how)| *how).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            self.total(|how| how == kind).row(f, kind.name())?;
        }
        self.total(|_| true).row(f, "all")?;
        writeln!(f, "\n| edits said as | disturbance | {HEAD}\n|---|---|{RULE}")?;
        for ((name, how), count) in &self.counts {
            count.row(f, &format!("{name} | {}", how.name()))?;
        }
        if !self.lacking.is_empty() {
            let list: Vec<&str> = self.lacking.iter().copied().collect();
            writeln!(f, "\nNot judged, since the engine does not have them yet: {}.", list.join(", "))?;
        }
        let none = self.total(Disturbance::is_none);
        let some = self.total(|how| !how.is_none());
        writeln!(
            f,
            "\nUndisturbed and unique: {} of {} applied ({}). Disturbed, one right place left: {} of {} applied \
             ({}). Applied wrongly: {}. Drawn again, since the disturbed quotation occurs word for word elsewhere: {}.",
            none.placed_rightly,
            none.placed,
            share(none.placed_rightly, none.placed),
            some.placed_rightly,
            some.placed,
            share(some.placed_rightly, some.placed),
            self.wrongly(),
            self.elsewhere,
        )
    }
}
