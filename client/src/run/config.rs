//! The command `config`: the settings of the daemon and of this command, with their sources.

use editctl::daemon::{ReachError, program};
use editctl::failure::Failure;
use editctl::{machine, show};
use editd_proto::message::{ConfigReply, SettingInfo, SettingSource};

use super::{CommandContext, CommandOutput};

/// The variables of the environment that this program uses, besides that of the session.
const VARIABLES: [&str; 3] = ["EDITCTL_ON_STALE", "EDITD_BIN", "NO_COLOR"];

pub(super) fn run(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let mut reply = match context.ask(true, |it| it.config()) {
        Err(Failure::Reach(error @ ReachError::Left { .. })) => without_daemon(context).ok_or(error)?,
        reply => reply?,
    };
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

/// Returns the settings of a workspace whose daemon does not start because `.editd.toml` cannot be used; `None` if it does not
/// start for another reason.
fn without_daemon(context: &CommandContext<'_>) -> Option<ConfigReply> {
    let shown = editctl::daemon::show_settings(&program(), &context.workspace, context.socket.as_deref());
    let reply: ConfigReply = serde_json::from_slice(&shown.ok()?.ok()?).ok()?;
    reply.problem.is_some().then_some(reply)
}
