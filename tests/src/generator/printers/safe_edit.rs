//! The dialect `safe-edit`: edits by line number, and search and replace without the ladder.

use fastrand::Rng;
use serde_json::json;

use super::{Ask, Printer, Sent, Sweeping, Ways, list};

/// Its line edits, and `insert_lines` where nothing gives way.
pub(super) struct LineEdits;

impl Printer for LineEdits {
    fn ways(&self) -> Ways {
        Ways { quotes: false, looks: false, ..Ways::named("safe-edit, lines") }
    }

    fn print(&self, ask: &Ask<'_>, rng: &mut Rng) -> Option<Sent> {
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
        Some(Sent::Payload { dialect: "safe-edit", text, beside: false })
    }
}

/// Its search and replace of a text that stands once.
pub(super) struct SafeEditSearchReplace;

impl Printer for SafeEditSearchReplace {
    fn ways(&self) -> Ways {
        Ways {
            anywhere: true,
            phrases: true,
            many: false,
            looks: false,
            numbered: false,
            ..Ways::named("safe-edit, search")
        }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
        let (search, replace) = ask.edits.first()?.texts(ask.eol);
        let how = json!({"search": search, "replace": replace});
        let text = json!({"path": ask.source.path, "search_replace": how}).to_string();
        Some(Sent::Payload { dialect: "safe-edit", text, beside: false })
    }

    fn sweep(&self, path: &str, edit: &Sweeping) -> Option<Sent> {
        let text = match edit {
            Sweeping::Everywhere { old, new } => {
                // A word is the same pattern.
                let regex = old.len() % 2 == 0;
                json!({"path": path, "search_replace": {"search": old, "replace": new, "regex": regex}})
            }
            Sweeping::Whole(text) => json!({"path": path, "content": text}),
            Sweeping::Start(_) | Sweeping::End(_) => return None,
        };
        Some(Sent::Payload { dialect: "safe-edit", text: text.to_string(), beside: false })
    }
}
