//! The content of a file with plain characters and breaks, and the places of quotations in it. It never changes the
//! file.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::ControlFlow;

use super::Haystack;
use super::fold::{Folding, fold};
use super::haystack::{Extent, KnownPlaces, Needle, QuotePlaces, each_of};
use crate::Refusal;
use crate::text::Text;

/// The content with plain characters, made when it is first asked for.
#[derive(Default)]
pub(crate) struct Plain<'h> {
    /// `None` if only breaks fold.
    folding: OnceCell<Option<Folding>>,
    places: OnceCell<KnownPlaces<'h>>,
}

impl<'h> Plain<'h> {
    fn folding(&self, text: &Text<'_>) -> Option<&Folding> {
        self.folding.get_or_init(|| Folding::of(&text.content, text.breaks)).as_ref()
    }

    /// Returns true if the content has typographic characters.
    pub(crate) fn is_folded(&self, text: &Text<'_>) -> bool {
        self.folding(text).is_some()
    }

    /// Returns the folded content.
    pub(crate) fn content<'t>(&'t self, text: &'t Text<'_>) -> &'t str {
        match self.folding(text) {
            Some(folding) => &folding.content,
            None => text.folded().map_or(&*text.content, |folded| &folded.content),
        }
    }

    /// Returns the offset in the file's content for an offset in the folded content; `None` inside the replacement of
    /// a character.
    pub(crate) fn original(&self, text: &Text<'_>, offset: usize) -> Option<usize> {
        match self.folding(text) {
            Some(folding) => folding.original(&text.content, offset),
            None => Some(text.folded().map_or(offset, |folded| folded.original(offset))),
        }
    }

    fn places(&self, hay: &Haystack<'h>, extent: Extent) -> &QuotePlaces<'h> {
        let plain = |needle: &str| Cow::Owned(fold(needle, hay.text.breaks));
        self.places.get_or_init(|| KnownPlaces::look_up(hay, self.content(hay.text), plain)).of(extent)
    }

    /// Visits the places of a plain text, overlapping ones too.
    pub(crate) fn each(
        &self,
        hay: &Haystack<'h>,
        needle: Needle<'_>,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each_of(self.places(hay, needle.extent), self.content(hay.text), needle.text, true, visit)
    }

    /// Pays for one look-up, if it reads the content once more.
    ///
    /// # Errors
    /// `limit`.
    pub(crate) fn pay(&self, hay: &Haystack<'h>, needle: Needle<'_>) -> Result<(), Refusal> {
        if self.places(hay, needle.extent).contains_key(needle.text) { Ok(()) } else { hay.pay_again() }
    }
}
