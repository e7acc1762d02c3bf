//! The dialect `text-editor`: one `str_replace` at a time, and no file that exists is created anew.

use fastrand::Rng;
use serde_json::json;

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest};

/// The dialect.
pub(super) struct TextEditorPrinter;

impl EditPrinter for TextEditorPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { anywhere: true, phrases: true, many: false, ..FormProperties::named("text-editor") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let (old, new) = ask.edits.first()?.texts(ask.eol);
        let path = &ask.source.path;
        let text = if new.is_empty() && rng.bool() {
            json!({"command": "str_replace", "path": path, "old_str": old})
        } else {
            json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
        };
        Some(PrintedRequest::Payload { dialect: "text-editor", text: text.to_string(), beside: false })
    }
}
