//! The table of edit kinds, and the facts that every kind provides. The meaning of a kind is in its own file.

use std::sync::Arc;

use editd_types::operation::{nearest, operation};
use editd_types::{EditPosition, FileEdit, FilePath};

use super::given::NewText;
use super::{
    Chunk, Create, HunkEdit, Insert, Lines, Replace, Substitute, SymbolEdit, SymbolSelector, Target, Write,
    chmod, chunk, create, fields, hunk, insert, lines,
};
use super::{moves, replace, substitute, symbol, write};
use crate::locate::Needle;
use crate::refusal::malformed;
use crate::text::Breaks;
use crate::{ContentProof, Refusal};

/// One edit, its fields checked. A clone shares them.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Text at one place, or every occurrence.
    Replace(Arc<Replace>),
    /// Text put somewhere.
    Insert(Arc<Insert>),
    /// The whole file.
    Write(Arc<Write>),
    /// A range of lines.
    Lines(Arc<Lines>),
    /// Lines between other lines.
    Chunk(Arc<Chunk>),
    /// Lines as a diff shows them.
    Hunk(Arc<HunkEdit>),
    /// Occurrences of a pattern.
    Substitute(Arc<Substitute>),
    /// One definition.
    Symbol(Arc<SymbolEdit>),
    /// A new file.
    Create(Arc<Create>),
    /// Deletes the file.
    Delete,
    /// Moves the file to another path.
    Rename(Target),
    /// Copies the file.
    Copy(Target),
    /// Sets the file's permission bits.
    Chmod(u32),
}

/// A kind: its name, and the function that reads its fields. Its row in the table of operations has the fields that it
/// may have.
type RegistryRow = (&'static str, fn(&FileEdit, Option<f64>) -> Result<Op, Refusal>);

const KINDS: &[RegistryRow] = &[
    ("replace", replace::parse),
    ("insert", insert::parse),
    ("write", write::parse),
    ("lines", lines::parse),
    ("chunk", chunk::parse),
    ("hunk", hunk::parse),
    ("substitute", substitute::parse),
    ("symbol", symbol::parse),
    ("create", create::parse),
    ("delete", |_, _| Ok(Op::Delete)),
    ("rename", |edit, _| moves::parse(edit).map(Op::Rename)),
    ("copy", |edit, _| moves::parse(edit).map(Op::Copy)),
    ("chmod", chmod::parse),
];

/// Reads an edit. `threshold` is the job's, for edits without their own.
///
/// # Errors
/// `malformed` naming the field.
pub(crate) fn parse(edit: &FileEdit, threshold: Option<f64>) -> Result<Op, Refusal> {
    let Some((name, read)) = KINDS.iter().find(|(name, _)| *name == edit.op) else {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let given: String = edit.op.chars().take(40).collect();
        let near = nearest(&edit.op, &names).map(|near| format!("use {near:?}; "));
        let (near, known) = (near.unwrap_or_default(), names.join(", "));
        return Err(malformed(format!("`op` is {given:?}; {near}it must be one of {known}")));
    };
    let given: Vec<&str> = fields::given(edit).collect();
    match operation(name).and_then(|operation| operation.unknown_fields_error(&given)) {
        Some(unknown) => Err(malformed(unknown)),
        None => read(edit, threshold),
    }
}

/// Returns the names of the kinds.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

impl Op {
    /// Returns the proof that the edit gives about the content it replaces.
    pub(crate) fn proof(&self) -> ContentProof {
        match self {
            Self::Replace(_) | Self::Chunk(_) => ContentProof::Quoted,
            Self::Insert(insert) => match &insert.at {
                EditPosition::Start | EditPosition::End => ContentProof::NotNeeded,
                EditPosition::Before(_) | EditPosition::After(_) => ContentProof::Quoted,
                EditPosition::Line(_) => ContentProof::Blind,
            },
            Self::Hunk(hunk) => match &hunk.at {
                _ if hunk.quotes() => ContentProof::Quoted,
                Some(EditPosition::End) => ContentProof::NotNeeded,
                _ => ContentProof::Blind,
            },
            // The name of the symbol counts as a quotation: the caller has it from the file.
            Self::Symbol(op) if op.adds() => ContentProof::Quoted,
            // The content of the path stays. The content that `overwrite` replaces is checked at the target's path.
            Self::Create(_) | Self::Rename(_) | Self::Copy(_) | Self::Chmod(_) => ContentProof::NotNeeded,
            Self::Substitute(op) => op.proof(),
            Self::Lines(lines) if lines.adds_at_start() => ContentProof::NotNeeded,
            Self::Write(_) | Self::Lines(_) | Self::Symbol(_) => ContentProof::Blind,
            Self::Delete => ContentProof::Blind,
        }
    }

    /// Returns the text that the edit looks up first.
    pub(crate) fn needle(&self, breaks: Breaks) -> Option<Needle<'_>> {
        match self {
            Self::Replace(op) => Some(op.quote().needle(breaks)),
            Self::Insert(op) => op.quote().map(|quote| quote.needle(breaks)),
            Self::Chunk(op) => Some(op.needle(breaks)),
            Self::Hunk(op) => op.needle(breaks),
            _ => None,
        }
    }

    /// Returns the lines that the edit expects above it.
    pub(crate) fn headers(&self) -> Option<&str> {
        match self {
            Self::Hunk(op) => Some(&op.headers),
            _ => None,
        }
    }

    /// Returns the hunk, if the edit is one.
    pub(crate) fn hunk(&self) -> Option<&HunkEdit> {
        match self {
            Self::Hunk(op) => Some(op),
            _ => None,
        }
    }

    /// Returns the clipboard that it stores.
    pub(crate) fn stores(&self) -> Option<&str> {
        match self {
            Self::Replace(op) => op.to_clipboard.as_deref(),
            Self::Lines(op) => op.to_clipboard.as_deref(),
            Self::Symbol(op) => op.to_clipboard.as_deref(),
            _ => None,
        }
    }

    /// Returns the clipboard that it reads.
    pub(crate) fn reads(&self) -> Option<&str> {
        match self {
            Self::Replace(op) => op.new.from_clipboard.as_deref(),
            Self::Insert(op) => op.text.from_clipboard.as_deref(),
            Self::Lines(op) => op.text.from_clipboard.as_deref(),
            Self::Symbol(op) => op.text.from_clipboard.as_deref(),
            Self::Write(op) => op.text.from_clipboard.as_deref(),
            _ => None,
        }
    }

    /// Returns the symbol that it deletes.
    pub(crate) fn deletes(&self) -> Option<SymbolSelector<'_>> {
        match self {
            Self::Symbol(op) => op.deletes(),
            _ => None,
        }
    }

    /// Returns the other path that it names.
    pub(crate) fn target(&self) -> Option<&FilePath> {
        match self {
            Self::Rename(target) | Self::Copy(target) => Some(&target.to),
            _ => None,
        }
    }

    /// Returns the whole new content, if the edit has one.
    pub(crate) fn written(&self) -> Option<&NewText> {
        match self {
            Self::Write(write) => Some(&write.text),
            Self::Create(create) => Some(&create.text),
            _ => None,
        }
    }

    /// Returns true if the edit quotes all lines of the file.
    pub(crate) fn quotes_all(&self) -> bool {
        matches!(self, Self::Hunk(hunk) if hunk.quotes_all())
    }

    /// Returns the new text of a replacement.
    pub(crate) fn replacement(&self) -> Option<&str> {
        match self {
            Self::Replace(replace) => replace.new.quoted(),
            _ => None,
        }
    }

    /// Returns true if the edit inserts text at the start or the end, which is possible in a missing file, too.
    pub(crate) fn adds_at_an_end(&self) -> bool {
        matches!(self, Self::Insert(insert) if matches!(&insert.at, EditPosition::Start | EditPosition::End))
    }
}
