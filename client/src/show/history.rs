//! Formats journal entries for people.

use std::borrow::Cow;

use editd_proto::message::{EntryDetail, EntryHunk, EntrySummary, HistoryReply, ShowReply};

use super::letters::{TextStyle, one_line, range, word};
use super::renames::{self, ListedFile};
use super::{OutputStyle, StepForm, diff, more_hunks};

/// Maximum number of files of an entry in a list. Further ones are counted.
const FILES: usize = 8;

/// Formats a page of the journal, with the next step if there are older entries.
pub fn list(reply: &HistoryReply, style: &OutputStyle) -> String {
    let mut out = String::new();
    for entry in &reply.entries {
        add(&mut out, entry, &renames::listed(entry), FILES, style);
    }
    if reply.entries.is_empty() {
        out.push_str("no entries\n");
    }
    if let Some(last) = reply.entries.last().filter(|_| reply.more) {
        let step = match style.steps {
            StepForm::Commands => format!("editctl log --before {}", last.id),
            StepForm::Tools(_) => format!("the same call with \"before\": {}", last.id),
        };
        out.push_str(&format!("older ones: {step}\n"));
    }
    out
}

/// Formats an entry. `shown` is the number of its files that are shown here or were skipped.
pub fn one(reply: &ShowReply, shown: u64, style: &OutputStyle) -> String {
    let mut out = String::new();
    let files = renames::shown(reply);
    add(&mut out, &reply.entry, &files, usize::MAX, style);
    let shown_changes = renames::changes(reply, &files);
    for (change, rename) in shown_changes {
        out.push('\n');
        if let Some(rename) = rename {
            diff::add(&mut out, &rename.diff, style);
            continue;
        }
        if change.forgotten {
            out.push_str(&format!("{}: contents forgotten\n", change.path.display()));
        } else if change.diff.is_empty() && !change.partial {
            out.push_str(&format!("{}: no change of content\n", change.path.display()));
        }
        if let Some(note) = partial(change) {
            out.push_str(&format!("{}: {note}\n", change.path.display()));
        }
        diff::add(&mut out, &numbered(&change.diff, &change.hunks), style);
        if is_no_text(change) && style.steps == StepForm::Commands {
            out.push_str(&format!("not all of it is text: `editctl show {} --bytes`\n", reply.entry.id));
        }
        if change.omitted_hunks > 0 {
            out.push_str(&more_hunks(change.omitted_hunks));
            out.push_str(&match style.steps {
                StepForm::Commands => {
                    format!(
                        "; `editctl cat {}@{}` prints the result\n",
                        change.path.display(),
                        reply.entry.id
                    )
                }
                StepForm::Tools(_) => ", too large to show\n".to_owned(),
            });
        }
    }
    let entry = &reply.entry;
    if (entry.files.len() as u64).saturating_add(entry.omitted_files) > shown {
        let step = match style.steps {
            StepForm::Commands => format!("editctl show {} --from {shown}", entry.id),
            StepForm::Tools(_) => format!("history {{\"job\": {}, \"from\": {shown}}}", entry.id),
        };
        out.push_str(&format!("\nmore files: {step}\n"));
    }
    out
}

/// Returns true if the diff of a change leaves out bytes because they are not text, or shows others in their place.
fn is_no_text(change: &EntryDetail) -> bool {
    change.diff.contains('\u{fffd}') || is_binary(&change.diff)
}

/// Returns true if a diff only says that contents differ. Every line of a hunk begins with another letter.
fn is_binary(diff: &str) -> bool {
    diff.lines().any(|line| line.starts_with("Binary files "))
}

/// Returns the note about a change of which no whole content is known, or only the one after it.
pub fn partial(change: &EntryDetail) -> Option<&'static str> {
    let shows_bytes = diff::with_headers(&change.diff).any(|(_, is_header)| is_header);
    match (change.partial, change.before_unknown) {
        (false, _) => None,
        (true, true) if shows_bytes => {
            Some("its content before this change is not known; this is the whole content after it")
        }
        (true, true) => Some("its content before this change is not known"),
        (true, false) if shows_bytes || change.omitted_hunks > 0 => {
            Some("the numbers of its lines are not known; these are the changed bytes")
        }
        (true, false) if is_binary(&change.diff) => None,
        (true, false) => Some("its content is no longer known, so no lines are shown"),
    }
}

/// Adds the number of each hunk behind its header, as `undo --hunk` accepts it.
pub fn numbered<'d>(diff: &'d str, hunks: &[EntryHunk]) -> Cow<'d, str> {
    if hunks.is_empty() {
        return Cow::Borrowed(diff);
    }
    let mut hunks = hunks.iter();
    let mut out = String::with_capacity(diff.len() + 16 * hunks.len());
    for (line, is_header) in diff::with_headers(diff) {
        let text = line.strip_suffix('\n').unwrap_or(line);
        out.push_str(text);
        if let Some(hunk) = is_header.then(|| hunks.next()).flatten() {
            let undone = if hunk.undone { ", undone" } else { "" };
            out.push_str(&format!(" hunk {}{undone}", hunk.hunk));
        }
        out.push_str(if line.len() > text.len() { "\n" } else { "" });
    }
    Cow::Owned(out)
}

/// Entries that the line of an undo or redo names.
const OF_SHOWN: usize = 8;

/// Returns the facts about an entry without its files: its number, its time, its kind, and those that apply.
pub fn facts(entry: &EntrySummary, style: &OutputStyle) -> Vec<String> {
    let mut words =
        vec![style.paint(TextStyle::Strong, &entry.id.to_string()), style.time(entry.time), word(entry.kind)];
    if let Some(queued) = entry.queued {
        words.push(format!("queued as {queued}"));
    }
    if !entry.of.is_empty() {
        let of: Vec<String> = entry.of.iter().take(OF_SHOWN).map(ToString::to_string).collect();
        let more = (entry.of.len() - of.len()) as u64 + entry.omitted_of;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        words.push(format!("of {}{more}", of.join(", ")));
    }
    if !entry.is_outside() {
        words.push(format!("by {} ({})", one_line(&entry.session), one_line(&entry.client)));
    }
    if let Some(label) = &entry.label {
        words.push(format!("\u{201c}{}\u{201d}", one_line(label)));
    }
    if entry.undone {
        words.push(style.paint(TextStyle::Notice, "undone"));
    } else if entry.partly_undone {
        words.push(style.paint(TextStyle::Notice, "partly undone"));
    }
    if entry.forgotten {
        words.push(style.paint(TextStyle::Notice, "contents forgotten"));
    }
    if entry.diverged {
        words.push(style.paint(TextStyle::Bad, "diverged"));
    }
    words
}

fn add(out: &mut String, entry: &EntrySummary, files: &[ListedFile<'_>], most: usize, style: &OutputStyle) {
    out.push_str(&facts(entry, style).join("  "));
    out.push('\n');
    if let Some(key) = entry.key.as_ref().filter(|_| style.steps == StepForm::Commands) {
        out.push_str(&format!("    key {}\n", one_line(key)));
    }
    for file in files.iter().take(most) {
        out.push_str(&format!("    {}  {}\n", file.name(), extent(file, style)));
    }
    let more = (files.len().saturating_sub(most) as u64).saturating_add(entry.omitted_files);
    if more > 0 {
        out.push_str(&format!("    and {more} more files\n"));
    }
}

/// Returns the numbers of added and removed lines of a file, and the parts of its change that were undone.
pub fn extent(listed: &ListedFile<'_>, style: &OutputStyle) -> String {
    let counted = || {
        let (added, removed) = listed.counts();
        let added = style.paint(TextStyle::Good, &format!("+{added}"));
        format!("{added} {}", style.paint(TextStyle::Bad, &format!("-{removed}")))
    };
    let file = listed.file;
    let counts = match (&file.before, &file.after, file.lacks_counts()) {
        _ if listed.is_moved() => "renamed".to_owned(),
        _ if listed.rename.is_some() => format!("{} renamed", counted()),
        (None, Some(_), true) => "new".to_owned(),
        (Some(_), None, true) => "gone".to_owned(),
        (None, Some(_), false) => format!("{} new", counted()),
        (Some(_), None, false) => format!("{} gone", counted()),
        (Some(before), Some(after), _) if before == after => "mode".to_owned(),
        (_, _, true) => "lines not counted".to_owned(),
        (_, _, false) => counted(),
    };
    if file.undone {
        return format!("{counts}  {}", style.paint(TextStyle::Notice, "undone"));
    }
    match file.undone_hunks.as_slice() {
        [] => counts,
        runs => {
            let runs: Vec<String> = runs.iter().copied().map(range).collect();
            let one = file.undone_hunks.iter().map(|(first, last)| last - first).sum::<u64>() == 0
                && runs.len() == 1;
            let word = if one { "hunk" } else { "hunks" };
            let note = format!("{word} {} undone", runs.join(", "));
            format!("{counts}  {}", style.paint(TextStyle::Notice, &note))
        }
    }
}
