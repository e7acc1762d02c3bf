//! The command line of `editd`. It only parses; it accesses no file.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::{ConfinementPolicy, Settings, units};

/// The level of logging.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum LogLevel {
    /// Errors.
    Error,
    /// Also warnings.
    Warn,
    /// Also the main actions, in a few lines.
    #[default]
    Info,
    /// Also every request.
    Debug,
    /// Also every step.
    Trace,
}

/// Serves one workspace: all edits go through this process. Runs in the foreground until a signal,
/// `editctl stop` or the idle time ends it.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "editd",
    version = env!("EDITD_VERSION"),
    about,
    after_help = "Settings are read from .editd.toml in the workspace."
)]
pub struct DaemonArgs {
    /// The folder to serve; default: the current one
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The folder of the log and the database; default: $XDG_STATE_HOME/editd/…
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// The socket to listen on; default: $XDG_RUNTIME_DIR/editd/….sock
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// Exit after this long without a connection or job: seconds, or with a unit, such as 30m
    #[arg(long, value_name = "TIME", value_parser = idle_time)]
    pub idle_exit: Option<Duration>,
    /// The same, if neither --idle-exit nor the settings give a time
    #[arg(long, value_name = "TIME", value_parser = idle_time, hide = true)]
    pub idle_exit_default: Option<Duration>,
    /// Serve nobody: write a new state from all intact records of a damaged log, keep the damaged state under another
    /// name, and print what is gone; see `editctl salvage`
    #[arg(long, group = "task")]
    pub salvage: bool,
    /// Serve nobody: import a journal that `editctl export` wrote into an empty one; see `editctl import`
    #[arg(long, value_name = "FILE", group = "task")]
    pub import: Option<PathBuf>,
    /// Serve nobody: print the settings that apply without .editd.toml, and what is wrong with that file
    #[arg(long, group = "task", hide = true)]
    pub show_settings: bool,
    /// Print the result as JSON
    #[arg(long, requires = "task")]
    pub json: bool,
    /// Do not restrict which files the daemon and the commands of the workspace can write
    #[arg(long)]
    pub no_confine: bool,
    /// The log level
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log_level: LogLevel,
}

impl DaemonArgs {
    /// Applies the command line over the settings file.
    #[must_use]
    pub fn over(&self, mut settings: Settings) -> Settings {
        settings.idle_exit = self.idle_exit.or(settings.idle_exit).or(self.idle_exit_default);
        settings.state = self.state.clone().or(settings.state);
        if self.no_confine {
            settings.confine = ConfinementPolicy::Off;
        }
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
        DaemonArgs::command().debug_assert();
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let args = DaemonArgs::try_parse_from(["editd", "--idle-exit", "1800", "--state", "/s"]).unwrap();
        let file = Settings { idle_exit: Some(Duration::from_secs(1)), ..Settings::default() };
        let settings = args.over(file.clone());
        assert_eq!(settings.idle_exit, Some(Duration::from_secs(1800)));
        assert_eq!(settings.state, Some(PathBuf::from("/s")));
        assert_eq!(DaemonArgs::try_parse_from(["editd"]).unwrap().over(file.clone()), file);
    }

    #[test]
    fn the_idle_time_is_that_of_the_file_or_else_of_the_client() {
        let args = DaemonArgs::try_parse_from(["editd", "--idle-exit-default", "1800"]).unwrap();
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
