//! The answer to a `patch` payload in the words of its callers. Only what was written is said to be applied.

use std::collections::BTreeMap;

use editd_proto::error::{Code, WireError};
use editd_proto::message::{Edit, EditOutcome, EditStatus, Receipt, Status};

use crate::dialect::explain::{explain, left_out, with_details};
use crate::dialect::{Answer, Words};
use crate::limits;

/// What must be remembered of a payload to speak of its answer.
#[derive(Debug)]
pub(super) struct Reply {
    patches: Vec<Remembered>,
}

/// What must be remembered of a patch.
#[derive(Debug)]
struct Remembered {
    /// The clipboard that it stores.
    clipboard: Option<String>,
    kind: Kind,
}

/// What a patch does, as far as advice about it differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// It could replace every occurrence.
    Replace,
    /// It replaces the whole file, and cannot be made one with another.
    Overwrite,
    /// It adds something.
    Other,
}

impl Kind {
    fn of(edit: &Edit) -> Self {
        match edit.op.as_str() {
            "replace" => Self::Replace,
            "write" => Self::Overwrite,
            _ => Self::Other,
        }
    }
}

impl Reply {
    /// For these edits.
    pub(super) fn new(edits: &[Edit]) -> Self {
        let remembered =
            |edit: &Edit| Remembered { clipboard: edit.to_clipboard.clone(), kind: Kind::of(edit) };
        Self { patches: edits.iter().map(remembered).collect() }
    }

    /// The clipboards that hold something else than was quoted, each with its last store.
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

    /// Says which those are.
    pub(super) fn clipboards(&self, edits: &[EditOutcome]) -> Vec<String> {
        let altered = self.altered(edits);
        let line = |(name, edit): (&&str, &&EditOutcome)| {
            let rung = edit.rung.as_deref().unwrap_or_default();
            let place = match edit.lines {
                None => String::new(),
                Some((first, last)) if first == last => format!(" at line {first}"),
                Some((first, last)) => format!(" at lines {first} to {last}"),
            };
            format!(
                "<clipboard>{name:?} holds what the file had{place}, not oldText as it was quoted: it matched as `{rung}`</clipboard>"
            )
        };
        let mut lines: Vec<String> = altered.iter().take(limits::CLIPBOARDS_SAID).map(line).collect();
        if altered.len() > lines.len() {
            lines.push(format!("<clipboard>and {} more</clipboard>", altered.len() - lines.len()));
        }
        lines
    }

    fn kind(&self, patch: Option<u64>) -> Option<Kind> {
        let index = usize::try_from(patch?).ok()?.checked_sub(1)?;
        self.patches.get(index).map(|patch| patch.kind)
    }

    /// Why a patch was refused, in the names of this dialect's fields and operations.
    fn about(&self, patch: Option<u64>, error: &WireError) -> String {
        let overwrites =
            [patch, error.other_edit].into_iter().any(|one| self.kind(one) == Some(Kind::Overwrite));
        let sentence = match (error.code, error.other_edit) {
            (Code::Ambiguous, _) => {
                let places = error.found.unwrap_or(0);
                let advice = if self.kind(patch) == Some(Kind::Replace) { ", or set replaceAll" } else { "" };
                format!("oldText stands at {places} places; quote more lines around the one you mean{advice}")
            }
            (Code::Missing, _) => {
                "the file does not exist; overwrite, append_eof and prepend_bof make it".to_owned()
            }
            (Code::Overlap, _) if overwrites => {
                "overwrite replaces the whole file; only append_eof and prepend_bof go with it".to_owned()
            }
            (Code::Overlap, Some(other)) => {
                format!("it changes text that patch {other} changes too; make the two one patch")
            }
            _ => error.message.clone(),
        };
        let why = with_details(error, sentence);
        patch.map_or_else(|| why.clone(), |number| format!("patch {number}: {why}"))
    }

    fn outcome(&self, receipt: &Receipt) -> String {
        let edits = || receipt.files.iter().flat_map(|file| &file.edits);
        match (receipt.status, &receipt.error) {
            (Status::Applied, _) => applied("all"),
            (Status::Unchanged, _) => format!("{}\nThe file was so already.", applied("all")),
            (Status::Verified, _) => {
                format!("{}\nAll would be applied; nothing was written, as asked.", applied("none"))
            }
            (Status::Queued, _) => format!("{}\nThey wait for their turn.", applied("none")),
            (Status::Partial, _) => {
                let done = edits().filter(|edit| edit.status != EditStatus::Refused).count();
                applied(&format!("{done} of {}", edits().count()))
            }
            (Status::Refused, Some(error)) => {
                format!("{}\n{}", applied("none"), self.about(error.edit, error))
            }
            (Status::Refused, None) => applied("none"),
        }
    }
}

/// The tag that tells how many patches were applied.
fn applied(how_many: &str) -> String {
    format!("<patches_applied>{how_many}</patches_applied>")
}

/// A payload that was refused: it names its item itself.
pub(super) fn refused(error: &WireError) -> String {
    format!("{}\n{}", applied("none"), explain(error))
}

impl Words for Reply {
    fn say(&self, answer: &Answer<'_>) -> String {
        let Answer::Receipt(receipt) = answer else { return String::new() };
        let mut lines = vec![self.outcome(receipt)];
        for file in &receipt.files {
            lines.extend(left_out(file).map(|(number, error)| self.about(Some(number), error)));
            if matches!(receipt.status, Status::Applied | Status::Unchanged | Status::Partial) {
                lines.extend(self.clipboards(&file.edits));
            }
            lines.extend(file.issues.iter().map(|issue| format!("<issue>{issue}</issue>")));
            lines.extend(file.warnings.iter().map(|warning| format!("<warning>{warning}</warning>")));
        }
        lines.join("\n")
    }
}
