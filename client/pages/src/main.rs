//! The program `editctl-pages FOLDER`: writes the manual pages and the shell completions of `editctl` and its companions, from
//! the definitions that parse their command lines. It is not installed.
//!
//! *To add a companion*: add its crate to `Cargo.toml`, and a line to [`COMPANIONS`] for each of its commands.

#![expect(clippy::disallowed_methods, reason = "this program makes files for packages")]

#[expect(dead_code, reason = "only the definitions are used, not what is parsed")]
#[path = "../../src"]
mod client {
    pub(crate) mod args;
}

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Args, Command, CommandFactory};
use clap_complete::Shell;
use client::args::{CommandLine, GlobalFlags, scope};

/// A program beside `editctl`, a command for which `editctl` starts it, and the definition of the command line.
type Companion = (&'static str, &'static str, fn() -> Command);

/// The commands for which `editctl` starts another program.
const COMPANIONS: &[Companion] = &[
    ("history", "blame", || editctl_history::command("blame")),
    ("history", "diff", || editctl_history::command("diff")),
    ("history", "report", || editctl_history::command("report")),
    ("hook", "hook", editctl_hook::command),
    ("mcp", "mcp", editctl_mcp::command),
    ("setup", "setup", editctl_setup::command),
    ("ui", "ui", editctl_ui::command),
];

/// The heading before the usage.
const SYNOPSIS: &str = ".SH SYNOPSIS\n";

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let (Some(folder), None) = (words.next().map(PathBuf::from), words.next()) else {
        let _ = writeln!(io::stderr(), "usage: editctl-pages FOLDER");
        return ExitCode::from(2);
    };
    match write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "editctl-pages: {}: {error}", folder.display());
            ExitCode::from(5)
        }
    }
}

/// Writes the pages to `man` in a folder, and the completions to `completions`.
fn write(folder: &Path) -> io::Result<()> {
    let (manual, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&manual)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(definition(), &manual)?;
    let mut built = definition().disable_help_subcommand(true);
    built.build();
    write_usage(built, &manual)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut without_hidden(definition()), "editctl", &completions)?;
    }
    Ok(())
}

/// Writes the usage of the help into the synopsis of the page of a command, and of those below it.
fn write_usage(mut command: Command, manual: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned().collect::<Vec<_>>() {
        write_usage(inner, manual)?;
    }
    let usage = command.render_usage().to_string();
    let name = command.get_display_name().unwrap_or(command.get_name());
    let page = manual.join(format!("{name}.1"));
    let text = fs::read_to_string(&page)?;
    let usage = usage.trim_start_matches("Usage:").lines().map(str::trim).filter(|line| !line.is_empty());
    let usage =
        usage.map(|line| line.replace('\\', "\\\\").replace('-', "\\-")).collect::<Vec<_>>().join("\n.br\n");
    let (Some((before, rest)), heading) = (text.split_once(SYNOPSIS), SYNOPSIS) else { return Ok(()) };
    let (_, behind) = rest.split_once('\n').unwrap_or_default();
    fs::write(&page, format!("{before}{heading}{usage}\n{behind}"))
}

/// Returns a definition without the arguments that the help hides, which a shell would offer. It parses nothing.
fn without_hidden(command: Command) -> Command {
    // The names of a definition live as long as the program.
    let name: &'static str = Box::leak(command.get_name().to_owned().into_boxed_str());
    let mut out = Command::new(name)
        .hide(command.is_hide_set())
        .disable_help_subcommand(command.is_disable_help_subcommand_set())
        .disable_help_flag(command.is_disable_help_flag_set())
        .disable_version_flag(command.is_disable_version_flag_set());
    if let Some(about) = command.get_about() {
        out = out.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        let version: &'static str = Box::leak(version.to_owned().into_boxed_str());
        out = out.version(version);
    }
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let inner = command.get_subcommands().cloned().map(without_hidden);
    out.args(shown.cloned()).subcommands(inner.collect::<Vec<_>>())
}

/// Returns the definition of `editctl`, in which each command has its own flags and no others. The commands that start a
/// companion have its arguments.
fn definition() -> Command {
    let own: Vec<Arg> = GlobalFlags::augment_args(Command::new("own")).get_arguments().cloned().collect();
    let own = own.into_iter().map(|flag| flag.global(false)).collect::<Vec<_>>();
    // A flag that is global would be listed by every command, also where it is hidden.
    let mut whole = CommandLine::command().mut_args(|flag| flag.global(false));
    whole = whole.mut_subcommands(|command| with_flags(command, &own));
    for (_, name, companion) in COMPANIONS {
        whole = whole.mut_subcommand(name, |_| companion().name(*name));
    }
    whole
}

/// Adds the flags that a command accepts.
fn with_flags(command: Command, own: &[Arg]) -> Command {
    let of_jobs = scope::of_jobs().into_iter().map(|flag| flag.global(false));
    let name = command.get_name().to_owned();
    let accepted = of_jobs.filter(|flag| !scope::is_foreign(&name, flag.get_id().as_str()));
    let command = command.args(accepted).args(own);
    command.mut_subcommands(|inner| inner.args(own))
}

#[cfg(test)]
mod tests;
