//! `editd --show-settings`: prints the settings that apply without `.editd.toml`, and the reason for which that file cannot be
//! used, as `config` replies. For a workspace whose daemon does not start because of that file. It serves nobody.

use std::io::Write as _;
use std::process::ExitCode;

use editd_proto::message::ConfigReply;

use super::error::RunError;
use super::{assemble, folders};
use crate::config::{
    self, ConfigError, DaemonArgs, DaemonEnvironment, FILE_NAME, PresentFile, SettingSources, Settings,
};

/// Prints the settings of the workspace that the command line names.
pub(super) fn run(args: &DaemonArgs) -> ExitCode {
    let printed = settings(args).map(|reply| serde_json::to_string(&reply).unwrap_or_default() + "\n");
    match printed {
        Ok(json) => match std::io::stdout().write_all(json.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(why) => {
            // If this fails, the message cannot be reported anywhere.
            let _ = writeln!(std::io::stderr(), "editd: {why}");
            ExitCode::FAILURE
        }
    }
}

fn settings(args: &DaemonArgs) -> Result<ConfigReply, RunError> {
    let root = folders::workspace(args.workspace.as_deref())?;
    let around = DaemonEnvironment::read();
    let state = config::state_folder(args.state.as_deref(), &around, &root).ok_or(RunError::Homeless)?;
    let problem = config::load(&root).err().map(|error| match error {
        ConfigError::Wrong { why, .. } => why,
        other => other.to_string(),
    });
    let mut sources = SettingSources::default();
    sources.note_given(args, &around, false);
    let socket = assemble::address(args, &around, &root)?;
    sources.note_values(&args.over(Settings::default()), args, [&root, &state, &socket]);
    let file = root.join(FILE_NAME).to_string_lossy().into_owned();
    let nothing = PresentFile { hash: None, written: None, trusted: false };
    Ok(ConfigReply { file, changed: false, problem, settings: sources.list(&nothing) })
}
