//! The read receipts of a job's refusals. They are recorded once it is known which refusals the reply has: lines that no
//! reply shows stay unseen.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use editd_proto::error::{ErrorCode, Excerpt, RequestError};
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::Decision;
use super::shown;
use crate::caller::Caller;
use crate::disk::FileSnapshot;
use crate::receipt::ranges::LineRange;
use crate::receipt::{self, ReceiptContent};
use crate::state::WorkspaceState;
use crate::transaction::JobAbort;

/// The receipts of the refusals that were made while a job was decided.
#[derive(Clone, Default)]
pub(super) struct PendingReceipts(Rc<RefCell<Vec<PendingReceipt>>>);

struct PendingReceipt {
    path: FilePath,
    refusal: ShownRefusal,
    receipt: ReceiptContent,
    /// The lines that the refusal shows.
    shown: Vec<LineRange>,
    /// The content that the refusal shows; `None` if there is no file.
    content: Option<(ContentHash, Arc<[u8]>)>,
}

/// The code of a refusal and what it shows, which tell it from the other refusals of a path.
#[derive(PartialEq, Eq)]
struct ShownRefusal {
    code: ErrorCode,
    diff: Option<String>,
    excerpts: Vec<Excerpt>,
}

impl ShownRefusal {
    fn of(error: &RequestError) -> Self {
        Self { code: error.code, diff: error.diff.clone(), excerpts: error.excerpts.clone() }
    }

    fn is(&self, error: &RequestError) -> bool {
        self.code == error.code && self.diff == error.diff && self.excerpts == error.excerpts
    }
}

impl PendingReceipts {
    /// Adds the receipt of a refusal, which shows some lines of a path.
    pub(super) fn add(
        &self,
        (path, error): (&FilePath, &RequestError),
        found: Option<&FileSnapshot>,
        receipt: ReceiptContent,
        shown: Vec<LineRange>,
    ) {
        let content = found.map(|found| (found.meta.hash, Arc::clone(&found.bytes)));
        let (path, refusal) = (path.clone(), ShownRefusal::of(error));
        self.0.borrow_mut().push(PendingReceipt { path, refusal, receipt, shown, content });
    }

    /// Records the receipts of the refusals that the reply of a decided job has.
    pub(super) fn record(
        &self,
        state: &WorkspaceState,
        caller: &Caller,
        decision: &Result<Decision, JobAbort>,
    ) {
        let pending = self.0.take();
        if pending.is_empty() {
            return;
        }
        let told = told(decision);
        let mut receipts: BTreeMap<FilePath, ReceiptContent> = BTreeMap::new();
        for PendingReceipt { path, refusal, receipt, shown, content } in pending {
            if !told.get(&path).is_some_and(|errors| errors.iter().any(|error| refusal.is(error))) {
                continue;
            }
            if let Some((hash, bytes)) = content {
                state.store.keep_content(hash, bytes);
            }
            let joined = match receipts.remove(&path) {
                // Both are of one earlier receipt and one content.
                Some(other) if other.hash == receipt.hash && !receipt.ranges.is_empty() => {
                    let other = receipt::of(caller, &path, other);
                    receipt::widened(&other, &shown, &[], receipt.time)
                }
                _ => receipt,
            };
            receipts.insert(path, joined);
        }
        for (path, receipt) in receipts {
            shown::record(state, caller, &path, receipt);
        }
    }
}

/// Returns the errors that the reply of a decided job has, by their paths.
fn told(decision: &Result<Decision, JobAbort>) -> BTreeMap<&FilePath, Vec<&RequestError>> {
    let errors: Vec<&RequestError> = match decision {
        Ok((transaction, _)) => {
            let edits = transaction.files.iter().flat_map(|file| &file.edits);
            edits.filter_map(|edit| edit.error.as_deref()).chain(transaction.error.as_deref()).collect()
        }
        Err(JobAbort::Refused(refusal)) => vec![refusal],
        Err(_) => Vec::new(),
    };
    let mut told: BTreeMap<&FilePath, Vec<&RequestError>> = BTreeMap::new();
    for error in errors.iter().flat_map(|error| std::iter::once(*error).chain(&error.others)) {
        if let Some(path) = &error.path {
            told.entry(path).or_default().push(error);
        }
    }
    told
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
