//! The input and the result of a text edit.

use std::rc::Rc;

use editd_types::{EditOutcome, EditStatus, FilePath};

use crate::clip::Clips;
use crate::locate::{Haystack, Miss, Needle, Quote, Rung, UnfitPlace, not_found, searched_too_much};
use crate::op::{EarlierChanges, HeaderIndex, Neighbours, Symbols};
use crate::plan::Budget;
use crate::splice::Place;
use crate::text::Text;
use crate::{Refusal, refusal};

/// The input of a text edit.
pub(crate) struct EditContext<'s> {
    /// The file as it was before any edit of its entry.
    pub(crate) text: &'s Text<'s>,
    /// The same, prepared for the search of quotations.
    pub(crate) hay: &'s Haystack<'s>,
    /// The same, for the lines that hunks name.
    pub(crate) outline: &'s HeaderIndex<'s>,
    /// The same, for the hunks beside each other.
    pub(crate) neighbours: &'s Neighbours<'s>,
    /// The same, for the definitions that edits name.
    pub(crate) symbols: &'s Symbols<'s>,
    /// The edit's index in its entry.
    pub(crate) edit: u32,
    /// The file's path, which is recorded as the origin of clipboards.
    pub(crate) origin: &'s FilePath,
    /// The whole new content that another edit of the entry writes.
    pub(crate) written: Option<&'s str>,
    /// The remaining work of the job.
    pub(crate) budget: &'s Budget,
    /// The changes of the job's earlier entries to the file.
    pub(crate) earlier: Option<EarlierChanges<'s>>,
    /// Searches a text in the other files of the job; gives a displayable path and a line.
    pub(crate) elsewhere: &'s dyn Fn(&str) -> Option<(String, u64)>,
    /// Returns true if a replacement of the entry, other than the edit with this index, writes this text.
    pub(crate) beside: &'s dyn Fn(u32, &str) -> bool,
}

/// The report about the place of an edit.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceReport {
    /// The rung that found it.
    pub(crate) rung: Option<Rung>,
    /// First and last line.
    pub(crate) lines: Option<(u64, u64)>,
    /// The same in the new content.
    pub(crate) now: Option<(u32, u32)>,
    /// The distance from `near`, in lines.
    pub(crate) moved: Option<i64>,
    /// The number of places, for an edit that may have several.
    pub(crate) replacements: Option<u64>,
    /// Similarity, at the fuzzy rung.
    pub(crate) score: Option<f64>,
    /// The number of breaks converted.
    pub(crate) converted: u64,
    /// True if a symbol was found in a file with syntax errors.
    pub(crate) in_broken: bool,
    /// A warning for the reply; boxed, since few edits have one and a job may have many edits.
    pub(crate) note: Option<Box<EditNote>>,
}

/// A warning about one edit.
#[derive(Clone, Debug)]
pub(crate) enum EditNote {
    /// An anchor put a text in the middle of this line.
    InLine(u64),
    /// One of several symbols of one name was taken: the sentence that names it and the others.
    Chosen(String),
    /// The text for a symbol repeated what else is on the lines of its definition.
    Repeated,
    /// A blank last line of context was passed over, since the file ends there.
    PassedBlank,
}

/// The result of a text edit.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    /// The places that change.
    pub(crate) places: Vec<Place>,
    /// The text for the edit's clipboard.
    pub(crate) stored: Option<Rc<str>>,
    /// The report.
    pub(crate) found: PlaceReport,
}

impl PlaceReport {
    /// Returns the outcome in the form of a reply.
    pub(crate) fn outcome(&self, changed: bool) -> EditOutcome {
        EditOutcome {
            edit: None,
            status: if changed { EditStatus::Applied } else { EditStatus::Unchanged },
            rung: self.rung.map(|rung| rung.name().to_owned()),
            lines: self.lines,
            now: self.now.filter(|_| changed).map(|(first, last)| (first.into(), last.into())),
            moved: self.moved,
            replacements: self.replacements,
            score: self.score,
            converted_breaks: (self.converted > 0).then_some(self.converted),
            error: None,
        }
    }
}

/// The shortest line that tells one text from another, in bytes.
const SHORTEST: usize = 3;

/// Lines of a quotation that are searched in the new texts of the other edits.
const LINES_TRIED: usize = 8;

impl EditContext<'_> {
    /// Returns the refusal of a quotation that no rung finds.
    pub(crate) fn missed(&self, quote: &Quote<'_>, new: Option<&str>, unfit: Option<UnfitPlace>) -> Refusal {
        let look = unfit.is_none() && self.budget.look(self.text.len());
        let elsewhere = if look { (self.elsewhere)(quote.old) } else { None };
        let beside = look && self.quotes_new_text(quote.old);
        not_found(self.text, quote, &Miss { new, elsewhere, beside, unfit, look })
    }

    /// Returns true if a line of a quotation is not in the file, but in the new text of another edit of the entry.
    fn quotes_new_text(&self, old: &str) -> bool {
        let lines = old.lines().map(str::trim).filter(|line| line.len() >= SHORTEST).take(LINES_TRIED);
        let mut written = lines.filter(|line| (self.beside)(self.edit, line));
        written.any(|line| {
            self.budget.look(self.text.len())
                && memchr::memmem::find(self.text.content.as_bytes(), line.as_bytes()).is_none()
        })
    }

    /// Charges the budget for one search, if it reads the file.
    pub(crate) fn pay_search(&self, needle: Needle<'_>) -> Result<(), Refusal> {
        if self.hay.reads_again(needle) { self.hay.pay_again() } else { Ok(()) }
    }

    /// Charges the budget for reading this many bytes.
    pub(crate) fn pay(&self, bytes: usize) -> Result<(), Refusal> {
        if self.budget.search(bytes) {
            return Ok(());
        }
        Err(searched_too_much())
    }
}

impl EditContext<'_> {
    /// Stores a matched text, if the edit names a clipboard.
    ///
    /// # Errors
    /// `too_large` for a clipboard, or for all that a job may store.
    pub(crate) fn store(
        &self,
        clips: &mut Clips<'_>,
        name: Option<&str>,
        matched: &str,
    ) -> Result<Option<Rc<str>>, Refusal> {
        let Some(name) = name else { return Ok(None) };
        let text = Clips::storable(matched)?;
        if !self.budget.clip(text.len()) {
            let limit = crate::limits::CLIPS;
            let message = "this job stores more in clipboards than a job may; send it as several jobs";
            return Err(refusal::too_large(message, limit));
        }
        clips.store(name, Rc::clone(&text), self.origin);
        Ok(Some(text))
    }
}
