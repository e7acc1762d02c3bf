//! The other tools: git, GNU diff and GNU patch, each in a temporary folder of its own. It judges nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder in which the tools work.
#[derive(Debug)]
pub struct DiffTools {
    folder: TempDir,
}

/// The name of a tool that is not installed, if one is not.
pub fn missing_tools() -> Option<&'static str> {
    let works = |name: &str| {
        let said = Command::new(name).arg("--version").output();
        said.is_ok_and(|said| said.status.success() && !said.stdout.starts_with(b"busybox"))
    };
    let gnu = |name: &str| {
        let said = Command::new(name).arg("--version").output().map(|said| said.stdout);
        said.is_ok_and(|said| String::from_utf8_lossy(&said).contains("GNU"))
    };
    [("git", works("git")), ("GNU patch", gnu("patch")), ("GNU diff", gnu("diff"))]
        .into_iter()
        .find_map(|(name, there)| (!there).then_some(name))
}

impl Default for DiffTools {
    fn default() -> Self {
        Self::new()
    }
}

impl DiffTools {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("there is a temporary folder") }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and makes the folders above it.
    pub fn put(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }

    /// A command in a folder of this one, which knows no settings of the user.
    pub fn command(&self, name: &str, folder: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(self.path(folder)).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CEILING_DIRECTORIES", self.folder.path().parent().unwrap_or(Path::new("/")));
        for (name, value) in [("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", "2024-01-01T00:00:00Z")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        command
    }

    /// Returns the output of a command.
    pub fn output(&self, name: &str, folder: &str, words: &[&str]) -> Output {
        let said = self.command(name, folder).args(words).output();
        said.unwrap_or_else(|error| panic!("{name} {words:?}: {error}"))
    }

    /// Returns the output of a command that must not fail.
    pub fn text(&self, name: &str, folder: &str, words: &[&str]) -> String {
        let said = self.output(name, folder, words);
        assert!(said.status.success(), "{name} {words:?}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).expect("the files are UTF-8")
    }

    /// The diff of two contents of the file `f`, by `git` or by GNU diff.
    pub fn diff(&self, git: bool, context: usize, way: &str, old: &str, new: &str) -> String {
        self.put("a/f", old);
        self.put("b/f", new);
        let context = format!("-U{context}");
        let said = if git {
            let words = ["diff", "--no-index", "--no-prefix", way, &context, "a/f", "b/f"];
            self.output("git", ".", &words)
        } else {
            self.output("diff", ".", &[&context, "a/f", "b/f"])
        };
        String::from_utf8(said.stdout).expect("the files are UTF-8")
    }

    /// Returns the content that `git apply` makes of another; `None` if it rejects the diff.
    pub fn git_apply(&self, content: &str, diff: &str) -> Option<String> {
        self.put("git/f", content);
        self.put("diff", diff);
        let said = self.output("git", "git", &["apply", "--whitespace=nowarn", "../diff"]);
        said.status.success().then(|| self.read("git/f"))
    }

    /// Returns the content that GNU patch makes of another; `None` if it rejects the diff.
    pub fn gnu_patch(&self, content: &str, diff: &str) -> Option<String> {
        self.put("gnu/f", content);
        self.put("diff", diff);
        let words = ["-p1", "-s", "-f", "--no-backup-if-mismatch", "-r", "-", "-i", "../diff"];
        let said = self.output("patch", "gnu", &words);
        said.status.success().then(|| self.read("gnu/f"))
    }

    /// The merge of what others and the author made of a content; `None` where they conflict.
    pub fn merge(&self, others: &str, base: &str, author: &str) -> Option<String> {
        self.put("ours", others);
        self.put("base", base);
        self.put("theirs", author);
        let said = self.output("git", ".", &["merge-file", "-p", "ours", "base", "theirs"]);
        said.status.success().then(|| String::from_utf8(said.stdout).expect("the files are UTF-8"))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}
