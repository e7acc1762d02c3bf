//! The command `config`: the settings of the daemon and of this command, with their sources.

use editctl::failure::Failure;
use editctl::{machine, show};
use editd_proto::message::{SettingInfo, SettingSource};

use super::{CommandContext, CommandOutput};

/// The variables of the environment that this program uses, besides that of the session.
const VARIABLES: [&str; 3] = ["EDITCTL_ON_STALE", "EDITD_BIN", "NO_COLOR"];

pub(super) fn run(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let mut reply = context.ask(true, |it| it.config())?;
    reply.settings.push(context.session.setting());
    for name in VARIABLES {
        if let Some(value) = machine::variable(name) {
            reply.settings.push(SettingInfo {
                name: name.to_owned(),
                value: value.to_string_lossy().into_owned(),
                source: SettingSource::Environment,
                by: Some("the environment of this command".to_owned()),
                ..SettingInfo::default()
            });
        }
    }
    Ok(context.answer(&reply, show::config::settings))
}
