//! Replies as text for people: what is printed where `--json` was not asked for. Pure; it prints nothing.

pub(crate) mod diff;
pub(crate) mod error;
mod excerpt;
pub(crate) mod history;
pub(crate) mod json;
pub(crate) mod letters;
pub(crate) mod outline;
pub(crate) mod receipt;
pub(crate) mod short;
pub(crate) mod state;
#[cfg(test)]
mod tests;

use std::io::IsTerminal;

use jiff::tz::TimeZone;

/// How to print.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// One JSON object instead of text.
    pub(crate) json: bool,
    /// Standard output is a terminal: what it would obey is escaped.
    pub(crate) terminal: bool,
    /// Colours on standard output.
    pub(crate) colour: bool,
    /// Nothing of a receipt is shortened: a diff or a budget was asked for, or people read it.
    pub(crate) whole: bool,
    /// The word for what was done: `applied`, `undone` or `redone`.
    pub(crate) done: &'static str,
    /// The same two of standard error.
    errors: (bool, bool),
    /// Where times are shown; the system's where `None`, which is only looked up when one is shown.
    zone: Option<TimeZone>,
}

impl Look {
    /// As standard output, standard error, `NO_COLOR` and `TERM` ask for.
    pub(crate) fn of_this_terminal(json: bool) -> Self {
        use editctl::machine::variable;
        let colours = variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != "dumb");
        let out = std::io::stdout().is_terminal();
        let err = std::io::stderr().is_terminal();
        Self {
            json,
            terminal: out,
            colour: out && colours,
            whole: out && !json,
            done: "applied",
            errors: (err, err && colours),
            zone: None,
        }
    }

    /// The same, of what was undone or redone.
    pub(crate) fn of(&self, done: &'static str) -> Self {
        Self { done, ..self.clone() }
    }

    /// The same where nothing is shortened, if `whole` says so.
    pub(crate) fn whole(&self, whole: bool) -> Self {
        Self { whole: self.whole || whole, ..self.clone() }
    }

    /// How to print on standard error.
    pub(crate) fn for_errors(&self) -> Self {
        let (terminal, colour) = self.errors;
        Self { terminal, colour, ..self.clone() }
    }

    /// A time, milliseconds since 1970 UTC, as people write it.
    fn time(&self, ms: u64) -> String {
        let moment = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let zone = self.zone.clone().unwrap_or_else(TimeZone::system);
        match moment {
            Some(moment) => moment.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
            None => format!("{ms} ms"),
        }
    }
}
