//! At how many places a quote stands, whatever line it is said to be near. It chooses none of several.

use std::ops::{ControlFlow, Range};

use super::Haystack;
use super::ladder::{Fit, Quote, Rung, rungs};
use crate::Refusal;

/// At how many places a quote stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Sole {
    /// At none.
    None,
    /// At this one.
    One(Range<usize>),
    /// At several, by this rung.
    Several(Rung),
}

#[derive(Default)]
struct Few {
    count: u64,
    first: Option<Range<usize>>,
}

impl Few {
    fn add(&mut self, range: &Range<usize>) {
        self.count += 1;
        self.first.get_or_insert_with(|| range.clone());
    }

    fn only(self) -> Option<Range<usize>> {
        self.first.filter(|_| self.count == 1)
    }
}

/// Looks for a quote. Where all places are `alike` to what is known beside it, a second ends the search.
///
/// # Errors
/// `limit`.
pub(crate) fn sole(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    alike: bool,
    fit: &dyn Fn(&Range<usize>) -> Fit,
) -> Result<Sole, Refusal> {
    for (step, search) in rungs(quote) {
        let (mut all, mut meant) = (Few::default(), Few::default());
        search(hay, quote, true, &mut |range| {
            let fit = fit(&range);
            if fit == Fit::Meant {
                meant.add(&range);
            }
            if fit != Fit::Out {
                all.add(&range);
            }
            let several = meant.count > 1 || (alike && all.count > 1);
            if several { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if all.count == 0 {
            continue;
        }
        let Some(range) = all.only().or(meant.only()) else { return Ok(Sole::Several(step.rung)) };
        if step.adapts(hay, quote, &range) {
            return Ok(Sole::One(range));
        }
    }
    Ok(Sole::None)
}
