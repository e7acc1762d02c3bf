//! The dialect `chunks`: contexts, old and new lines as lists or texts.

use fastrand::Rng;
use serde_json::{Value, json};

use super::{ContextPlace, EditPrinter, FormProperties, PrintTask, PrintedRequest};

/// The dialect.
pub(super) struct ChunksPrinter;

impl EditPrinter for ChunksPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { context: ContextPlace::Beside, numbered: false, ..FormProperties::named("chunks") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        // Breaks stand in the payload only where items end in them.
        let end = if ask.eol == "\r\n" || rng.usize(0..4) == 0 { ask.eol } else { "" };
        let items = |lines: &[String]| lines.iter().map(|line| format!("{line}{end}")).collect::<Vec<_>>();
        let mut context = |lines: &[String]| match lines {
            [] if rng.bool() => json!(""),
            [one] if !one.is_empty() && rng.bool() => json!(one),
            _ => json!(items(lines)),
        };
        let chunks: Vec<Value> = ask
            .edits
            .iter()
            .map(|said| {
                json!({
                    "context_before": context(&said.before),
                    "old_lines": items(&said.old),
                    "new_lines": items(&said.new),
                    "context_after": context(&said.after),
                })
            })
            .collect();
        let text = json!({"relative_path": ask.source.path, "chunks": chunks}).to_string();
        Some(PrintedRequest::Payload { dialect: "chunks", text, beside: false })
    }
}
