//! The dialect `apply-patch`: an envelope with hunks that bear no numbers.

use fastrand::Rng;

use super::unified_diff::body;
use super::{Ask, Context, Printer, Sent, Ways};

/// The dialect.
pub(super) struct ApplyPatch;

impl Printer for ApplyPatch {
    fn ways(&self) -> Ways {
        Ways { context: Context::Beside, context_lines: 1, numbered: false, ..Ways::named("apply-patch") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
        let eol = ask.eol;
        let hunks = ask.edits.iter().map(|said| format!("@@{eol}{}", body(said, eol, "")));
        let text = format!(
            "*** Begin Patch{eol}*** Update File: {}{eol}{}*** End Patch{eol}",
            ask.source.path,
            hunks.collect::<String>()
        );
        Some(Sent::Payload { dialect: "apply-patch", text, beside: false })
    }
}
