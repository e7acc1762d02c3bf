//! Formats replies as text for people. Prints nothing.

pub mod bytes;
pub mod checks;
pub mod config;
pub mod diff;
pub mod error;
mod excerpt;
pub mod history;
pub mod json;
pub mod letters;
pub mod metrics;
pub mod outline;
pub mod receipt;
pub mod renames;
pub mod short;
pub mod state;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::IsTerminal;

use jiff::tz::TimeZone;

/// The form in which a reply names the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StepForm {
    /// A command line of `editctl`.
    #[default]
    Commands,
    /// A call of a tool of `editctl mcp`.
    Tools(CallWords),
}

/// Returns the words for hunks that a diff leaves out.
pub fn more_hunks(count: u64) -> String {
    format!("and {count} more {}", if count == 1 { "hunk" } else { "hunks" })
}

/// The words with which a reply names calls of tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallWords {
    /// The call that reads a file, up to its path: `read {"path": `.
    pub read: &'static str,
    /// The ways to name one of several places, if the reply does not contain them already.
    pub narrow: Option<&'static str>,
}

/// The options of the output.
#[derive(Clone, Debug)]
pub struct OutputStyle {
    /// Print a JSON object instead of text.
    pub json: bool,
    /// Standard output is a terminal, so control characters are escaped.
    pub terminal: bool,
    /// Use colours on standard output.
    pub colour: bool,
    /// Print the whole receipt: a diff or a budget was requested, or the output is a terminal.
    pub whole: bool,
    /// The word for a success: `applied`, `undone` or `redone`.
    pub done: &'static str,
    /// The form of next steps.
    pub steps: StepForm,
    /// `terminal` and `colour` for standard error.
    errors: (bool, bool),
    /// The time zone; `None` is that of the system, which is looked up only when needed.
    zone: Option<TimeZone>,
}

impl OutputStyle {
    /// Returns the options for standard output, standard error, `NO_COLOR` and `TERM`.
    pub fn of_this_terminal(json: bool) -> Self {
        use crate::machine::variable;
        let colours = variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != "dumb");
        let out = std::io::stdout().is_terminal();
        let err = std::io::stderr().is_terminal();
        Self {
            json,
            terminal: out,
            colour: out && colours,
            whole: out && !json,
            done: "applied",
            steps: StepForm::Commands,
            errors: (err, err && colours),
            zone: None,
        }
    }

    /// Returns the options for the reply of a tool: short, without colours or escapes, and with calls of tools as next
    /// steps.
    pub fn for_tools(words: CallWords) -> Self {
        Self {
            json: false,
            terminal: false,
            colour: false,
            whole: false,
            done: "applied",
            steps: StepForm::Tools(words),
            errors: (false, false),
            zone: None,
        }
    }

    /// Returns the options for a program that draws the whole screen: with colours, which [`letters::runs`] finds, and with
    /// control characters escaped.
    pub fn for_screen() -> Self {
        Self {
            json: false,
            terminal: true,
            colour: true,
            whole: true,
            done: "applied",
            steps: StepForm::Commands,
            errors: (true, true),
            zone: None,
        }
    }

    /// Returns the same options for times of this zone instead of that of the system.
    pub fn at_zone(self, zone: TimeZone) -> Self {
        Self { zone: Some(zone), ..self }
    }

    /// Returns the same options with another word for success.
    pub fn of(&self, done: &'static str) -> Self {
        Self { done, ..self.clone() }
    }

    /// Returns the same options for the whole receipt if `whole` is set.
    pub fn whole(&self, whole: bool) -> Self {
        Self { whole: self.whole || whole, ..self.clone() }
    }

    /// Returns the same options for standard error, which is never JSON.
    pub fn for_errors(&self) -> Self {
        let (terminal, colour) = self.errors;
        Self { json: false, terminal, colour, ..self.clone() }
    }

    /// Returns the text for standard output: what a terminal would obey is escaped there, in JSON as JSON escapes it. Pipes
    /// get it unchanged.
    pub fn printed<'o>(&self, output: &'o [u8]) -> Cow<'o, [u8]> {
        match (self.terminal, self.json) {
            (true, true) => Cow::Owned(letters::json_for_terminal(output)),
            (true, false) => Cow::Owned(letters::for_terminal(output, self.colour)),
            (false, _) => Cow::Borrowed(output),
        }
    }

    /// Formats a time, given in milliseconds since 1970 UTC.
    pub fn time(&self, ms: u64) -> String {
        let moment = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let zone = self.zone.clone().unwrap_or_else(TimeZone::system);
        match moment {
            Some(moment) => moment.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string(),
            None => format!("{ms} ms"),
        }
    }
}
