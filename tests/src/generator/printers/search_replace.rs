//! The dialect `search-replace`: blocks between markers, in each of its forms. Content that looks like a marker is
//! escaped.

use fastrand::Rng;
use serde_json::json;

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest};
use crate::generator::quoting::QuotedEdit;

/// The dialect.
pub(super) struct SearchReplacePrinter;

/// Prefixes of content lines that must be escaped.
const MARKERS: [&str; 6] = ["<<<<<<<", "=======", ">>>>>>>", "-------", ":start_line:", ":end_line:"];

impl EditPrinter for SearchReplacePrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { hints: true, ..FormProperties::named("search-replace") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let path = &ask.source.path;
        let eight = rng.usize(0..8) == 0;
        let (text, beside) = match rng.usize(0..6) {
            0 => {
                let diffs = ask.edits.iter().map(|said| match said.hint {
                    Some(line) => json!({"content": block(said, None, ask.eol, eight), "startLine": line}),
                    None => json!({"content": block(said, None, ask.eol, eight)}),
                });
                (json!([{"path": path, "diff": diffs.collect::<Vec<_>>()}]).to_string(), false)
            }
            1 => {
                let blocks: Vec<String> =
                    ask.edits.iter().map(|said| block(said, said.hint, ask.eol, eight)).collect();
                if blocks.iter().any(|block| block.contains("]]>") || block.contains("</")) {
                    return None;
                }
                let diffs: String = blocks
                    .iter()
                    .map(|block| {
                        format!("  <diff>\n    <content><![CDATA[\n{block}]]></content>\n  </diff>\n")
                    })
                    .collect();
                (format!("<args>\n<file>\n  <path>{path}</path>\n{diffs}</file>\n</args>\n"), false)
            }
            2 => {
                let fence = if rng.bool() { "```\n" } else { "" };
                let blocks = ask
                    .edits
                    .iter()
                    .map(|said| format!("{path}\n{fence}{}{fence}", block(said, said.hint, ask.eol, eight)));
                (blocks.collect(), false)
            }
            _ => (ask.edits.iter().map(|said| block(said, said.hint, ask.eol, eight)).collect(), true),
        };
        Some(PrintedRequest::Payload { dialect: "search-replace", text, beside })
    }
}

/// One block.
fn block(said: &QuotedEdit, hint: Option<u64>, eol: &str, eight: bool) -> String {
    let more = |marker: &str| {
        let first = marker.chars().next().filter(|_| eight);
        first.into_iter().chain(marker.chars()).collect::<String>()
    };
    let mut lines = vec![more("<<<<<<< SEARCH")];
    if let Some(line) = hint {
        lines.push(format!(":start_line:{line}"));
        lines.push("-------".to_owned());
    }
    lines.extend(said.quoted().iter().map(|line| escaped(line)));
    lines.push(more("======="));
    lines.extend(said.with_context().iter().map(|line| escaped(line)));
    lines.push(more(">>>>>>> REPLACE"));
    lines.iter().flat_map(|line| [line.as_str(), eol]).collect()
}

/// A line that no parser takes for a marker.
fn escaped(line: &str) -> String {
    let bare = line.trim_start_matches(['\\', ' ', '\t']);
    let is_marker = MARKERS.iter().any(|marker| bare.starts_with(marker));
    if is_marker { format!("\\{line}") } else { line.to_owned() }
}
