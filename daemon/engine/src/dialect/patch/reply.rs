//! Formats the reply to a `patch` payload in the terms of its callers. Only written changes are reported as applied.

use std::collections::BTreeMap;

use editd_types::{EditOutcome, EditStatus, ErrorCode, FileEdit, JobStatus, Receipt, RequestError};

use crate::dialect::explain::{
    explain, failures, found_otherwise, left_out, loose_rung, plain, span, with_details,
};
use crate::dialect::summary::{Detail, summary};
use crate::dialect::{PayloadOutcome, ReplyFormat};
use crate::limits;
use crate::locate::excerpt;

/// The data of a payload that the wording of its answer needs.
#[derive(Debug)]
pub(super) struct PatchReply {
    patches: Vec<PatchSummary>,
}

/// The data of a patch that the wording of its answer needs.
#[derive(Debug)]
struct PatchSummary {
    /// The clipboard that it stores to.
    clipboard: Option<String>,
    kind: PatchKind,
    /// The quoted lines that the rung `edge` may have cut off.
    edges: Edges,
}

/// The first and the last quoted line, each only if the new text has the same line at that end.
#[derive(Debug, Default)]
struct Edges {
    first: Option<String>,
    last: Option<String>,
    /// The number of quoted lines.
    lines: u64,
}

impl Edges {
    fn of(edit: &FileEdit) -> Self {
        let (Some(old), Some(new)) = (&edit.old, &edit.new) else { return Self::default() };
        let same = |old: Option<&str>, new: Option<&str>| {
            old.filter(|line| new == Some(*line)).map(|line| excerpt(line, 0))
        };
        Self {
            first: same(old.lines().next(), new.lines().next()),
            last: same(old.lines().next_back(), new.lines().next_back()),
            lines: old.lines().count() as u64,
        }
    }

    /// Returns a sentence about the quoted lines that are missing in the file, at a match of `there` lines.
    fn missing(&self, there: u64) -> String {
        let both = self.lines.saturating_sub(there) > 1;
        match (&self.first, &self.last) {
            (Some(first), Some(last)) if both => format!("`{first}` and `{last}` are"),
            (Some(first), Some(last)) => format!("`{first}` or `{last}` is"),
            (Some(line), None) | (None, Some(line)) => format!("`{line}` is"),
            (None, None) => "a line of oldText is".to_owned(),
        }
    }
}

/// The kinds of patches for which the advice differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PatchKind {
    /// Replaces text, and could replace every occurrence.
    Replace,
    /// Replaces the whole file, and cannot be merged with another patch.
    Overwrite,
    /// Adds text.
    Other,
}

impl PatchKind {
    fn of(edit: &FileEdit) -> Self {
        match edit.op.as_str() {
            "replace" => Self::Replace,
            "write" => Self::Overwrite,
            _ => Self::Other,
        }
    }
}

impl PatchReply {
    /// Creates the data of these edits.
    pub(super) fn new(edits: &[FileEdit]) -> Self {
        let remembered = |edit: &FileEdit| PatchSummary {
            clipboard: edit.to_clipboard.clone(),
            kind: PatchKind::of(edit),
            edges: Edges::of(edit),
        };
        Self { patches: edits.iter().map(remembered).collect() }
    }

    /// Returns the clipboards that hold another text than was quoted, each with its last store.
    fn altered<'a>(&'a self, edits: &'a [EditOutcome]) -> BTreeMap<&'a str, &'a EditOutcome> {
        let mut last = BTreeMap::new();
        for (patch, edit) in self.patches.iter().zip(edits) {
            if let (Some(name), true) = (&patch.clipboard, edit.status != EditStatus::Refused) {
                last.insert(name.as_str(), edit);
            }
        }
        last.retain(|_, edit| edit.rung.as_deref().is_some_and(|rung| rung != "exact"));
        last
    }

    /// Returns a line for each clipboard that holds another text than was quoted.
    pub(super) fn clipboards(&self, edits: &[EditOutcome]) -> Vec<String> {
        let altered = self.altered(edits);
        let line = |(name, edit): (&&str, &&EditOutcome)| {
            let rung = edit.rung.as_deref().unwrap_or_default();
            let place = match edit.lines {
                None => String::new(),
                Some((first, last)) => format!(" at {}", span(first, last)),
            };
            format!(
                "<clipboard>{name:?} holds what the file had{place}, not oldText as it was quoted: it matched as `{rung}`</clipboard>"
            )
        };
        let mut lines: Vec<String> = altered.iter().take(limits::CLIPBOARDS_LISTED).map(line).collect();
        if altered.len() > lines.len() {
            lines.push(format!("<clipboard>and {} more</clipboard>", altered.len() - lines.len()));
        }
        lines
    }

    /// Returns a line for each patch that did not match as quoted.
    fn loose(&self, edits: &[EditOutcome]) -> Vec<String> {
        let loose = (1u64..).zip(self.patches.iter().zip(edits)).filter_map(|(number, (patch, edit))| {
            let rung = loose_rung(edit)?;
            let (first, last) = edit.lines.unwrap_or_default();
            let there = match rung {
                "edge" => format!(": {} not in the file there", patch.edges.missing(last + 1 - first)),
                _ => String::new(),
            };
            Some(format!(
                "<matched>patch {number}: oldText matched {} as `{rung}`{there}</matched>",
                span(first, last)
            ))
        });
        loose.take(limits::BLOCKS_DETAILED).collect()
    }

    fn kind(&self, patch: Option<u64>) -> Option<PatchKind> {
        let index = usize::try_from(patch?).ok()?.checked_sub(1)?;
        self.patches.get(index).map(|patch| patch.kind)
    }

    /// Returns the reason of a patch's refusal, with the names of this dialect's fields and operations.
    fn about(&self, patch: Option<u64>, error: &RequestError) -> String {
        let overwrites =
            [patch, error.other_edit].into_iter().any(|one| self.kind(one) == Some(PatchKind::Overwrite));
        let sentence = match (error.code, error.other_edit) {
            (ErrorCode::Ambiguous, _) if error.readings.is_empty() => {
                let places = error.found.unwrap_or(0);
                let advice =
                    if self.kind(patch) == Some(PatchKind::Replace) { ", or set replaceAll" } else { "" };
                format!(
                    "oldText is not unique, it occurs at {places} places; quote more lines around the one you mean{advice}"
                )
            }
            (ErrorCode::Missing, _) => {
                "the file does not exist; overwrite, append_eof and prepend_bof make it".to_owned()
            }
            (ErrorCode::Overlap, _) if overwrites => {
                "overwrite replaces the whole file; only append_eof and prepend_bof go with it".to_owned()
            }
            (ErrorCode::Overlap, Some(other)) => {
                format!("it is overlapping with patch {other}; make the two one patch")
            }
            (ErrorCode::NotFound, _) if !error.tried.is_empty() => {
                let more = found_otherwise(error);
                let more = more.as_deref().unwrap_or("read the file again and quote the present text");
                format!("oldText was not found; {more}")
            }
            _ => plain(error),
        };
        let why = with_details(error, sentence);
        patch.map_or_else(|| why.clone(), |number| format!("patch {number}: {why}"))
    }

    fn outcome(&self, receipt: &Receipt) -> String {
        let edits = || receipt.files.iter().flat_map(|file| &file.edits);
        match (receipt.status, &receipt.error) {
            (JobStatus::Applied, _) => applied("all"),
            (JobStatus::Unchanged, _) => format!("{}\nThe file has this content already.", applied("all")),
            (JobStatus::Verified, _) => {
                format!("{}\nAll would be applied; nothing was written, as requested.", applied("none"))
            }
            (JobStatus::Queued, _) => format!("{}\nThey are queued.", applied("none")),
            (JobStatus::Partial, _) => {
                let done = edits().filter(|edit| edit.status != EditStatus::Refused).count();
                applied(&format!("{done} of {}", edits().count()))
            }
            (JobStatus::Refused, Some(error)) => {
                let failed = failures(error, |error| self.about(error.edit, error));
                format!("{}\n{failed}", applied("none"))
            }
            (JobStatus::Refused, None) => applied("none"),
        }
    }
}

/// Returns the tag with the number of applied patches.
fn applied(how_many: &str) -> String {
    format!("<patches_applied>{how_many}</patches_applied>")
}

/// Returns the message of a refused payload. The error already names the item.
pub(super) fn refused(error: &RequestError) -> String {
    format!("{}\n{}", applied("none"), explain(error))
}

impl ReplyFormat for PatchReply {
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String {
        let PayloadOutcome::Receipt(receipt) = outcome else { return String::new() };
        let mut lines = vec![self.outcome(receipt)];
        if matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
            let summary = summary(receipt, Detail::Changes);
            lines.extend(summary.map(|summary| format!("<summary>{summary}</summary>")));
        }
        for file in &receipt.files {
            lines.extend(left_out(file).map(|(number, error)| self.about(Some(number), error)));
            if matches!(receipt.status, JobStatus::Applied | JobStatus::Unchanged | JobStatus::Partial) {
                lines.extend(self.loose(&file.edits));
                lines.extend(self.clipboards(&file.edits));
            }
            lines.extend(file.issues.iter().map(|issue| format!("<issue>{issue}</issue>")));
            lines.extend(file.warnings.iter().map(|warning| format!("<warning>{warning}</warning>")));
        }
        lines.join("\n")
    }
}
