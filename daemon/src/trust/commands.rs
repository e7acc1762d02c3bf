//! The commands of a workspace at one moment, and whether they may run; the settings that need trust. Pure.

use std::sync::{Arc, LazyLock};

use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use crate::config::{
    CommandConfig, CommandKind, CommandSpec, FILE_NAME, PresentFile, RelaxedSetting, SyntaxCheck,
};

/// The commands of a workspace, at one moment.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceCommands {
    pub(super) hash: Option<ContentHash>,
    pub(super) commands: Arc<CommandConfig>,
    pub(super) trusted: bool,
    pub(super) problem: Option<Arc<str>>,
    /// The hash of the file, even if it cannot be used.
    pub(super) content: Option<ContentHash>,
}

impl WorkspaceCommands {
    /// Returns the hash of the file that defines them; `None` if there is no usable one.
    pub fn hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// Returns the file as it is now.
    pub fn present(&self) -> PresentFile<'_> {
        let written = self.problem.is_none().then_some(self.commands.written.as_slice());
        PresentFile { hash: self.content, written, trusted: self.trusted }
    }

    /// Returns true if that file is trusted.
    pub fn trusted(&self) -> bool {
        self.trusted
    }

    /// Returns every command, also those that may not run: only for display.
    pub fn all(&self) -> &[CommandSpec] {
        &self.commands.list
    }

    /// Returns the commands of a kind that may run, in the file's order.
    pub fn runnable(&self, kind: CommandKind) -> impl Iterator<Item = &CommandSpec> {
        let list = if self.trusted { self.commands.list.as_slice() } else { &[] };
        list.iter().filter(move |command| command.kind == kind)
    }

    /// Returns `Ok` if commands that could run then may run now: the file is the same and still trusted.
    ///
    /// # Errors
    /// The reason why they may not.
    pub fn still_runs(&self, now: &Self) -> Result<(), &'static str> {
        let still = now.trusted && now.hash == self.hash;
        if still { Ok(()) } else { Err("the file that names it changed, or is no longer trusted") }
    }

    /// Returns the built-in check of syntax. If the file is not trusted, the check has no exceptions.
    pub fn syntax(&self) -> &SyntaxCheck {
        static EVERYWHERE: LazyLock<SyntaxCheck> = LazyLock::new(SyntaxCheck::default);
        if self.trusted { &self.commands.syntax } else { &EVERYWHERE }
    }

    /// Returns the settings of the file that need trust.
    pub fn relaxed(&self) -> &[RelaxedSetting] {
        &self.commands.relaxed
    }

    /// Returns a sentence about the settings that were not read at the start, where `started` has those that were: the
    /// file was trusted, distrusted or changed since.
    pub fn since_start(&self, started: &[RelaxedSetting]) -> Option<String> {
        let present = if self.trusted { self.relaxed() } else { &[] };
        let missing = |of: &[RelaxedSetting], from: &[RelaxedSetting]| {
            let at_start = of.iter().filter(|one| one.at_start && !from.contains(one));
            at_start.map(|one| one.line.clone()).collect::<Vec<_>>().join(", ")
        };
        let (waiting, stale) = (missing(present, started), missing(started, present));
        let restart = "`editctl stop` ends the daemon, and its next start reads the settings";
        match (waiting.as_str(), stale.as_str()) {
            ("", "") => None,
            (_, "") => {
                Some(format!("{FILE_NAME} has trusted settings that do not apply yet: {waiting}; {restart}"))
            }
            (_, _) => Some(format!(
                "settings still apply that {FILE_NAME} no longer has, or that are no longer trusted: {stale}; \
                 {restart}"
            )),
        }
    }

    /// Returns the reason why no command of the file is known, if there is one.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Returns one sentence about the commands that are skipped for a job on these paths, and about the settings that
    /// do not apply, with what to do.
    pub fn left_out<'p>(&self, paths: impl IntoIterator<Item = &'p FilePath>) -> Option<String> {
        if let Some(why) = &self.problem {
            return Some(format!("the commands of {FILE_NAME} were left out: {why}"));
        }
        if self.trusted {
            return None;
        }
        let paths: Vec<&FilePath> = paths.into_iter().collect();
        let meant = |command: &&CommandSpec| paths.iter().any(|path| command.files.matches(path));
        self.sentence(self.commands.list.iter().filter(meant))
    }

    /// The same for all jobs.
    pub fn all_left_out(&self) -> Option<String> {
        match (&self.problem, self.trusted) {
            (None, false) => self.sentence(self.commands.list.iter()),
            _ => self.left_out([]),
        }
    }

    fn sentence<'c>(&self, commands: impl Iterator<Item = &'c CommandSpec>) -> Option<String> {
        let names: Vec<&str> = commands.map(|command| command.name.as_str()).collect();
        let keys: Vec<&str> = self.commands.relaxed.iter().map(|setting| setting.key).collect();
        let (names, keys) = (names.join(", "), keys.join(", "));
        let commands = format!("commands that are not trusted and do not run: {names}");
        let settings = format!("settings that are not trusted and do not apply: {keys}");
        let (told, effect) = match (names.as_str(), keys.as_str()) {
            ("", "") => return None,
            (_, "") => (commands, "run"),
            ("", _) => (settings, "apply"),
            (_, _) => (format!("{commands}, and {settings}"), "take effect"),
        };
        Some(format!("{FILE_NAME} has {told}; `editctl trust` shows them and lets them {effect}"))
    }
}
