//! Refuses changes in the folders of git, which runs the programs that files there name, such as `.git/hooks` and
//! `.git/config`. It reads no file.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use crate::config::GitFolderPolicy;
use crate::disk::alias::is_form_of;
use crate::state::WorkspaceState;

/// The folders and files of a git folder through which git runs programs, each with its short name on FAT and NTFS.
const FOLDERS: [(&str, &str); 2] = [("hooks", "hooks"), ("rebase-merge", "rebase~1")];
const FILES: [(&str, &str); 3] =
    [("config", "config"), ("config.worktree", "config~1.wor"), ("commondir", "common~1")];

/// Refuses a change of a path in a `.git` folder, of a file `.git`, or of a file through which git runs programs in a
/// git folder of another name, unless the settings allow it.
///
/// # Errors
/// `rejected`, with the setting that allows it.
pub fn check(state: &WorkspaceState, path: &FilePath) -> Result<(), Refusal> {
    if allows(state) || !is_of_git(state, path) {
        return Ok(());
    }
    Err(refusal(path, format_args!("{path}")))
}

/// Refuses a change of a file one of whose other names (hard links) is such a path.
///
/// # Errors
/// As for [`check`].
pub(super) fn check_names(
    state: &WorkspaceState,
    path: &FilePath,
    names: &[FilePath],
) -> Result<(), Refusal> {
    if allows(state) {
        return Ok(());
    }
    match names.iter().find(|name| is_of_git(state, name)) {
        Some(name) => {
            Err(refusal(path, format_args!("{path} is the same file as {name} (hard link), and that")))
        }
        None => Ok(()),
    }
}

fn allows(state: &WorkspaceState) -> bool {
    state.settings.git_folder == GitFolderPolicy::Allow
}

fn refusal(path: &FilePath, subject: std::fmt::Arguments<'_>) -> Refusal {
    let message = format!(
        "{subject} belongs to git, which runs the programs that its files name; use git to change it, or set \
         git_folder = \"allow\" in .editd.toml, approve that with `editctl trust`, and run `editctl stop`"
    );
    Box::new(RequestError::new(ErrorCode::Rejected, message).at(path))
}

fn is_of_git(state: &WorkspaceState, path: &FilePath) -> bool {
    is_in_git(path) || git_folders(path).any(|folder| state.disk.is_git_folder(&folder))
}

/// Returns true if a component is `.git` on some file system. Git refuses the same names.
fn is_in_git(path: &FilePath) -> bool {
    path.as_bytes().split(|byte| *byte == b'/').any(|name| is_form_of(name, ".git", "git~1"))
}

/// Returns the folders that must be git folders for git to run programs through this path: a bare repository, or the
/// folder of `git init --separate-git-dir`. Few paths have any, so that the usual edit looks at none.
fn git_folders(path: &FilePath) -> impl Iterator<Item = FilePath> + '_ {
    let bytes = path.as_bytes();
    let mut next = 0;
    bytes.split(|byte| *byte == b'/').filter_map(move |name| {
        let start = next;
        next = start + name.len() + 1;
        let wanted = if next > bytes.len() { &FILES[..] } else { &FOLDERS[..] };
        let runs = wanted.iter().any(|(long, short)| is_form_of(name, long, short));
        runs.then(|| FilePath::new(bytes.get(..start.saturating_sub(1)).unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_git_folder_is_recognized() {
        for path in [
            ".git",
            ".git/config",
            "a/b/.git/hooks/pre-commit",
            ".GIT/config",
            "GIT~1/config",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
        ] {
            assert!(is_in_git(&path.into()), "{path}");
        }
        for path in [".gitignore", ".github/x", "git/config", "a.git/config", ".gitmodules", "..git", "."] {
            assert!(!is_in_git(&path.into()), "{path}");
        }
    }

    #[test]
    fn only_paths_through_which_git_runs_programs_are_looked_at() {
        for (path, wanted) in [
            ("config", vec![""]),
            ("a/b/Config.", vec!["a/b"]),
            ("a/config.worktree", vec!["a"]),
            ("a/hooks/b/hooks/config", vec!["a", "a/hooks/b", "a/hooks/b/hooks"]),
            ("rebase-merge/git-rebase-todo", vec![""]),
            ("a/hooks", vec![]),
            ("config/a.rs", vec![]),
            ("src/config.rs", vec![]),
        ] {
            let found: Vec<String> = git_folders(&path.into()).map(|folder| folder.to_string()).collect();
            assert_eq!(found, wanted, "{path}");
        }
    }
}
