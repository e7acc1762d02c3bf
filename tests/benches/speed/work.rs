//! The edits of the benchmark as data: a file with one line that each job writes anew. It sends nothing.

/// One replacement of a quoted text in a file.
pub(crate) struct LineEdit {
    /// The path from the workspace.
    pub(crate) path: String,
    /// The text, which the file has once.
    pub(crate) old: String,
    /// Its replacement.
    pub(crate) new: String,
}

/// One job.
pub(crate) struct EditJob {
    /// Its edits, one in each file.
    pub(crate) edits: Vec<LineEdit>,
    /// True if the reply waits for the flush.
    pub(crate) durable: bool,
    /// True if the quoted text is absent, so that the job is refused.
    pub(crate) absent: bool,
}

/// A file whose line in the middle ends with a number that each job counts up.
#[derive(Clone)]
pub(crate) struct CountedFile {
    /// The path from the workspace.
    pub(crate) path: String,
    /// The line without its number.
    line: String,
    turn: u64,
}

impl CountedFile {
    /// Returns the file and its first content, which is `text` with a number in a comment of one line.
    pub(crate) fn new(path: &str, text: &str) -> (Self, String) {
        let extension = path.rsplit('.').next().unwrap_or_default();
        let middle = text.len() / 2;
        let middle = (middle..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let from = text[middle..].find('\n').map_or(0, |at| middle + at + 1);
        let mut start = from;
        let found = text[from..].split_inclusive('\n').find(|line| {
            let fits = fits(extension, line.trim_end());
            start += if fits { 0 } else { line.len() };
            fits
        });
        let whole = found.unwrap_or_else(|| panic!("{path}: no line fits"));
        let line = whole.trim_end();
        let comment = match extension {
            "rs" | "ts" => "// turn",
            "py" => " # turn",
            _ => "turn",
        };
        let file = Self { path: path.to_owned(), line: format!("{line} {comment}"), turn: 0 };
        let content = format!("{}{}{}", &text[..start], file.numbered(0), &text[start + whole.len()..]);
        (file, content)
    }

    /// Returns the edit that counts the number up.
    pub(crate) fn next(&mut self) -> LineEdit {
        self.turn += 1;
        LineEdit { path: self.path.clone(), old: self.numbered(self.turn - 1), new: self.numbered(self.turn) }
    }

    /// Returns an edit of a line that looks like one of the file but is absent.
    pub(crate) fn absent(&self) -> LineEdit {
        let old = format!("{} 0 of another file\n", self.line);
        LineEdit { path: self.path.clone(), old, new: "nothing\n".to_owned() }
    }

    /// Returns the present number.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    fn numbered(&self, turn: u64) -> String {
        format!("{} {turn}\n", self.line)
    }
}

/// Returns true if a comment can follow the line.
fn fits(extension: &str, line: &str) -> bool {
    let is_plain = !line.contains(['"', '\'', '`', '\\', '#']);
    match extension {
        "rs" | "ts" => is_plain && line.ends_with(';'),
        "py" => is_plain && line.contains(" = ") && line.ends_with(|c: char| c.is_alphanumeric() || c == ')'),
        _ => line.len() > 40 && line.starts_with(|c: char| c.is_alphabetic()),
    }
}
