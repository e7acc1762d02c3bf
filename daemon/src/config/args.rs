//! The command line of `editd`. It says what was asked for and looks at nothing.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::{Settings, units};

/// How much is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum LogLevel {
    /// What went wrong.
    Error,
    /// And what is doubtful.
    Warn,
    /// And what it is doing, in a few lines.
    #[default]
    Info,
    /// And every request.
    Debug,
    /// And every step.
    Trace,
}

/// The one process in a workspace through which edits go. Serves in the foreground until it is told to
/// stop: by a signal, by `editctl stop`, or by the idle time.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "editd",
    version,
    about,
    after_help = "Settings are read from .editd.toml in the workspace."
)]
pub struct Args {
    /// The folder to serve; the current one where absent
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Where log and database are kept; $XDG_STATE_HOME/editd/… where absent
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// The socket to listen on; $XDG_RUNTIME_DIR/editd/….sock where absent
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// Leave after this long without connection or job: seconds, or with a unit, such as 30m
    #[arg(long, value_name = "TIME", value_parser = idle_time)]
    pub idle_exit: Option<Duration>,
    /// The same where neither --idle-exit nor the settings say anything
    #[arg(long, value_name = "TIME", value_parser = idle_time, hide = true)]
    pub idle_exit_default: Option<Duration>,
    /// How much is logged
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log_level: LogLevel,
}

impl Args {
    /// Lays the command line over the settings file.
    #[must_use]
    pub fn over(&self, mut settings: Settings) -> Settings {
        settings.idle_exit = self.idle_exit.or(settings.idle_exit).or(self.idle_exit_default);
        settings.state = self.state.clone().or(settings.state);
        settings
    }
}

fn idle_time(text: &str) -> Result<Duration, units::UnitError> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => units::duration(text),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let args = Args::try_parse_from(["editd", "--idle-exit", "1800", "--state", "/s"]).unwrap();
        let file = Settings { idle_exit: Some(Duration::from_secs(1)), ..Settings::default() };
        let settings = args.over(file.clone());
        assert_eq!(settings.idle_exit, Some(Duration::from_secs(1800)));
        assert_eq!(settings.state, Some(PathBuf::from("/s")));
        assert_eq!(Args::try_parse_from(["editd"]).unwrap().over(file.clone()), file);
    }

    #[test]
    fn what_a_client_starts_leaves_when_the_file_says_and_else_when_the_client_says() {
        let args = Args::try_parse_from(["editd", "--idle-exit-default", "1800"]).unwrap();
        let file = Settings { idle_exit: Some(Duration::from_secs(1)), ..Settings::default() };
        assert_eq!(args.over(file.clone()).idle_exit, Some(Duration::from_secs(1)));
        assert_eq!(args.over(Settings::default()).idle_exit, Some(Duration::from_secs(1800)));
    }

    #[test]
    fn idle_times_are_seconds_or_have_a_unit() {
        assert_eq!(idle_time("5"), Ok(Duration::from_secs(5)));
        assert_eq!(idle_time("5m"), Ok(Duration::from_secs(300)));
        assert!(idle_time("soon").is_err());
    }
}
