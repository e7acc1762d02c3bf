//! The lines that the result of a search shows, in the forms that runtimes print. Pure. It has no limit of its own.
//!
//! *Limitations*: what is in none of these forms is not recorded as read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

/// Lines of a file that a tool has shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShownPassage {
    /// The path.
    pub(crate) path: String,
    /// The first and the last line, from 1.
    pub(crate) lines: (u64, u64),
    /// The line that was shown if the file ends in front of these.
    pub(crate) else_line: Option<u64>,
}

/// Returns the passages of a result, neighbouring lines as one: the first of each file, then all others. A file is checked if
/// one of its passages is recorded.
pub(crate) fn passages(input: &Value, response: &Value) -> Vec<ShownPassage> {
    let shown = ["content", "llmContent"].iter().find_map(|field| response.get(*field)?.as_str());
    let Some(shown) = shown.or_else(|| response.as_str()) else { return Vec::new() };
    // The result of a search in one file leaves its path out.
    let only = input.get("path").and_then(Value::as_str);
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut file: Option<Cow<'_, str>> = None;
    let is_grouped = shown.lines().next().is_some_and(is_count);
    for line in shown.lines() {
        let grouped = line.strip_suffix(':').filter(|_| is_grouped && !line.starts_with(' '));
        if let Some(path) = line.strip_prefix("File: ") {
            file = Some(below_folder(input, path.trim()));
            continue;
        }
        if let Some(path) = grouped {
            file = Some(path.trim().into());
            continue;
        }
        let found = match (file.as_deref(), numbered(line)) {
            (Some(path), _) => under_file(line).map(|number| (path, number)),
            (None, Some(found)) => Some(found),
            (None, None) => only.zip(alone(line)),
        };
        if let Some((path, number)) = found {
            lines.entry(path.to_owned()).or_default().push(number);
        }
    }
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (path, numbers) in lines {
        for (at, lines) in runs(numbers).into_iter().enumerate() {
            let passages = if at == 0 { &mut first } else { &mut others };
            passages.push(ShownPassage { path: path.clone(), lines, else_line: None });
        }
    }
    first.append(&mut others);
    first
}

/// Returns the path in a heading `File: PATH`, which begins at the folder of the search. A search in one file has that file as
/// its path.
fn below_folder<'p>(input: &'p Value, path: &'p str) -> Cow<'p, str> {
    let named = ["dir_path", "path"].iter().find_map(|field| input.get(*field)?.as_str());
    let Some(folder) =
        named.map(|named| named.trim_end_matches(['/', '\\'])).filter(|named| !named.is_empty())
    else {
        return path.into();
    };
    let is_the_file =
        folder == path || folder.strip_suffix(path).is_some_and(|above| above.ends_with(['/', '\\']));
    match () {
        () if is_the_file => folder.into(),
        () if path.starts_with(['/', '\\']) || path.get(1..2) == Some(":") => path.into(),
        () => format!("{folder}/{path}").into(),
    }
}

/// Reads `PATH:12:text`. A path with a colon is not understood.
fn numbered(line: &str) -> Option<(&str, u64)> {
    let (path, rest) = line.split_once(':')?;
    let (number, _) = rest.split_once(':')?;
    Some((path, positive(number)?)).filter(|(path, _)| !path.is_empty() && positive(path).is_none())
}

/// Reads `12:text`.
fn alone(line: &str) -> Option<u64> {
    positive(line.split_once(':')?.0)
}

/// Reads `L12: text` or `  Line 12: text`, below a line that names the file.
fn under_file(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("  Line ").or_else(|| line.strip_prefix('L'))?;
    positive(rest.split_once(':')?.0)
}

/// Returns true for `Found 3 matches`, the first line of a result in which `PATH:` is above the lines of a file.
fn is_count(line: &str) -> bool {
    let line = line.strip_suffix(" (more matches available)").unwrap_or(line);
    let digits = line.strip_prefix("Found ").and_then(|rest| rest.strip_suffix(" matches"));
    digits.is_some_and(|digits| positive(digits).is_some())
}

fn positive(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| all_digits && *number > 0)
}

/// Returns the runs of some numbers.
fn runs(mut numbers: Vec<u64>) -> Vec<(u64, u64)> {
    numbers.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if number <= last.saturating_add(1) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}
