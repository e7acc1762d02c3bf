//! Formats replies as text for people. Prints nothing.

pub(crate) mod bytes;
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

use std::borrow::Cow;
use std::io::IsTerminal;

use jiff::tz::TimeZone;

/// The options of the output.
#[derive(Clone, Debug)]
pub(crate) struct OutputStyle {
    /// Print a JSON object instead of text.
    pub(crate) json: bool,
    /// Standard output is a terminal, so control characters are escaped.
    pub(crate) terminal: bool,
    /// Use colours on standard output.
    pub(crate) colour: bool,
    /// Print the whole receipt: a diff or a budget was requested, or the output is a terminal.
    pub(crate) whole: bool,
    /// The word for a success: `applied`, `undone` or `redone`.
    pub(crate) done: &'static str,
    /// `terminal` and `colour` for standard error.
    errors: (bool, bool),
    /// The time zone; `None` is that of the system, which is looked up only when needed.
    zone: Option<TimeZone>,
}

impl OutputStyle {
    /// Returns the options for standard output, standard error, `NO_COLOR` and `TERM`.
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

    /// Returns the same options with another word for success.
    pub(crate) fn of(&self, done: &'static str) -> Self {
        Self { done, ..self.clone() }
    }

    /// Returns the same options for the whole receipt if `whole` is set.
    pub(crate) fn whole(&self, whole: bool) -> Self {
        Self { whole: self.whole || whole, ..self.clone() }
    }

    /// Returns the same options for standard error, which is never JSON.
    pub(crate) fn for_errors(&self) -> Self {
        let (terminal, colour) = self.errors;
        Self { json: false, terminal, colour, ..self.clone() }
    }

    /// Returns the text for standard output: what a terminal would obey is escaped there, in JSON as JSON escapes it. Pipes
    /// get it unchanged.
    pub(crate) fn printed<'o>(&self, output: &'o [u8]) -> Cow<'o, [u8]> {
        match (self.terminal, self.json) {
            (true, true) => Cow::Owned(letters::json_for_terminal(output)),
            (true, false) => Cow::Owned(letters::for_terminal(output, self.colour)),
            (false, _) => Cow::Borrowed(output),
        }
    }

    /// Formats a time, given in milliseconds since 1970 UTC.
    fn time(&self, ms: u64) -> String {
        let moment = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let zone = self.zone.clone().unwrap_or_else(TimeZone::system);
        match moment {
            Some(moment) => moment.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
            None => format!("{ms} ms"),
        }
    }
}
