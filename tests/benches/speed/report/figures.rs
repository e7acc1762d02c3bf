//! The figures that are compared with targets: ratios and counts of a row.

use crate::rows::{Row, Target};
use crate::server::Program;

/// A figure beside its target.
pub(super) struct TargetFigure {
    /// The unit, such as `× bound`.
    pub(super) unit: String,
    /// Its value; `None` if it was not measured.
    pub(super) value: Option<f64>,
    pub(super) limit: f64,
    /// True if the value should be at least the limit.
    pub(super) is_least: bool,
}

impl TargetFigure {
    /// Returns true if the target is met, `None` if the figure is unknown.
    pub(super) fn is_met(&self) -> Option<bool> {
        self.value.map(|value| if self.is_least { value >= self.limit } else { value <= self.limit })
    }

    /// Returns the figure and its target, such as `1.31 × bound (≤ 1.25)`.
    pub(super) fn text(&self) -> String {
        let sign = if self.is_least { '≥' } else { '≤' };
        let value = self.value.map_or("?".to_owned(), short);
        format!("{value} {} ({sign} {})", self.unit, short(self.limit))
    }
}

/// Returns the figures of all targets of a row.
pub(super) fn of(row: &Row) -> Vec<TargetFigure> {
    row.targets.iter().map(|target| figure(row, *target)).collect()
}

fn figure(row: &Row, target: Target) -> TargetFigure {
    let work = row.median(Program::Daemon);
    let bound = row.median(Program::Bound);
    let counts = &row.counts[Program::Daemon as usize];
    let at_most =
        |unit: &str, value, limit| TargetFigure { unit: unit.to_owned(), value, limit, is_least: false };
    match target {
        Target::PerBound(limit) => at_most("× bound", ratio(work, bound), limit),
        Target::PerHand(limit) => at_most("× by hand", ratio(work, row.by_hand.median()), limit),
        Target::FlushPlus(more) => {
            let above = work.zip(row.flush.median()).map(|(work, flush)| work - flush);
            at_most("µs above a flush", above, more)
        }
        Target::Micros(limit) => at_most("µs", work, limit),
        Target::JobsPerBound(limit) => TargetFigure {
            unit: "× the jobs/s of the bound".to_owned(),
            value: ratio(bound, work),
            limit,
            is_least: true,
        },
        Target::Fdatasyncs(limit) => at_most("fdatasyncs", counts.fdatasyncs, limit),
        Target::Calls(limit) => at_most("calls", counts.calls, limit),
        Target::Allocations(limit) => at_most("allocations", counts.allocations, limit),
    }
}

/// Returns a ratio if both values are known.
pub(super) fn ratio(above: Option<f64>, below: Option<f64>) -> Option<f64> {
    above.zip(below).filter(|(_, below)| *below > 0.0).map(|(above, below)| above / below)
}

/// Returns a number with the digits that matter.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        small if small < 10.0 => format!("{value:.2}"),
        middle if middle < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
