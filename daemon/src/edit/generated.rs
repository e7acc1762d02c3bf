//! Generated files: adds a warning to a job that changes one, or refuses the job, as the configuration says. The engine
//! decides which files count as generated.

use editd_engine::{FileState, Plan, PlannedChange, Refusal};
use editd_proto::error::{ErrorCode, RequestError};

use crate::config::GeneratedPolicy;
use crate::state::WorkspaceState;

/// Adds a warning for each generated file that a plan changes, or refuses the plan.
pub(super) fn check(state: &WorkspaceState, plan: &mut Plan) -> Result<(), Refusal> {
    let setting = state.settings.generated;
    if setting == GeneratedPolicy::Allow {
        return Ok(());
    }
    for change in &plan.changes {
        let Some(why) = why(change) else { continue };
        let path = &change.path;
        if setting == GeneratedPolicy::Refuse {
            let message = format!(
                "{path} is generated, since {why}, and the configuration refuses changes of generated files; change \
                 its source"
            );
            return Err(Box::new(RequestError::new(ErrorCode::Rejected, message).at(path)));
        }
        // A file that is copied over it has its warning at the file that was copied.
        let told = plan.files.iter().position(|file| file.path == *path).unwrap_or_default();
        if let Some(file) = plan.files.get_mut(told) {
            file.warnings.push(format!(
                "{path} is generated, since {why}: change its source too, or this change is lost"
            ));
        }
    }
    Ok(())
}

/// Returns the reason why a file whose bytes change counts as generated.
fn why(change: &PlannedChange) -> Option<String> {
    let FileState::File { bytes, .. } = &change.before else { return None };
    // Between two files, there is a splice exactly if their contents differ.
    let stays = matches!(change.after, FileState::File { .. }) && change.splices.is_empty();
    if stays { None } else { editd_engine::generated(&change.path, bytes) }
}
