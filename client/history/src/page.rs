//! Writes a report as a page of HTML: one text without scripts, and without anything that a browser would fetch.

mod entries;
mod file;

use editctl::show::letters::word;
use editd_proto::message::{EntryKind, EntrySummary};

use crate::escape::html;
pub(crate) use file::FileSection;

const STYLE: &str = include_str!("page.css");

/// The content of a page.
pub(crate) struct ReportPage<'a> {
    /// The name of the workspace.
    pub(crate) workspace: String,
    /// The entries, from the oldest to the newest.
    pub(crate) entries: &'a [EntrySummary],
    /// The files with a net change.
    pub(crate) files: Vec<FileSection>,
    /// Sentences about what is missing.
    pub(crate) notes: &'a [String],
    /// The time at which the page was made, in milliseconds since 1970 UTC.
    pub(crate) made: u64,
}

/// Returns a time in UTC, since people elsewhere read the page, as an element.
fn time(ms: u64) -> String {
    let moment = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    match moment {
        Some(moment) => {
            let exact = moment.strftime("%Y-%m-%dT%H:%M:%SZ");
            format!("<time datetime=\"{exact}\">{}</time>", moment.strftime("%Y-%m-%d %H:%M:%S UTC"))
        }
        None => format!("{ms} ms"),
    }
}

/// Returns a number with its noun.
pub(crate) fn count(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}

/// Returns the numbers of added and removed lines.
fn counts(added: u64, removed: u64) -> String {
    format!("<span class=\"count\">+{added} \u{2212}{removed}</span>")
}

impl ReportPage<'_> {
    /// Returns the page.
    pub(crate) fn html(&self) -> String {
        let title = html(&format!("Changes in {}", self.workspace));
        let policy = "default-src 'none'; style-src 'unsafe-inline'";
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"generator\" content=\"editctl report\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        self.summary(&mut out);
        out.push_str("<h2>Files</h2>\n");
        if self.files.is_empty() {
            out.push_str("<p>No file has another content than before these entries.</p>\n");
        }
        self.files.iter().for_each(|file| out.push_str(file.html()));
        out.push_str("<h2>Entries</h2>\n");
        entries::add(&mut out, self.entries);
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    fn summary(&self, out: &mut String) {
        let undone = self.entries.iter().filter(|entry| entry.undone).count();
        let undone = if undone > 0 { format!(", {undone} of them undone") } else { String::new() };
        let (added, removed) = self
            .files
            .iter()
            .fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
        let files = count(self.files.len(), "file", "files");
        let entries = count(self.entries.len(), "entry", "entries");
        let mut facts = vec![("Sessions", self.sessions())];
        if let [first, .., last] = self.entries {
            facts.push(("Time", format!("{} to {}", time(first.time), time(last.time))));
        } else if let [one] = self.entries {
            facts.push(("Time", time(one.time)));
        }
        facts.push(("Net change", format!("{files}, {}", counts(added, removed))));
        facts.push(("Journal", format!("{entries}{undone}")));
        facts.push(("Report made", time(self.made)));
        out.push_str("<dl>\n");
        for (name, text) in facts {
            out.push_str(&format!("<dt>{name}</dt><dd>{text}</dd>\n"));
        }
        out.push_str("</dl>\n");
        for note in self.notes {
            out.push_str(&format!("<p>Note: {}.</p>\n", html(note)));
        }
    }

    /// Returns the names of the sessions, in the order of their first entries.
    fn sessions(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for entry in self.entries {
            if !names.contains(&entry.session.as_str()) {
                names.push(&entry.session);
            }
        }
        if names.is_empty() {
            return "none".to_owned();
        }
        let names: Vec<String> = names.into_iter().map(html).collect();
        names.join(", ")
    }
}

/// Returns the words for the kind of an entry.
fn kind(entry: &EntrySummary) -> String {
    let of: Vec<String> = entry.of.iter().take(10).map(ToString::to_string).collect();
    let more = if entry.of.len() > of.len() { " and others" } else { "" };
    match entry.kind {
        EntryKind::External if entry.is_outside() => "outside change".to_owned(),
        EntryKind::External => "change with another tool".to_owned(),
        _ if of.is_empty() => word(entry.kind),
        _ => format!("{} of {}{more}", word(entry.kind), of.join(", ")),
    }
}

#[cfg(test)]
mod tests;
