//! Which flags belong to which command: the others neither appear in its help nor are accepted.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use super::JobFlags;

/// Flags of jobs, by their ids, that mean something where there is no file yet.
const CREATE: &[&str] = &["mode", "key", "label", "durability", "detach", "diff", "no_diff", "budget"];

/// Flags of jobs that an undo or redo takes.
const UNDO: &[&str] = &["mode", "on_stale", "key", "label", "durability", "diff", "no_diff", "budget"];

/// Returns true for a flag of jobs that means nothing to the command. Edits take all of them.
fn is_foreign(command: &str, id: &str) -> bool {
    match command {
        "edit" | "replace" => false,
        "create" => !CREATE.contains(&id),
        "undo" | "redo" => !UNDO.contains(&id),
        // It asks for the whole receipt in JSON.
        "wait" => id != "budget",
        _ => true,
    }
}

/// The flags of jobs.
fn of_jobs() -> Vec<Arg> {
    JobFlags::augment_args(Command::new("job")).get_arguments().cloned().collect()
}

/// The same command line, in whose help each command has its own flags alone. Only commands that the words may name get
/// these flags: making all of them takes a tenth of the time of a call.
pub(super) fn scoped(command: Command, words: &[OsString]) -> Command {
    let flags = of_jobs();
    let command = command.mut_args(|flag| {
        let hidden = flags.iter().any(|of_jobs| of_jobs.get_id() == flag.get_id());
        flag.hide(hidden)
    });
    command.mut_subcommands(|one| {
        let is_named = |name: &str| words.iter().any(|word| word == name);
        if !is_named(one.get_name()) && !one.get_all_aliases().any(is_named) {
            return one;
        }
        let own: Vec<Arg> = flags
            .iter()
            .map(|flag| {
                let hidden = is_foreign(one.get_name(), flag.get_id().as_str());
                flag.clone().hide(hidden)
            })
            .collect();
        one.args(own)
    })
}

/// Refuses a flag that means nothing to the command.
pub(super) fn check(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, found)) = matches.subcommand() else { return Ok(()) };
    let flags = of_jobs();
    let stray = flags
        .iter()
        .map(|flag| flag.get_id().as_str())
        .find(|id| is_foreign(name, id) && found.value_source(id) == Some(ValueSource::CommandLine));
    let Some(stray) = stray else { return Ok(()) };
    let flag = stray.replace('_', "-");
    let message = format!("--{flag} means nothing to `{name}`; leave it out (`editctl {name} --help`)");
    let kind = ErrorKind::UnknownArgument;
    let error = command.find_subcommand_mut(name).map(|one| one.error(kind, &message));
    Err(error.unwrap_or_else(|| clap::Error::raw(kind, message)))
}
