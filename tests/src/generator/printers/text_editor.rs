//! The dialect `text-editor`: one `str_replace` at a time, and no file that exists is created anew.

use fastrand::Rng;
use serde_json::json;

use super::{Ask, Printer, Sent, Ways};

/// The dialect.
pub(super) struct TextEditor;

impl Printer for TextEditor {
    fn ways(&self) -> Ways {
        Ways { anywhere: true, phrases: true, many: false, ..Ways::named("text-editor") }
    }

    fn print(&self, ask: &Ask<'_>, rng: &mut Rng) -> Option<Sent> {
        let (old, new) = ask.edits.first()?.texts(ask.eol);
        let path = &ask.source.path;
        let text = if new.is_empty() && rng.bool() {
            json!({"command": "str_replace", "path": path, "old_str": old})
        } else {
            json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
        };
        Some(Sent::Payload { dialect: "text-editor", text: text.to_string(), beside: false })
    }
}
