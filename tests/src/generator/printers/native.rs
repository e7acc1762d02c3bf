//! The native edits: `replace`, in whole lines or not, `lines`, `chunk` and `insert`. They are built, not written
//! as text.

use editd_proto::message::{EditPosition, FileEdit};
use fastrand::Rng;

use super::{Ask, Context, Printer, Sent, Sweeping, Ways, list};

/// `replace` anywhere in a line.
pub(super) struct Replace;

impl Printer for Replace {
    fn ways(&self) -> Ways {
        Ways { anywhere: true, phrases: true, hints: true, similar: true, ..Ways::named("replace") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
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
        Some(Sent::Native(edits.collect()))
    }

    fn sweep(&self, _: &str, edit: &Sweeping) -> Option<Sent> {
        let edit = match edit {
            Sweeping::Everywhere { old, new } => FileEdit {
                old: Some(old.clone()),
                new: Some(new.clone()),
                all: Some(true),
                ..named("replace")
            },
            Sweeping::Whole(text) => FileEdit { text: Some(text.clone()), ..named("write") },
            Sweeping::Start(_) | Sweeping::End(_) => return None,
        };
        Some(Sent::Native(vec![edit]))
    }
}

/// `replace` of whole lines.
pub(super) struct WholeLines;

impl Printer for WholeLines {
    fn ways(&self) -> Ways {
        Ways { hints: true, similar: true, ..Ways::named("replace, whole lines") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
        let edits = ask.edits.iter().map(|said| FileEdit {
            old: Some(list(&said.quoted(), ask.eol)),
            new: Some(list(&said.with_context(), ask.eol)),
            near: said.hint,
            threshold: ask.threshold,
            whole_lines: Some(true),
            ..named("replace")
        });
        Some(Sent::Native(edits.collect()))
    }
}

/// `lines`, by number.
pub(super) struct Lines;

impl Printer for Lines {
    fn ways(&self) -> Ways {
        Ways { quotes: false, looks: false, ..Ways::named("lines") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
        let edits = ask.edits.iter().zip(ask.lines).map(|(said, (first, removed))| FileEdit {
            start: Some(*first as u64 + 1),
            end: Some((first + removed) as u64),
            text: Some(list(&said.new, ask.eol)),
            ..named("lines")
        });
        Some(Sent::Native(edits.collect()))
    }
}

/// `chunk`, with contexts.
pub(super) struct Chunk;

impl Printer for Chunk {
    fn ways(&self) -> Ways {
        Ways { context: Context::Beside, numbered: false, ..Ways::named("chunk") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
        let context = |lines: &[String]| (!lines.is_empty()).then(|| list(lines, ask.eol));
        let edits = ask.edits.iter().map(|said| FileEdit {
            before: context(&said.before),
            old: Some(list(&said.old, ask.eol)),
            new: Some(list(&said.new, ask.eol)),
            after: context(&said.after),
            ..named("chunk")
        });
        Some(Sent::Native(edits.collect()))
    }
}

/// `insert` beside an anchor of whole lines.
pub(super) struct Insert;

impl Printer for Insert {
    fn ways(&self) -> Ways {
        Ways { context: Context::Beside, hints: true, insertions: true, ..Ways::named("insert") }
    }

    fn print(&self, ask: &Ask<'_>, _: &mut Rng) -> Option<Sent> {
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
        Some(Sent::Native(edits.collect()))
    }

    fn sweep(&self, _: &str, edit: &Sweeping) -> Option<Sent> {
        let (at, text) = match edit {
            Sweeping::Start(text) => (EditPosition::Start, text),
            Sweeping::End(text) => (EditPosition::End, text),
            Sweeping::Everywhere { .. } | Sweeping::Whole(_) => return None,
        };
        Some(Sent::Native(vec![FileEdit { at: Some(at), text: Some(text.clone()), ..named("insert") }]))
    }
}

fn named(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}
