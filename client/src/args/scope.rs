//! The flags that each command accepts. Other flags neither appear in its help nor are accepted.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use super::JobFlags;

/// Job flags that apply to `create`, by their ids.
const CREATE: &[&str] =
    &["mode", "verified", "key", "label", "durability", "detach", "diff", "no_diff", "budget"];

/// Job flags that apply to `undo` and `redo`.
const UNDO: &[&str] = &["mode", "on_stale", "key", "label", "durability", "diff", "no_diff", "budget"];

/// The help of `--on-stale` for `undo` and `redo`, to which neither the environment nor the settings apply.
const ON_STALE_OF_UNDO: &str = "Handling of content that changed since: reject or rebase [default: reject]";

/// Returns true if a job flag does not apply to the command. All apply to commands that change what a file has.
pub(crate) fn is_foreign(command: &str, id: &str) -> bool {
    match command {
        "edit" | "replace" | "write" | "mv" | "rm" | "symbol" => false,
        "create" => !CREATE.contains(&id),
        "undo" | "redo" => !UNDO.contains(&id),
        // The flag selects the whole receipt in JSON.
        "wait" => id != "budget",
        _ => true,
    }
}

/// Returns the job flags.
pub(crate) fn of_jobs() -> Vec<Arg> {
    JobFlags::augment_args(Command::new("job")).get_arguments().cloned().collect()
}

/// Adds to each command its own job flags. Only commands that the arguments may name get them, since adding all takes a
/// tenth of the time of a call.
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
                let flag = flag.clone().hide(hidden);
                let is_of_undo = matches!(one.get_name(), "undo" | "redo") && flag.get_id() == "on_stale";
                if is_of_undo { flag.help(ON_STALE_OF_UNDO) } else { flag }
            })
            .collect();
        one.args(own)
    })
}

/// Returns an error for a flag that does not apply to the command.
pub(super) fn check(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, found)) = matches.subcommand() else { return Ok(()) };
    let flags = of_jobs();
    let stray = flags
        .iter()
        .map(|flag| flag.get_id().as_str())
        .find(|id| is_foreign(name, id) && found.value_source(id) == Some(ValueSource::CommandLine));
    let Some(stray) = stray else { return Ok(()) };
    let flag = stray.replace('_', "-");
    let message = format!("--{flag} does not apply to `{name}`; leave it out (`editctl {name} --help`)");
    let kind = ErrorKind::UnknownArgument;
    let error = command.find_subcommand_mut(name).map(|one| one.error(kind, &message));
    Err(error.unwrap_or_else(|| clap::Error::raw(kind, message)))
}
