//! The native edits: `replace`, in whole lines or not, `lines`, `chunk` and `insert`. They are built, not written
//! as text.

use editd_proto::message::{EditPosition, FileEdit};
use fastrand::Rng;

use super::{ContextPlace, EditPrinter, FormProperties, PrintTask, PrintedRequest, UnquotedEdits, list};

/// `replace` anywhere in a line.
pub(super) struct ReplacePrinter;

impl EditPrinter for ReplacePrinter {
    fn ways(&self) -> FormProperties {
        FormProperties {
            anywhere: true,
            phrases: true,
            hints: true,
            similar: true,
            ..FormProperties::named("replace")
        }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let edits = ask.edits.iter().map(|said| {
            let (old, new) = said.texts(ask.eol);
            FileEdit {
                old: Some(old),
                new: Some(new),
                near: said.hint,
                threshold: ask.threshold,
                ..named("replace")
            }
        });
        Some(PrintedRequest::Native(edits.collect()))
    }

    fn sweep(&self, _: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let edit = match edit {
            UnquotedEdits::Everywhere { old, new } => FileEdit {
                old: Some(old.clone()),
                new: Some(new.clone()),
                all: Some(true),
                ..named("replace")
            },
            UnquotedEdits::Whole(text) => FileEdit { text: Some(text.clone()), ..named("write") },
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        Some(PrintedRequest::Native(vec![edit]))
    }
}

/// `replace` of whole lines.
pub(super) struct WholeLinesPrinter;

impl EditPrinter for WholeLinesPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { hints: true, similar: true, ..FormProperties::named("replace, whole lines") }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let edits = ask.edits.iter().map(|said| FileEdit {
            old: Some(list(&said.quoted(), ask.eol)),
            new: Some(list(&said.with_context(), ask.eol)),
            near: said.hint,
            threshold: ask.threshold,
            whole_lines: Some(true),
            ..named("replace")
        });
        Some(PrintedRequest::Native(edits.collect()))
    }
}

/// `lines`, by number.
pub(super) struct LinesPrinter;

impl EditPrinter for LinesPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { quotes: false, looks: false, ..FormProperties::named("lines") }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let edits = ask.edits.iter().zip(ask.lines).map(|(said, (first, removed))| FileEdit {
            start: Some(*first as u64 + 1),
            end: Some((first + removed) as u64),
            text: Some(list(&said.new, ask.eol)),
            ..named("lines")
        });
        Some(PrintedRequest::Native(edits.collect()))
    }
}

/// `chunk`, with contexts.
pub(super) struct ChunkPrinter;

impl EditPrinter for ChunkPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { context: ContextPlace::Beside, numbered: false, ..FormProperties::named("chunk") }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        let context = |lines: &[String]| (!lines.is_empty()).then(|| list(lines, ask.eol));
        let edits = ask.edits.iter().map(|said| FileEdit {
            before: context(&said.before),
            old: Some(list(&said.old, ask.eol)),
            new: Some(list(&said.new, ask.eol)),
            after: context(&said.after),
            ..named("chunk")
        });
        Some(PrintedRequest::Native(edits.collect()))
    }
}

/// `insert` beside an anchor of whole lines.
pub(super) struct InsertPrinter;

impl EditPrinter for InsertPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties {
            context: ContextPlace::Beside,
            hints: true,
            insertions: true,
            ..FormProperties::named("insert")
        }
    }

    fn print(&self, ask: &PrintTask<'_>, _: &mut Rng) -> Option<PrintedRequest> {
        if ask.edits.iter().any(|said| !said.before.is_empty() && !said.after.is_empty()) {
            return None;
        }
        let edits = ask.edits.iter().map(|said| FileEdit {
            at: Some(if said.after.is_empty() {
                EditPosition::After(list(&said.before, ask.eol))
            } else {
                EditPosition::Before(list(&said.after, ask.eol))
            }),
            text: Some(list(&said.new, ask.eol)),
            near: said.hint,
            whole_lines: Some(true),
            ..named("insert")
        });
        Some(PrintedRequest::Native(edits.collect()))
    }

    fn sweep(&self, _: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let (at, text) = match edit {
            UnquotedEdits::Start(text) => (EditPosition::Start, text),
            UnquotedEdits::End(text) => (EditPosition::End, text),
            UnquotedEdits::Everywhere { .. } | UnquotedEdits::Whole(_) => return None,
        };
        Some(PrintedRequest::Native(vec![FileEdit {
            at: Some(at),
            text: Some(text.clone()),
            ..named("insert")
        }]))
    }
}

fn named(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}
