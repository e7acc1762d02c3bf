//! Spoils a quotation in one of the ways of `disturb`, old, contexts and new text alike where a caller would. It
//! looks at the file only to spoil believably.

use fastrand::Rng;

use super::change::{numbers_and_words, renamed};
use super::disturb::Disturbance;
use super::fragments;
use super::quoting::QuotedEdit;
use super::source::{SourceFile, indent, plain};
use super::spoil_indent::spoil_indent;

/// Spoils a quotation; false where it cannot be spoiled so.
pub(super) fn spoil(how: Disturbance, source: &SourceFile, said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let lines = said.phrase.is_none();
    match how {
        Disturbance::None | Disturbance::Twice => true,
        Disturbance::Everywhere | Disturbance::Ends | Disturbance::Whole => false,
        Disturbance::Endings => lines && said.quoted().len() + usize::from(said.closed) > 1,
        Disturbance::WrongHint => wrong_hint(source, said, rng),
        Disturbance::TwiceHinted => near_hint(said, rng),
        Disturbance::Quotes => quotes(said, rng),
        Disturbance::Typo | Disturbance::TypoSimilar => typo(said, rng),
        Disturbance::Stale => stale(said, rng),
        Disturbance::Trailing => lines && trailing(said, rng),
        Disturbance::Numbered => lines && numbered(said, true, rng),
        Disturbance::NumberedOld => lines && numbered(said, false, rng),
        Disturbance::LineTooMany => lines && line_too_many(source, said, rng),
        _ => lines && spoil_indent(how, source, said, rng),
    }
}

/// Every quoted line.
pub(super) fn quoted(said: &mut QuotedEdit) -> impl Iterator<Item = &mut String> {
    said.before.iter_mut().chain(&mut said.old).chain(&mut said.after)
}

/// Every line, quoted or new.
pub(super) fn every(said: &mut QuotedEdit) -> impl Iterator<Item = &mut String> {
    said.before.iter_mut().chain(&mut said.old).chain(&mut said.after).chain(&mut said.new)
}

pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn trailing(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let clean = (said.before.clone(), said.after.clone());
    let mut spoiled = false;
    if quoted(said).any(|line| line.trim_end() != line) {
        for line in quoted(said) {
            spoiled |= line.trim_end() != line;
            line.truncate(line.trim_end().len());
        }
    } else {
        for line in quoted(said) {
            if rng.bool() {
                line.push_str(["  ", " ", "\t"][rng.usize(0..3)]);
                spoiled = true;
            }
        }
        said.repeated = rng.bool().then_some(clean);
    }
    spoiled
}

fn quotes(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    if let Some((old, new)) = &mut said.phrase {
        let was = old.clone();
        *old = if plain(old) == *old { curly(old, rng) } else { plain(old) };
        *new = if plain(&was) == was { new.clone() } else { plain(new) };
        return *old != was;
    }
    let clean = (said.before.clone(), said.after.clone());
    let mut spoiled = false;
    if quoted(said).any(|line| plain(line) != *line) && rng.bool() {
        for line in every(said) {
            spoiled |= plain(line) != *line;
            *line = plain(line);
        }
        return spoiled;
    }
    for line in quoted(said) {
        let made = curly(line, rng);
        spoiled |= made != *line;
        *line = made;
    }
    said.repeated = rng.bool().then_some(clean);
    spoiled
}

/// A line as an editor for prose would have it.
fn curly(line: &str, rng: &mut Rng) -> String {
    let mut opens = true;
    let dashes = rng.bool();
    let start = indent(line).len();
    let mut made = line[..start].to_owned();
    for letter in line[start..].chars() {
        match letter {
            '"' => {
                made.push(if opens { '“' } else { '”' });
                opens = !opens;
            }
            '\'' => made.push('’'),
            '-' if dashes => made.push('–'),
            other => made.push(other),
        }
    }
    if dashes { made.replace("...", "…") } else { made }
}

fn numbered(said: &mut QuotedEdit, both: bool, rng: &mut Rng) -> bool {
    let first = said.start + 1;
    let style = rng.usize(0..4);
    let prefix = |at: usize| match style {
        0 => format!("{at:>4} | "),
        1 => format!("{at} | "),
        2 => format!("{at}→"),
        _ => format!("{at:>6}→"),
    };
    let clean = (said.before.clone(), said.after.clone());
    for (at, line) in quoted(said).enumerate() {
        line.insert_str(0, &prefix(first + at));
    }
    if both {
        let at = first + said.before.len();
        for (more, line) in said.new.iter_mut().enumerate() {
            line.insert_str(0, &prefix(at + more));
        }
        let after = clean.1.iter().enumerate();
        let after = after.map(|(more, line)| prefix(at + said.new.len() + more) + line).collect();
        said.repeated = Some((said.before.clone(), after));
    } else {
        said.repeated = Some(clean);
    }
    true
}

fn wrong_hint(source: &SourceFile, said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let line = said.start as u64 + 1;
    let wrong = match rng.usize(0..5) {
        0 => line.saturating_sub(rng.u64(1..4)),
        1 => line + rng.u64(1..4),
        2 => line.saturating_sub(rng.u64(4..200)),
        3 => line + rng.u64(4..200),
        _ => source.lines.len() as u64 + rng.u64(1..1000),
    };
    said.hint = Some(wrong);
    wrong != line
}

/// The line where it stands, or one nearby.
fn near_hint(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let line = said.start as u64 + 1;
    said.hint =
        Some(if rng.usize(0..3) > 0 { line } else { (line + rng.u64(0..5)).saturating_sub(2).max(1) });
    true
}

fn line_too_many(source: &SourceFile, said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let own = source.lines[said.start.min(source.lines.len() - 1)].text.as_str();
    let line = if rng.usize(0..4) == 0 {
        String::new()
    } else {
        format!("{}// {} {}", indent(own), fragments::word(rng), fragments::word(rng))
    };
    if rng.bool() {
        said.before.insert(0, line)
    } else {
        said.after.push(line)
    }
    true
}

fn typo(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    if let Some((old, _)) = &mut said.phrase {
        return misspell(old, rng);
    }
    let clean = (said.before.clone(), said.after.clone());
    let long: Vec<usize> =
        said.quoted().iter().enumerate().filter(|(_, l)| l.trim().len() > 7).map(|(i, _)| i).collect();
    if long.is_empty() {
        return false;
    }
    let at = long[rng.usize(0..long.len())];
    said.sure = said.quoted().iter().filter(|line| !is_blank(line)).count() > 1;
    said.repeated = Some(clean);
    quoted(said).nth(at).is_some_and(|line| misspell(line, rng))
}

/// Another letter somewhere within.
fn misspell(line: &mut String, rng: &mut Rng) -> bool {
    let inside: Vec<(usize, char)> = line.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).collect();
    if inside.len() < 5 {
        return false;
    }
    let (at, was) = inside[rng.usize(1..inside.len() - 1)];
    let letter = rng.lowercase();
    line.replace_range(at..=at, &letter.to_string());
    letter != was
}

/// Something that the file said once: another name or number in one line.
fn stale(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let other = |line: &str, rng: &mut Rng| {
        let known = numbers_and_words(line);
        let at = known.get(rng.usize(0..known.len().max(1)))?.clone();
        let word = line[at].to_owned();
        let made = if word.bytes().all(|b| b.is_ascii_digit()) {
            line.replacen(&word, &format!("{word}7"), 1)
        } else {
            renamed(line, &word, &format!("{word}_{}", fragments::word(rng)))
        };
        (made != line).then_some(made)
    };
    if let Some((old, _)) = &mut said.phrase {
        let Some(made) = other(old, rng) else { return false };
        *old = made;
        return true;
    }
    let count = said.quoted().len();
    let at = rng.usize(0..count.max(1));
    quoted(said).nth(at).is_some_and(|line| match other(line, rng) {
        Some(made) => {
            *line = made;
            true
        }
        None => false,
    })
}
