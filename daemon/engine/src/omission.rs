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

/// Returns the warning about the first placeholder that replaces code. `after` is the new content, in UTF-8, which the splices
/// made.
pub(crate) fn warning(after: &[u8], splices: &[Splice]) -> Option<String> {
    let mut moved = 0i64;
    let line = splices.iter().find_map(|splice| {
        let at = splice.at.saturating_add_signed(moved);
        moved += splice.new.len() as i64 - splice.old.len() as i64;
        let has_dots = [&b"..."[..], "…".as_bytes()]
            .iter()
            .any(|dots| memchr::memmem::find(&splice.new, dots).is_some());
        has_dots.then(|| placeholder(&in_lines(after, usize::try_from(at).ok()?, splice)?))?
    })?;
    Some(format!(
        "the line `{line}` replaces the lines that it stands for; undo this job and send those lines if they are to stay"
    ))
}

/// Returns the lines that a splice touches, before and after it: a splice may begin and end inside of a line. `at` is its
/// offset in the new content.
fn in_lines(after: &[u8], at: usize, splice: &Splice) -> Option<[String; 2]> {
    let (above, rest) = after.split_at_checked(at)?;
    let below = rest.get(splice.new.len()..)?;
    let lead = above.get(memchr::memrchr(b'\n', above).map_or(0, |end| end + 1)..)?;
    let tail = below.get(..memchr::memchr(b'\n', below).unwrap_or(below.len()))?;
    let whole = |part: &[u8]| String::from_utf8([lead, part, tail].concat()).ok();
    Some([whole(&splice.old)?, whole(&splice.new)?])
}

/// Returns the first placeholder among new lines, if lines were removed for it.
fn placeholder([old, new]: &[String; 2]) -> Option<String> {
    let mut found = new.lines().filter(|line| is_placeholder(line)).map(str::trim).peekable();
    found.peek()?;
    let (before, after): (HashSet<&str>, HashSet<&str>) =
        (old.lines().map(str::trim).collect(), new.lines().map(str::trim).collect());
    let removes = before.iter().any(|line| !line.is_empty() && !after.contains(line));
    found.find(|line| removes && !before.contains(line)).map(str::to_owned)
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

    #[test]
    fn only_a_placeholder_that_replaces_code_is_found() {
        let line = "// ... existing code ...\n";
        let found = |old: &str, new: &str| placeholder(&[old.to_owned(), new.to_owned()]);
        assert_eq!(found("b();\nc();\n", &format!("b();\n{line}")).as_deref(), Some(line.trim()));
        assert_eq!(found("", line), None, "nothing is removed");
        assert_eq!(found("a\n\n", &format!("a\n{line}")), None, "a blank line is removed");
        assert_eq!(found(&format!("a\n{line}"), &format!("b\n{line}")), None, "it was there");
    }

    #[test]
    fn the_whole_line_is_shown() {
        let after = b"x\n// ... existing code ...\nz\n";
        let splices = [(0, "xx", "x"), (6, "one\ntwo", "... existing code ...")];
        let splices = splices.map(|(at, old, new)| Splice { at, old: old.into(), new: new.into() });
        assert!(warning(after, &splices).is_some_and(|shown| shown.contains("`// ... existing code ...`")));
    }
}
