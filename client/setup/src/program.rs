//! The command that a runtime runs: the name of `editctl` if `PATH` leads to the program that was started, else its
//! absolute path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use editctl::machine;

use crate::SetupError;

/// A command and the reason for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ServerCommand {
    /// The command.
    pub(crate) word: String,
    /// The reason, as a clause.
    pub(crate) reason: String,
    /// Set if the command is an absolute path, which other machines do not have.
    pub(crate) is_path: bool,
}

/// Returns the command for the program that was started.
///
/// # Errors
/// The path cannot be written into a configuration.
pub(crate) fn server_command(program: &Path, path: Option<&OsStr>) -> Result<ServerCommand, SetupError> {
    let name = program_name("editctl");
    let own = machine::canonical(program).map_err(|error| SetupError::File(program.to_path_buf(), error))?;
    let folders: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    let first = folders.iter().map(|folder| folder.join(&name)).find(|file| machine::is_file(file));
    let reason = match first {
        // A relative folder of PATH leads elsewhere from another folder.
        Some(file) if file.is_absolute() && machine::canonical(&file).is_ok_and(|file| file == own) => {
            let reason = "PATH leads to this program".to_owned();
            return Ok(ServerCommand { word: "editctl".to_owned(), reason, is_path: false });
        }
        Some(file) => format!("PATH leads to another one, {}", file.display()),
        None => "PATH does not lead to it".to_owned(),
    };
    // Some runtimes replace variables in commands.
    let word = own.to_str().filter(|word| !word.contains(['$', '{', '\n']));
    let word = word.ok_or_else(|| {
        let message =
            format!("{} cannot be written into a configuration; add its folder to PATH", own.display());
        SetupError::Refused(message)
    })?;
    Ok(ServerCommand { word: word.to_owned(), reason, is_path: true })
}

/// Returns the program that was started: the one that `editctl` names, else `editctl` beside this program.
///
/// # Errors
/// There is none.
pub(crate) fn started(given: Option<&Path>) -> Result<PathBuf, SetupError> {
    let beside = || machine::own_program().map(|own| own.with_file_name(program_name("editctl")));
    let program = given.map(Path::to_path_buf).or_else(beside).filter(|program| machine::is_file(program));
    program.ok_or_else(|| {
        SetupError::Refused("editctl is not beside editctl-setup; install both together".into())
    })
}

/// Returns true if `editctl-NAME` is installed: beside `editctl`, or in a folder of `PATH`.
pub(crate) fn has_companion(name: &str, program: &Path, path: Option<&OsStr>) -> bool {
    let name = program_name(&format!("editctl-{name}"));
    let own = machine::canonical(program).unwrap_or_else(|_| program.to_path_buf());
    let mut folders: Vec<PathBuf> =
        path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    folders.extend(own.parent().map(Path::to_path_buf));
    folders.iter().any(|folder| machine::is_file(&folder.join(&name)))
}

/// Returns the name of a program's file.
fn program_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
