//! The resource `editd://session/diff`: the changes of the session in the usual workspace, as one unified diff for a
//! person who reviews them. For each path it compares the content before the first edit of the session with the content
//! after the last one.
//!
//! *Limitations*: changes that others made between two edits of the session to the same file are included. The journal
//! may have dropped the first edits of a long session.

use std::collections::BTreeMap;
use std::time::Duration;

use editd_proto::FilePath;
use editd_proto::ids::JobId;
use editd_proto::message::{ContentRequest, EntrySide, HistoryRequest};
use rmcp::model::{Resource, ResourceContents};
use similar::TextDiff;

use crate::context::{CallContext, CallRefusal, CallTarget};

/// The address of the resource.
pub(crate) const URI: &str = "editd://session/diff";

/// The type of the resource.
const TYPE: &str = "text/x-diff";

/// Maximum number of bytes of a file whose lines are compared.
const FILE: u64 = 4 << 20;

/// Maximum number of bytes of the diff. Files beyond it are named without their changes.
const DIFF: usize = 4 << 20;

/// The time limit for the comparison of one file; after it the diff is less exact.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the description for runtimes.
pub(crate) fn describe() -> Resource {
    Resource::new(URI, "session diff")
        .with_description("The changes of this session as one diff; undone edits are left out.")
        .with_mime_type(TYPE)
}

/// Returns the diff of the session.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub(crate) fn read(context: &CallContext) -> Result<ResourceContents, CallRefusal> {
    let target = context.workspace_of(None);
    let mut text = String::new();
    for (path, (first, last)) in edited(&target, context.session())? {
        let before = content(&target, first, &path, EntrySide::Before)?;
        let after = content(&target, last, &path, EntrySide::After)?;
        if before == after {
            continue;
        }
        let change = compare(&path.display().to_string(), &before, &after);
        if text.len() + change.len() <= DIFF {
            text.push_str(&change);
        } else {
            text.push_str(&format!("{} was changed; this diff would be too long\n", path.display()));
        }
    }
    Ok(ResourceContents::text(text, URI).with_mime_type(TYPE))
}

/// Returns the first and the last entry of the session for each path.
fn edited(target: &CallTarget<'_>, session: &str) -> Result<BTreeMap<FilePath, (JobId, JobId)>, CallRefusal> {
    let mut edited: BTreeMap<FilePath, (JobId, JobId)> = BTreeMap::new();
    let mut before = None;
    loop {
        let limit = Some(editd_proto::limits::HISTORY as u64);
        let request =
            HistoryRequest { session: Some(session.to_owned()), before, limit, ..HistoryRequest::default() };
        let page = target.ask(|it| it.history(&request))?;
        // Newest first.
        for entry in &page.entries {
            for file in &entry.files {
                edited.entry(file.path.clone()).or_insert((entry.id, entry.id)).0 = entry.id;
            }
        }
        before = page.entries.last().map(|entry| entry.id);
        if !page.more || before.is_none() {
            return Ok(edited);
        }
    }
}

/// A content of a file in the journal.
#[derive(PartialEq, Eq)]
enum FileContent {
    Absent,
    Bytes(Vec<u8>),
    /// It has more than [`FILE`] bytes; contents with one version are equal.
    Long(String),
}

fn content(
    target: &CallTarget<'_>,
    job: JobId,
    path: &FilePath,
    side: EntrySide,
) -> Result<FileContent, CallRefusal> {
    let mut bytes = Vec::new();
    loop {
        let request = ContentRequest { job, path: path.clone(), side, from: bytes.len() as u64 };
        let reply = target.ask(|it| it.content(&request))?;
        let Some(version) = &reply.version else { return Ok(FileContent::Absent) };
        if reply.size > FILE {
            return Ok(FileContent::Long(version.0.clone()));
        }
        bytes.extend_from_slice(&reply.bytes);
        if bytes.len() as u64 >= reply.size || reply.bytes.is_empty() {
            return Ok(FileContent::Bytes(bytes));
        }
    }
}

/// Returns the change of a file as a unified diff, or in words if it is no text.
fn compare(path: &str, before: &FileContent, after: &FileContent) -> String {
    let side = |prefix: &str, content: &FileContent| match content {
        FileContent::Absent => "/dev/null".to_owned(),
        _ => format!("{prefix}/{path}"),
    };
    let (old, new) = (side("a", before), side("b", after));
    let text = |content: &FileContent| match content {
        FileContent::Absent => Some(String::new()),
        FileContent::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
        FileContent::Long(_) => None,
    };
    match (text(before), text(after)) {
        (Some(before), Some(after)) if !before.contains('\0') && !after.contains('\0') => {
            let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &after);
            let hunks = diff.unified_diff().to_string();
            format!("--- {old}\n+++ {new}\n{hunks}")
        }
        _ => format!("{old} and {new} differ; they are no text, or too long\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::{FileContent, compare};

    fn text(content: &str) -> FileContent {
        FileContent::Bytes(content.into())
    }

    #[test]
    fn a_change_is_shown_as_a_diff_or_in_words() {
        let shown = compare("a b", &text("one\ntwo\n"), &text("one\n2"));
        assert_eq!(
            shown,
            "--- a/a b\n+++ b/a b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n"
        );
        let shown = compare("new", &FileContent::Absent, &text("x\n"));
        assert_eq!(shown, "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n");
        for odd in [FileContent::Bytes(vec![0xff]), text("\0"), FileContent::Long("v".to_owned())] {
            let shown = compare("x", &text("x\n"), &odd);
            assert_eq!(shown, "a/x and b/x differ; they are no text, or too long\n");
        }
        let gone = compare("empty", &text(""), &FileContent::Absent);
        assert_eq!(gone, "--- a/empty\n+++ /dev/null\n");
    }
}
