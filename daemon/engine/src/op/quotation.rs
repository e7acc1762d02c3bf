//! What an edit quotes and what it would put there, for whoever asks the past why a text is gone. It finds no place.

use std::borrow::Cow;

use editd_proto::message::{Edit, Position};

use super::hunk;

/// A quoted text, with the new text where it would take the quotation's place.
pub type Quotation<'e> = (Cow<'e, str>, Option<Cow<'e, str>>);

/// What an edit quotes; `None` where it quotes nothing that can be looked up as it stands.
pub fn quotation(edit: &Edit) -> Option<Quotation<'_>> {
    match (edit.op.as_str(), &edit.at) {
        ("replace" | "chunk", _) => {
            Some((edit.old.as_deref()?.into(), edit.new.as_deref().map(Cow::Borrowed)))
        }
        ("insert", Some(Position::Before(anchor) | Position::After(anchor))) => {
            Some((anchor.as_str().into(), None))
        }
        ("substitute", _) if edit.regex != Some(true) => Some((edit.pattern.as_deref()?.into(), None)),
        ("hunk", _) => {
            let (old, new) = hunk::sides(edit.text.as_deref()?)?;
            Some((old.into(), Some(new.into())))
        }
        _ => None,
    }
}
