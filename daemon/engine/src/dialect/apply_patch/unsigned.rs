//! Corrects lines of context that a model sent without the blank in front of them. It reads no file.

use crate::locate::common_divisor;

/// Returns the lines of a hunk with a sign each, and the number of lines that had none; `None` if all have one.
pub(super) fn signed(lines: &[&str]) -> Option<(String, usize)> {
    let unsigned = |line: &&&str| !(line.is_empty() || line.starts_with([' ', '+', '-', '\\']));
    let count = lines.iter().filter(unsigned).count();
    if count == 0 {
        return None;
    }
    let all = lost_everywhere(lines);
    let mut out = String::new();
    let mut added = 0;
    for line in lines {
        let bare = line.starts_with(' ') && !line.trim().is_empty();
        if unsigned(&line) || (all && bare) {
            out.push(' ');
            added += 1;
        }
        out.push_str(line);
        out.push('\n');
    }
    Some((out, added))
}

/// Returns true if the lines that begin with blanks lack the leading one, too: their indentation is then a whole
/// number of steps as it is, and would be none without one blank.
fn lost_everywhere(lines: &[&str]) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let filled = |line: &&&str| !line.trim().is_empty();
    let changed = lines.iter().filter(filled).filter_map(|line| line.strip_prefix(['+', '-']));
    let step = changed.map(indent).filter(|width| *width > 0).fold(0, common_divisor);
    let step = if step < 2 { 2 } else { step };
    let mut widths =
        lines.iter().filter(filled).filter(|line| line.starts_with(' ')).map(|line| indent(line));
    widths.all(|width| width % step == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<String> {
        signed(lines).map(|(text, _)| text)
    }

    #[test]
    fn a_missing_leading_blank_is_restored() {
        assert_eq!(read(&[" a", "-b", "+c", "", "\\ No newline"]), None);
        assert_eq!(read(&["a", "-b", "+c"]).as_deref(), Some(" a\n-b\n+c\n"));
        assert_eq!(read(&["\ta", "-\tb"]).as_deref(), Some(" \ta\n-\tb\n"));
    }

    #[test]
    fn the_indentation_tells_whether_all_lines_lost_it() {
        assert_eq!(read(&["a", "    b", "-    c"]).as_deref(), Some(" a\n     b\n-    c\n"));
        assert_eq!(read(&["a", "     b", "-    c"]).as_deref(), Some(" a\n     b\n-    c\n"));
        assert_eq!(read(&["a", "  b", "+c"]).as_deref(), Some(" a\n   b\n+c\n"));
        assert_eq!(read(&["a", "   b", "+c"]).as_deref(), Some(" a\n   b\n+c\n"));
    }
}
