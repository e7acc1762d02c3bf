//! The section of a file on a page: its net change, line by line.

use editctl::journal::lines::LineDiff;
use editctl::journal::net::NetChange;
use editctl::journal::patch;
use editctl::show::diff::changed_words;
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag};

use super::counts;
use crate::diff::status;
use crate::escape::html;

/// Maximum number of rows of a file, and of bytes of a line. Rows and bytes beyond are counted.
const ROWS: usize = 5000;
const LINE: usize = 4000;

/// The number of rows from which on a section is closed at first.
const MANY: usize = 1000;

/// The section of a file.
pub(crate) struct FileSection {
    /// The number of added lines.
    pub(crate) added: u64,
    /// The number of removed lines.
    pub(crate) removed: u64,
    html: String,
}

/// The rows of a table.
#[derive(Default)]
struct DiffRows {
    html: String,
    count: usize,
    left_out: usize,
}

impl FileSection {
    /// Creates the section of a change, which has at most `room` bytes unless it only names the file.
    pub(crate) fn new(change: &NetChange, room: usize) -> Self {
        let name = html(&change.path.display());
        let heading = match &change.former {
            Some(former) => format!("{} \u{2192} {name}", html(&former.path.display())),
            None => name.clone(),
        };
        let (mut added, mut removed, mut body, mut open) = (0, 0, String::new(), true);
        match patch::texts(change) {
            Ok((old, new)) => {
                let diff = LineDiff::between(old, new);
                (added, removed) = diff.counts();
                let rows = DiffRows::of(&diff);
                open = rows.count <= MANY;
                body = modes(change) + &rows.table(&name);
                if body.len() > room {
                    body = "<p>Not shown: the report would be too long.</p>\n".to_owned();
                }
            }
            Err(why) => body.push_str(&format!("<p>Not shown: {}.</p>\n", html(&why.to_string()))),
        }
        let open = if open { " open" } else { "" };
        let html = format!(
            "<details{open}>\n<summary><h3>{heading}</h3> {} <span class=\"quiet\">{}</span></summary>\n{body}\
             </details>\n",
            counts(added, removed),
            status(change)
        );
        Self { added, removed, html }
    }

    /// Returns the section.
    pub(crate) fn html(&self) -> &str {
        &self.html
    }
}

/// Returns a sentence about a changed mode.
fn modes(change: &NetChange) -> String {
    match (status(change), change.executable_before, change.executable_after) {
        ("modified" | "renamed", false, true) => "<p>The file can be executed now.</p>\n".to_owned(),
        ("modified" | "renamed", true, false) => "<p>The file can no longer be executed.</p>\n".to_owned(),
        ("created", _, true) => "<p>The file can be executed.</p>\n".to_owned(),
        _ => String::new(),
    }
}

impl DiffRows {
    fn of(diff: &LineDiff<'_>) -> Self {
        let mut rows = Self::default();
        for hunk in diff.hunks() {
            rows.heading(&UnifiedHunkHeader::new(&hunk).to_string());
            for step in &hunk {
                rows.step(diff, step);
            }
        }
        rows
    }

    fn table(&self, name: &str) -> String {
        if self.html.is_empty() {
            return "<p>No line changed.</p>\n".to_owned();
        }
        let more = match self.left_out {
            0 => String::new(),
            more => {
                format!("<p>{more} more lines; <code>editctl diff {name}</code> prints all of them.</p>\n")
            }
        };
        format!(
            "<table aria-label=\"Changed lines of {name}\">\n<thead><tr><th scope=\"col\" class=\"number\">old</th>\
             <th scope=\"col\" class=\"number\">new</th><td class=\"sign\"></td>\
             <th scope=\"col\" class=\"text\">line</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n{more}",
            self.html
        )
    }

    fn heading(&mut self, text: &str) {
        if self.count < ROWS {
            self.html.push_str(&format!("<tr class=\"hunk\"><td colspan=\"4\">{text}</td></tr>\n"));
        }
    }

    fn step(&mut self, diff: &LineDiff<'_>, step: &DiffOp) {
        let old = lines(&diff.old, step.old_range());
        let new = lines(&diff.new, step.new_range());
        let (from, to) = (step.old_range().start + 1, step.new_range().start + 1);
        if step.tag() == DiffTag::Equal {
            for ((old, new), line) in (from..).zip(to..).zip(&new) {
                self.row(("", ' '), [Some(old), Some(new)], line, None);
            }
            return;
        }
        let paired = old.len() == new.len();
        let words = |at: usize| changed_words(&old.get(at)?.text, &new.get(at)?.text).filter(|_| paired);
        for (at, line) in old.iter().enumerate() {
            let marks = words(at).map(|(old, _)| marked(&old, "del"));
            self.row(("del", '-'), [Some(from + at), None], line, marks);
        }
        for (at, line) in new.iter().enumerate() {
            let marks = words(at).map(|(_, new)| marked(&new, "ins"));
            self.row(("add", '+'), [None, Some(to + at)], line, marks);
        }
    }

    /// Adds a line. `marks` is its text with marked words.
    fn row(
        &mut self,
        (class, sign): (&str, char),
        numbers: [Option<usize>; 2],
        line: &ShownLine,
        marks: Option<String>,
    ) {
        if self.count >= ROWS {
            self.left_out += 1;
            return;
        }
        self.count += 1;
        let [old, new] = numbers.map(|number| number.map(|number| number.to_string()).unwrap_or_default());
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let text = marks.unwrap_or_else(|| html(&line.text));
        let note = line.note.map(|note| format!(" <span class=\"quiet\">{note}</span>")).unwrap_or_default();
        self.html.push_str(&format!(
            "<tr{class}><th class=\"number\">{old}</th><th class=\"number\">{new}</th>\
             <td class=\"sign\">{sign}</td><td class=\"text\">{text}{note}</td></tr>\n"
        ));
    }
}

/// A line as a page shows it.
struct ShownLine {
    text: String,
    /// Words about its end.
    note: Option<&'static str>,
}

/// Returns lines as text.
fn lines(lines: &[&[u8]], range: std::ops::Range<usize>) -> Vec<ShownLine> {
    let shown = |line: &&[u8]| {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let note = match (text.len() > LINE, text.len() == line.len()) {
            (true, _) => Some("(the line is longer)"),
            (false, true) => Some("\\ No newline at end of file"),
            (false, false) => None,
        };
        ShownLine { text: String::from_utf8_lossy(text.get(..LINE).unwrap_or(text)).into_owned(), note }
    };
    lines.get(range).unwrap_or_default().iter().map(shown).collect()
}

/// Returns words with the changed ones in an element.
fn marked(words: &[(&str, bool)], element: &str) -> String {
    let mut out = String::new();
    let mut was = false;
    for (word, changed) in words {
        if *changed != was {
            out.push_str(&if *changed { format!("<{element}>") } else { format!("</{element}>") });
            was = *changed;
        }
        out.push_str(&html(word));
    }
    if was {
        out.push_str(&format!("</{element}>"));
    }
    out
}
