//! Replaces `{path}` and `{file}` in the words of a command. Pure.

use std::ffi::OsString;
use std::path::Path;

use editd_proto::path::FilePath;

use super::{CommandSpec, FILE, FILES, PATH};

impl CommandSpec {
    /// Returns the program and its arguments for a file: its path below the workspace, and the absolute path of the
    /// bytes to read or change. Each is inserted unchanged into its word; no shell is used. The path begins with `./`, so
    /// that no program takes it for an option, a file of arguments (`@args`), an assignment or an address.
    pub fn words(&self, path: &FilePath, file: &Path) -> Vec<OsString> {
        let path = [b"./", path.as_bytes()].concat();
        let file = file.as_os_str().as_encoded_bytes();
        self.command.iter().map(|word| os_string(filled(word, &path, file))).collect()
    }

    /// Returns the program and the arguments of a check. The word `{files}` becomes one word for each file.
    pub fn words_for_all(&self, files: &[FilePath]) -> Vec<OsString> {
        let named = || files.iter().map(|path| os_string([b"./", path.as_bytes()].concat()));
        self.command
            .iter()
            .flat_map(|word| match word.as_str() {
                FILES => named().collect(),
                word => vec![OsString::from(word)],
            })
            .collect()
    }

    /// Returns true if a check runs on the changed files only.
    pub fn names_files(&self) -> bool {
        self.command.iter().any(|word| word == FILES)
    }
}

/// One pass, so that a path with the name `{file}` is not replaced again.
fn filled(word: &str, path: &[u8], file: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let (value, behind): (&[u8], &str) = match (from.strip_prefix(PATH), from.strip_prefix(FILE)) {
            (Some(behind), _) => (path, behind),
            (None, Some(behind)) => (file, behind),
            (None, None) => (b"{", from.strip_prefix('{').unwrap_or_default()),
        };
        out.extend_from_slice(value);
        rest = behind;
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::config::read_commands;

    fn words(command: &str, path: &str) -> Vec<OsString> {
        let text = format!("[[validator]]\nname = \"v\"\nfiles = [\"*\"]\ncommand = {command}\n");
        let commands = read_commands(text.as_bytes()).unwrap();
        commands.list.first().unwrap().words(&path.into(), Path::new("/w/at"))
    }

    #[test]
    fn both_names_stand_for_the_file_wherever_they_stand_in_a_word() {
        assert_eq!(
            words(r#"["x", "--in={path}", "{file}{file}"]"#, "a b"),
            ["x", "--in=./a b", "/w/at/w/at"]
        );
        assert_eq!(
            words(r#"["x", "{}", "{paths}", "{{path}}", "{"]"#, "a"),
            ["x", "{}", "{paths}", "{./a}", "{"]
        );
    }

    #[test]
    fn every_path_begins_with_its_folder_and_none_is_filled_twice() {
        for path in ["-rf", "@args", "a=b", "host:path", "{file}", "a;$(b)"] {
            assert_eq!(words(r#"["x", "{path}"]"#, path), ["x", &format!("./{path}")]);
        }
    }
}
