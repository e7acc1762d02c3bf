//! The read receipts of a job's refusals. They are recorded once it is known which refusals the reply has: lines that no
//! reply shows stay unseen.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::Decision;
use super::shown;
use crate::caller::Caller;
use crate::disk::FileSnapshot;
use crate::receipt::ReceiptContent;
use crate::state::WorkspaceState;
use crate::transaction::JobAbort;

/// The receipts of the refusals that were made while a job was decided.
#[derive(Clone, Default)]
pub(super) struct PendingReceipts(Rc<RefCell<Vec<PendingReceipt>>>);

struct PendingReceipt {
    path: FilePath,
    /// The code of the refusal. A path has at most one refusal of a code that shows lines.
    code: ErrorCode,
    receipt: ReceiptContent,
    /// The content that the refusal shows; `None` if there is no file.
    content: Option<(ContentHash, Arc<[u8]>)>,
}

impl PendingReceipts {
    /// Adds the receipt of a refusal.
    pub(super) fn add(
        &self,
        code: ErrorCode,
        (path, found): (&FilePath, Option<&FileSnapshot>),
        receipt: ReceiptContent,
    ) {
        let content = found.map(|found| (found.meta.hash, Arc::clone(&found.bytes)));
        self.0.borrow_mut().push(PendingReceipt { path: path.clone(), code, receipt, content });
    }

    /// Records the receipts of the refusals that the reply of a decided job has.
    pub(super) fn record(
        &self,
        state: &WorkspaceState,
        caller: &Caller,
        decision: &Result<Decision, JobAbort>,
    ) {
        let mut pending = self.0.take();
        if pending.is_empty() {
            return;
        }
        let told = told(decision);
        pending.retain(|one| told.contains(&(&one.path, one.code)));
        for PendingReceipt { path, receipt, content, .. } in pending {
            if let Some((hash, bytes)) = content {
                state.store.keep_content(hash, bytes);
            }
            shown::record(state, caller, &path, receipt);
        }
    }
}

/// Returns the paths and codes of the errors that the reply of a decided job has.
fn told(decision: &Result<Decision, JobAbort>) -> HashSet<(&FilePath, ErrorCode)> {
    let errors: Vec<&RequestError> = match decision {
        Ok((transaction, _)) => {
            let edits = transaction.files.iter().flat_map(|file| &file.edits);
            edits.filter_map(|edit| edit.error.as_deref()).chain(transaction.error.as_deref()).collect()
        }
        Err(JobAbort::Refused(refusal)) => vec![refusal],
        Err(_) => Vec::new(),
    };
    let all = errors.iter().flat_map(|error| std::iter::once(*error).chain(&error.others));
    all.filter_map(|error| Some((error.path.as_ref()?, error.code))).collect()
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use editd_proto::limits::OTHER_ERRORS;
    use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, Receipt};

    use crate::workspace::tests::kit::Bench;

    /// One more file than a refusal names.
    const FILES: usize = OTHER_ERRORS + 2;

    fn replace_second_lines(bench: &Bench, files: std::ops::Range<usize>) -> Receipt {
        let edit = FileEdit {
            op: "lines".into(),
            start: Some(2),
            end: Some(2),
            text: Some("new".into()),
            ..FileEdit::default()
        };
        let entry = |file: usize| FileEntry {
            path: format!("f{file}").as_str().into(),
            edits: vec![edit.clone()],
            ..FileEntry::default()
        };
        let job = JobRequest { files: files.map(entry).collect(), ..JobRequest::default() };
        bench.run("s", &bench.workspace.understand(job))
    }

    #[test]
    fn lines_of_a_refusal_that_the_reply_leaves_out_stay_unseen() {
        let bench = Bench::new();
        for file in 0..FILES {
            bench.put(&format!("f{file}"), "one\ntwo\n");
        }
        let refused = replace_second_lines(&bench, 0..FILES).error.unwrap();
        assert_eq!((refused.others.len(), refused.more), (OTHER_ERRORS, Some(1)));
        let last = FILES - 1;
        assert_eq!(replace_second_lines(&bench, 0..last).status, JobStatus::Applied);
        let refused = replace_second_lines(&bench, last..FILES);
        assert_eq!(refused.status, JobStatus::Refused);
        assert!(!refused.error.unwrap().excerpts.is_empty());
        assert_eq!(replace_second_lines(&bench, last..FILES).status, JobStatus::Applied);
    }
}
