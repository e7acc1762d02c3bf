//! Refuses changes in `.git` folders: git runs the programs that `.git/hooks` and `.git/config` name. It reads no file.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use crate::config::GitFolderPolicy;
use crate::state::WorkspaceState;

/// Refuses a change of a path in a `.git` folder, or of a file `.git`, unless the settings allow it.
///
/// # Errors
/// `rejected`, with the setting that allows it.
pub fn check(state: &WorkspaceState, path: &FilePath) -> Result<(), Refusal> {
    if state.settings.git_folder == GitFolderPolicy::Allow || !is_in_git(path) {
        return Ok(());
    }
    let message = format!(
        "{path} belongs to git, which runs the programs that files in .git name; use git to change it, or set \
         git_folder = \"allow\" in .editd.toml, approve that with `editctl trust`, and run `editctl stop`"
    );
    Err(Box::new(RequestError::new(ErrorCode::Rejected, message).at(path)))
}

/// Returns true if a component is `.git` on some file system: with other case, as the short name of FAT and NTFS, with
/// the ending that Windows ignores, or with the characters that HFS+ ignores. Git refuses the same names.
fn is_in_git(path: &FilePath) -> bool {
    path.as_bytes().split(|byte| *byte == b'/').any(|name| {
        let name: String = String::from_utf8_lossy(name).chars().filter(|one| !is_ignored(*one)).collect();
        let name = name.trim_end_matches(['.', ' ']);
        name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
    })
}

/// Returns true for the characters that HFS+ ignores in a name.
fn is_ignored(one: char) -> bool {
    matches!(one, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
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
            ".g\u{200c}it/config",
        ] {
            assert!(is_in_git(&path.into()), "{path}");
        }
        for path in [".gitignore", ".github/x", "git/config", "a.git/config", ".gitmodules", "..git", "."] {
            assert!(!is_in_git(&path.into()), "{path}");
        }
    }
}
