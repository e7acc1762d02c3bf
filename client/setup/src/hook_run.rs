//! The steps of a run with `--hooks`: writes the hooks of a runtime, or removes them.

use std::ffi::OsStr;

use editctl::runtime::Runtime;

use crate::config_file::{ConfigFile, FileAccess};
use crate::hooks::{HookConfig, OwnKind, hooks};
use crate::place::{self, Scope, UserFolders, project};
use crate::report::{Outcome, Subject};
use crate::run::{DecidedChange, NewText, at, chosen_command};
use crate::{CommandLine, SetupError, next_steps};

/// Returns the hooks of a runtime; `option` asked for them.
///
/// # Errors
/// The runtime has none.
pub(crate) fn hooks_of(runtime: Runtime, option: &str) -> Result<HookConfig, SetupError> {
    hooks(runtime).ok_or_else(|| {
        let name = runtime.name();
        SetupError::Usage(format!("{name} has no hooks that setup could write; leave out {option}"))
    })
}

/// Decides on the change that the command line asks for. Writes nothing. `earlier` will be written before it.
///
/// # Errors
/// The change is refused.
pub(crate) fn decide(
    line: &CommandLine,
    scope: Scope,
    folders: &UserFolders,
    path: Option<&OsStr>,
    earlier: Option<&DecidedChange>,
) -> Result<DecidedChange, SetupError> {
    let set = hooks_of(line.runtime, "--hooks")?;
    if line.local && line.runtime != Runtime::ClaudeCode {
        let message = "only claude-code has a file of the project that is not shared; leave out --local";
        return Err(SetupError::Usage(message.into()));
    }
    let (folder, name) = match scope {
        Scope::Project => {
            (project(line.workspace.as_deref(), folders)?, place::project_hooks(line.runtime, line.local))
        }
        Scope::User => place::user_hooks(line.runtime, folders)?,
    };
    let boundary = Some(folder.as_path()).filter(|_| scope == Scope::Project && !line.force);
    let file = ConfigFile::read(&folder, name, boundary)?;
    let file = file.after(earlier.and_then(DecidedChange::result));
    let access =
        if scope == Scope::Project && !line.local { FileAccess::Shared } else { FileAccess::Private };
    let mut notes = file.notes();
    let (outcome, new) = if line.remove {
        removed(&set, &file)?
    } else {
        let (command, said) = chosen_command(line, path, "hook", access)?;
        let text = file.text()?;
        let decided = set.insert(text, &command.word).map_err(|error| at(&file, &error))?;
        notes.push(format!("the command is `{}`: {}", set.command(&command.word), command.reason));
        notes.extend(said);
        let edited = set.edited(text.unwrap_or_default()).map_err(|error| at(&file, &error))?;
        notes.extend(
            edited.iter().map(|one| format!("`{one}` has options that setup does not write; it stays")),
        );
        match (decided, text) {
            (None, _) => (Outcome::Unchanged, None),
            (Some(new), None) => (Outcome::Created, Some(new)),
            (Some(new), Some(text)) if set.is_in(text, &[OwnKind::Written]).unwrap_or(false) => {
                (Outcome::Replaced, Some(new))
            }
            (Some(new), Some(_)) => (Outcome::Added, Some(new)),
        }
    };
    let steps = next_steps::hook_steps(line.runtime, outcome);
    Ok(DecidedChange { subject: Subject::Hooks, file, outcome, new, access, notes, steps })
}

/// Decides on the text without the hooks.
fn removed(set: &HookConfig, file: &ConfigFile) -> Result<(Outcome, NewText), SetupError> {
    let refused = |error| at(file, &error);
    let Some(text) = file.text()? else { return Ok((Outcome::Unchanged, None)) };
    if !set.is_in(text, OwnKind::ALL).map_err(refused)? {
        return Ok((Outcome::Unchanged, None));
    }
    Ok(match set.remove(text).map_err(refused)? {
        Some(new) => (Outcome::Removed, Some(new)),
        // A link must not lead nowhere, and setup makes no file with a byte order mark.
        None if file.link.is_some() || (matches!(set, HookConfig::Elements(_)) && file.has_mark()) => {
            (Outcome::Removed, Some(set.start().to_owned()))
        }
        None => (Outcome::Deleted, None),
    })
}
