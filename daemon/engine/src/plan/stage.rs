//! Plans the text edits of one entry: locates all of them in the same content, then assembles the new content. It
//! moves no file.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use editd_syntax::TreeCache;
use editd_types::{ContentHash, ErrorCode, limits};

use super::Budget;
use super::combine::is_text;
use super::needs::{Parsed, stores};
use super::verdict::Verdicts;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::locate::Haystack;
use crate::op::{EarlierChanges, EditContext, Effect, HeaderIndex, Neighbours, Op, PlaceReport, Symbols};
use crate::refusal::{internal, malformed, no_room, on_line, refuse, spent, too_large};
use crate::splice::{
    Place, apply_hashed, arrange, assemble, complete, land, size_after, touched_lines, whole_lines,
};
use crate::text::{Breaks, Encoding, Text};
use crate::{ContentProof, HashParts, QuotedLines, Refusal, Splice};

/// The content on which the edits of an entry are planned, and the facts about it.
pub(crate) struct EditBase<'g> {
    /// The content; empty if the file does not exist yet.
    pub(crate) bytes: &'g [u8],
    /// The encoding that the configuration names.
    pub(crate) label: Option<&'g str>,
    /// The hash of `bytes`, if it is known.
    pub(crate) hash: Option<ContentHash>,
    /// The file's path.
    pub(crate) path: &'g editd_types::FilePath,
    /// The remaining work of the job.
    pub(crate) budget: &'g Budget,
    /// The trees of recent texts.
    pub(crate) trees: &'g TreeCache,
    /// Hashes the new content while it is made.
    pub(crate) hash_parts: HashParts,
    /// The changes of the job's earlier entries to the file.
    pub(crate) earlier: Option<EarlierChanges<'g>>,
    /// Searches for a text in the other files of the job.
    pub(crate) elsewhere: &'g dyn Fn(&str) -> Option<(String, u64)>,
}

/// The result of the text edits.
pub(crate) struct EditedContent {
    /// The new content.
    pub(crate) bytes: Arc<[u8]>,
    /// The splices that made it.
    pub(crate) splices: Vec<Splice>,
    /// The lines of the content before that the edits quote.
    pub(crate) quoted: QuotedLines,
    /// The hashes before and after.
    pub(crate) hashes: (ContentHash, ContentHash),
    /// The offset of the first splice and the number of newlines before it, if they are known.
    pub(crate) known: Option<(usize, usize)>,
    /// True if the bytes are UTF-8, so that they can be read without decoding.
    pub(crate) plain: bool,
}

/// The report of an edit whose place was found.
#[derive(Clone, Debug)]
pub(crate) struct EditReport {
    /// The place of the edit.
    pub(crate) found: PlaceReport,
    /// True if the edit changes anything.
    pub(crate) changed: bool,
    stored: Option<Rc<str>>,
}

impl EditReport {
    /// Returns the report of an edit that has no place in a text.
    pub(crate) fn plain(changed: bool) -> Self {
        Self { found: PlaceReport::default(), changed, stored: None }
    }
}

/// One report for each edit. Boxed, since all of them exist while the first edit is located, which takes the most
/// memory.
pub(crate) type EditReports = Vec<Option<Box<EditReport>>>;

/// Plans the text edits that were not refused. Returns `None` if they change nothing.
///
/// # Errors
/// The first refusal, if the job is not `partial`.
pub(crate) fn run(
    base: &EditBase<'_>,
    ops: &Parsed,
    verdicts: &mut Verdicts<'_>,
    clips: &mut Clips<'_>,
) -> Result<(Option<EditedContent>, EditReports), Refusal> {
    let mut reports: EditReports = vec![None; ops.len()];
    let text_edit = |edit: usize| matches!(ops.get(edit), Some(Ok(op)) if is_text(op));
    let mut text = match Text::read(base.bytes, base.label) {
        Ok(text) => text,
        Err(refusal) => {
            verdicts.refuse_all(&refusal, text_edit)?;
            spoil(ops, verdicts, clips);
            return Ok((None, reports));
        }
    };
    let mut places = locate(base, &text, ops, verdicts, &mut clips.layer(), &mut reports)?;
    text.forget_folded();
    refuse_overlaps(&text, &mut places, verdicts)?;
    refuse_readers(ops, verdicts)?;
    places.retain(|place| verdicts.stands(place.edit as usize));
    let edited = match make(base, &text, ops, places, &mut reports) {
        Ok(edited) => edited,
        Err(refusal) => {
            verdicts.refuse_all(&refusal, text_edit)?;
            None
        }
    };
    if edited.is_none() {
        reports.iter_mut().flatten().for_each(|report| report.changed = false);
    }
    store(base, ops, verdicts, &reports, clips);
    Ok((edited, reports))
}

/// The work of passing over one edit, in bytes of a search.
const EDIT_WORK: usize = 64;

/// Locates every edit, in the order of the request.
fn locate(
    base: &EditBase<'_>,
    text: &Text<'_>,
    ops: &Parsed,
    verdicts: &mut Verdicts<'_>,
    clips: &mut Clips<'_>,
    reports: &mut EditReports,
) -> Result<Vec<Place>, Refusal> {
    let mut places: Vec<Place> = Vec::new();
    let mut inserted = 0;
    let needles = ops.iter().flatten().filter_map(|op| op.needle(text.breaks));
    let hay = Haystack::new(text, base.budget, needles.collect());
    let written = written(ops, verdicts, clips);
    let outline = HeaderIndex::new(ops.iter().flatten().filter_map(Op::headers));
    let standing = ops.iter().zip(0..).filter(|(_, edit)| verdicts.stands(*edit as usize));
    let neighbours =
        Neighbours::new(standing.filter_map(|(op, edit)| Some((edit, op.as_ref().ok()?.hunk()?))));
    let symbols = Symbols::new(ops.iter().flatten().filter_map(Op::deletes), base.trees);
    let beside = |edit: u32, line: &str| {
        let others = ops.iter().zip(0..).filter(|(_, other)| *other != edit);
        let mut texts = others.filter_map(|(op, _)| op.as_ref().ok()?.replacement());
        texts.any(|new| base.budget.look(new.len() + EDIT_WORK) && new.contains(line))
    };
    for (edit, (op, report)) in ops.iter().zip(reports).enumerate() {
        let name = stores(op);
        let Some(op) = op.as_ref().ok().filter(|op| is_text(op) && verdicts.stands(edit)) else {
            name.into_iter().for_each(|name| clips.spoil(name));
            continue;
        };
        let scene = EditContext {
            text,
            hay: &hay,
            outline: &outline,
            neighbours: &neighbours,
            symbols: &symbols,
            edit: u32::try_from(edit).unwrap_or(u32::MAX),
            origin: base.path,
            written: written.as_deref(),
            budget: base.budget,
            earlier: base.earlier,
            elsewhere: base.elsewhere,
            beside: &beside,
        };
        let effect = effect(op, &scene, clips).and_then(|effect| encodable(text, effect));
        match effect.and_then(|effect| fits(effect, places.len(), &mut inserted, base.budget)) {
            Ok(mut effect) => {
                let changed = effect.places.iter().any(|place| !place.is_idle());
                // A place that changes nothing and guards nothing cannot overlap with another.
                effect.places.retain(|place| !place.is_idle() || !place.guard().is_empty());
                if places.is_empty() {
                    // A very long list is moved, not copied.
                    places = effect.places;
                } else {
                    places.append(&mut effect.places);
                }
                let Effect { found, stored, .. } = effect;
                *report = Some(Box::new(EditReport { found, changed, stored }));
            }
            Err(refusal) => {
                verdicts.refuse(edit, refusal)?;
                name.into_iter().for_each(|name| clips.spoil(name));
            }
        }
    }
    Ok(places)
}

/// Returns the whole new content that an edit of the entry writes, if one does. No other edit of the entry can store
/// the clipboard that it reads.
fn written<'o>(ops: &'o Parsed, verdicts: &Verdicts<'_>, clips: &Clips<'_>) -> Option<Cow<'o, str>> {
    let standing = ops.iter().enumerate().filter(|(edit, _)| verdicts.stands(*edit));
    let text = standing.filter_map(|(_, op)| op.as_ref().ok()?.written()).next()?;
    // If the clipboard is not available, the edit itself reports that.
    text.resolve(clips).ok()
}

/// Refuses more places or more new text than a file may have.
fn fits(effect: Effect, places: usize, inserted: &mut usize, budget: &Budget) -> Result<Effect, Refusal> {
    let limit = crate::limits::PLACES;
    if places.saturating_add(effect.places.len()) > limit {
        return Err(spent("the edits of this file touch too many places; send several jobs", limit as u64));
    }
    *inserted += effect.places.iter().map(|place| place.piece.as_str().len()).sum::<usize>();
    if *inserted > limits::FILE {
        return Err(too_large(format!("the file would have more than {} bytes", limits::FILE), limits::FILE));
    }
    if !budget.has_room(*inserted) {
        return Err(no_room());
    }
    Ok(effect)
}

fn effect(op: &Op, scene: &EditContext<'_>, clips: &mut Clips<'_>) -> Result<Effect, Refusal> {
    match op {
        Op::Replace(op) => op.effect(scene, clips),
        Op::Insert(op) => op.effect(scene, clips),
        Op::Write(op) => op.effect(scene, clips),
        Op::Lines(op) => op.effect(scene, clips),
        Op::Chunk(op) => op.effect(scene),
        Op::Hunk(op) => op.effect(scene),
        Op::Substitute(op) => op.effect(scene),
        Op::Symbol(op) => op.effect(scene, clips),
        Op::Create(op) => op.effect(scene, clips),
        Op::Delete | Op::Rename(_) | Op::Copy(_) | Op::Chmod(_) => {
            Err(malformed("this edit changes no text"))
        }
    }
}

/// Refuses new text that the encoding of the file does not have. It is checked here since the edit is known.
fn encodable(text: &Text<'_>, effect: Effect) -> Result<Effect, Refusal> {
    if matches!(text.encoding, Encoding::Named(_)) {
        for place in &effect.places {
            let line = || text.line_of(place.guard().start()) as u64;
            text.encoding.encode(place.piece.as_str()).map_err(|refusal| on_line(line(), refusal))?;
        }
    }
    Ok(effect)
}

fn refuse_overlaps(
    text: &Text<'_>,
    places: &mut [Place],
    verdicts: &mut Verdicts<'_>,
) -> Result<(), Refusal> {
    let conflicts = arrange(places);
    if conflicts.is_empty() {
        return Ok(());
    }
    let starts: HashMap<u32, usize> =
        places.iter().map(|place| (place.edit, place.guard().start())).collect();
    for (a, b) in conflicts {
        let (first, second) = (a.min(b), a.max(b));
        let line = text.line_of(starts.get(&second).copied().unwrap_or(0)) as u64;
        for (edit, other) in [(second, first), (first, second)] {
            let message = format!(
                "edits {} and {} change the same text at line {line}; make them one edit",
                first + 1,
                second + 1
            );
            let mut error = on_line(line, refuse(ErrorCode::Overlap, message));
            error.other_edit = Some(u64::from(other) + 1);
            verdicts.refuse(edit as usize, error)?;
        }
    }
    Ok(())
}

/// Refuses the edits that read a clipboard that a refused edit of this entry would have stored.
fn refuse_readers(ops: &Parsed, verdicts: &mut Verdicts<'_>) -> Result<(), Refusal> {
    let mut spoilt: BTreeSet<&str> = BTreeSet::new();
    for (edit, op) in ops.iter().enumerate() {
        let reads = op.as_ref().ok().and_then(Op::reads);
        let own = reads.is_some() && reads == stores(op);
        if let Some(name) = reads.filter(|name| !own && spoilt.contains(name)) {
            verdicts.refuse(
                edit,
                refuse(
                    ErrorCode::NoClipboard,
                    format!("the clipboard {name:?} is empty, since the edit that fills it was not applied"),
                ),
            )?;
        }
        match (stores(op), verdicts.stands(edit)) {
            (Some(name), true) => drop(spoilt.remove(name)),
            (Some(name), false) => drop(spoilt.insert(name)),
            _ => {}
        }
    }
    Ok(())
}

/// Assembles the new content from the places. Returns `None` if nothing changes.
fn make(
    base: &EditBase<'_>,
    text: &Text<'_>,
    ops: &Parsed,
    mut places: Vec<Place>,
    reports: &mut EditReports,
) -> Result<Option<EditedContent>, Refusal> {
    complete(text, &mut places);
    land(text, &places, |edit, (first, last)| {
        let Some(report) = reports.get_mut(edit as usize).and_then(Option::as_mut) else { return };
        // The offset fits, since a file is smaller than 4 GiB.
        let number = |line| u32::try_from(line).unwrap_or(u32::MAX);
        let first = report.found.now.map_or(number(first), |now| now.0);
        report.found.now = Some((first, number(last)));
    });
    let splices = assemble(text, &places)?;
    let quoted = quoted(text, ops, &places);
    // The splices hold the large texts now.
    drop(places);
    let Some(first) = splices.first() else {
        return Ok(None);
    };
    let held: usize = splices.iter().map(|splice| splice.old.len() + splice.new.len()).sum();
    if !base.budget.change(held) {
        let limit = crate::limits::CHANGE;
        return Err(too_large("this job changes more bytes than a job may; send it as several jobs", limit));
    }
    let size = size_after(base.bytes.len(), &splices);
    if size > limits::FILE {
        return Err(too_large(
            format!("the file would have {size} bytes, more than {}", limits::FILE),
            limits::FILE,
        ));
    }
    if !base.budget.make(held.saturating_add(size)) {
        return Err(no_room());
    }
    let (after, hash) = apply_hashed(base.bytes, &splices, base.hash_parts)
        .ok_or_else(|| internal("planned splices do not fit the file; please report this job"))?;
    let hashes = (base.hash.unwrap_or_else(|| crate::hash::hash(base.bytes)), hash);
    // Edits may reverse each other: one removes a line, another adds it.
    if hashes.0 == hashes.1 {
        return Ok(None);
    }
    let plain = text.encoding == Encoding::Utf8;
    let at = first.at as usize;
    let lines = text.line_of(at.saturating_sub(text.bom)) - 1;
    let known = (plain && text.breaks == Breaks::Lf).then_some((at, lines));
    debug_assert_eq!(base.bytes.cut(0..first.at as usize), after.cut(0..first.at as usize));
    Ok(Some(EditedContent { bytes: after, splices, quoted, hashes, known, plain }))
}

/// Returns the lines that the edits of an entry quote, replace without a quotation, and copy.
fn quoted(text: &Text<'_>, ops: &Parsed, places: &[Place]) -> QuotedLines {
    let op = |place: &Place| ops.get(place.edit as usize).and_then(|op| op.as_ref().ok());
    // The new text of a substitution may have groups of the match, which the session does not know.
    let is_given = |place: &&Place| !matches!(op(place), Some(Op::Substitute(_)));
    let copies = |place: &&Place| matches!(op(place), Some(Op::Substitute(edit)) if edit.copies());
    let is_blind = |place: &&Place| op(place).is_none_or(|op| op.proof() == ContentProof::Blind);
    QuotedLines {
        whole: whole_lines(text, places.iter().filter(is_given)),
        unquoted: touched_lines(text, places.iter().filter(is_blind)),
        copied: touched_lines(text, places.iter().filter(copies)),
    }
}

/// Stores the clipboards of the edits that were not refused, for later entries.
fn store(
    base: &EditBase<'_>,
    ops: &Parsed,
    verdicts: &Verdicts<'_>,
    reports: &EditReports,
    clips: &mut Clips<'_>,
) {
    for (edit, (op, report)) in ops.iter().zip(reports).enumerate() {
        let Some(name) = stores(op) else { continue };
        match report.as_ref().and_then(|report| report.stored.as_ref()).filter(|_| verdicts.stands(edit)) {
            Some(text) => clips.store(name, Rc::clone(text), base.path),
            None => clips.spoil(name),
        }
    }
}

/// Marks the clipboards that an entry's edits would have stored as spoilt, since none of its edits is applied.
pub(crate) fn spoil(ops: &Parsed, verdicts: &Verdicts<'_>, clips: &mut Clips<'_>) {
    for (edit, op) in ops.iter().enumerate() {
        if let (Some(name), false) = (stores(op), verdicts.stands(edit)) {
            clips.spoil(name);
        }
    }
}
