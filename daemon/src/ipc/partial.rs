//! Shortens the errors of a job that was applied in part.

use editd_proto::error::RequestError;
use editd_proto::message::Receipt;

use super::terse::{self, ErrorSize};
use crate::limits::{PARTIAL_TOKENS, REFUSAL_TOKENS};

/// Shortens the errors of a job that was applied in part, and removes from them what stands beside them: the path and the
/// number of an edit, and the details of the error of the receipt, which is that of an edit.
pub(super) fn shorten(receipt: &mut Receipt, budget: Option<usize>) {
    let of_edits = receipt.files.iter().flat_map(|file| &file.edits).filter_map(|edit| edit.error.as_deref());
    let count = of_edits.clone().count().max(1);
    if let Some(error) = receipt.error.take() {
        let repeated = of_edits.clone().any(|other| *other == error);
        receipt.error = Some(if repeated { without_details(error) } else { error });
    }
    let most = match budget {
        Some(bytes) => ErrorSize::Bytes(bytes / count),
        None => ErrorSize::Tokens((REFUSAL_TOKENS / count).max(PARTIAL_TOKENS)),
    };
    for file in &mut receipt.files {
        for edit in &mut file.edits {
            let Some(error) = edit.error.as_deref_mut() else { continue };
            error.path = error.path.take().filter(|path| *path != file.path);
            error.edit = error.edit.filter(|_| edit.edit != error.edit);
            terse::shorten_beside(error, most);
        }
    }
}

/// Returns an error that only says what fails, and where.
fn without_details(error: RequestError) -> RequestError {
    let RequestError { code, message, path, file, edit, line, version, by, .. } = error;
    RequestError { path, file, edit, line, version, by, ..RequestError::new(code, message) }
}
