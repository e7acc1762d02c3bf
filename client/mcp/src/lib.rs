//! The program `editctl-mcp`: a server of the Model Context Protocol on standard input and output. It offers tools that
//! read and edit files through the daemon of a workspace. Never writes to a file of the workspace.
//!
//! One process is one session. Calls may run at the same time; each has a connection of its own.
//!
//! *Limitations*: a call without an absolute path is about the first workspace, also `undo` and `history`. A client of the
//! stateless revision cannot announce roots.

mod arguments;
mod checked;
mod context;
mod named;
mod refused;
mod reply;
mod resource;
mod roots;
mod server;
mod skim;
mod tools;
mod toolsets;
mod transport;
mod words;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use editctl::show::OutputStyle;
use rmcp::ServiceExt;

use context::CallContext;
use server::EditServer;
use tools::ToolSet;
use transport::LineTransport;

/// Serves tools that read and edit files to an agent runtime, on standard input and output
#[derive(Parser, Debug)]
#[command(name = "editctl mcp", bin_name = "editctl mcp", version = editctl::VERSION, max_term_width = 100)]
struct CommandLine {
    /// The workspace [default: the nearest parent of the current folder with .editd.toml or .git, else that folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The session, which owns receipts and undo [default: EDITCTL_SESSION, else a new one for this process]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Offer the tools of this runtime, under their names and with their arguments [default: read,edit,undo,history]
    #[arg(long = "as", value_name = "NAME", value_parser = PossibleValuesParser::new(toolsets::names()))]
    runtime: Option<String>,
    /// Offer only these tools [default: all of them]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Vec<String>,
    /// The socket of the daemon, if it was started with --socket
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Do not start a daemon if none is running
    #[arg(long)]
    no_spawn: bool,
}

/// Returns the definition of the command line, for the manual page and the completions.
#[must_use]
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let line = CommandLine::parse();
    let set = toolsets::named(line.runtime.as_deref());
    if let Some(wrong) = line.tools.iter().find(|name| set.tools.iter().all(|tool| tool.name != **name)) {
        let names: Vec<&str> = set.tools.iter().map(|tool| tool.name).collect();
        let message = format!("--tools: there is no tool {wrong:?}; there are {}", names.join(", "));
        CommandLine::command().error(ErrorKind::InvalidValue, message).exit();
    }
    match run(line, set) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            context::tell(&message);
            ExitCode::FAILURE
        }
    }
}

fn run(line: CommandLine, set: &'static ToolSet) -> Result<(), String> {
    let context = CallContext::open(line.workspace.as_deref(), line.session, line.socket, line.no_spawn)?;
    if std::io::stdin().is_terminal() {
        // A person would wait for a prompt.
        context::tell(
            "an agent runtime starts this server and talks to it; `editctl setup RUNTIME` adds it to the runtime's \
             configuration. Ctrl-D ends it",
        );
    }
    let server = EditServer::new(context, set, &line.tools);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| format!("the runtime cannot be started: {error}"))?;
    runtime.block_on(async {
        // A client that closes standard input before it said anything is no failure.
        let transport = LineTransport::open(OutputStyle::for_tools(set.words));
        let Ok(running) = server.serve(transport).await else { return Ok(()) };
        running.waiting().await.map(drop).map_err(|error| format!("the server ended: {error}"))
    })
}
