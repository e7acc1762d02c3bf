//! The text in which an entry's edits look, and where their quotations stand in it: many quotations of a large
//! file are looked up in one pass. It answers as if each had been looked up alone.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::plain::Plain;
use super::reduced::{Form, Reduced};
use super::{each_hit, fold_breaks};
use crate::plan::Budget;
use crate::text::Text;

/// Bytes that single look-ups may read before one pass for all is cheaper.
const ALONE: usize = 16 * 1024 * 1024;
/// Bytes of quotations in one pass: its automaton takes some thirty times that.
pub(super) const BATCH: usize = 512 * 1024;
/// Places of one quotation that are kept; those of a more frequent one are looked up alone.
const KEPT: usize = 16;

/// Where quotations stand, each all its places; one that is too frequent is not in it.
pub(super) type Places<'q> = HashMap<Cow<'q, str>, Vec<u32>>;

/// A text with the quotations that will be looked up in it.
pub(crate) struct Haystack<'h> {
    /// The text.
    pub(crate) text: &'h Text<'h>,
    /// What looking may still cost the job: each rung that reads the text again pays for it.
    pub(crate) budget: &'h Budget,
    needles: Vec<&'h str>,
    exact: OnceCell<Places<'h>>,
    folded: OnceCell<Places<'h>>,
    trimmed: Reduced<'h>,
    bare: Reduced<'h>,
    plain: Rc<Plain<'h>>,
}

impl<'h> Haystack<'h> {
    /// Expects these quotations. Nothing is looked up yet.
    pub(crate) fn new(text: &'h Text<'h>, budget: &'h Budget, needles: Vec<&'h str>) -> Self {
        Self {
            text,
            budget,
            needles,
            exact: OnceCell::new(),
            folded: OnceCell::new(),
            trimmed: Reduced::new(Form::Trimmed),
            bare: Reduced::new(Form::Bare),
            plain: Rc::default(),
        }
    }

    /// Whether one pass serves all quotations.
    pub(super) fn in_bulk(&self) -> bool {
        self.needles.len() > 8 && self.needles.len().saturating_mul(self.text.len()) > ALONE
    }

    /// The quotations that are expected.
    pub(super) fn needles(&self) -> &[&'h str] {
        &self.needles
    }

    /// Looking lists of lines up in a form.
    pub(super) fn reduced(&self, form: Form) -> &Reduced<'h> {
        match form {
            Form::Trimmed => &self.trimmed,
            Form::Bare => &self.bare,
        }
    }

    /// The content with plain characters, kept only where many quotations share it: copies of the content add up.
    pub(super) fn plain(&self) -> Rc<Plain<'h>> {
        if self.in_bulk() { Rc::clone(&self.plain) } else { Rc::default() }
    }

    /// Whether a look-up of this quotation reads the text once more.
    pub(crate) fn reads_again(&self, needle: &str) -> bool {
        !self.in_bulk() || !self.exact_places().contains_key(needle)
    }

    fn exact_places(&self) -> &Places<'h> {
        self.exact.get_or_init(|| {
            let needles = self.needles.iter().map(|needle| Cow::Borrowed(*needle));
            if self.in_bulk() { look_up(&self.text.content, needles.collect(), BATCH) } else { Places::new() }
        })
    }

    fn folded_places(&self, content: &str) -> &Places<'h> {
        self.folded.get_or_init(|| {
            let needles = self.needles.iter().map(|needle| fold_breaks(needle, self.text.breaks));
            if self.in_bulk() { look_up(content, needles.collect(), BATCH) } else { Places::new() }
        })
    }

    /// Visits the places of a text in the content.
    pub(crate) fn each(
        &self,
        needle: &str,
        overlapping: bool,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each_of(self.exact_places(), &self.text.content, needle, overlapping, visit)
    }

    /// Visits the places of a folded text in the folded content.
    pub(crate) fn each_folded(
        &self,
        content: &str,
        needle: &str,
        overlapping: bool,
        visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each_of(self.folded_places(content), content, needle, overlapping, visit)
    }
}

/// Visits the places of a text in a content: the known ones, else looked up alone.
pub(super) fn each_of(
    places: &Places<'_>,
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
pub(super) fn look_up<'q>(content: &str, mut needles: Vec<Cow<'q, str>>, most: usize) -> Places<'q> {
    needles.retain(|needle| !needle.is_empty() && needle.len() <= most);
    needles.sort();
    needles.dedup();
    let mut places = Places::new();
    let mut batch = Vec::new();
    let mut size = 0;
    for needle in needles {
        size += needle.len();
        if size > most {
            pass(content, std::mem::take(&mut batch), &mut places);
            size = needle.len();
        }
        batch.push(needle);
    }
    pass(content, batch, &mut places);
    places
}

/// The automaton of one pass. Left to itself the library makes a table of all transitions for few patterns, which
/// takes longer to build for long ones than the pass takes.
pub(super) fn automaton(batch: &[Cow<'_, str>]) -> Option<AhoCorasick> {
    let patterns = batch.iter().map(|needle| needle.as_bytes());
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(kind).build(patterns).ok()
}

fn pass<'q>(content: &str, batch: Vec<Cow<'q, str>>, places: &mut Places<'q>) {
    let Some(automaton) = automaton(&batch) else { return };
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); batch.len()];
    // Needles that stand in one another could meet at every byte: then each is better looked up alone.
    let mut left = content.len().saturating_mul(2).saturating_add(1 << 20);
    let Ok(matches) = automaton.try_find_overlapping_iter(content) else {
        return;
    };
    for hit in matches {
        left -= 1;
        if left == 0 {
            return;
        }
        if let Some(list) = found.get_mut(hit.pattern().as_usize()).filter(|list| list.len() <= KEPT) {
            list.push(u32::try_from(hit.start()).unwrap_or(u32::MAX));
        }
    }
    places.extend(batch.into_iter().zip(found).filter(|(_, list)| list.len() <= KEPT));
}
