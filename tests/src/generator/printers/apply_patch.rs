//! The dialect `apply-patch`: an envelope with hunks that bear no numbers.

use fastrand::Rng;

use super::unified_diff::body;
use super::{ContextPlace, EditPrinter, FormProperties, PrintTask, PrintedRequest};

/// The dialect.
pub(super) struct ApplyPatchPrinter;

impl EditPrinter for ApplyPatchPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties {
            context: ContextPlace::Beside,
            context_lines: 1,
            numbered: false,
            ..FormProperties::named("apply-patch")
        }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let eol = ask.eol;
        let hunks = ask.edits.iter().map(|said| format!("@@{eol}{}", body(said, eol, "")));
        let text = format!(
            "*** Begin Patch{eol}*** Update File: {}{eol}{}*** End Patch{eol}",
            ask.source.path,
            hunks.collect::<String>()
        );
        Some(PrintedRequest::Payload { dialect: "apply-patch", text, beside: false })
    }
}
