//! The entries and paths that `diff` and `report` are about.

use std::path::PathBuf;

use clap::Args;
use editctl::failure::Failure;
use editctl::journal::entries::{self, EntryFilter, EntryList, FirstEntry, matching};
use editctl::journal::net::{self, PathSpan};
use editctl::{machine, values};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, HistoryRequest};
use editd_proto::{ErrorCode, FilePath};

use crate::context::ReviewContext;

/// Number of the newest entries whose sessions are looked at for a note, and of sessions that it names.
const RECENT: u64 = 100;
const SESSIONS: usize = 3;

/// The options that choose entries and paths.
#[derive(Args, Debug)]
pub(crate) struct ChoiceArgs {
    /// Only this entry and later ones, of all sessions unless --session names one: an entry (17), an age (30m, 2h, 3d),
    /// or a time (14:30, 2026-11-24T10:00)
    #[arg(long, value_name = "TIME_OR_ENTRY")]
    since: Option<String>,
    /// Only entries after the newest mark of this name (see `mark`), of all sessions unless --session names one
    #[arg(long, value_name = "NAME", conflicts_with = "since")]
    mark: Option<String>,
    /// Only these files, and the files in these folders [default: all]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// The chosen entries, and the paths that they changed.
pub(crate) struct ChosenChanges {
    pub(crate) list: EntryList,
    pub(crate) spans: Vec<PathSpan>,
    /// Sentences about what is missing.
    pub(crate) notes: Vec<String>,
}

/// Gets the chosen entries.
///
/// # Errors
/// An option is invalid, the daemon cannot be reached, or it refuses a request.
pub(crate) fn chosen(context: &ReviewContext<'_>, words: &ChoiceArgs) -> Result<ChosenChanges, Failure> {
    let since = words.since.as_deref().map(|text| values::since(text, machine::now_ms()));
    let mut since = since.transpose().map_err(Failure::Usage)?;
    let caller = context.caller();
    if let Some(name) = &words.mark {
        let mark = entries::mark(&caller, name)?.ok_or_else(|| unknown(name))?;
        since = Some(FirstEntry::Numbered(JobId(mark.0.saturating_add(1))));
    }
    let own = || since.is_none().then(|| context.session.clone());
    let session = context.chosen_session.clone().or_else(own);
    let filter = EntryFilter { session, since };
    let mut list = matching(&caller, &filter)?;
    let paths: Vec<FilePath> = words.paths.iter().map(|path| context.name(path)).collect();
    let had_entries = !list.entries.is_empty();
    if !paths.is_empty() {
        for entry in &mut list.entries {
            entry.files.retain(|file| paths.iter().any(|path| is_in(&file.path, path)));
        }
        list.entries.retain(|entry| !entry.files.is_empty());
    }
    let spans = net::spans(&list, |entry| net::modes(&caller, entry))?;
    let notes = notes(context, &filter, &list, if had_entries { &paths } else { &[] });
    Ok(ChosenChanges { list, spans, notes })
}

fn unknown(name: &str) -> Failure {
    let message =
        format!("there is no mark {name:?}; `editctl log` lists marks, and `editctl mark NAME` makes one");
    Failure::refused(ErrorCode::NotFound, message)
}

/// Returns notes about the chosen entries. `without` are the paths that none of them changed.
fn notes(
    context: &ReviewContext<'_>,
    filter: &EntryFilter,
    list: &EntryList,
    without: &[FilePath],
) -> Vec<String> {
    let mut notes = Vec::new();
    if list.cut {
        let oldest = list.entries.first().map_or(JobId(0), |entry| entry.id);
        notes.push(format!("there are too many entries: those before {oldest} are left out"));
    }
    if list.entries.is_empty() && !without.is_empty() {
        let names: Vec<String> = without.iter().map(FilePath::display).collect();
        let of = filter.session.as_ref().map(|session| format!(" of session {session}")).unwrap_or_default();
        notes
            .push(format!("no chosen entry{of} changed {}; `editctl log` lists entries", names.join(" or ")));
    } else if list.entries.is_empty() {
        let which = match &filter.session {
            Some(session) if filter.since.is_none() => format!("session {session} has no entries here"),
            _ => "no entries match".to_owned(),
        };
        let derived = context.chosen_session.is_none() && filter.session.is_some();
        let alone =
            if context.alone && derived { ", since this command is a session of its own" } else { "" };
        let others = others(context, filter.session.as_deref());
        notes.push(format!(
            "{which}{alone}; {others}`editctl log` lists entries, and --session, --since or --mark chooses them"
        ));
    }
    notes
}

/// Names the other sessions that edited last, with the options that choose them; nothing if there are none.
fn others(context: &ReviewContext<'_>, own: Option<&str>) -> String {
    let request = HistoryRequest { limit: Some(RECENT), ..HistoryRequest::default() };
    // Without them, the note only says less.
    let page: Result<_, Failure> = context.caller().ask(true, |it| it.history(&request));
    let mut found: Vec<(String, JobId)> = Vec::new();
    for entry in page.map(|page| page.entries).unwrap_or_default() {
        let is_known = found.iter().any(|(session, _)| *session == entry.session);
        let is_edit = !matches!(entry.kind, EntryKind::External | EntryKind::Mark);
        if is_edit && Some(entry.session.as_str()) != own && !is_known {
            found.push((entry.session, entry.id));
        }
    }
    let named = found.iter().take(SESSIONS);
    let named: Vec<String> =
        named.map(|(session, id)| format!("--session {} (entry {id})", quoted(session))).collect();
    match named.len() {
        0 => String::new(),
        _ => format!("the last edits are by {}; ", named.join(", ")),
    }
}

/// Returns a name as a word of a command line.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}

/// Returns true if a path is `top` or below it.
fn is_in(path: &FilePath, top: &FilePath) -> bool {
    let rest = path.as_bytes().strip_prefix(top.as_bytes());
    top.as_bytes() == b"." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn a_folder_has_its_files_and_no_others() {
        for (path, top, expected) in
            [("a/b", "a", true), ("a", "a", true), ("ab", "a", false), ("x", ".", true), ("a", "a/b", false)]
        {
            assert_eq!(is_in(&path.into(), &top.into()), expected, "{path} in {top}");
        }
    }
}
