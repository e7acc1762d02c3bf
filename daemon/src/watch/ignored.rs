//! Decides which paths git ignores, from the lines of `.gitignore` files that it is given. It reads no file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Folders that are never reported: git's own, and that of editd.
const NEVER: [&str; 2] = [".git", ".editd"];

/// The rules of a workspace, by the folder of their `.gitignore`.
#[derive(Debug, Default)]
pub(super) struct GitIgnoreRules {
    rules: BTreeMap<PathBuf, Gitignore>,
    exclude: Option<Gitignore>,
}

impl GitIgnoreRules {
    /// Replaces the rules of a folder by the lines of its `.gitignore`; `None` if it has none.
    pub(super) fn set(&mut self, folder: &Path, lines: Option<&[u8]>) {
        match lines.and_then(compile) {
            Some(rules) => self.rules.insert(folder.to_path_buf(), rules),
            None => self.rules.remove(folder),
        };
    }

    /// Sets the lines of `.git/info/exclude`, over which every `.gitignore` takes precedence.
    pub(super) fn set_exclude(&mut self, lines: Option<&[u8]>) {
        self.exclude = lines.and_then(compile);
    }

    /// Removes the rules of a folder that is gone, and of those below.
    pub(super) fn forget(&mut self, folder: &Path) {
        let below = self.rules.range(folder.to_path_buf()..).take_while(|(path, _)| path.starts_with(folder));
        for path in below.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
            self.rules.remove(&path);
        }
    }

    /// Returns true if a path is ignored: itself, or a folder above it, since nothing below an ignored folder can be
    /// included again.
    pub(super) fn covers(&self, path: &Path, is_dir: bool) -> bool {
        let mut whole: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
        whole.reverse();
        whole.iter().any(|part| self.covers_itself(part, is_dir || *part != path))
    }

    /// Returns true if a path itself is ignored, given that no folder above it is.
    pub(super) fn covers_itself(&self, path: &Path, is_dir: bool) -> bool {
        if path.file_name().is_some_and(|name| NEVER.iter().any(|never| name == *never)) {
            return true;
        }
        if self.rules.is_empty() && self.exclude.is_none() {
            return false;
        }
        for folder in path.ancestors().skip(1) {
            let Some(rules) = self.rules.get(folder) else { continue };
            let Ok(below) = path.strip_prefix(folder) else { continue };
            match rules.matched(below, is_dir) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        self.exclude.as_ref().is_some_and(|rules| rules.matched(path, is_dir).is_ignore())
    }
}

/// Compiles the rules of some lines; an invalid line is skipped, as git does.
fn compile(lines: &[u8]) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(lines).lines() {
        // An error skips the line.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok().filter(|rules| !rules.is_empty())
}
