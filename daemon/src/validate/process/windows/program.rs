//! Finds the program of a command. It reads only whether a file exists.

#![expect(
    clippy::disallowed_methods,
    reason = "validate is the module that looks for the programs of commands"
)]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The ends of the names of programs and scripts, in the order in which they are looked for.
const ENDS: [&str; 4] = ["exe", "com", "cmd", "bat"];

/// Returns the file of a program: of a bare name in the folders of `PATH`, of another one relative to `folder`. If its
/// name has no end, it is a program or script with one of the usual ends. Returns the name as it is if no file is found.
pub(super) fn found_program(folder: &Path, program: &OsStr, variables: &[(OsString, OsString)]) -> PathBuf {
    let named = Path::new(program);
    let is_path = |name: &&(OsString, OsString)| name.0.eq_ignore_ascii_case("PATH");
    let is_bare = named.components().count() == 1 && named.file_name() == Some(program);
    let found = if is_bare {
        let path = variables.iter().rfind(is_path).map(|(_, value)| value.as_os_str()).unwrap_or_default();
        std::env::split_paths(path).find_map(|folder| with_end(&folder.join(named)))
    } else {
        with_end(&folder.join(named)).or_else(|| Some(folder.join(named)))
    };
    found.unwrap_or_else(|| named.to_owned())
}

/// Returns the file with this path, or with this path and one of the ends.
fn with_end(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    if path.extension().is_some() && path.is_file() {
        return Some(path.to_owned());
    }
    ENDS.iter()
        .map(|end| {
            let mut longer = path.as_os_str().to_owned();
            longer.push(".");
            longer.push(end);
            PathBuf::from(longer)
        })
        .find(|path| path.is_file())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_with_its_end_in_the_path_and_in_the_workspace() {
        let temp = tempfile::tempdir().unwrap();
        let (one, two) = (temp.path().join("one"), temp.path().join("two"));
        for folder in [&one, &two] {
            std::fs::create_dir(folder).unwrap();
        }
        // A script of another system has no end.
        for file in [one.join("lint"), one.join("lint.cmd"), two.join("lint.exe"), two.join("v1.2.exe")] {
            std::fs::write(file, "").unwrap();
        }
        let path = std::env::join_paths([Path::new("relative"), &one, &two]).unwrap();
        let variables = [(OsString::from("Path"), path)];
        let found = |name: &str| found_program(&two, name.as_ref(), &variables);
        assert_eq!(found("lint"), one.join("lint.cmd"));
        assert_eq!(found("lint.exe"), two.join("lint.exe"));
        assert_eq!(found("v1.2"), two.join("v1.2.exe"));
        assert_eq!(found("./lint"), two.join("./lint.exe"));
        assert_eq!(found("missing"), Path::new("missing"));
        assert_eq!(found("./missing"), two.join("./missing"));
    }
}
