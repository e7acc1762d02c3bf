//! Which flags belong to which command: the others neither appear in its help nor are accepted.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// Flags of the commands that change files, by their ids.
const JOB: &[&str] =
    &["mode", "on_stale", "base", "partial", "threshold", "key", "label", "durability", "detach", "no_diff"];

/// Those of them that an undo or redo takes.
const UNDO: &[&str] = &["on_stale", "key", "label", "durability", "no_diff"];

fn taken(command: &str) -> &'static [&'static str] {
    match command {
        "edit" | "replace" => JOB,
        "undo" | "redo" => UNDO,
        _ => &[],
    }
}

fn is_foreign(command: &str, id: &str) -> bool {
    JOB.contains(&id) && !taken(command).contains(&id)
}

/// The same command line, in whose help each command has its own flags alone.
pub(super) fn scoped(command: Command) -> Command {
    let flags: Vec<Arg> =
        command.get_arguments().filter(|flag| JOB.contains(&flag.get_id().as_str())).cloned().collect();
    let command = command.mut_args(|flag| {
        let foreign = JOB.contains(&flag.get_id().as_str());
        flag.hide(foreign)
    });
    command.mut_subcommands(|one| {
        let foreign = flags.iter().map(|flag| {
            let hidden = is_foreign(one.get_name(), flag.get_id().as_str());
            flag.clone().hide(hidden)
        });
        let own: Vec<Arg> = foreign.collect();
        one.args(own)
    })
}

/// Refuses a flag that means nothing to the command.
pub(super) fn check(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, found)) = matches.subcommand() else { return Ok(()) };
    let given = |id: &&&str| found.value_source(id) == Some(ValueSource::CommandLine);
    let Some(stray) = JOB.iter().filter(|id| is_foreign(name, id)).find(given) else { return Ok(()) };
    let flag = stray.replace('_', "-");
    let message = format!("--{flag} means nothing to `{name}`; leave it out (`editctl {name} --help`)");
    Err(command.error(ErrorKind::UnknownArgument, message))
}
