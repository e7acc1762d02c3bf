//! The dialect `ranges`: a header with the file's version, then a header and the new lines for each range.

use std::fmt::Write;

use fastrand::Rng;

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest, list};

/// The dialect.
pub(super) struct RangesPrinter;

impl EditPrinter for RangesPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { quotes: false, looks: false, ..FormProperties::named("ranges") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let news: Vec<String> = ask.edits.iter().map(|said| list(&said.new, ask.eol)).collect();
        let marker = marker(&news);
        // As long as a real one; planning does not look at it.
        let version = format!("{:012x}", rng.u64(0..1 << 48));
        let mut text = format!("{marker} {} {version}\n", ask.source.path);
        let last = ask.source.lines.len();
        for (new, &(first, removed)) in news.iter().zip(ask.lines) {
            let range = match (removed, new.is_empty()) {
                (0, true) => return None,
                (0, false) if first == last && rng.bool() => "end".to_owned(),
                (0, false) if first > 0 && rng.bool() => format!("after {first}"),
                (0, false) => format!("before {}", first + 1),
                (1, _) => (first + 1).to_string(),
                (_, _) => format!("{}-{}", first + 1, first + removed),
            };
            let delete = if new.is_empty() { " delete" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{marker} {range}{delete}\n{new}");
        }
        Some(PrintedRequest::Payload { dialect: "ranges", text, beside: false })
    }
}

/// A marker with which no line of the new texts begins.
fn marker(news: &[String]) -> String {
    let runs = news.iter().flat_map(|new| new.lines());
    let longest = runs.map(|line| line.len() - line.trim_start_matches('@').len()).max();
    "@".repeat(longest.unwrap_or(0).saturating_add(1).max(2))
}
