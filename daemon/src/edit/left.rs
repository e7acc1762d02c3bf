//! Replaces a base that names a job (`@17`) by the hash of the content that the job left in the file, so that no later
//! step knows job numbers. It reads no file.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::FilePath;

use super::resolve::ResolvedJob;
use crate::journal::entry::entry_of;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// The most files of a job that a refusal names.
const NAMED: usize = 3;

/// Replaces every base that names a job by the hash of the content that this job left in the file, or by `absent` if it
/// left no file.
///
/// # Errors
/// `not_found` if the journal does not have that job, or the job did not touch the file; with `partial` only the entry
/// is left out.
pub(super) fn named(state: &WorkspaceState, mut resolved: ResolvedJob) -> Result<ResolvedJob, Refusal> {
    let partial = resolved.request.job.partial;
    for (index, entry) in resolved.request.job.entries.iter_mut().enumerate() {
        if resolved.skipped.contains_key(&index) {
            continue;
        }
        let Some(job) = entry.base.as_deref().and_then(JobId::of_version) else { continue };
        match left_by(state, job, &entry.path) {
            Ok(Some(hash)) => entry.base = Some(format!("blake3:{}", hash.hex())),
            Ok(None) => entry.base = Some("absent".to_owned()),
            Err(refusal) if partial => drop(resolved.skipped.insert(index, refusal)),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(resolved)
}

/// Returns the hash of the content that a job left at a path; `None` if it left no file there.
fn left_by(state: &WorkspaceState, job: JobId, path: &FilePath) -> Result<Option<ContentHash>, Refusal> {
    let entry = entry_of(state, job)?;
    let left = state.store.left_by(path, entry).map_err(|error| store_refusal(&error))?;
    left.ok_or_else(|| match state.store.summary(entry) {
        Err(error) => store_refusal(&error),
        Ok(None) => refusal(
            path,
            format!(
                "base {} of {path} names no job in the journal: the job changed nothing, or is too old; read the file \
                 and name the version that you get, or leave `base` out",
                job.version()
            ),
        ),
        Ok(Some(summary)) => {
            let files = summary.files.iter().map(|file| file.path.display()).take(NAMED);
            let mut files = files.collect::<Vec<_>>().join(", ");
            if summary.files.len() > NAMED {
                files.push_str(&format!(" and {} more", summary.files.len() - NAMED));
            }
            let message = format!(
                "base {} of {path}: that job did not write this file but {files}; name the version that you read, or \
                 leave `base` out",
                job.version()
            );
            refusal(path, message)
        }
    })
}

fn refusal(path: &FilePath, message: String) -> Refusal {
    Box::new(RequestError::new(ErrorCode::NotFound, message).at(path))
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, Receipt};

    use super::*;
    use crate::store::RetentionPolicy;
    use crate::workspace::tests::kit::Bench;

    fn second_line(bench: &Bench, base: Option<JobId>, text: &str) -> Receipt {
        let edit = FileEdit {
            op: "lines".into(),
            start: Some(2),
            end: Some(2),
            text: Some(text.into()),
            ..FileEdit::default()
        };
        let base = Some(base.map_or_else(|| "any".to_owned(), |job| job.version().0));
        let entry = FileEntry { path: "a".into(), base, edits: vec![edit], ..FileEntry::default() };
        bench
            .run("s", &bench.workspace.understand(JobRequest { files: vec![entry], ..JobRequest::default() }))
    }

    #[test]
    fn entries_are_versions_until_retention_drops_them() {
        let bench = Bench::new();
        bench.put("a", "one\ntwo\n");
        let first = second_line(&bench, None, "2").job.unwrap();
        let second = second_line(&bench, Some(first), "zwei").job.unwrap();
        bench.workspace.settle(true);
        let keep = RetentionPolicy { age_ms: u64::MAX, entries: 1, bytes: u64::MAX, sane_ms: 0 };
        bench.state().store.upkeep(bench.state().clock.wall_ms(), keep).unwrap();
        let refused = second_line(&bench, Some(first), "two").error.unwrap();
        assert_eq!((refused.code, refused.path), (ErrorCode::NotFound, Some("a".into())));
        assert!(refused.message.contains("is too old; read the file"), "{}", refused.message);
        assert_eq!(second_line(&bench, Some(second), "two").status, JobStatus::Applied);
        assert_eq!(bench.get("a"), "one\ntwo\n");
    }
}
