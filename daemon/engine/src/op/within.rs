//! The part of a file in which an edit searches: lines by number, or the lines of a symbol. Matches elsewhere do not
//! count, so a text that occurs once in the part is unique.

use editd_types::{EditScope, FileEdit};

use super::chunk::Region;
use super::effect::{EditContext, PlaceReport};
use super::symbol::SymbolSelector;
use crate::Refusal;
use crate::cut::Span;
use crate::locate::{self, CandidateFit, Haystack, Hit, Quote, Rung, SearchResult, UnfitPlace};
use crate::refusal::malformed;

/// Reads `within`.
///
/// # Errors
/// `malformed` if the lines are not a range.
pub(crate) fn read(edit: &FileEdit) -> Result<Option<EditScope>, Refusal> {
    if let Some(EditScope::Lines((first, last))) = edit.within
        && (first == 0 || last < first)
    {
        return Err(malformed(format!(
            "`within` names lines {first} to {last}; lines count from 1, and the last is not before the first"
        )));
    }
    Ok(edit.within.clone())
}

/// Returns the first and the last line of the part, or `None` for the whole file.
///
/// # Errors
/// `symbol_not_found`, `ambiguous`, `out_of_range`, and the errors of parsing the file.
pub(crate) fn lines(
    within: Option<&EditScope>,
    scene: &EditContext<'_>,
) -> Result<Option<(u64, u64)>, Refusal> {
    match (within, within.and_then(SymbolSelector::of)) {
        (_, Some(selector)) => scene.symbols.lines(scene, selector).map(Some),
        (Some(EditScope::Lines(lines)), None) => Ok(Some(*lines)),
        _ => Ok(None),
    }
}

/// Returns the part, or `None` for the whole file.
///
/// # Errors
/// As [`lines`]; `out_of_range` for lines behind the file.
pub(crate) fn region(within: Option<&EditScope>, scene: &EditContext<'_>) -> Result<Option<Region>, Refusal> {
    let Some(lines) = lines(within, scene)? else { return Ok(None) };
    let region = Region::of(scene.text, Some(lines)).map_err(|mut refusal| {
        refusal.check = None;
        refusal
    })?;
    Ok(Some(region))
}

/// Returns the report of an edit that searched in the part.
pub(crate) fn report(within: Option<&EditScope>, scene: &EditContext<'_>) -> PlaceReport {
    let Some(selector) = within.and_then(SymbolSelector::of) else { return PlaceReport::default() };
    PlaceReport {
        in_broken: scene.symbols.broken(),
        note: scene.symbols.chosen(scene, selector),
        ..PlaceReport::default()
    }
}

/// Returns the only place of a quote in a part.
///
/// # Errors
/// As [`locate::one`].
pub(crate) fn one(
    scene: &EditContext<'_>,
    quote: &Quote<'_>,
    region: &Region,
) -> Result<SearchResult, Refusal> {
    let part = &region.bytes;
    let fit = |range: &std::ops::Range<usize>| {
        if part.start <= range.start && range.end <= part.end { CandidateFit::May } else { CandidateFit::Out }
    };
    let strict = Quote { loosest: quote.loosest.min(Rung::Edge), ..quote.clone() };
    let unfit = match locate::one_where(scene.hay, &strict, &fit)? {
        Ok(hit) => return Ok(Ok(hit)),
        Err(unfit) => unfit,
    };
    if quote.loosest < Rung::Fuzzy || unfit.is_some() {
        return Ok(Err(unfit));
    }
    // The most similar window of the file may lie outside of the part.
    scene.pay(part.len())?;
    let text = scene.text.part(part.clone());
    let hay = Haystack::new(&text, scene.budget, Vec::new());
    let above = region.lines.0 - 1;
    let near = quote.near.and_then(|line| line.checked_sub(above)).filter(|line| *line > 0);
    let found = locate::one(&hay, &Quote { near, ..quote.clone() })?;
    Ok(match found {
        Ok(hit) => {
            let range = hit.range.start + part.start..hit.range.end + part.start;
            Ok(Hit { range, ..hit })
        }
        Err(unfit) => Err(unfit.map(|unfit| UnfitPlace { at: unfit.at + part.start, ..unfit })),
    })
}

/// Returns every place of a quotation in a part and the rung that found them; if there is none, a looser rung that
/// would find one.
///
/// # Errors
/// As [`locate::every`].
pub(crate) fn every(
    scene: &EditContext<'_>,
    quote: &Quote<'_>,
    region: &Region,
) -> Result<(Vec<Span>, Rung, Option<Rung>), Refusal> {
    scene.pay(region.bytes.len())?;
    let base = region.bytes.start;
    let text = scene.text.part(region.bytes.clone());
    let hay = Haystack::new(&text, scene.budget, Vec::new());
    let (mut spans, rung) = locate::every(&hay, quote)?;
    for span in &mut spans {
        *span = Span::new(span.start() + base..span.end() + base);
    }
    let looser = if spans.is_empty() { locate::looser(&hay, quote)? } else { None };
    Ok((spans, rung, looser))
}

/// Returns the refusal of a quote that does not stand in a part: with the lines of the file that have it, or else the
/// nearest text of the part.
pub(crate) fn missed(
    scene: &EditContext<'_>,
    quote: &Quote<'_>,
    new: Option<&str>,
    unfit: Option<UnfitPlace>,
    region: &Region,
) -> Refusal {
    let (first, last) = region.lines;
    let mut error = scene.missed(quote, new, unfit);
    error.searched = Some((first, last));
    error.near_misses.retain(|near| (first..=last).contains(&near.line));
    if error.line.is_some() {
        return error;
    }
    let elsewhere = if error.cause.is_none() { other_lines(scene, quote) } else { None };
    if elsewhere.is_none() && error.near_misses.is_empty() && scene.budget.look(region.bytes.len()) {
        let text = scene.text.part(region.bytes.clone());
        error.near_misses = locate::nearest(&text, quote.old);
        for near in &mut error.near_misses {
            near.line += first - 1;
        }
    }
    let advice = match (&error.cause, elsewhere, error.near_misses.first()) {
        (Some(cause), ..) => cause.clone(),
        (None, Some(lines), _) => format!("the file has it at {lines}"),
        (None, None, Some(near)) => format!("the nearest text there is at line {}", near.line),
        (None, None, None) => "read them again, or search in more lines".to_owned(),
    };
    error.message = format!("the quoted text is not in lines {first} to {last} of the file; {advice}");
    error
}

/// The most lines that a refusal names as those that have the quoted text.
const NAMED: usize = 3;

/// Returns the lines of the file that have a quoted text, for a message; `None` if there are none.
fn other_lines(scene: &EditContext<'_>, quote: &Quote<'_>) -> Option<String> {
    if !scene.budget.look(scene.text.len()) {
        return None;
    }
    let (found, _) = locate::every(scene.hay, quote).ok()?;
    let lines = found.iter().take(NAMED).map(|span| scene.text.line_of(span.start()).to_string());
    let lines: Vec<String> = lines.collect();
    match found.len().saturating_sub(NAMED) {
        _ if lines.is_empty() => None,
        0 if lines.len() == 1 => Some(format!("line {}", lines.concat())),
        0 => Some(format!("lines {}", lines.join(", "))),
        more => Some(format!("lines {} and {more} more", lines.join(", "))),
    }
}
