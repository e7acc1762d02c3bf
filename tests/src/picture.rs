//! The picture of a terminal session in the README: commands are run in a fresh workspace, and their real output is drawn
//! as an SVG. It writes no file of the checkout.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::binaries;
use crate::test_daemon::TestDaemon;

/// The commands of the session, in order.
const COMMANDS: &[&str] = &[
    "editctl read notes.txt",
    "sed -i.bak s/milk/oats/ notes.txt     # a formatter, a person, another agent …",
    "editctl replace notes.txt 'call Ada' 'call Grace'",
    "editctl replace notes.txt 'call Ada' 'call Grace'",
    "editctl log",
    "editctl undo --no-diff",
    "cat notes.txt",
];

/// The content of `notes.txt` before the session.
const NOTES: &str = "buy milk\ncall Ada\n";

/// The lines of a picture, at most.
pub const LINES: usize = 30;

/// Pixels of a column, of a line, around the text, and above a command.
const COLUMN: f32 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 16;
const GAP: usize = 8;

/// One line of the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TerminalLine {
    /// A command, as it was typed.
    Command(&'static str),
    /// A line that a command printed.
    Output(String),
}

/// The path of the picture.
pub fn path() -> PathBuf {
    binaries::top().join("daemon/docs/session.svg")
}

/// Runs the session and returns what a terminal shows.
///
/// # Panics
/// If a command cannot be started.
pub fn session() -> Vec<TerminalLine> {
    let daemon = TestDaemon::new();
    fs::write(daemon.workspace().join("notes.txt"), NOTES).expect("a fresh workspace can be written");
    let mut lines = Vec::new();
    for command in COMMANDS {
        lines.push(TerminalLine::Command(command));
        lines.extend(run(&daemon, command).lines().map(|line| TerminalLine::Output(line.to_owned())));
    }
    run(&daemon, "editctl stop");
    lines
}

/// Runs one command as the session `ada`; returns its standard output and standard error in their order.
fn run(daemon: &TestDaemon, command: &str) -> String {
    let programs = binaries::editctl().parent().map(Path::to_owned);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&paths)))
        .expect("paths from the environment can be joined");
    let mut shell = daemon.command("sh");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]);
    shell.env("PATH", path).env("EDITD_BIN", binaries::editd()).env("EDITCTL_SESSION", "ada");
    let done =
        shell.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().expect("a shell can be started");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Draws lines as an SVG that is readable on light and on dark pages.
pub fn svg(lines: &[TerminalLine]) -> String {
    let longest = lines.iter().map(columns).max().unwrap_or(0);
    let width = (longest as f32 * COLUMN).ceil() as usize + 2 * MARGIN;
    let commands = lines.iter().filter(|line| matches!(line, TerminalLine::Command(_))).count();
    let height = lines.len() * LINE + commands.saturating_sub(1) * GAP + 2 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" xml:space=\"preserve\">\n<title>A session with editctl</title>\n{STYLE}\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n"
    );
    let mut y = MARGIN + 15;
    for (at, line) in lines.iter().enumerate() {
        let (class, text) = match line {
            TerminalLine::Command(command) => ("command", format!("$ {command}")),
            TerminalLine::Output(text) => (class(text), text.clone()),
        };
        if class == "command" && at > 0 {
            y += GAP;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{y}\" class=\"{class}\">{}</text>", escaped(&text));
        y += LINE;
    }
    out.push_str("</svg>\n");
    out
}

const STYLE: &str = "<style>
rect { fill: #f6f8fa; stroke: #d0d7de }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; white-space: pre; fill: #1f2328 }
.command { font-weight: bold }
.refused { fill: #9a6700 }
.removed { fill: #cf222e }
.added { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #30363d }
text { fill: #e6edf3 }
.refused { fill: #d29922 }
.removed { fill: #ff7b72 }
.added { fill: #56d364 }
}
</style>
";

fn columns(line: &TerminalLine) -> usize {
    match line {
        TerminalLine::Command(command) => command.chars().count() + 2,
        TerminalLine::Output(text) => text.chars().count(),
    }
}

/// The colour of a line of output.
fn class(text: &str) -> &'static str {
    match text.chars().next() {
        Some('+') => "added",
        Some('-') => "removed",
        _ if text.starts_with("editctl: ") => "refused",
        _ => "output",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
