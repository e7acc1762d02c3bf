//! The text in which the edits of an entry search, and the places of their quotations. Many quotations of a large
//! file are looked up in one pass. The result is the same as if each were looked up alone.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::indent::{Unit, dominant};
use super::ladder::searched_too_much;
use super::plain::Plain;
use super::reduced::{LineTrim, Reduced};
use super::{Quote, each_hit, fold_breaks};
use crate::Refusal;
use crate::limits;
use crate::plan::Budget;
use crate::text::Text;

/// Bytes that single look-ups may read before one pass for all is cheaper.
const ALONE: usize = 16 * 1024 * 1024;
/// Bytes of quotations in one pass: its automaton takes some thirty times that.
pub(super) const BATCH: usize = 512 * 1024;
/// Places of one quotation that are kept; those of a more frequent one are looked up alone.
const KEPT: usize = 16;

/// All places of each quotation. A quotation that is too frequent is missing.
pub(super) type QuotePlaces<'q> = HashMap<Cow<'q, str>, Vec<u32>>;

/// The places at which a quotation may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Anywhere in a line.
    Anywhere,
    /// On whole lines. A part of a line does not count: otherwise, a text with which many lines begin would be
    /// too frequent.
    Lines,
}

impl Extent {
    /// Returns the extent of a quotation.
    pub(crate) fn of(quote: &Quote<'_>) -> Self {
        if quote.whole_lines { Self::Lines } else { Self::Anywhere }
    }

    /// Returns true if a range may be a place. The search that asks for it checks more closely.
    fn admits(self, content: &str, range: Range<usize>) -> bool {
        let stop = |at: usize| matches!(content.as_bytes().get(at), None | Some(b'\n' | b'\r'));
        self == Self::Anywhere || (range.start.checked_sub(1).is_none_or(stop) && stop(range.end))
    }
}

/// A text that will be looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needle<'q> {
    /// The text; for whole lines, without the break of the last one.
    pub(crate) text: &'q str,
    /// The places at which it may occur.
    pub(crate) extent: Extent,
}

/// The places of both kinds of quotations.
#[derive(Default)]
pub(super) struct KnownPlaces<'q> {
    anywhere: QuotePlaces<'q>,
    lines: QuotePlaces<'q>,
}

impl<'q> KnownPlaces<'q> {
    /// Looks the quotations of the haystack up in a content, each in the form of that content. Returns nothing if
    /// that saves no work.
    pub(super) fn look_up(hay: &Haystack<'q>, content: &str, form: impl Fn(&'q str) -> Cow<'q, str>) -> Self {
        if !hay.in_bulk() {
            return Self::default();
        }
        let places = |extent| {
            let same_extent = hay.needles.iter().filter(|needle| needle.extent == extent);
            look_up(content, same_extent.map(|needle| form(needle.text)).collect(), BATCH, extent)
        };
        Self { anywhere: places(Extent::Anywhere), lines: places(Extent::Lines) }
    }

    /// Returns the places of one kind.
    pub(super) fn of(&self, extent: Extent) -> &QuotePlaces<'q> {
        match extent {
            Extent::Anywhere => &self.anywhere,
            Extent::Lines => &self.lines,
        }
    }
}

/// A text with the quotations that will be looked up in it.
pub(crate) struct Haystack<'h> {
    /// The text.
    pub(crate) text: &'h Text<'h>,
    /// The remaining work budget of the job. Each rung that reads the text again takes from it.
    pub(crate) budget: &'h Budget,
    needles: Vec<Needle<'h>>,
    exact: OnceCell<KnownPlaces<'h>>,
    folded: OnceCell<KnownPlaces<'h>>,
    trimmed: Reduced<'h>,
    bare: Reduced<'h>,
    plain: Rc<Plain<'h>>,
    unit: OnceCell<Option<Unit>>,
}

impl<'h> Haystack<'h> {
    /// Expects these quotations. Nothing is looked up yet.
    pub(crate) fn new(text: &'h Text<'h>, budget: &'h Budget, needles: Vec<Needle<'h>>) -> Self {
        Self {
            text,
            budget,
            needles,
            exact: OnceCell::new(),
            folded: OnceCell::new(),
            trimmed: Reduced::new(LineTrim::Trimmed),
            bare: Reduced::new(LineTrim::Bare),
            plain: Rc::default(),
            unit: OnceCell::new(),
        }
    }

    /// Returns the step of indentation of most lines of the text, which is computed once.
    pub(crate) fn unit(&self) -> Option<Unit> {
        *self.unit.get_or_init(|| dominant(&self.text.content, char::from(self.text.breaks.stop())))
    }

    /// Returns true if one pass looks up all quotations.
    pub(super) fn in_bulk(&self) -> bool {
        self.needles.len() > 8 && self.needles.len().saturating_mul(self.text.len()) > ALONE
    }

    /// Returns the quotations that are expected.
    pub(super) fn needles(&self) -> impl Iterator<Item = &'h str> {
        self.needles.iter().map(|needle| needle.text)
    }

    /// Returns the look-up of lists of lines with this white space removed.
    pub(super) fn reduced(&self, form: LineTrim) -> &Reduced<'h> {
        match form {
            LineTrim::Trimmed => &self.trimmed,
            LineTrim::Bare => &self.bare,
        }
    }

    /// Returns the content with plain characters. It is kept only if many quotations use it, since copies of the
    /// content take memory.
    pub(super) fn plain(&self) -> Rc<Plain<'h>> {
        if self.in_bulk() { Rc::clone(&self.plain) } else { Rc::default() }
    }

    /// Returns true if a look-up of this quotation reads the text again.
    pub(crate) fn reads_again(&self, needle: Needle<'_>) -> bool {
        !self.in_bulk() || !self.exact_places(needle.extent).contains_key(needle.text)
    }

    /// Takes the cost of reading the text again for one quotation from the budget.
    ///
    /// # Errors
    /// `limit` if the budget does not suffice.
    pub(crate) fn pay_again(&self) -> Result<(), Refusal> {
        // A quotation that is looked up alone beside many others is usually frequent.
        let passes = if self.in_bulk() { limits::FREQUENT_PASSES } else { 1 };
        let affordable = self.budget.search(self.text.len().saturating_mul(passes));
        affordable.then_some(()).ok_or_else(searched_too_much)
    }

    fn exact_places(&self, extent: Extent) -> &QuotePlaces<'h> {
        self.exact.get_or_init(|| KnownPlaces::look_up(self, &self.text.content, Cow::Borrowed)).of(extent)
    }

    fn folded_places(&self, content: &str, extent: Extent) -> &QuotePlaces<'h> {
        let fold = |needle| fold_breaks(needle, self.text.breaks);
        self.folded.get_or_init(|| KnownPlaces::look_up(self, content, fold)).of(extent)
    }

    /// Visits the places of a text in the content.
    pub(crate) fn each(
        &self,
        needle: Needle<'_>,
        overlapping: bool,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let places = self.exact_places(needle.extent);
        each_of(places, &self.text.content, needle.text, overlapping, visit)
    }

    /// Visits the places of a folded text in the folded content.
    pub(crate) fn each_folded(
        &self,
        content: &str,
        needle: Needle<'_>,
        overlapping: bool,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let places = self.folded_places(content, needle.extent);
        each_of(places, content, needle.text, overlapping, visit)
    }
}

/// Visits the places of a text in a content: the known ones, or those of a separate search.
pub(super) fn each_of(
    places: &QuotePlaces<'_>,
    content: &str,
    needle: &str,
    overlapping: bool,
    visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(known) = places.get(needle) else {
        return each_hit(content.as_bytes(), needle.as_bytes(), overlapping, visit);
    };
    let mut free = 0;
    for at in known.iter().map(|at| *at as usize) {
        if overlapping || at >= free {
            free = at + needle.len();
            visit(at)?;
        }
    }
    ControlFlow::Continue(())
}

/// Looks all needles up, in passes of so many bytes of needles.
pub(super) fn look_up<'q>(
    content: &str,
    mut needles: Vec<Cow<'q, str>>,
    most: usize,
    extent: Extent,
) -> QuotePlaces<'q> {
    needles.retain(|needle| !needle.is_empty() && needle.len() <= most);
    needles.sort();
    needles.dedup();
    let mut places = QuotePlaces::new();
    let mut batch = Vec::new();
    let mut size = 0;
    for needle in needles {
        size += needle.len();
        if size > most {
            pass(content, std::mem::take(&mut batch), extent, &mut places);
            size = needle.len();
        }
        batch.push(needle);
    }
    pass(content, batch, extent, &mut places);
    places
}

/// Returns the automaton of one pass. By default, the library would make a table of all transitions for few patterns;
/// for long patterns, building that takes longer than the pass.
pub(super) fn automaton(batch: &[Cow<'_, str>]) -> Option<AhoCorasick> {
    let patterns = batch.iter().map(|needle| needle.as_bytes());
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(kind).build(patterns).ok()
}

fn pass<'q>(content: &str, batch: Vec<Cow<'q, str>>, extent: Extent, places: &mut QuotePlaces<'q>) {
    if batch.is_empty() {
        return;
    }
    let Some(automaton) = automaton(&batch) else { return };
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); batch.len()];
    // Needles that contain one another could match at every byte: it is then faster to look up each one alone.
    let mut left = content.len().saturating_mul(2).saturating_add(1 << 20);
    let Ok(matches) = automaton.try_find_overlapping_iter(content) else {
        return;
    };
    for hit in matches {
        left -= 1;
        if left == 0 {
            return;
        }
        if !extent.admits(content, hit.range()) {
            continue;
        }
        if let Some(list) = found.get_mut(hit.pattern().as_usize()).filter(|list| list.len() <= KEPT) {
            list.push(u32::try_from(hit.start()).unwrap_or(u32::MAX));
        }
    }
    places.extend(batch.into_iter().zip(found).filter(|(_, list)| list.len() <= KEPT));
}
