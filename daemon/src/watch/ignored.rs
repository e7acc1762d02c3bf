//! Which paths git ignores, from the lines of `.gitignore` files that it is given. It reads no file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Folders that hold no work of anybody: git's own, and where editd stages.
const NEVER: [&str; 2] = [".git", ".editd"];

/// The rules of a workspace, by the folder whose `.gitignore` they come from.
#[derive(Debug, Default)]
pub(super) struct GitIgnoreRules {
    rules: BTreeMap<PathBuf, Gitignore>,
    exclude: Option<Gitignore>,
}

impl GitIgnoreRules {
    /// Takes the lines of a folder's `.gitignore` in place of those before; `None` where it has none.
    pub(super) fn set(&mut self, folder: &Path, lines: Option<&[u8]>) {
        match lines.and_then(compile) {
            Some(rules) => self.rules.insert(folder.to_path_buf(), rules),
            None => self.rules.remove(folder),
        };
    }

    /// Takes the lines of `.git/info/exclude`, which yield to every `.gitignore`.
    pub(super) fn set_exclude(&mut self, lines: Option<&[u8]>) {
        self.exclude = lines.and_then(compile);
    }

    /// Forgets the rules of a folder that is gone, and of those below.
    pub(super) fn forget(&mut self, folder: &Path) {
        let below = self.rules.range(folder.to_path_buf()..).take_while(|(path, _)| path.starts_with(folder));
        for path in below.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
            self.rules.remove(&path);
        }
    }

    /// Whether a path is ignored: itself, or a folder that holds it, since nothing below an ignored folder
    /// can be taken back in.
    pub(super) fn covers(&self, path: &Path, is_dir: bool) -> bool {
        let mut whole: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
        whole.reverse();
        whole.iter().any(|part| self.covers_itself(part, is_dir || *part != path))
    }

    /// Whether a path is ignored, given that the folder that holds it is not.
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

/// The rules of some lines; a line that is no rule is left out, as git does.
fn compile(lines: &[u8]) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(lines).lines() {
        // An error leaves the line out.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok().filter(|rules| !rules.is_empty())
}
