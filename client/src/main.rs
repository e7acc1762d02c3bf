//! The command `editctl`: sends a request to the daemon of a workspace, prints the reply and returns an exit status.
//! Never writes to a file of the workspace.

mod args;
mod job;
mod run;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use editctl::failure::{ExitStatus, Failure};
use editctl::show;
use editctl::show::OutputStyle;
use run::CommandOutput;

fn main() -> ExitCode {
    let line = match args::parse(std::env::args_os()) {
        Ok(line) => line,
        Err(error) => return wrong_words(&error),
    };
    let style = OutputStyle::of_this_terminal(line.everywhere.json);
    let answer = run::run(line, &style).unwrap_or_else(|failure| answer_to(&failure, &style));
    answer.print(&style).code()
}

/// Returns the output for a failure: a JSON object on standard output, or text on standard error.
fn answer_to(failure: &Failure, style: &OutputStyle) -> CommandOutput {
    let error = failure.wire();
    let exit = failure.exit();
    if style.json {
        return CommandOutput { exit, ..CommandOutput::json(&show::error::ErrorInJson { error: &error }) };
    }
    CommandOutput { out: Vec::new(), err: show::error::text(&error, &style.for_errors()), exit }
}

/// Prints a message of the parser. Help and version are no errors; everything else is a usage error, printed as a JSON
/// object if the arguments contain `--json`.
fn wrong_words(error: &clap::Error) -> ExitCode {
    let exit = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Done };
    let json = std::env::args_os().take_while(|word| word != "--").any(|word| word == "--json");
    if json && exit == ExitStatus::Usage {
        let said = error.to_string();
        let said = said.trim_start_matches("error: ");
        // The hint about `--help` is only useful to people.
        let said = said.split_once("\n\nFor more information").map_or(said, |(said, _)| said);
        let failure = Failure::Usage(said.trim().into());
        let style = OutputStyle::of_this_terminal(json);
        return answer_to(&failure, &style).print(&style).code();
    }
    // The message repeats arguments, which may be names of files.
    let text = error.render().to_string();
    let (out, err) = if error.use_stderr() { (Vec::new(), text) } else { (text.into_bytes(), String::new()) };
    CommandOutput { out, err, exit }.print(&OutputStyle::of_this_terminal(false)).code()
}

impl CommandOutput {
    /// Prints the output. A closed pipe is no failure; a full disk is.
    fn print(self, style: &OutputStyle) -> ExitStatus {
        let mut stdout = std::io::stdout().lock();
        let printed = stdout.write_all(&style.printed(&self.out)).and_then(|()| stdout.flush());
        // The status stays the same if the error message cannot be printed.
        let _ = std::io::stderr().lock().write_all(&style.for_errors().printed(self.err.as_bytes()));
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let _ = writeln!(std::io::stderr(), "editctl: standard output: {error}");
                ExitStatus::Fault
            }
            _ => self.exit,
        }
    }
}
