//! The list of entries on a page.

use editctl::show::renames::{self, ListedFile};
use editd_proto::message::EntrySummary;

use super::{counts, kind, time};
use crate::escape::html;

/// Maximum number of entries, and of files of one. Further ones are counted.
const ENTRIES: usize = 2000;
const FILES: usize = 50;

/// Appends the list, from the oldest to the newest entry.
pub(super) fn add(out: &mut String, entries: &[EntrySummary]) {
    if entries.is_empty() {
        out.push_str("<p>There are none.</p>\n");
        return;
    }
    let left_out = entries.len().saturating_sub(ENTRIES);
    if left_out > 0 {
        out.push_str(&format!("<p>The first {left_out} entries are left out.</p>\n"));
    }
    out.push_str("<ol>\n");
    for entry in entries.iter().skip(left_out) {
        add_one(out, entry);
    }
    out.push_str("</ol>\n");
}

fn add_one(out: &mut String, entry: &EntrySummary) {
    let class = if entry.undone { " class=\"undone\"" } else { "" };
    let mut words = vec![format!("<strong>{}</strong>", entry.id), time(entry.time)];
    words.push(format!("<span class=\"quiet\">{}</span>", html(&kind(entry))));
    if !entry.is_outside() {
        words.push(html(&entry.session));
    }
    if let Some(label) = &entry.label {
        words.push(format!("<span class=\"what\">\u{201c}{}\u{201d}</span>", html(label)));
    }
    for (is_set, text) in [
        (entry.undone, "undone"),
        (entry.partly_undone && !entry.undone, "partly undone"),
        (entry.forgotten, "contents forgotten"),
        (entry.diverged, "diverged"),
    ] {
        if is_set {
            words.push(format!("<span class=\"mark\">{text}</span>"));
        }
    }
    out.push_str(&format!("<li{class}>{}\n<ul>\n", words.join(" \u{b7} ")));
    let files = renames::listed(entry);
    for file in files.iter().take(FILES) {
        out.push_str(&format!("<li><code>{}</code> {}</li>\n", html(&file.name()), extent(file)));
    }
    let more = (files.len().saturating_sub(FILES) as u64).saturating_add(entry.omitted_files);
    if more > 0 {
        out.push_str(&format!("<li>and {more} more</li>\n"));
    }
    out.push_str("</ul></li>\n");
}

fn extent(listed: &ListedFile<'_>) -> String {
    let file = listed.file;
    let word = match (&file.before, &file.after) {
        _ if listed.rename.is_some() => " renamed",
        (None, Some(_)) => " created",
        (Some(_), None) => " deleted",
        _ => "",
    };
    let undone = match (file.undone, file.undone_hunks.is_empty()) {
        (true, _) => " <span class=\"mark\">undone</span>",
        (false, false) => " <span class=\"mark\">partly undone</span>",
        _ => "",
    };
    let is_mode = file.before.is_some() && file.before == file.after;
    let counts = match (file.lacks_counts(), word) {
        _ if listed.is_moved() => String::new(),
        _ if is_mode => "mode".to_owned(),
        (false, _) => counts(file.added, file.removed),
        (true, "") => "lines not counted".to_owned(),
        (true, _) => String::new(),
    };
    format!("{counts}{word}{undone}")
}
