//! Chooses between the readings of the new lines of an edit: mapped as the quoted lines are, or already indented as
//! the file is. It accepts a reading only if there is no evidence for another.

use std::ops::Range;

use editd_types::error::IndentReading;
use editd_types::limits as shown;

use super::convert::{converted, keeps_order};
use super::evidence::{Evidence, evidence};
use super::mapping::IndentMapping;
use super::passage::Passage;
use super::unit::{Kinds, Unit, is_blank, split_indent};
use crate::limits;
use crate::locate::quoted::{AdaptableText, Quote, ReadingConflict};
use crate::locate::{Haystack, excerpt, keep_shared_lines};

/// The relation between the indentation of the quoted lines and the file's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames<'m> {
    /// The mapping of the quoted lines' indentation to the file's.
    pub(crate) mapping: &'m IndentMapping,
    /// The file's indentation of the first line, if it is quoted without and the mapping is only of the others.
    pub(crate) first: Option<&'m str>,
    /// The same, if the mapping is of all lines, but the first may also be quoted from the middle of a line.
    pub(crate) torn: Option<&'m str>,
}

/// The frame in which new lines were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IndentFrame {
    /// The frame of the quoted lines.
    Quoted,
    /// The frame of the file.
    File,
    /// The frame of the file except for the first line, which lost its indentation.
    Torn,
    /// None, as the quoted lines: what stands between two depths of the file may have either.
    Below,
}

impl IndentFrame {
    fn how(self) -> &'static str {
        match self {
            Self::Quoted => "indented by as much as the quoted lines need",
            Self::File => "kept at the depth that they have",
            Self::Torn => "kept at the depth that they have, but for the first line",
            Self::Below => "indented as the line below them",
        }
    }
}

/// The lines that would be written.
struct Reading {
    frame: IndentFrame,
    lines: Vec<String>,
    /// True if the depths have the same order as in the payload, even if that mixes tabs and spaces.
    ordered: bool,
}

/// Returns the new text of a quotation at its place, and true if it has the file's indentation; `None` if no reading
/// of it is possible there.
///
/// # Errors
/// A conflict if several readings are possible, or none is tied to the place.
pub(crate) fn settle(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    range: &Range<usize>,
    frames: &Frames<'_>,
) -> Result<Option<(String, bool)>, ReadingConflict> {
    let Some(passage) = Passage::of(hay.text, quote, range) else { return Ok(None) };
    let readings = readings(hay, &passage, quote, frames);
    match choose(hay, &passage, &readings) {
        Choice::None => Ok(None),
        Choice::One(reading) => {
            let as_file = !matches!(reading.frame, IndentFrame::Quoted | IndentFrame::Below);
            Ok(made(hay, quote, range, &passage, reading).map(|made| (made, as_file)))
        }
        Choice::Several(readings, left) => Err(conflict(range.start, &readings, left)),
    }
}

/// The readings that remain.
enum Choice<'r> {
    /// No reading is possible.
    None,
    /// The one to write.
    One(&'r Reading),
    /// The possible readings. If each would write left of the quoted lines, all readings, and true.
    Several(Vec<&'r Reading>, bool),
}

/// Returns the possible readings; of those with the same result, only one.
fn readings(
    hay: &Haystack<'_>,
    passage: &Passage<'_>,
    quote: &Quote<'_>,
    frames: &Frames<'_>,
) -> Vec<Reading> {
    let beside = matches!(quote.new_text, AdaptableText::Beside(..));
    let bare = |line: &str| !is_blank(line) && split_indent(line).0.is_empty();
    let torn = passage.given.first().is_some_and(|(line, _)| bare(line));
    let mut made: Vec<Reading> = Vec::new();
    let file = kinds_of_file(hay, passage);
    let mut add = |frame: IndentFrame, lines: Option<Vec<String>>| {
        let fits = |line: &String| {
            let indent = split_indent(line).0;
            let kinds = file.and(Kinds::of(indent));
            is_blank(line) || (indent.len() <= limits::INDENT && (!kinds.is_mix() || file.is_mix()))
        };
        let fits = |lines: &Vec<String>| lines.iter().all(fits);
        if let Some(lines) = lines.filter(|lines| fits(lines) && !made.iter().any(|one| one.lines == *lines))
        {
            // A first line whose indentation was supplied has no indentation to compare.
            let supplied = torn && (frame == IndentFrame::Torn || frames.first.is_some());
            let pairs = passage.given.iter().zip(&lines).map(|((given, _), line)| (*given, line.as_str()));
            let ordered = keeps_order(pairs.skip(usize::from(supplied)));
            made.push(Reading { frame, lines, ordered });
        }
    };
    let own = |own: &str, line: &dyn Fn(&str) -> Option<String>| {
        let lines = passage.given.iter().enumerate();
        lines
            .map(|(at, (given, _))| if at == 0 && torn { Some(format!("{own}{given}")) } else { line(given) })
            .collect()
    };
    let as_given = |line: &str| Some(line.to_owned());
    match frames.first {
        // It is unknown if the first new line lacks the same part as the quoted one.
        Some(_) if beside && torn => return Vec::new(),
        Some(first) => {
            add(IndentFrame::Quoted, own(first, &|line| frames.mapping.line(line)));
            add(IndentFrame::File, own(first, &as_given));
        }
        None => {
            let given = || passage.given.iter().map(|(line, _)| *line);
            let mapped =
                |mapping: &IndentMapping| given().map(|line| mapping.line(line)).collect::<Option<Vec<_>>>();
            // The quoted lines may be two steps apart while the new lines are one step apart.
            let narrower = || mapped(&frames.mapping.with_narrower_steps(given())?);
            add(IndentFrame::Quoted, mapped(frames.mapping).or_else(narrower));
            if let Some(below) = passage.depth_below_bare_lines() {
                add(IndentFrame::Below, Some(given().map(|line| indented(below, line)).collect()));
            }
            add(IndentFrame::File, passage.given.iter().map(|(line, _)| as_given(line)).collect());
            if let Some(first) = frames.torn.filter(|_| torn) {
                add(IndentFrame::Torn, own(first, &as_given));
            }
            if made_of_other_kind(passage, file) {
                for (mapped, lines) in converted(passage, hay.unit()) {
                    let first = lines.first().zip(frames.torn.filter(|_| torn && !mapped));
                    if let Some((line, own)) = first {
                        let made =
                            std::iter::once(format!("{own}{line}")).chain(lines.iter().skip(1).cloned());
                        add(IndentFrame::Torn, Some(made.collect()));
                    }
                    add(if mapped { IndentFrame::Quoted } else { IndentFrame::File }, Some(lines));
                }
            }
        }
    }
    made
}

/// Returns the characters with which the file indents the quoted lines; if there are none, those of all its lines.
fn kinds_of_file(hay: &Haystack<'_>, passage: &Passage<'_>) -> Kinds {
    let there = passage.kinds_there();
    let all = || hay.unit().map(|unit| Kinds { tabs: unit == Unit::Tab, spaces: unit != Unit::Tab });
    if there == Kinds::default() { all().unwrap_or(there) } else { there }
}

/// Returns a line with an indentation in front of it; a blank one as it is.
fn indented(indent: &str, line: &str) -> String {
    if is_blank(line) { line.to_owned() } else { [indent, line].concat() }
}

/// Returns true if the payload is indented with characters that the file does not use here.
fn made_of_other_kind(passage: &Passage<'_>, file: Kinds) -> bool {
    let given = passage.kinds_given();
    !file.is_mix() && ((file.tabs && given.spaces) || (file.spaces && given.tabs))
}

/// Chooses the reading that has evidence and lacks no evidence that another reading has.
fn choose<'r>(hay: &Haystack<'_>, passage: &Passage<'_>, readings: &'r [Reading]) -> Choice<'r> {
    // The readings may differ only in the width of a tab of the payload: then the unit of the file decides nothing.
    let tabs = passage.kinds_given().tabs && passage.kinds_there().spaces;
    let unit = if readings.len() > 1 && !tabs { hay.unit() } else { None };
    let weigh = |reading: &'r Reading| (reading, evidence(passage, &reading.lines, unit, reading.frame));
    let weighed: Vec<(&Reading, Evidence)> = readings.iter().map(weigh).collect();
    if let [(only, own)] = weighed.as_slice() {
        let given = passage.given.iter().map(|(line, _)| *line);
        let as_given = only.lines.iter().map(String::as_str).eq(given);
        return match only.frame {
            // Both frames give the same text.
            IndentFrame::Quoted if !only.ordered => Choice::Several(vec![only], own.left),
            IndentFrame::Quoted if as_given || !own.left => Choice::One(only),
            IndentFrame::Quoted => Choice::Several(vec![only], true),
            _ if is_eligible(passage, only, own) => Choice::One(only),
            // The mapping does not cover the new lines, and there is no evidence that they are indented as in the
            // file.
            _ => Choice::None,
        };
    }
    let wins = |(reading, own): &&(&'r Reading, Evidence)| {
        let mut others = weighed.iter().filter(|(other, _)| !std::ptr::eq(*other, *reading));
        is_eligible(passage, reading, own)
            && others.all(|(other, evidence)| !contradicts(other.frame, evidence, own))
    };
    let mut winners = weighed.iter().filter(wins);
    match (winners.next(), winners.next()) {
        (Some((winner, _)), None) => Choice::One(winner),
        _ if weighed.is_empty() => Choice::None,
        _ => {
            let possible: Vec<&Reading> =
                weighed.iter().filter(|(_, own)| !own.left).map(|(reading, _)| *reading).collect();
            let all = || weighed.iter().map(|(reading, _)| *reading).collect();
            let left = possible.is_empty();
            Choice::Several(if possible.len() > 1 { possible } else { all() }, left)
        }
    }
}

/// Returns true if a reading may be written as long as nothing supports another one.
fn is_eligible(passage: &Passage<'_>, reading: &Reading, own: &Evidence) -> bool {
    let tied = reading.ordered && !own.left && !own.requoted && own.ties();
    match reading.frame {
        IndentFrame::Quoted | IndentFrame::Torn | IndentFrame::Below => tied,
        // The first line shows if the text has the file's indentation. A text that changes nothing was hardly meant.
        IndentFrame::File => tied && own.starts_alike() && !passage.is_there(&reading.lines),
    }
}

/// Returns true if some evidence supports another reading and not this one.
fn contradicts(frame: IndentFrame, other: &Evidence, own: &Evidence) -> bool {
    if (other.left && frame == IndentFrame::Torn) || (other.requoted && !other.is_edged()) {
        return false;
    }
    let beyond = |(other, own): (&bool, &bool)| *other && !*own;
    let shared = other.shared.iter().zip(&own.shared).any(beyond);
    if other.left && !other.starts_alike() {
        // Lines may move deeper into a block around them that starts and ends as the quoted ones do.
        return shared && !own.framed;
    }
    // The end of a block is weaker evidence than its start.
    let edges = other.edges.iter().zip(&own.edges).any(|(other, own)| {
        let [first, last, base] = [0, 1, 2].map(|at| other.get(at) > own.get(at));
        let ends_alone = matches!((own, other), ([true, _, true], [false, _, false]));
        first || base || (last && !ends_alone)
    });
    shared || edges || (other.shaped && !own.shaped) || (other.steps && !own.steps)
}

/// Returns the text of a reading. Lines that old and new share at either end are those of the file.
fn made(
    hay: &Haystack<'_>,
    quote: &Quote<'_>,
    range: &Range<usize>,
    passage: &Passage<'_>,
    reading: &Reading,
) -> Option<String> {
    let text = hay.text;
    if !matches!(quote.new_text, AdaptableText::Instead(_)) {
        let lines = reading.lines.iter().zip(&passage.given);
        return Some(lines.flat_map(|(line, (_, ending))| [line.as_str(), ending]).collect());
    }
    let there: Vec<Option<String>> = match reading.frame {
        IndentFrame::Quoted | IndentFrame::Below => Vec::new(),
        IndentFrame::File => (0..passage.quoted.len()).map(|at| passage.as_there(at)).collect(),
        IndentFrame::Torn => {
            (0..passage.quoted.len()).map(|at| passage.as_there(at).filter(|_| at > 0)).collect()
        }
    };
    let endings = crate::locate::lines(quote.old, text.breaks);
    let quoted: Vec<(&str, &str)> = endings
        .iter()
        .enumerate()
        .map(|(at, (line, ending))| (there.get(at).and_then(Option::as_deref).unwrap_or(line), *ending))
        .collect();
    let line = |at: usize, _: &str| reading.lines.get(at).cloned();
    keep_shared_lines(text, quote, (&quoted, &passage.given), range, line)
}

/// Returns the refusal of new lines that could be indented in several ways.
fn conflict(at: usize, readings: &[&Reading], left: bool) -> ReadingConflict {
    let length = readings.first().map_or(0, |reading| reading.lines.len());
    let differs = |at: &usize| {
        let mut lines = readings.iter().map(|reading| reading.lines.get(*at));
        let first = lines.next();
        lines.any(|line| Some(line) != first)
    };
    let from = (0..length).find(differs).unwrap_or(0);
    let shown = |reading: &&Reading| {
        let lines = reading.lines.iter().skip(from).take(shown::READING_LINES);
        let text = lines.map(|line| excerpt(line, 0)).collect::<Vec<_>>().join("\n");
        IndentReading { how: reading.frame.how().to_owned(), text }
    };
    ReadingConflict { at, left, readings: readings.iter().take(shown::CANDIDATES).map(shown).collect() }
}
