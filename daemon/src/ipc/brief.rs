//! Short receipts: details that the reader knows are left out, and others as far as the reply exceeds its budget. It
//! never cuts lines that the session's receipts count as seen.

use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{
    EditOutcome, EditStatus, FileOutcome, JobMode, JobRequest, JobStatus, Receipt, UndoRequest,
};

use super::terse::ErrorSize;
use crate::limits::{REFUSAL_TOKENS, UNASKED_DIFFS};

/// The parts of a request that shape its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ReplyWish {
    /// True if the reply shows diffs.
    diff: Option<bool>,
    /// Bytes that the reply may have as JSON, without the diffs that were requested.
    budget: Option<usize>,
}

impl ReplyWish {
    /// Returns the wish of a job.
    pub(super) fn of_job(request: &JobRequest) -> Self {
        let preview = (request.mode == JobMode::VerifyOnly).then_some(true);
        Self::new(request.diff.or(preview), request.budget)
    }

    /// Returns the wish of an undo or redo.
    pub(super) fn of_undo(request: &UndoRequest) -> Self {
        Self::new(request.diff, request.budget)
    }

    /// The whole receipt, however long.
    #[cfg(test)]
    pub(super) const ALL: Self = Self { diff: Some(true), budget: Some(usize::MAX) };

    fn new(diff: Option<bool>, budget: Option<u64>) -> Self {
        Self { diff, budget: budget.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)) }
    }
}

/// Returns a receipt without the details that its reader knows, and without those that do not fit its budget.
pub(super) fn shortened(receipt: &Receipt, wish: ReplyWish) -> Receipt {
    let mut receipt = receipt.clone();
    shorten(&mut receipt, wish);
    receipt
}

fn shorten(receipt: &mut Receipt, wish: ReplyWish) {
    let whole = wish.diff == Some(true);
    let of_hooks = receipt.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in receipt.files.iter_mut().chain(of_hooks) {
        known_left_out(file, whole);
    }
    let refused = receipt.status == JobStatus::Refused && receipt.error.is_some();
    let errors = receipt
        .files
        .iter_mut()
        .flat_map(|file| &mut file.edits)
        .filter_map(|edit| edit.error.as_deref_mut());
    errors.chain(receipt.error.as_mut()).for_each(repeated_left_out);
    if wish.diff != Some(true) {
        bound_diffs(receipt, wish.budget.unwrap_or(UNASKED_DIFFS));
    }
    if refused {
        let most = wish.budget.map_or(ErrorSize::Tokens(REFUSAL_TOKENS), ErrorSize::Bytes);
        if let Some(error) = &mut receipt.error {
            super::terse::shorten(error, most);
        }
        return;
    }
    if receipt.status == JobStatus::Partial {
        super::partial::shorten(receipt, wish.budget);
    }
    if whole {
        return;
    }
    let Some(budget) = wish.budget else { return };
    // The output of commands is added: the sender did not know it.
    let (hooks, checks) = (std::mem::take(&mut receipt.hooks), std::mem::take(&mut receipt.checks));
    // A receipt that is certainly too long, or certainly not, is not encoded just to be measured.
    let least = receipt.files.iter().map(|file| file.path.as_bytes().len()).sum::<usize>();
    let fits = |receipt: &Receipt| least <= budget && (budget == usize::MAX || size(receipt) <= budget);
    if !fits(receipt) {
        receipt.files.iter_mut().for_each(|file| (file.added, file.removed) = (0, 0));
    }
    if !fits(receipt) {
        // The session has a receipt for the content it wrote. A deleted file has no version.
        receipt.files.iter_mut().for_each(|file| file.after = None);
    }
    (receipt.hooks, receipt.checks) = (hooks, checks);
}

/// Returns the size of a receipt as JSON, without the parts that its sender did not request: diffs and the changes of
/// formatters.
fn size(receipt: &Receipt) -> usize {
    let bare = |file: &FileOutcome| FileOutcome { diff: None, formatted: None, ..file.clone() };
    let files = receipt.files.iter().map(bare).collect();
    let bare = Receipt { files, ..receipt.clone() };
    serde_json::to_string(&bare).map_or(0, |text| text.len())
}

/// Removes from a file the details that its sender knows: the version that it named, and edits with no more than
/// their place.
fn known_left_out(file: &mut FileOutcome, whole: bool) {
    if whole {
        return;
    }
    if file.after.is_some() {
        file.before = None;
    }
    let status = match file.status {
        JobStatus::Unchanged => EditStatus::Unchanged,
        _ => EditStatus::Applied,
    };
    let (alone, places) = (file.edits.len() == 1, file.places.unwrap_or(file.lines.0.len() as u64));
    for (edit, number) in file.edits.iter_mut().zip(1..) {
        edit.edit = Some(number);
        edit.rung = edit.rung.take().filter(|rung| !matches!(rung.as_str(), "exact" | "eol"));
        edit.moved = edit.moved.filter(|lines| *lines != 0);
        edit.score = edit.score.filter(|score| *score < 1.0);
        let told = edit.replacements == Some(1) || (alone && edit.replacements == Some(places));
        edit.replacements = edit.replacements.filter(|_| !told);
        edit.lines = edit.lines.filter(|_| edit.now.is_none() && edit.error.is_none());
    }
    let says_more = |edit: &EditOutcome| {
        edit.status != status
            || edit.error.is_some()
            || edit.rung.is_some()
            || edit.moved.is_some()
            || edit.score.is_some()
            || edit.replacements.is_some()
            || edit.converted_breaks.is_some()
    };
    file.edits.retain(says_more);
    if alone {
        // Its place is that of the file.
        file.edits.iter_mut().for_each(|edit| edit.now = None);
    }
}

/// Removes from an error the details that its message has, too.
fn repeated_left_out(error: &mut RequestError) {
    error.tried.clear();
    (error.searched, error.needed) = (None, None);
    if error.code == ErrorCode::NotFound {
        error.lines = None;
    }
    error.cause = error.cause.take().filter(|cause| !error.message.contains(cause.as_str()));
    if let Some((first, others)) = error.near_misses.split_first_mut() {
        let same = others.iter_mut().filter(|other| other.quoted == first.quoted);
        same.for_each(|other| other.quoted = None);
    }
    error.others.iter_mut().for_each(repeated_left_out);
}

/// Cuts diffs that the request did not ask for to the hunks that fit.
fn bound_diffs(receipt: &mut Receipt, mut left: usize) {
    let of_hooks = receipt.hooks.iter_mut().flat_map(|hook| &mut hook.files);
    for file in receipt.files.iter_mut().chain(of_hooks) {
        let Some(diff) = file.diff.take() else { continue };
        let (kept, omitted) = first_hunks(&diff, left);
        left = left.saturating_sub(kept.len());
        file.omitted_hunks = Some(file.omitted_hunks.unwrap_or(0) + omitted).filter(|hunks| *hunks > 0);
        file.diff = Some(kept.to_owned()).filter(|kept| !kept.is_empty());
    }
}

/// Returns the head of a diff up to the last hunk that ends within `most` bytes, and the number of hunks after it.
fn first_hunks(diff: &str, most: usize) -> (&str, u64) {
    let starts: Vec<usize> = memchr::memmem::find_iter(diff.as_bytes(), b"\n@@ ").map(|at| at + 1).collect();
    if diff.len() <= most {
        return (diff, 0);
    }
    // Each hunk ends where the next one starts; the last one does not fit.
    let kept = starts.iter().skip(1).take_while(|end| **end <= most).count();
    let end = if kept == 0 { 0 } else { starts.get(kept).copied().unwrap_or(0) };
    (diff.get(..end).unwrap_or_default(), starts.len().saturating_sub(kept) as u64)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use editd_proto::error::{Candidate, NearMiss};
    use editd_proto::ids::{JobId, Version};
    use editd_proto::message::{HookOutcome, Issue, LineRanges};

    fn file(path: &str) -> FileOutcome {
        FileOutcome {
            before: Some(Version("0123456789ab".into())),
            after: Some(Version("ba9876543210".into())),
            lines: LineRanges(vec![(10, 12)]),
            added: 3,
            removed: 1,
            edits: vec![EditOutcome {
                rung: Some("exact".into()),
                lines: Some((9, 10)),
                now: Some((10, 12)),
                ..EditOutcome::new(EditStatus::Applied)
            }],
            ..FileOutcome::new(path.into(), JobStatus::Applied)
        }
    }

    fn applied(paths: &[&str]) -> Receipt {
        let files = paths.iter().map(|path| file(path)).collect();
        Receipt { files, ..Receipt::new(Some(JobId(17)), JobStatus::Applied) }
    }

    fn json(receipt: &Receipt, wish: ReplyWish) -> String {
        serde_json::to_string(&shortened(receipt, wish)).unwrap()
    }

    #[test]
    fn a_success_is_cut_to_the_budget_that_it_names_the_least_needed_first() {
        let wish = ReplyWish::new(None, Some(150));
        let one = json(&applied(&["src/a.rs"]), wish);
        assert_eq!(
            one,
            r#"{"job":17,"status":"applied","files":[{"path":"src/a.rs","after":"ba9876543210","lines":"10-12","added":3,"removed":1}]}"#
        );
        let two = json(&applied(&["src/a.rs", "src/b.rs"]), wish);
        assert_eq!(
            two,
            r#"{"job":17,"status":"applied","files":[{"path":"src/a.rs","lines":"10-12"},{"path":"src/b.rs","lines":"10-12"}]}"#
        );
        for wish in [ReplyWish::default(), ReplyWish::new(None, Some(10_000))] {
            let whole = json(&applied(&["src/a.rs", "src/b.rs"]), wish);
            assert_eq!(whole.matches(r#""after":"ba9876543210","lines":"10-12","added":3"#).count(), 2);
        }
        let all = shortened(&applied(&["a"]), ReplyWish::ALL);
        assert_eq!(all, applied(&["a"]));
    }

    #[test]
    fn unknown_details_are_kept() {
        let mut receipt = applied(&["a", "b"]);
        let first = receipt.files.first_mut().unwrap();
        first.after = None;
        first.warnings = vec!["w".into()];
        first.issues = vec![Issue {
            path: "a".into(),
            validator: "v".into(),
            line: None,
            column: None,
            message: "i".into(),
        }];
        let second = receipt.files.last_mut().unwrap();
        second.edits.push(EditOutcome {
            rung: Some("indent".into()),
            now: Some((4, 4)),
            ..EditOutcome::new(EditStatus::Applied)
        });
        let short = shortened(&receipt, ReplyWish::default());
        let first = short.files.first().unwrap();
        // A deleted file keeps the version that it had.
        assert!(first.before.is_some() && first.edits.is_empty());
        assert_eq!((first.warnings.len(), first.issues.len()), (1, 1));
        let [edit] = short.files.last().unwrap().edits.as_slice() else { unreachable!("{short:?}") };
        assert_eq!((edit.edit, edit.rung.as_deref(), edit.now), (Some(2), Some("indent"), Some((4, 4))));
    }

    #[test]
    fn unrequested_diffs_are_cut_at_hunks() {
        let hunk = format!("@@ -1 +1 @@\n-{}\n+b\n", "x".repeat(300));
        let diff = format!("--- a/a\n+++ b/a\n{hunk}{hunk}{hunk}");
        let mut receipt = applied(&["a"]);
        let changed =
            FileOutcome { diff: Some(diff.clone()), ..FileOutcome::new("a".into(), JobStatus::Applied) };
        receipt.hooks =
            vec![HookOutcome { name: "fmt".into(), job: None, files: vec![changed], warnings: Vec::new() }];
        let short = shortened(&receipt, ReplyWish::default());
        let shown = short.hooks.first().unwrap().files.first().unwrap();
        assert_eq!(shown.diff.as_deref(), Some(format!("--- a/a\n+++ b/a\n{hunk}{hunk}").as_str()));
        assert_eq!(shown.omitted_hunks, Some(1));
        assert_eq!(first_hunks(&diff, 10), ("", 3));
        assert_eq!(first_hunks(&diff, diff.len()), (diff.as_str(), 0));
        let parsed = shortened(&receipt, ReplyWish::new(Some(true), None));
        assert_eq!(parsed.hooks, receipt.hooks);
    }

    fn long_error() -> RequestError {
        let mut error = RequestError::new(ErrorCode::Ambiguous, "the text occurs at 9 places; quote more")
            .at(&"src/a.rs".into());
        let candidate =
            |line| Candidate { line, column: 1, text: "x".repeat(160), symbol: Some("impl S/new".into()) };
        error.candidates = (1..=5).map(candidate).collect();
        let mut other =
            RequestError::new(ErrorCode::NotFound, "the quoted text is not in the file; ".repeat(5))
                .at(&"src/a.rs".into());
        other.edit = Some(3);
        other.tried = vec!["exact".into()];
        other.near_misses =
            vec![NearMiss { line: 8, text: "8 | y\n".repeat(20), score: 0.5, differs: None, quoted: None }];
        error.others = vec![other; 20];
        error
    }

    #[test]
    fn a_refusal_names_what_fails_in_few_words_and_counts_the_rest() {
        let receipt = Receipt::refused(long_error());
        let short = shortened(&receipt, ReplyWish::default()).error.unwrap();
        let tokens = editd_proto::tokens::tokens(&serde_json::to_string(&short).unwrap());
        assert!(tokens <= REFUSAL_TOKENS, "{tokens}");
        assert_eq!(short.candidates.len(), 5);
        assert!(!short.others.is_empty());
        assert_eq!(short.others.len() as u64 + short.more.unwrap(), 20);
        let other = short.others.first().unwrap();
        assert_eq!((other.edit, other.line, other.path.as_ref()), (Some(3), Some(8), None));
        assert!(other.near_misses.is_empty() && other.tried.is_empty());
        let whole = shortened(&receipt, ReplyWish::new(None, Some(1 << 20))).error.unwrap();
        assert_eq!((whole.others.len(), whole.more), (20, None));
    }

    #[test]
    fn a_refusal_full_of_numbers_and_signs_is_measured_by_its_tokens() {
        let window = |line: u64| NearMiss {
            line,
            text: format!("{line} | (0x1f, 9) => [8, 7, 6];\n").repeat(9),
            score: 0.9,
            differs: Some(line),
            quoted: Some("(0x1f, 9) => [8, 7, 5];".into()),
        };
        let mut error =
            RequestError::new(ErrorCode::NotFound, "the quoted text is not there").at(&"a".into());
        error.near_misses = vec![window(8), window(30), window(51)];
        let told = |wish| shortened(&Receipt::refused(error.clone()), wish).error.unwrap().near_misses;
        let bytes = serde_json::to_string(&error).unwrap().len();
        assert!(bytes < 1200, "{bytes}");
        assert_eq!(told(ReplyWish::default()).len(), 1);
        // The quoted text is the same for each window.
        let all = told(ReplyWish::new(None, Some(10_000)));
        let quoted: Vec<bool> = all.iter().map(|near| near.quoted.is_some()).collect();
        assert_eq!(quoted, [true, false, false]);
    }

    #[test]
    fn the_errors_of_a_job_applied_in_part_stand_at_their_edits_alone() {
        let failed = |edit| {
            let error = long_error().others.first().cloned().unwrap();
            let error = Some(Box::new(RequestError { edit: Some(edit), ..error }));
            EditOutcome { edit: Some(edit), error, ..EditOutcome::new(EditStatus::Refused) }
        };
        let refused = |path: &str, count| FileOutcome {
            edits: (1..=count).map(failed).collect(),
            ..FileOutcome::new(path.into(), JobStatus::Refused)
        };
        let of = |count| {
            let mut receipt = applied(&["src/b.rs"]);
            receipt.files.push(refused("src/a.rs", count));
            let first = receipt.files.last().and_then(|file| file.edits.first()).unwrap().error.clone();
            Receipt { status: JobStatus::Partial, error: first.map(|error| *error), ..receipt }
        };
        let few = shortened(&of(1), ReplyWish::default());
        let edit = few.files.last().unwrap().edits.first().unwrap();
        let told = edit.error.as_deref().unwrap();
        assert_eq!((edit.edit, told.edit, &told.path, told.near_misses.len()), (Some(1), None, &None, 1));
        let error = few.error.unwrap();
        assert_eq!(
            (error.edit, error.path, error.near_misses),
            (Some(1), Some("src/a.rs".into()), Vec::new())
        );
        assert_eq!(error.message, told.message);

        let tokens =
            |receipt: &Receipt| editd_proto::tokens::tokens(&serde_json::to_string(receipt).unwrap());
        let (long, many) = (of(40), shortened(&of(40), ReplyWish::default()));
        assert!(tokens(&many) < 40 * 80 && tokens(&many) < tokens(&long) / 2, "{}", tokens(&many));
        assert!(many.files.last().unwrap().edits.iter().all(|edit| edit.error.is_some()));
        assert_eq!(
            shortened(&of(40), ReplyWish::new(None, Some(1 << 20))).files.last().unwrap().edits.len(),
            40
        );
    }

    #[test]
    fn lines_that_count_as_seen_are_never_cut() {
        let mut error = long_error();
        error.code = ErrorCode::Stale;
        error.version = Some(Version("ba9876543210".into()));
        error.diff = Some("@@ -1 +1 @@\n-a\n+b\n".repeat(200));
        error.near_misses =
            vec![
                NearMiss { line: 8, text: "8 | y\n".repeat(20), score: 0.5, differs: Some(8), quoted: None };
                3
            ];
        let whole = error.clone();
        error.others.iter_mut().for_each(|other| other.diff = Some("+c\n".repeat(50)));
        let short = shortened(&Receipt::refused(error), ReplyWish::default()).error.unwrap();
        assert_eq!((short.diff, short.near_misses), (whole.diff, whole.near_misses));
        assert!(short.others.len() == 20 && short.others.iter().all(|other| other.diff.is_some()));
    }
}
