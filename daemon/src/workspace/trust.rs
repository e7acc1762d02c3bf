//! The request `trust`: lists the commands of the workspace and the settings that need trust, and records that they
//! may run and apply. It runs none.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{CheckFinding, CommandInfo, TrustReply, TrustRequest};

use super::Workspace;
use crate::config::{CommandSpec, FILE_NAME};
use crate::state::refusal::log_present;
use crate::trust::{self, TrustRecordError, WorkspaceCommands};

impl Workspace {
    /// Lists the commands of the workspace and the settings that need trust; with a hash, records that they may run and
    /// apply; with `revoke`, that none may.
    ///
    /// # Errors
    /// `stale` if the hash is not that of the present file, `malformed` if it is not a hash or the file is invalid,
    /// `denied` if the record would be inside the workspace, `io` if it cannot be made durable or the journal is gone.
    pub fn trust(&self, request: &TrustRequest) -> Result<TrustReply, Refusal> {
        if request.revoke {
            if request.hash.is_some() {
                return Err(refusal(
                    ErrorCode::Malformed,
                    "`hash` and `revoke` contradict each other; send one",
                ));
            }
            log_present(&self.state)?;
            self.state.trust.revoke().map_err(|error| cannot_record(&error))?;
            tracing::info!("nothing in the configuration of the workspace is trusted any more");
            return Ok(trust_reply(&self.state.workspace_commands()));
        }
        let workspace_commands = self.state.workspace_commands();
        if let Some(why) = workspace_commands.problem() {
            return Err(refusal(ErrorCode::Malformed, format!("{FILE_NAME} cannot be used: {why}")));
        }
        let Some(wanted) = &request.hash else { return Ok(trust_reply(&workspace_commands)) };
        let Some(wanted) = trust::parse_hash(wanted) else {
            let message =
                "the hash must be `blake3:` and 64 hexadecimal digits; `editctl trust --show` prints it";
            return Err(refusal(ErrorCode::Malformed, message));
        };
        if workspace_commands.hash() != Some(wanted) {
            let message = format!(
                "{FILE_NAME} does not have that hash; review its commands again (`editctl trust --show`)"
            );
            return Err(refusal(ErrorCode::Stale, message));
        }
        log_present(&self.state)?;
        self.state.trust.record(wanted).map_err(|error| cannot_record(&error))?;
        tracing::info!(
            hash = trust::format_hash(wanted),
            "the commands of the workspace may run, and its settings apply"
        );
        Ok(trust_reply(&self.state.workspace_commands()))
    }

    /// Lists the commands and settings of the workspace that are left out, with the reason; `None` if there are none.
    pub fn left_out(&self) -> Option<String> {
        self.left_out_of(&self.state.workspace_commands())
    }

    fn left_out_of(&self, workspace_commands: &WorkspaceCommands) -> Option<String> {
        let since_start = workspace_commands.since_start(&self.state.settings.relaxed);
        let told: Vec<String> = workspace_commands.all_left_out().into_iter().chain(since_start).collect();
        (!told.is_empty()).then(|| told.join("\n"))
    }

    pub(super) fn check_commands(&self) -> CheckFinding {
        let workspace_commands = self.state.workspace_commands();
        let (severity, message) = match self.left_out_of(&workspace_commands) {
            Some(left_out) => ("note", left_out),
            None if workspace_commands.trusted() => {
                let (commands, settings) =
                    (workspace_commands.all().len(), workspace_commands.relaxed().len());
                let and_settings = match settings {
                    0 => String::new(),
                    _ => format!(" and {settings} settings that need trust"),
                };
                ("ok", format!("{commands} commands{and_settings}, trusted"))
            }
            None => ("ok", "it has no commands".to_owned()),
        };
        CheckFinding { severity: severity.to_owned(), subject: FILE_NAME.to_owned(), message }
    }
}

fn trust_reply(workspace_commands: &WorkspaceCommands) -> TrustReply {
    TrustReply {
        hash: workspace_commands.hash().map(trust::format_hash),
        trusted: workspace_commands.trusted(),
        commands: workspace_commands.all().iter().map(info).collect(),
        settings: workspace_commands.relaxed().iter().map(|setting| setting.line.clone()).collect(),
    }
}

fn info(command: &CommandSpec) -> CommandInfo {
    CommandInfo {
        kind: command.kind.name().to_owned(),
        name: command.name.clone(),
        files: command.files.globs().to_vec(),
        command: command.command.clone(),
        env: command.env.clone(),
        write: command.write.clone(),
    }
}

fn cannot_record(error: &TrustRecordError) -> Refusal {
    let code = match error {
        TrustRecordError::Inside => ErrorCode::Denied,
        TrustRecordError::Io(_) => ErrorCode::Io,
    };
    refusal(code, error.to_string())
}

fn refusal(code: ErrorCode, message: impl Into<String>) -> Refusal {
    Box::new(RequestError::new(code, message))
}
