//! Finds a placeholder that an edit puts in the place of code, such as `// ... existing code ...`: models write it for code
//! that they mean to keep. A placeholder is one line: an ellipsis at its beginning or its end, and a few words that begin
//! like "rest of" or "existing" and name code. Pure.
//!
//! *Limitations*: it knows English words. A line that is in the removed text, too, is none, nor is one that replaces nothing.

use std::collections::HashSet;

use crate::Splice;

/// The most words of a placeholder.
const WORDS: usize = 8;

/// The longest line that is examined, in bytes.
const LONGEST: usize = 200;

/// The first words of placeholders.
const OPENINGS: [&str; 9] =
    ["rest", "existing", "remaining", "unchanged", "previous", "original", "same", "keep", "other"];

/// Words for what a placeholder replaces, or for its state. At least one of them is in each placeholder.
const SUBJECTS: [&str; 26] = [
    "code",
    "method",
    "methods",
    "function",
    "functions",
    "implementation",
    "file",
    "class",
    "classes",
    "logic",
    "content",
    "contents",
    "lines",
    "body",
    "imports",
    "component",
    "definitions",
    "tests",
    "fields",
    "styles",
    "config",
    "unchanged",
    "omitted",
    "same",
    "before",
    "above",
];

/// The openings and ends of comments in the languages that people edit.
const OPENERS: [&str; 9] = ["{/*", "/*", "<!--", "//", "#", "--", ";", "%", "*"];
const CLOSERS: [&str; 3] = ["*/}", "*/", "-->"];

/// Returns the warning about the first placeholder that replaces code. The splices are UTF-8.
pub(crate) fn warning(splices: &[Splice]) -> Option<String> {
    let line = splices.iter().find_map(placeholder)?;
    Some(format!(
        "the line `{line}` replaces the lines that it stands for; undo this job and send those lines if they are to stay"
    ))
}

/// Returns the first placeholder in the text of a splice that removes lines.
fn placeholder(splice: &Splice) -> Option<&str> {
    let (old, new) = (std::str::from_utf8(&splice.old).ok()?, std::str::from_utf8(&splice.new).ok()?);
    let mut found = new.lines().filter(|line| is_placeholder(line)).map(str::trim).peekable();
    found.peek()?;
    let (before, after): (HashSet<&str>, HashSet<&str>) =
        (old.lines().map(str::trim).collect(), new.lines().map(str::trim).collect());
    let removes = before.iter().any(|line| !line.is_empty() && !after.contains(line));
    found.find(|line| removes && !before.contains(line))
}

/// Returns true if a line is a placeholder, whatever it replaces.
fn is_placeholder(line: &str) -> bool {
    if line.len() > LONGEST || !(line.contains("...") || line.contains('…')) {
        return false;
    }
    let line = line.trim();
    let opener = OPENERS.iter().find(|opener| line.starts_with(**opener));
    let body = opener.and_then(|opener| line.strip_prefix(opener)).unwrap_or(line);
    let body = CLOSERS.iter().find_map(|closer| body.strip_suffix(closer)).unwrap_or(body);
    let body = body.trim_matches(|c: char| c.is_whitespace() || "()[]".contains(c));
    let inner = without_ellipsis(body);
    // `...rest` is code in some languages.
    let is_spread =
        opener.is_none() && inner.len() < body.len() && body.ends_with(inner) && !inner.starts_with(' ');
    let words: Vec<String> = inner
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    inner.len() < body.len()
        && !is_spread
        && words.len() <= WORDS
        && words.first().is_some_and(|word| OPENINGS.contains(&word.as_str()))
        && words.iter().any(|word| SUBJECTS.contains(&word.as_str()))
}

/// Returns a text without the ellipses at its ends.
fn without_ellipsis(text: &str) -> &str {
    let mut rest = text;
    for ellipsis in ["...", "…"] {
        rest = rest.strip_prefix(ellipsis).unwrap_or(rest);
        rest = rest.strip_suffix(ellipsis).unwrap_or(rest);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognized() {
        for line in [
            "// ... existing code ...",
            "    # ... rest of the function ...\n",
            "/* ... other methods ... */",
            "<!-- … existing content … -->",
            "{/* ... rest of the component ... */}",
            "-- rest of the file remains unchanged...",
            "# [... rest of the tests, same as before]",
            "(rest of methods ...)",
            "... rest of code ...",
            "// Rest of the implementation...\r\n",
            "// ...existing code...",
        ] {
            assert!(is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "...",
            "# ...",
            "    ...rest,",
            "...existing.code",
            "    ...same, code",
            "print(\"... existing code ...\")",
            "# waiting for the remaining jobs...",
            "// the rest of the code is unchanged",
            "// existing entries are kept...",
            "let x = ...;",
            "def f(*rest): ...",
            "- ... existing code",
            "# ... rest of a very long sentence about code that nobody would write as a placeholder ...",
        ] {
            assert!(!is_placeholder(line), "{line}");
        }
    }

    fn splice(old: &str, new: &str) -> Splice {
        Splice { at: 0, old: old.into(), new: new.into() }
    }

    #[test]
    fn only_a_placeholder_that_replaces_code_is_found() {
        let line = "// ... existing code ...\n";
        let found = placeholder(&splice("b();\nc();\n", &format!("b();\n{line}"))).map(str::to_owned);
        assert_eq!(found.as_deref(), Some(line.trim()));
        assert_eq!(placeholder(&splice("", line)), None, "nothing is removed");
        assert_eq!(placeholder(&splice("a\n\n", &format!("a\n{line}"))), None, "a blank line is removed");
        assert_eq!(placeholder(&splice(&format!("a\n{line}"), &format!("b\n{line}"))), None, "it was there");
    }
}
