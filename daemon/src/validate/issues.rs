//! Parses the output of a validator into issues, each with its place. Pure.

use std::borrow::Cow;
use std::path::Path;

use editd_proto::path::FilePath;
use regex::bytes::{Captures, Regex};

use crate::config::IssuePattern;
use crate::limits::{ISSUE_MESSAGE, ISSUES_READ, OUTPUT_LINES};

/// `path:line:column: message` and `path:line: message`, the form of most tools.
const DEFAULT: &str =
    r"(?m)^(?P<path>[^\s:][^:\n]*):(?P<line>[0-9]+)(?::(?P<col>[0-9]+))?:[ \t]+(?P<message>\S.*)$";

/// `path(line,column): message`, the form of `tsc` and of compilers for Windows.
const IN_BRACKETS: &str =
    r"(?m)^(?P<path>[^\s:(][^:(\n]*)\((?P<line>[0-9]+),(?P<col>[0-9]+)\):[ \t]+(?P<message>\S.*)$";

/// Lines that compilers add to an issue: they are not issues themselves.
const ADDED: [&str; 3] = ["note:", "info:", "help:"];

/// An issue as a validator reported it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ParsedIssue {
    /// The file, if it is not the checked one.
    pub(super) elsewhere: Option<FilePath>,
    /// From 1, in the checked content.
    pub(super) line: Option<u64>,
    /// From 1, as the validator counts.
    pub(super) column: Option<u64>,
    pub(super) message: String,
    /// True if the validator gave only a status and no issue that could be parsed: the message is the start of its
    /// output.
    pub(super) bare: bool,
}

/// The file that a validator names.
#[derive(PartialEq, Eq)]
enum NamedFile {
    /// The checked file.
    It,
    /// Another file of the workspace.
    Another(FilePath),
    /// A path that the workspace cannot have.
    Outside,
}

/// The names by which a validator knows the checked file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileNames<'n> {
    /// The workspace's folder.
    pub(super) root: &'n Path,
    /// The file's path in it.
    pub(super) path: &'n FilePath,
    /// The temporary file, if there is one.
    pub(super) file: Option<&'n Path>,
    /// True if the last component of its path alone is enough: the validator was given no other path.
    pub(super) by_last: bool,
}

impl FileNames<'_> {
    /// Returns the file that a name refers to.
    fn meant(&self, name: &[u8]) -> NamedFile {
        let root = self.root.as_os_str().as_encoded_bytes();
        let below = |name: &[u8]| {
            let below = name.strip_prefix(root).and_then(|rest| rest.strip_prefix(b"/"));
            let below = below.unwrap_or(name);
            below.strip_prefix(b"./").unwrap_or(below).to_vec()
        };
        let Some(known) = plain(&below(name)) else { return NamedFile::Outside };
        let file = self.file.map(|file| file.as_os_str().as_encoded_bytes());
        let last = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
        let is_it = known == self.path.as_bytes()
            || matches!(name, b"" | b"-" | b"stdin" | b"<stdin>" | b"(stdin)" | b"standard input")
            || file.is_some_and(|file| below(file) == known)
            || known.is_empty()
            || self.by_last && !known.contains(&b'/') && known == last(self.path.as_bytes());
        if is_it { NamedFile::It } else { NamedFile::Another(FilePath::new(known)) }
    }

    /// Replaces the temporary file's name in a message by the file's path, since it differs in each run.
    fn said(&self, message: &str) -> String {
        let mut message = Cow::Borrowed(message.trim());
        if let Some(file) = self.file {
            let path = self.path.to_string();
            let below = file.strip_prefix(self.root).unwrap_or(file);
            for name in [file, below].map(Path::to_string_lossy).iter().filter(|name| !name.is_empty()) {
                message = Cow::Owned(message.replace(&**name, &path));
            }
        }
        message.chars().take(ISSUE_MESSAGE).collect()
    }
}

/// Returns a path below the workspace without `.` and `..`; `None` if it leads out, or has control characters.
fn plain(path: &[u8]) -> Option<Vec<u8>> {
    if path.first() == Some(&b'/') || path.iter().any(u8::is_ascii_control) {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

/// Parses the issues in a validator's output, at most [`ISSUES_READ`].
pub(super) fn read(output: &[u8], pattern: Option<&IssuePattern>, names: FileNames<'_>) -> Vec<ParsedIssue> {
    // The pattern needs text, also if the bytes are not UTF-8.
    let text = String::from_utf8_lossy(output);
    match pattern {
        Some(pattern) => all(&pattern.0, &text, names).collect(),
        None => {
            let patterns = [DEFAULT, IN_BRACKETS].into_iter().filter_map(|form| Regex::new(form).ok());
            let found = patterns.flat_map(|form| all(&form, &text, names).collect::<Vec<_>>());
            found
                .filter(|found| !ADDED.iter().any(|word| found.message.starts_with(word)))
                .take(ISSUES_READ)
                .collect()
        }
    }
}

fn all<'t>(
    pattern: &'t Regex,
    text: &'t str,
    names: FileNames<'t>,
) -> impl Iterator<Item = ParsedIssue> + 't {
    pattern.captures_iter(text.as_bytes()).take(ISSUES_READ).map(move |found| issue(&found, names))
}

fn issue(found: &Captures<'_>, names: FileNames<'_>) -> ParsedIssue {
    let group = |name: &str| found.name(name).map(|part| part.as_bytes());
    let number =
        |name: &str| std::str::from_utf8(group(name)?).ok()?.trim().parse().ok().filter(|number| *number > 0);
    let whole = found.get(0).map_or(&b""[..], |part| part.as_bytes());
    let message = String::from_utf8_lossy(group("message").unwrap_or(whole));
    let elsewhere = match group("path").map(|path| (names.meant(path), path)) {
        None | Some((NamedFile::It, _)) => None,
        Some((NamedFile::Another(path), _)) => Some(path),
        // Otherwise its place would be taken for one in the checked file.
        Some((NamedFile::Outside, path)) => {
            let line = number("line").map(|line| format!(":{line}")).unwrap_or_default();
            let path = FilePath::new(path.to_vec()).display();
            let message = names.said(&format!("{path}{line}: {}", message.trim()));
            return ParsedIssue { message, ..ParsedIssue::default() };
        }
    };
    ParsedIssue {
        elsewhere,
        line: number("line"),
        column: number("col"),
        message: names.said(&message),
        bare: false,
    }
}

/// Returns the one issue of a validator that ended with a status and wrote nothing that could be parsed.
pub(super) fn bare(status: i32, stdout: &[u8], stderr: &[u8], names: FileNames<'_>) -> ParsedIssue {
    let words = if stdout.trim_ascii().is_empty() { stderr } else { stdout };
    let words = String::from_utf8_lossy(words);
    let lines: Vec<&str> =
        words.lines().map(str::trim_end).filter(|line| !line.is_empty()).take(OUTPUT_LINES).collect();
    let message = match lines.as_slice() {
        [] => format!("it ended with status {status} and wrote nothing"),
        lines => names.said(&lines.join("\n")),
    };
    ParsedIssue { message, bare: true, ..ParsedIssue::default() }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Formats each issue as `path:line:column message`, with `-` for the checked file and for missing parts.
    fn shown(output: &str, pattern: Option<&str>) -> Vec<String> {
        let path = FilePath::from("src/a.py");
        let file = Some(Path::new("/w/.editd/check/1-2/a.py"));
        let names = FileNames { root: Path::new("/w"), path: &path, file, by_last: true };
        let pattern = pattern.map(|text| IssuePattern(Regex::new(&format!("(?m){text}")).unwrap()));
        let found = read(output.as_bytes(), pattern.as_ref(), names);
        let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        found
            .iter()
            .map(|issue| {
                let path = issue.elsewhere.as_ref().map_or("-".to_owned(), ToString::to_string);
                format!("{path}:{}:{} {}", number(issue.line), number(issue.column), issue.message)
            })
            .collect()
    }

    #[test]
    fn the_default_reads_what_most_tools_write() {
        for (output, expected) in [
            ("src/a.py:1:8: F401 [*] `os` unused\nFound 1 error.\n", &["-:1:8 F401 [*] `os` unused"][..]),
            ("src/a.py:3: error: Incompatible types  [x]\r\n", &["-:3:- error: Incompatible types  [x]"]),
            (
                "./src/a.py:3: bad\n/w/src/a.py:4: bad\na.py:5: bad\n-:6:1: bad\n<stdin>:7: bad",
                &["-:3:- bad", "-:4:- bad", "-:5:- bad", "-:6:1 bad", "-:7:- bad"],
            ),
            ("/w/.editd/check/1-2/a.py:2:1: see /w/.editd/check/1-2/a.py", &["-:2:1 see src/a.py"]),
            (
                "src/b.py:2:1: bad\n/w/src/c.py:1: bad\nother/a.py:1: bad",
                &["src/b.py:2:1 bad", "src/c.py:1:- bad", "other/a.py:1:- bad"],
            ),
            (
                "src/../src/./a.py:1: bad\nsrc/../b.py:2: bad\n/w/x/../src//a.py:3: bad",
                &["-:1:- bad", "b.py:2:- bad", "-:3:- bad"],
            ),
            (
                "/etc/passwd:3:1: bad\n../../x:4: bad\nsrc/../../y:5: bad\na\u{1b}[31m:6: bad\n\0:7: bad\n/world/z:8: bad",
                &[
                    "-:-:- /etc/passwd:3: bad",
                    "-:-:- ../../x:4: bad",
                    "-:-:- src/../../y:5: bad",
                    r"-:-:- a\u{1b}[31m:6: bad",
                    r"-:-:- \u{0}:7: bad",
                    "-:-:- /world/z:8: bad",
                ],
            ),
            ("src/a.py:3: note: see there\nsrc/a.py:3:1: help: do", &[]),
            (
                "src/a.py:3:\nDiff in src/a.py:1:\n  --> src/a.py:1:2\nhttp://x:80/ y\n12:30: lunch",
                &["12:30:- lunch"],
            ),
            (
                "src/a.ts(3,14): error TS2322: bad\nsrc/a (1).ts(3,1): x\nf(1): x\n(1,2): x",
                &["src/a.ts:3:14 error TS2322: bad"],
            ),
            ("src/a.py:0:0: bad\nsrc/a.py:99999999999999999999: bad", &["-:-:- bad", "-:-:- bad"]),
        ] {
            assert_eq!(shown(output, None), expected, "{output}");
        }
    }

    #[test]
    fn a_pattern_says_where_what_stands() {
        let pattern = r"^(?P<path>[^(\n]+)\((?P<line>\d+),(?P<col>\d+)\): (?P<message>.*)$";
        assert_eq!(shown("src/a.py(3,4): TS1: bad\nx", Some(pattern)), ["-:3:4 TS1: bad"]);
        assert_eq!(shown("bad thing\n", Some("^bad.*$")), ["-:-:- bad thing"]);
        assert_eq!(shown("\u{fffd}\n", Some("^(?P<message>.)$")), ["-:-:- \u{fffd}"]);
    }

    #[test]
    fn a_message_names_no_temporary_file() {
        for (output, pattern, expected) in [
            (
                ".editd/check/1-2/a.py:2: bad",
                Some("^(?P<path>[^:]+):(?P<line>[0-9]+): .*$"),
                "-:2:- src/a.py:2: bad",
            ),
            ("a.py:2: see .editd/check/1-2/a.py", None, "-:2:- see src/a.py"),
            (
                "a.py:2: see ./.editd/check/1-2/a.py and /w/.editd/check/1-2/a.py",
                None,
                "-:2:- see ./src/a.py and src/a.py",
            ),
        ] {
            assert_eq!(shown(output, pattern), [expected], "{output}");
        }
        // Also if a long message is cut in the middle of the name.
        let long = format!("a.py:1: {} /w/.editd/check/1-2/a.py", "x".repeat(ISSUE_MESSAGE - 5));
        assert!(shown(&long, None).iter().all(|shown| shown.ends_with("x src/")), "{long}");
    }

    #[test]
    fn the_last_part_of_a_path_means_the_file_only_where_the_validator_knows_no_other() {
        let path = FilePath::from("src/a.py");
        let file = Some(Path::new("/w/.editd/check/1-2/a.py"));
        let elsewhere = |by_last| {
            let names = FileNames { root: Path::new("/w"), path: &path, file, by_last };
            read(b"a.py:5: bad", None, names).remove(0).elsewhere
        };
        assert_eq!(elsewhere(true), None);
        assert_eq!(elsewhere(false), Some("a.py".into()));
    }

    #[test]
    fn the_issues_read_from_an_output_are_bounded() {
        let path = FilePath::from("a");
        let names = FileNames { root: Path::new("/w"), path: &path, file: None, by_last: false };
        let many = "a:1: x\n".repeat(ISSUES_READ + 1);
        assert_eq!(read(many.as_bytes(), None, names).len(), ISSUES_READ);
        let long = format!("a:1: {}\n", "ß".repeat(10 * ISSUE_MESSAGE));
        let message = |output: &[u8]| read(output, None, names).remove(0).message;
        assert_eq!(message(long.as_bytes()).chars().count(), ISSUE_MESSAGE);
        assert_eq!(message(b"a:1: \xff\xfe"), "\u{fffd}\u{fffd}");
        let words = "\n\n one\ntwo\n\n".repeat(OUTPUT_LINES);
        assert_eq!(bare(1, words.as_bytes(), b"", names).message.lines().count(), OUTPUT_LINES);
        assert_eq!(bare(3, b" \n", b"", names).message, "it ended with status 3 and wrote nothing");
        assert_eq!(bare(3, b"", b"why\n", names).message, "why");
    }
}
