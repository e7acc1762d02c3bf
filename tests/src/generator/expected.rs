//! The contents that are right after a payload, as pieces of which some may be one of several. It compares bytes
//! and knows nothing of places.

use super::change::ChangeSite;
use super::disturb::Disturbance;
use super::oracle::PermittedResult;
use super::printers::FormProperties;
use super::quoting::{QuotedEdit, is_merged};
use super::source::{LineEndings, SourceFile, plain};

/// One edit of a payload: what was meant, how it is said, and what is right.
#[derive(Clone, Debug)]
pub(super) struct IntendedEdit {
    pub(super) site: ChangeSite,
    /// The error in this quotation.
    pub(super) how: Disturbance,
    pub(super) truth: QuotedEdit,
    pub(super) said: QuotedEdit,
    pub(super) right: PermittedResult,
}

/// Contents that are right.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpectedContents {
    pieces: Vec<Vec<Vec<u8>>>,
}

impl ExpectedContents {
    /// Returns the permitted contents after all edits of a payload.
    pub(super) fn after(source: &SourceFile, edits: &[IntendedEdit], ways: &FormProperties) -> Self {
        let mut made = Self::default();
        if source.bom {
            made.fixed("\u{feff}".as_bytes());
        }
        let mut regions: Vec<LineRegion> = edits.iter().map(|meant| region(source, meant, ways)).collect();
        regions.sort_by_key(|region| region.from);
        let mut at = 0;
        for region in regions {
            made.keep(source, at, region.from);
            at = region.to;
            made.pieces.extend(region.lines);
        }
        made.keep(source, at, source.lines.len());
        made
    }

    /// Exactly this.
    pub(super) fn exactly(bytes: &[u8]) -> Self {
        Self { pieces: vec![vec![bytes.to_vec()]] }
    }

    /// Returns true if a content is permitted.
    pub(super) fn accepts(&self, content: &[u8]) -> bool {
        let mut ends = vec![0];
        for piece in &self.pieces {
            let mut next: Vec<usize> = ends
                .iter()
                .flat_map(|at| {
                    piece
                        .iter()
                        .filter(|text| content[*at..].starts_with(text))
                        .map(move |text| at + text.len())
                })
                .collect();
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        ends.contains(&content.len())
    }

    /// The first content that is right, to show.
    pub(super) fn shown(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| piece.first().cloned().unwrap_or_default()).collect()
    }

    fn fixed(&mut self, bytes: &[u8]) {
        self.pieces.push(vec![bytes.to_vec()]);
    }

    fn keep(&mut self, source: &SourceFile, from: usize, to: usize) {
        let lines = source.lines.get(from..to).unwrap_or_default();
        let kept: String = lines.iter().flat_map(|line| [line.text.as_str(), line.ending]).collect();
        self.fixed(kept.as_bytes());
    }
}

/// Lines of the file, and what may stand there then.
struct LineRegion {
    from: usize,
    to: usize,
    lines: Vec<Vec<Vec<u8>>>,
}

fn region(source: &SourceFile, meant: &IntendedEdit, ways: &FormProperties) -> LineRegion {
    match meant.right {
        PermittedResult::Literal(at) => literal(source, &meant.said, at),
        PermittedResult::Placed | PermittedResult::Either | PermittedResult::Refused => {
            placed(source, meant, ways)
        }
    }
}

/// The endings that a new line may have.
fn endings(source: &SourceFile, open: bool) -> &'static [&'static str] {
    match source.endings {
        _ if open => &[""],
        LineEndings::Same("\r\n") => &["\r\n"],
        LineEndings::Same(_) => &["\n"],
        LineEndings::Mixed => &["\n", "\r\n"],
    }
}

fn options(source: &SourceFile, texts: &[&str], open: bool) -> Vec<Vec<u8>> {
    let endings = endings(source, open);
    texts
        .iter()
        .flat_map(|text| endings.iter().map(move |end| [text.as_bytes(), end.as_bytes()].concat()))
        .collect()
}

/// The lines that were meant, where they were meant.
fn placed(source: &SourceFile, meant: &IntendedEdit, ways: &FormProperties) -> LineRegion {
    let (site, said) = (&meant.site, &meant.said);
    let range = site.range();
    let open = source.is_open() && range.end == source.lines.len() && site.removed > 0;
    let (head, tail) = shared(said, ways);
    if source.endings == LineEndings::Mixed && said.phrase.is_none() {
        return mixed(source, meant, ways);
    }
    let skipped = if is_merged(said, ways) { said.before.len() } else { 0 };
    let all = if is_merged(said, ways) { said.with_context().len() } else { said.new.len() };
    // Of a phrase what is new stands as given, also where the file has curly quotes.
    let phrase = |text: &str| match (&meant.truth.phrase, &said.phrase) {
        (Some((_, was)), Some((_, given))) if meant.how.writes_as_given() => {
            Some(text.replacen(was, given, 1))
        }
        _ => None,
    };
    // A blank line that the disturbance made one that old and new share is the file's own.
    let own = source.lines.get(said.span()).unwrap_or_default();
    let own_blanks: Vec<&str> =
        own.iter().map(|line| line.text.as_str()).filter(|text| text.trim().is_empty()).collect();
    let lines = site.new.iter().enumerate().map(|(at, text)| {
        let as_given = phrase(text);
        let mut texts = vec![text.as_str()];
        texts.extend(as_given.as_deref());
        let given = said.new.get(at).filter(|_| said.phrase.is_none());
        let is_shared = skipped + at < head || skipped + at >= all - tail;
        let blank = text.trim().is_empty();
        if let Some(given) = given.filter(|_| (meant.how.writes_as_given() && !is_shared) || blank) {
            texts.push(given);
        }
        if blank {
            texts.push("");
            texts.extend(&own_blanks);
        }
        options(source, &texts, open && at + 1 == site.new.len())
    });
    LineRegion { from: range.start, to: range.end, lines: lines.collect() }
}

/// The same where lines end differently: which of two lines that are alike stays is seen by its ending. The lines
/// that old and new share at their start stay, then those that they share at their end.
fn mixed(source: &SourceFile, meant: &IntendedEdit, ways: &FormProperties) -> LineRegion {
    let (truth, merged) = (&meant.truth, ways.quotes && is_merged(&meant.said, ways));
    let (start, old, new) = if merged {
        (truth.start, truth.quoted(), truth.with_context())
    } else {
        (meant.site.first, truth.old.clone(), truth.new.clone())
    };
    let (mut head, mut tail) = shared(truth, ways);
    if meant.said.span() == truth.span() {
        // What is said of a line in two ways is not shared.
        let said = shared(&meant.said, ways);
        (head, tail) = (head.min(said.0), tail.min(said.1));
    }
    if !ways.quotes || (ways.anywhere && !truth.closed) {
        // By number each line is itself; of a text that is not closed the last line is not whole.
        (head, tail) = (0, 0);
    }
    let (from, to) = (start + head, start + old.len() - tail);
    let open = source.is_open() && to == source.lines.len();
    let lines = new[head..new.len() - tail].iter().enumerate().map(|(at, text)| {
        let given =
            meant.said.new.iter().filter(|given| given.trim() == text.trim() || plain(given) == plain(text));
        let given = given.filter(|_| meant.how.writes_as_given() || text.trim().is_empty());
        let texts: Vec<&str> = std::iter::once(text).chain(given).map(String::as_str).collect();
        options(source, &texts, open && head + at + 1 == new.len() - tail)
    });
    LineRegion { from, to, lines: lines.collect() }
}

/// Counts the lines at either end that the old and new texts share as they are quoted.
fn shared(said: &QuotedEdit, ways: &FormProperties) -> (usize, usize) {
    let (old, new) = if is_merged(said, ways) {
        (said.quoted(), said.with_context())
    } else {
        (said.old.clone(), said.new.clone())
    };
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// The new text as given in place of the old, wherever in its lines that stands.
fn literal(source: &SourceFile, said: &QuotedEdit, at: usize) -> LineRegion {
    let (old, new) = said.texts("\n");
    let line = |at: usize| source.starts.partition_point(|start| *start <= at) - 1;
    let from = line(at);
    let mut to = line(at + old.len() - 1) + 1;
    let window = |to: usize| {
        let end = source.starts.get(to).copied().unwrap_or(source.lf.len());
        [&source.lf[source.starts[from]..at], &new, &source.lf[at + old.len()..end]].concat()
    };
    // Where the last break went too, the next line moves up.
    while to < source.lines.len() && !window(to).is_empty() && !window(to).ends_with('\n') {
        to += 1;
    }
    let text = window(to);
    let mut new: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut from, mut to) = (from, to);
    let own = |at: usize| {
        let line = &source.lines[at];
        [line.text.as_str(), if line.ending.is_empty() { "" } else { "\n" }].concat()
    };
    // Which break is whose is not known where they differ.
    let trims = source.endings != LineEndings::Mixed;
    while trims && from < to && new.first().is_some_and(|line| *line == own(from)) {
        new.remove(0);
        from += 1;
    }
    while trims && from < to && new.last().is_some_and(|line| *line == own(to - 1)) {
        new.pop();
        to -= 1;
    }
    let lines = new.iter().map(|line| match line.strip_suffix('\n') {
        Some(text) => options(source, &[text], false),
        None => options(source, &[line], true),
    });
    LineRegion { from, to, lines: lines.collect() }
}
