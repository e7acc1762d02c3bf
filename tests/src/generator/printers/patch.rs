//! The dialect `patch`: a list of patches as JSON. Its texts are literal, breaks and all.

use fastrand::Rng;
use serde_json::json;

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest, UnquotedEdits, list};

/// The dialect.
pub(super) struct PatchPrinter;

impl EditPrinter for PatchPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { anywhere: true, phrases: true, edge: true, ..FormProperties::named("patch") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let patches = ask.edits.iter().map(|said| {
            let (old, new) = said.texts(ask.eol);
            let inserts = said.old.is_empty() && said.phrase.is_none() && said.closed && rng.bool();
            // An anchor's bytes stay; what is inserted is literal.
            match (inserts && said.repeated.is_none(), said.before.is_empty(), said.after.is_empty()) {
                (true, false, true) => {
                    json!({"operation": "insert_after", "oldText": old, "newText": list(&said.new, ask.eol)})
                }
                (true, true, false) => {
                    json!({"operation": "insert_before", "oldText": old, "newText": list(&said.new, ask.eol)})
                }
                _ if new.is_empty() && rng.bool() => json!({"operation": "replace", "oldText": old}),
                _ => json!({"operation": "replace", "oldText": old, "newText": new}),
            }
        });
        let patches: Vec<_> = patches.collect();
        let text = json!({"path": ask.source.path, "patches": patches}).to_string();
        Some(PrintedRequest::Payload { dialect: "patch", text, beside: false })
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let patch = match edit {
            UnquotedEdits::Everywhere { old, new } => {
                json!({"operation": "replace", "oldText": old, "newText": new, "replaceAll": true})
            }
            UnquotedEdits::Start(text) => json!({"operation": "prepend_bof", "newText": text}),
            UnquotedEdits::End(text) => json!({"operation": "append_eof", "newText": text}),
            UnquotedEdits::Whole(text) => json!({"operation": "overwrite", "newText": text}),
        };
        let text = json!({"path": path, "patches": [patch]}).to_string();
        Some(PrintedRequest::Payload { dialect: "patch", text, beside: false })
    }
}
