//! The finding of `doctor` about the confinement of the daemon and its commands. It changes nothing.

use editd_proto::message::CheckFinding;

use super::Workspace;
use crate::confine::Confinement;

impl Workspace {
    /// Returns whether the daemon is confined, and the folders that commands name and cannot write.
    pub(super) fn check_confinement(&self) -> CheckFinding {
        let (severity, message) = match &self.state.settings.confinement {
            Confinement::Unconfined(why) => {
                ("note", format!("the daemon and its commands can write wherever the user can: {why}"))
            }
            Confinement::Confined { truncates, .. } => {
                let confined = "the daemon can write only to the workspace, its state, its socket and temporary \
                                files; commands only to the workspace and their own temporary files";
                let mut notes = self.denied_folders();
                if *truncates {
                    notes
                        .push("both can truncate files elsewhere: Linux restricts that since 6.2".to_owned());
                }
                match notes.is_empty() {
                    true => ("ok", confined.to_owned()),
                    false => ("note", format!("{confined}; {}", notes.join("; "))),
                }
            }
        };
        CheckFinding { severity: severity.to_owned(), subject: "confinement".to_owned(), message }
    }

    /// Returns a sentence for each command that names folders that it cannot write.
    #[cfg(unix)]
    pub(super) fn denied_folders(&self) -> Vec<String> {
        let Confinement::Confined { writable, .. } = &self.state.settings.confinement else {
            return Vec::new();
        };
        let workspace_commands = self.state.workspace_commands();
        if !workspace_commands.trusted() {
            return Vec::new();
        }
        let denied = workspace_commands.all().iter().filter_map(|command| {
            let folders = crate::config::command_folders(&command.write);
            let denied: Vec<String> = folders
                .iter()
                .filter(|folder| !writable.contains(folder))
                .map(|folder| folder.display().to_string())
                .collect();
            (!denied.is_empty()).then(|| {
                format!(
                    "`{}` cannot write to {} yet: create what is missing, and run `editctl stop`",
                    command.name,
                    denied.join(", ")
                )
            })
        });
        denied.collect()
    }

    #[cfg(windows)]
    pub(super) fn denied_folders(&self) -> Vec<String> {
        Vec::new()
    }
}
