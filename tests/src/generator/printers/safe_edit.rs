//! The dialect `safe-edit`: edits by line number, and search and replace without the ladder.

use fastrand::Rng;
use serde_json::json;

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest, UnquotedEdits, list};

/// Its line edits, and `insert_lines` where nothing gives way.
pub(super) struct LineEditsPrinter;

impl EditPrinter for LineEditsPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { quotes: false, looks: false, ..FormProperties::named("safe-edit, lines") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let shut = rng.bool();
        let text = |lines: &[String]| {
            let mut text = list(lines, ask.eol);
            if shut && lines.last().is_some_and(|line| !line.is_empty()) {
                text.truncate(text.len() - ask.eol.len());
            }
            text
        };
        let edits = || ask.edits.iter().zip(ask.lines);
        let inserts = edits().filter(|(_, (_, removed))| *removed == 0).count();
        let (field, list) = if inserts == 0 {
            let edits = edits().map(|(said, (first, removed))| {
                json!({"start_line": first + 1, "end_line": first + removed, "new_content": text(&said.new)})
            });
            ("line_edits", edits.collect::<Vec<_>>())
        } else if inserts == ask.edits.len() {
            let edits =
                edits().map(|(said, (first, _))| json!({"at_line": first + 1, "content": text(&said.new)}));
            ("insert_lines", edits.collect())
        } else {
            return None;
        };
        let text = json!({"path": ask.source.path, field: list}).to_string();
        Some(PrintedRequest::Payload { dialect: "safe-edit", text, beside: false })
    }
}

/// Its search and replace of a text that stands once.
pub(super) struct SafeEditSearchReplacePrinter;

impl EditPrinter for SafeEditSearchReplacePrinter {
    fn ways(&self) -> FormProperties {
        FormProperties {
            anywhere: true,
            phrases: true,
            many: false,
            looks: false,
            numbered: false,
            ..FormProperties::named("safe-edit, search")
        }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let (search, replace) = ask.edits.first()?.texts(ask.eol);
        let how = json!({"search": search, "replace": replace});
        let text = json!({"path": ask.source.path, "search_replace": how}).to_string();
        Some(PrintedRequest::Payload { dialect: "safe-edit", text, beside: false })
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let text = match edit {
            UnquotedEdits::Everywhere { old, new } => {
                // A word is the same pattern.
                let regex = old.len() % 2 == 0;
                json!({"path": path, "search_replace": {"search": old, "replace": new, "regex": regex}})
            }
            UnquotedEdits::Whole(text) => json!({"path": path, "content": text}),
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        Some(PrintedRequest::Payload { dialect: "safe-edit", text: text.to_string(), beside: false })
    }
}
