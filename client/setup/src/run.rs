//! The steps of a run: finds the file, decides on its new text, shows it and writes it.

use std::ffi::OsStr;
use std::path::Path;

use editctl::journal::patch;
use editctl::machine;
use editctl::runtime::Runtime;
use serde_json::Value;

use crate::config_file::{ConfigFile, FileAccess};
use crate::format::{self, Format, FormatError, NAME};
use crate::place::{self, ConfigPlaces, Scope, UserFolders, project};
use crate::program::{ServerCommand, has_companion, server_command, started};
use crate::report::{Outcome, Report, Subject};
use crate::runtime::{EntryShape, config_format, entry_shape};
use crate::{CommandLine, SetupError, hook_run, next_steps};

/// A file with its meaning and the shape of an entry in it.
struct Candidate {
    file: ConfigFile,
    meaning: Value,
    shape: EntryShape,
}

/// The new text of a file: `None` to remove it.
pub(crate) type NewText = Option<String>;

/// A change of a file that is decided, but not written.
#[derive(Debug)]
pub(crate) struct DecidedChange {
    /// The subject.
    pub(crate) subject: Subject,
    /// The file before the change.
    pub(crate) file: ConfigFile,
    /// The result.
    pub(crate) outcome: Outcome,
    /// The new text; of no meaning for a file that stays as it is.
    pub(crate) new: NewText,
    /// The access that others have to a new file.
    pub(crate) access: FileAccess,
    /// Facts, one sentence each.
    pub(crate) notes: Vec<String>,
    /// Notes for a text that was written.
    pub(crate) steps: Vec<String>,
}

impl DecidedChange {
    /// Returns the file and its new text; `None` if it stays as it is.
    pub(crate) fn result(&self) -> Option<(&ConfigFile, Option<&str>)> {
        (self.outcome != Outcome::Unchanged).then_some((&self.file, self.new.as_deref()))
    }

    /// Writes the new text, unless the command line asks for none, and returns the report.
    ///
    /// # Errors
    /// The file was not written.
    pub(crate) fn write(self, line: &CommandLine) -> Result<Report, SetupError> {
        let Self { subject, file, outcome, new, access, mut notes, steps } = self;
        let mut change = String::new();
        if outcome != Outcome::Unchanged {
            change = diff(&file, new.as_deref())?;
            if !line.dry_run {
                file.write(new.as_deref(), access)?;
            }
        }
        if !line.dry_run {
            notes.extend(steps);
        }
        let (runtime, dry_run) = (line.runtime, line.dry_run);
        Ok(Report { runtime, subject, file: file.path, outcome, dry_run, diff: change, notes })
    }
}

/// Decides on the change that the command line asks for. Writes nothing. `earlier` will be written before it.
///
/// # Errors
/// The change is refused.
pub(crate) fn decide(
    line: &CommandLine,
    earlier: Option<&DecidedChange>,
) -> Result<DecidedChange, SetupError> {
    let folders = UserFolders::of_this_process();
    let path = machine::variable("PATH");
    let scope = match (line.project, line.user) {
        (true, _) => Scope::Project,
        (_, true) => Scope::User,
        _ => place::default_scope(line.runtime),
    };
    if line.hooks {
        return hook_run::decide(line, scope, &folders, path.as_deref(), earlier);
    }
    let places = match scope {
        Scope::Project => {
            let files = place::project_files(line.runtime)?;
            ConfigPlaces { folder: project(line.workspace.as_deref(), &folders)?, files }
        }
        Scope::User => place::user_places(line.runtime, &folders)?,
    };
    let boundary = Some(places.folder.as_path()).filter(|_| scope == Scope::Project && !line.force);
    let chosen = choose(line.runtime, &places, boundary, earlier)?;
    let access = if scope == Scope::Project { FileAccess::Shared } else { FileAccess::Private };
    let mut notes = chosen.file.notes();
    let (outcome, new) = if line.remove {
        removed(line, &chosen)?
    } else {
        let (command, said) = chosen_command(line, path.as_deref(), "mcp", access)?;
        let decided = added(line, &chosen, &command)?;
        notes.push(format!("the command is `{}`: {}", command.word, command.reason));
        notes.extend(said);
        decided
    };
    let steps = next_steps::steps(line.runtime, scope, outcome);
    Ok(DecidedChange { subject: Subject::Server, file: chosen.file, outcome, new, access, notes, steps })
}

/// Returns the command for a file, which runs `editctl-` and this name in the end, and what the user has to do for that.
pub(crate) fn chosen_command(
    line: &CommandLine,
    path: Option<&OsStr>,
    companion: &str,
    access: FileAccess,
) -> Result<(ServerCommand, Vec<String>), SetupError> {
    let program = started(line.program.as_deref())?;
    let command = server_command(&program, path)?;
    let mut notes = Vec::new();
    if command.is_path && access == FileAccess::Shared {
        notes.push(
            "other machines do not have this path: add its folder to PATH before you share the file".into(),
        );
    }
    if !has_companion(companion, &program, path) {
        notes.push(format!("editctl-{companion} is neither beside editctl nor in PATH: install it"));
    }
    Ok((command, notes))
}

/// Returns the file that has the entry, else the first that exists, else the first.
fn choose(
    runtime: Runtime,
    places: &ConfigPlaces,
    boundary: Option<&Path>,
    earlier: Option<&DecidedChange>,
) -> Result<Candidate, SetupError> {
    let mut all = Vec::new();
    for name in places.files {
        let file = ConfigFile::read(&places.folder, name, boundary)?;
        let file = file.after(earlier.and_then(DecidedChange::result));
        let text = file.text()?;
        let meaning =
            config_format(runtime).meaning(text.unwrap_or_default()).map_err(|error| at(&file, &error))?;
        let shape = entry_shape(runtime, &meaning);
        all.push((text.is_some(), Candidate { file, meaning, shape }));
    }
    let has_entry = |one: &Candidate| format::entry(&one.meaning, one.shape.path).is_some();
    let found = all.iter().position(|(_, one)| has_entry(one));
    let found = found.or_else(|| all.iter().position(|(exists, _)| *exists)).unwrap_or(0);
    let chosen = all.into_iter().nth(found).map(|(_, one)| one);
    chosen.ok_or_else(|| SetupError::Refused("the runtime has no configuration file".into()))
}

/// Decides on the text with the entry.
fn added(
    line: &CommandLine,
    chosen: &Candidate,
    command: &ServerCommand,
) -> Result<(Outcome, NewText), SetupError> {
    let (file, shape) = (&chosen.file, chosen.shape);
    let format = config_format(line.runtime);
    let entry = shape.entry(&command.word);
    let text = file.text()?;
    let refused = |error: FormatError| at(file, &error);
    match format::entry(&chosen.meaning, shape.path) {
        Some(found) if *found == entry => Ok((Outcome::Unchanged, None)),
        Some(_) => {
            let new = format.replace(text.unwrap_or_default(), shape.path, &entry).map_err(refused)?;
            if !line.force {
                let change = diff(file, Some(&new))?;
                return Err(differs(
                    file,
                    &change,
                    "use --force to replace it as shown, or change it by hand",
                ));
            }
            Ok((Outcome::Replaced, Some(new)))
        }
        None => {
            let new = format.insert(text, shape.path, &entry).map_err(refused)?;
            let outcome = if text.is_some() { Outcome::Added } else { Outcome::Created };
            Ok((outcome, Some(new)))
        }
    }
}

/// Decides on the text without the entry.
fn removed(line: &CommandLine, chosen: &Candidate) -> Result<(Outcome, NewText), SetupError> {
    let (file, shape) = (&chosen.file, chosen.shape);
    let format: Format = config_format(line.runtime);
    let Some(found) = format::entry(&chosen.meaning, shape.path) else {
        return Ok((Outcome::Unchanged, None));
    };
    let text = file.text()?.unwrap_or_default();
    let is_own = shape.is_own(found);
    let remove = |is_own| format.remove(text, shape.path, is_own).map_err(|error| at(file, &error));
    let new = match remove(is_own)? {
        // A link must not lead nowhere.
        None if file.link.is_some() => remove(false)?,
        new => new,
    };
    if !line.force && !is_own {
        let change = diff(file, new.as_deref())?;
        return Err(differs(file, &change, "use --force to remove it as shown, or remove it by hand"));
    }
    Ok((if new.is_some() { Outcome::Removed } else { Outcome::Deleted }, new))
}

/// Returns the difference between the file and its new text.
fn diff(file: &ConfigFile, new: Option<&str>) -> Result<String, SetupError> {
    let old = file.text()?;
    let path = file.path.display().to_string();
    let name = |text: Option<&str>| if text.is_some() { path.clone() } else { "/dev/null".to_owned() };
    let (before, after) = (name(old), name(new));
    Ok(patch::between((&before, old.unwrap_or_default()), (&after, new.unwrap_or_default())))
}

/// Returns the refusal for an error in a file.
pub(crate) fn at(file: &ConfigFile, error: &FormatError) -> SetupError {
    let path = file.path.display();
    match error {
        FormatError::Syntax { .. } => SetupError::Refused(format!("{path}, {error}; nothing was written")),
        FormatError::Shape(_) => SetupError::Refused(format!("{path}: {error}")),
    }
}

/// Returns the refusal for an entry of somebody else, with the change that `--force` would make.
fn differs(file: &ConfigFile, change: &str, advice: &str) -> SetupError {
    let path = file.path.display();
    SetupError::Refused(format!("{path} has an entry `{NAME}` that setup did not write; {advice}:\n{change}"))
}
