//! Finds the places of a list of lines in one form by its longest line, without making the content in that form. If that
//! line is frequent, or the list has a peculiarity, the content in that form must be searched instead.

use std::ops::Range;

use super::reduced::LineTrim;
use crate::cut::Cut;
use crate::text::{Breaks, Text};

/// Lines of the file with the longest quoted line that are compared. A text has few equal lines of that length, unless it
/// repeats itself.
const SEEDS: usize = 256;

/// Returns the runs of lines of the file that are the lines of `list` in a form, in the order of the file. `list` has that
/// form. The ranges exclude the last line's break. Returns `None` if that takes longer than a search of the content.
pub(super) fn runs(text: &Text<'_>, form: LineTrim, list: &str) -> Option<Vec<Range<usize>>> {
    // A carriage return may be part of a line or of its break, depending on the text behind it.
    if list.contains('\r') {
        return None;
    }
    let wanted: Vec<&str> = list.split('\n').collect();
    let (nth, seed) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    if seed.trim().is_empty() {
        return None;
    }
    let (before, behind) = (wanted.cut(0..nth), wanted.cut(nth + 1..wanted.len()));
    let mut lines = FileLines { content: &text.content, breaks: text.breaks, left: text.len() };
    let finder = memchr::memmem::Finder::new(seed.as_bytes());
    let (mut found, mut from, mut seeds) = (Vec::new(), 0, 0);
    while let Some(step) = finder.find(text.content.as_bytes().cut(from..text.len())) {
        seeds += 1;
        if seeds > SEEDS {
            return None;
        }
        let line = lines.around(from + step)?;
        from = line.end;
        if form.kept(lines.says(&line)) != *seed {
            continue;
        }
        let is =
            |line: &Range<usize>, lines: &FileLines<'_>, wanted: &str| form.kept(lines.says(line)) == wanted;
        let mut first = line.clone();
        let mut same = true;
        for wanted in before.iter().rev() {
            match lines.above(&first)? {
                Some(line) if is(&line, &lines, wanted) => first = line,
                _ => {
                    same = false;
                    break;
                }
            }
        }
        let mut last = line;
        for wanted in behind.iter().filter(|_| same) {
            match lines.below(&last)? {
                Some(line) if is(&line, &lines, wanted) => last = line,
                _ => {
                    same = false;
                    break;
                }
            }
        }
        // A blank last line counts only with its break.
        let closed = last.end < text.len() || wanted.last().is_some_and(|line| !line.is_empty());
        if same && closed {
            found.push(first.start..last.start + lines.says(&last).len());
        }
    }
    Some(found)
}

/// The lines of a file, as ranges without the byte that ends a line. Few bytes of them are read.
struct FileLines<'t> {
    content: &'t str,
    breaks: Breaks,
    /// Bytes that may still be read.
    left: usize,
}

impl FileLines<'_> {
    fn pay(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(bytes)?;
        Some(())
    }

    /// Returns the end of the line that an offset is in.
    fn end(&mut self, at: usize) -> Option<usize> {
        let rest = self.content.as_bytes().cut(at..self.content.len());
        let length = memchr::memchr(self.breaks.stop(), rest).unwrap_or(rest.len());
        self.pay(length)?;
        Some(at + length)
    }

    /// Returns the start of the line that an offset is in.
    fn start(&mut self, at: usize) -> Option<usize> {
        let start = memchr::memrchr(self.breaks.stop(), self.content.as_bytes().cut(0..at));
        let start = start.map_or(0, |stop| stop + 1);
        self.pay(at - start)?;
        Some(start)
    }

    /// Returns the line that an offset is in; `None` if too much was read, as the functions below do.
    fn around(&mut self, at: usize) -> Option<Range<usize>> {
        Some(self.start(at)?..self.end(at)?)
    }

    /// Returns the line above, if there is one.
    fn above(&mut self, line: &Range<usize>) -> Option<Option<Range<usize>>> {
        let Some(end) = line.start.checked_sub(1) else { return Some(None) };
        Some(Some(self.start(end)?..end))
    }

    /// Returns the line below, if there is one. Behind the last break of a file is an empty line.
    fn below(&mut self, line: &Range<usize>) -> Option<Option<Range<usize>>> {
        if line.end >= self.content.len() {
            return Some(None);
        }
        let start = line.end + 1;
        Some(Some(start..self.end(start)?))
    }

    /// Returns the text of a line, without the first byte of a break of two.
    fn says(&self, line: &Range<usize>) -> &str {
        let says = self.content.cut(line.clone());
        let paired = self.breaks == Breaks::Lf && line.end < self.content.len();
        if paired { says.strip_suffix('\r').unwrap_or(says) } else { says }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::ops::ControlFlow;

    use super::super::reduced::Reduced;
    use super::*;

    const FORMS: [LineTrim; 2] = [LineTrim::Trimmed, LineTrim::Bare];

    /// Returns the runs that a search of the whole content finds.
    fn searched(text: &Text<'_>, form: LineTrim, list: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let stopped = Reduced::new(form).whole(text, list, &mut |run| {
            found.push(run);
            ControlFlow::Continue(())
        });
        assert!(stopped.is_continue());
        found
    }

    #[test]
    fn the_runs_are_those_of_a_search_of_the_whole_content() {
        let says = ["a", " a", "a ", "b\t", "ab", "", " ", "a\rb"];
        let mut compared = 0;
        for breaks in ["\n", "\r\n", "\r", "\n\r\n"] {
            let ends: Vec<&str> = if breaks.len() == 3 { vec!["\n", "\r\n"] } else { vec![breaks] };
            let mut contents = vec![String::new()];
            for _ in 0..3 {
                let longer = contents.iter().flat_map(|content| {
                    let line =
                        |says: &&str| ends.iter().map(move |end| format!("{says}{end}")).collect::<Vec<_>>();
                    says.iter().flat_map(line).map(move |line| format!("{content}{line}"))
                });
                contents = longer.collect();
            }
            let lists =
                says.iter().flat_map(|one| says.iter().map(move |other| format!("{one}{breaks}{other}")));
            let lists: Vec<String> = lists.chain(says.iter().map(|one| (*one).to_owned())).collect();
            for content in contents.iter().step_by(if ends.len() > 1 { 7 } else { 1 }) {
                for content in [content.as_str(), content.trim_end_matches(['\n', '\r'])] {
                    let text = Text::read(content.as_bytes(), None).unwrap();
                    for (list, form) in lists.iter().flat_map(|list| FORMS.map(|form| (list, form))) {
                        let list = form.of(list, text.breaks);
                        let Some(runs) = runs(&text, form, &list) else { continue };
                        assert_eq!(runs, searched(&text, form, &list), "{list:?} in {content:?}, {form:?}");
                        compared += runs.len();
                    }
                }
            }
        }
        assert!(compared > 1_000, "{compared}");
    }

    #[test]
    fn a_frequent_line_or_a_long_one_is_left_to_the_search_of_the_whole_content() {
        let frequent = "a line\n".repeat(SEEDS + 1) + "end\n";
        let text = Text::read(frequent.as_bytes(), None).unwrap();
        assert_eq!(runs(&text, LineTrim::Bare, "a line\nend"), None);
        let long = format!("{}\nword\n", "x ".repeat(1000)).repeat(20) + &"word ".repeat(10);
        let text = Text::read(long.as_bytes(), None).unwrap();
        let list = format!("{}\nword\n{}\nword", "x ".repeat(1000).trim(), "x ".repeat(1000).trim());
        let found = runs(&text, LineTrim::Trimmed, &list);
        assert!(found.is_none_or(|found| found == searched(&text, LineTrim::Trimmed, &list)));
        assert_eq!(runs(&text, LineTrim::Bare, "none\nat all"), Some(Vec::new()));
    }
}
