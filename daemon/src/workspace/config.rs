//! The request `config`: the settings of this daemon, their sources, and the values of `.editd.toml` that wait. It reads
//! that file and changes nothing.

use editd_proto::message::ConfigReply;

use super::Workspace;
use crate::config::FILE_NAME;

impl Workspace {
    /// Lists the settings with their sources, and the commands of the workspace.
    pub fn config(&self) -> ConfigReply {
        let commands = self.state.workspace_commands();
        let (sources, now) = (&self.state.settings.sources, commands.present());
        ConfigReply {
            file: self.state.root.join(FILE_NAME).to_string_lossy().into_owned(),
            // The folders of `write` are given to the process when it starts.
            changed: sources.is_changed(&now)
                || (sources.is_other(&now) && !self.denied_folders().is_empty()),
            problem: commands.problem().map(str::to_owned),
            settings: sources.list(&now),
        }
    }
}
