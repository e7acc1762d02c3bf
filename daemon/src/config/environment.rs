//! The environment of a command: a few variables of the daemon's, and those that the configuration names. No other
//! variable of the daemon, such as a password or a token, reaches a command. Also the folders that it can write.

use std::ffi::OsString;
#[cfg(unix)]
use std::path::PathBuf;

/// The variables that every command gets if the daemon has them; also each `LC_…`.
const PASSED: &[&str] = &[
    "CARGO_HOME",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SHELL",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The variables that every command gets on Windows, too: without them, programs do not find the system and the folders
/// of the user. Their names may have any case.
#[cfg(any(windows, test))]
const PASSED_ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "ComSpec",
    "CommonProgramFiles",
    "CommonProgramFiles(x86)",
    "CommonProgramW6432",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramW6432",
    "SystemDrive",
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "windir",
];

/// Returns the variables of a command. Each entry of `wanted` is a variable's name, which passes the daemon's value, or
/// `NAME=VALUE`.
pub fn command_environment(wanted: &[String]) -> Vec<(OsString, OsString)> {
    #[cfg(unix)]
    let is_passed = passed;
    #[cfg(windows)]
    let is_passed = passed_on_windows;
    chosen(std::env::vars_os(), wanted, is_passed)
}

/// Returns true if a command gets a variable of this name.
#[cfg(any(unix, test))]
fn passed(name: &str, wanted: &[String]) -> bool {
    PASSED.contains(&name) || name.starts_with("LC_") || wanted.iter().any(|wanted| wanted == name)
}

/// The same on Windows.
#[cfg(any(windows, test))]
fn passed_on_windows(name: &str, wanted: &[String]) -> bool {
    let is = |other: &&str| other.eq_ignore_ascii_case(name);
    let is_locale = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("LC_"));
    let mut wanted = wanted.iter().map(String::as_str);
    is_locale || PASSED.iter().chain(PASSED_ON_WINDOWS).any(is) || wanted.any(|other| is(&other))
}

/// Returns the folders of a command's `write` as absolute paths. `~` is the home folder of the daemon's user.
#[cfg(unix)]
pub fn command_folders(written: &[String]) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let path = |folder: &String| match folder.strip_prefix("~/") {
        Some(below) => Some(home.as_ref()?.join(below)),
        None => Some(PathBuf::from(folder)),
    };
    written.iter().filter_map(path).filter(|path| path.is_absolute()).collect()
}

fn chosen(
    present: impl Iterator<Item = (OsString, OsString)>,
    wanted: &[String],
    is_passed: fn(&str, &[String]) -> bool,
) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &OsString| name.to_str().is_some_and(|name| is_passed(name, wanted));
    let set = wanted.iter().filter_map(|wanted| wanted.split_once('='));
    let set: Vec<(OsString, OsString)> = set.map(|(name, value)| (name.into(), value.into())).collect();
    present.filter(|(name, _)| is_passed(name)).chain(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_variables_are_passed_and_others_on_request() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let present =
            [("PATH", "/bin"), ("LC_ALL", "C"), ("API_TOKEN", "secret"), ("RUFF_CACHE", "/c"), ("TZ", "Z")];
        let wanted = ["RUFF_CACHE".to_owned(), "TZ=UTC".to_owned(), "ABSENT".to_owned(), "EMPTY=".to_owned()];
        let chosen = chosen(present.iter().map(|(name, value)| pair(name, value)), &wanted, passed);
        // The last value of a name counts.
        let expected = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("RUFF_CACHE", "/c"),
            ("TZ", "Z"),
            ("TZ", "UTC"),
            ("EMPTY", ""),
        ];
        assert_eq!(chosen, expected.map(|(name, value)| pair(name, value)));
    }

    #[test]
    fn on_windows_names_have_any_case_and_programs_find_the_system() {
        let wanted = ["ruff_cache".to_owned(), "MODE=x".to_owned()];
        for name in ["Path", "PATH", "SYSTEMROOT", "Temp", "lc_all", "RUFF_CACHE", "ProgramFiles(x86)"] {
            assert!(passed_on_windows(name, &wanted), "{name}");
        }
        for name in ["API_TOKEN", "MODE", "LC", "PSModulePath", "", "é"] {
            assert!(!passed_on_windows(name, &wanted), "{name}");
        }
    }
}
