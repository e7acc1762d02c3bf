//! The answer to a `patch` payload in the words of its callers. Only what was written is said to be applied.

use std::collections::BTreeMap;

use editd_proto::error::{Code, WireError};
use editd_proto::message::{Edit, EditOutcome, EditStatus, Receipt, Status};

use crate::dialect::explain::{explain, left_out, with_details};
use crate::dialect::{Answer, Words};

/// What must be remembered of a payload to speak of its answer.
#[derive(Debug)]
pub(super) struct Reply {
    /// For each patch, the clipboard that it stores.
    clipboards: Vec<Option<String>>,
}

impl Reply {
    /// For these edits.
    pub(super) fn new(edits: &[Edit]) -> Self {
        Self { clipboards: edits.iter().map(|edit| edit.to_clipboard.clone()).collect() }
    }

    /// The clipboards that hold something else than was quoted, each with its last store.
    fn altered<'a>(&'a self, edits: &'a [EditOutcome]) -> BTreeMap<&'a str, &'a EditOutcome> {
        let mut last = BTreeMap::new();
        for (clipboard, edit) in self.clipboards.iter().zip(edits) {
            if let (Some(name), true) = (clipboard, edit.status != EditStatus::Refused) {
                last.insert(name.as_str(), edit);
            }
        }
        last.retain(|_, edit| edit.rung.as_deref().is_some_and(|rung| rung != "exact"));
        last
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

/// Why a patch was refused, in the names of this dialect's fields and operations.
fn about(patch: Option<u64>, error: &WireError) -> String {
    let places = error.found.unwrap_or(0);
    let sentence = match (error.code, error.other_edit) {
        (Code::Ambiguous, _) => {
            format!(
                "oldText stands at {places} places; quote more lines around the one you mean, or set replaceAll"
            )
        }
        (Code::Missing, _) => {
            "the file does not exist; overwrite, append_eof and prepend_bof make it".to_owned()
        }
        (Code::Overlap, Some(other)) => {
            format!("it changes text that patch {other} changes too; make the two one patch")
        }
        _ => error.message.clone(),
    };
    let why = with_details(error, sentence);
    patch.map_or_else(|| why.clone(), |number| format!("patch {number}: {why}"))
}

impl Words for Reply {
    fn say(&self, answer: &Answer<'_>) -> String {
        let Answer::Receipt(receipt) = answer else { return String::new() };
        let mut lines = vec![outcome(receipt)];
        for file in &receipt.files {
            lines.extend(left_out(file).map(|(number, why)| about(Some(number), why)));
            if matches!(receipt.status, Status::Applied | Status::Unchanged | Status::Partial) {
                for (name, edit) in self.altered(&file.edits) {
                    let rung = edit.rung.as_deref().unwrap_or_default();
                    let place = edit.lines.map_or_else(String::new, |(first, last)| {
                        match last.saturating_sub(first) {
                            0 => format!(" at line {first}"),
                            _ => format!(" at lines {first} to {last}"),
                        }
                    });
                    lines.push(format!(
                        "<clipboard>{name:?} holds what the file had{place}, not oldText as it was quoted: it matched as `{rung}`</clipboard>"
                    ));
                }
            }
            lines.extend(file.issues.iter().map(|issue| format!("<issue>{issue}</issue>")));
            lines.extend(file.warnings.iter().map(|warning| format!("<warning>{warning}</warning>")));
        }
        lines.join("\n")
    }
}

fn outcome(receipt: &Receipt) -> String {
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
            format!("{}\n{}", applied("none"), about(error.edit, error))
        }
        (Status::Refused, None) => applied("none"),
    }
}
