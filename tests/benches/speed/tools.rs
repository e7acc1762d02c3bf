//! The same change made by other tools: `patch`, `git apply`, `sed -i` and a program that only reads and writes. Each
//! works in a folder of its own, on the same contents as the daemon; a tool that is absent is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use editd_tests::test_daemon::TestDaemon;

use crate::options::BenchOptions;
use crate::rows::{FILES, Measured, ToolRow};
use crate::server::{Program, Server, took};
use crate::texts::RealTexts;
use crate::work::{CountedFile, EditJob, LineEdit};

/// The contents: lines of a file, files, and jobs in a round. The last one is only part of the first round.
const SIZES: &[(usize, usize, usize)] =
    &[(1_000, 1, 5), (1_000, FILES, 3), (100_000, 1, 2), (100_000, FILES, 1)];
/// Lines of context in a diff.
const CONTEXT: usize = 3;

/// A program that changes files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Relaxed,
    Durable,
    Plain,
    Sed,
    Patch,
    Git,
}

const TOOLS: [Tool; 6] = [Tool::Relaxed, Tool::Durable, Tool::Plain, Tool::Sed, Tool::Patch, Tool::Git];

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Tool::Relaxed => "editd, relaxed",
            Tool::Durable => "editd, durable",
            Tool::Plain => "plain open and write",
            Tool::Sed => "sed -i",
            Tool::Patch => "patch",
            Tool::Git => "git apply",
        }
    }

    /// Returns the program that must be there; `None` if there is nothing to install.
    fn program(self) -> Option<&'static str> {
        match self {
            Tool::Relaxed | Tool::Durable | Tool::Plain => None,
            Tool::Sed => Some("sed"),
            Tool::Patch => Some("patch"),
            Tool::Git => Some("git"),
        }
    }

    fn is_there(self) -> bool {
        self.program().is_none_or(|name| Command::new(name).arg("--version").output().is_ok())
    }
}

/// Compares all tools in each round.
pub(crate) fn run(options: &BenchOptions, texts: &RealTexts, found: &mut Measured) {
    let (there, absent): (Vec<Tool>, Vec<Tool>) = TOOLS.into_iter().partition(|tool| tool.is_there());
    for tool in absent {
        found.skip(format!("{} is not installed", tool.name()));
    }
    for round in 0..options.rounds {
        eprintln!("tools, round {} of {}", round + 1, options.rounds);
        let home = TestDaemon::new();
        let server = Server::start(Program::Daemon, &home, &[]).unwrap_or_else(|e| panic!("{e}"));
        for extension in ["rs", "txt"] {
            let sizes = if round == 0 { SIZES } else { &SIZES[..SIZES.len() - 1] };
            // A line has about 40 bytes.
            let fits = |lines: usize| lines * 40 <= options.largest * 1_000_000;
            for (lines, files, turns) in sizes.iter().filter(|(lines, ..)| fits(*lines)) {
                let text = texts.of_lines(extension, *lines);
                let label = format!("{files} × {lines} lines .{extension}");
                let mut places: Vec<Place> = there
                    .iter()
                    .map(|tool| Place::new(*tool, &home, &server, &label, *files, &text))
                    .collect();
                for _ in 0..*turns {
                    for place in &mut places {
                        let time = place.turn(&server);
                        sample(found, &label, place.tool, time);
                    }
                }
                places.iter().for_each(|place| place.check());
            }
        }
        server.stop();
    }
}

fn sample(found: &mut Measured, label: &str, tool: Tool, time: Duration) {
    let row = found.tools.iter_mut().find(|row| row.files == label && row.tool == tool.name());
    match row {
        Some(row) => row.times.0.push(time),
        None => {
            let mut row = ToolRow { files: label.to_owned(), tool: tool.name(), times: Default::default() };
            row.times.0.push(time);
            found.tools.push(row);
        }
    }
}

/// The files of one tool.
struct Place {
    tool: Tool,
    /// The folder that contains the paths of the files.
    top: PathBuf,
    files: Vec<CountedFile>,
}

impl Place {
    /// Writes the files and changes them once: the daemon's first edit of a young file carries or flushes all of it.
    fn new(tool: Tool, home: &TestDaemon, server: &Server, label: &str, files: usize, text: &str) -> Self {
        let extension = label.rsplit('.').next().unwrap_or_default();
        let folder = format!("{label}/{}", tool.name()).replace(['×', ' ', ',', '.'], "-");
        let is_daemon = matches!(tool, Tool::Relaxed | Tool::Durable);
        let top = if is_daemon { home.workspace().to_owned() } else { home.folder("home").join("tools") };
        let put = |nth: usize| {
            let path = format!("{folder}/source{nth}.{extension}");
            if is_daemon {
                return server.put(&path, text);
            }
            let (file, content) = CountedFile::new(&path, text);
            fs::create_dir_all(top.join(&folder)).unwrap();
            fs::write(top.join(&path), content).unwrap();
            file
        };
        let files = (0..files).map(put).collect();
        let mut place = Self { tool, top, files };
        place.turn(server);
        place
    }

    /// Makes the next change in all files.
    fn turn(&mut self, server: &Server) -> Duration {
        let turn = self.files[0].turn();
        let edits: Vec<LineEdit> = self.files.iter_mut().map(CountedFile::next).collect();
        match self.tool {
            Tool::Relaxed | Tool::Durable => {
                let job = EditJob { edits, durable: self.tool == Tool::Durable, absent: false };
                server.connect("tools").run(&job)
            }
            Tool::Plain => took(|| edits.iter().for_each(|edit| write_anew(&self.top, edit))),
            Tool::Sed => {
                let script = format!("s/turn {turn}$/turn {}/", turn + 1);
                let mut command = self.command(&["sed", "-i", "-e", &script]);
                command.args(self.files.iter().map(|file| &file.path));
                took(|| succeeds(&mut command))
            }
            Tool::Patch | Tool::Git => {
                let diff = self.top.join("change.diff");
                let text: String = edits.iter().map(|edit| diff_of(&self.top, edit)).collect();
                fs::write(&diff, text).unwrap();
                let words: &[&str] = match self.tool {
                    Tool::Git => &["git", "apply", "change.diff"],
                    _ => &["patch", "--quiet", "-p1", "--input=change.diff"],
                };
                took(|| succeeds(&mut self.command(words)))
            }
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(&self.top).stdin(Stdio::null()).stdout(Stdio::null());
        // Outside of any repository, whatever is above the folder.
        command.env("GIT_CEILING_DIRECTORIES", self.top.parent().unwrap_or(&self.top));
        command
    }

    /// Makes sure that the files have their last change.
    fn check(&self) {
        for file in &self.files {
            let text = fs::read_to_string(self.top.join(&file.path)).unwrap();
            let last = file.clone().next().old;
            assert!(text.contains(&last), "{}: {} did not make the change", file.path, self.tool.name());
        }
    }
}

fn succeeds(command: &mut Command) {
    let done = command.stderr(Stdio::piped()).output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Reads a file, replaces the text and writes the file anew in place.
fn write_anew(top: &Path, edit: &LineEdit) {
    let place = top.join(&edit.path);
    let text = fs::read_to_string(&place).unwrap();
    fs::write(&place, text.replacen(&edit.old, &edit.new, 1)).unwrap();
}

/// Returns the change of one line as a diff of git.
fn diff_of(top: &Path, edit: &LineEdit) -> String {
    let text = fs::read_to_string(top.join(&edit.path)).unwrap();
    // The quoted text is a whole line.
    let at = text.find(&edit.old).expect("the file has the text");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = text[..at].matches('\n').count();
    let start = line.saturating_sub(CONTEXT);
    let before: String = lines[start..line].iter().map(|line| format!(" {line}")).collect();
    let after: String = lines[line + 1..].iter().take(CONTEXT).map(|line| format!(" {line}")).collect();
    let count = line - start + 1 + lines[line + 1..].len().min(CONTEXT);
    let LineEdit { path, old, new } = edit;
    format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{from},{count} +{from},{count} @@\n{before}-{old}+{new}{after}",
        from = start + 1
    )
}
