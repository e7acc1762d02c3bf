//! Spoils a quotation in one of the ways of `disturb`, old, contexts and new text alike where a caller would. It
//! looks at the file only to spoil believably.

use fastrand::Rng;

use super::change::{numbers_and_words, renamed};
use super::disturb::Disturbance;
use super::fragments;
use super::quoting::Said;
use super::source::{Source, indent, plain};

/// Spoils a quotation; false where it cannot be spoiled so.
pub(super) fn spoil(how: Disturbance, source: &Source, said: &mut Said, rng: &mut Rng) -> bool {
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
        Disturbance::Dedented => lines && dedented(said, rng),
        Disturbance::Indented => lines && indented(said, rng),
        Disturbance::Unit => lines && unit(source, said, rng),
        Disturbance::FirstIndent => lines && first_indent(said),
        Disturbance::Numbered => lines && numbered(said, true, rng),
        Disturbance::NumberedOld => lines && numbered(said, false, rng),
        Disturbance::LineTooMany => lines && line_too_many(source, said, rng),
    }
}

/// Every quoted line.
fn quoted(said: &mut Said) -> impl Iterator<Item = &mut String> {
    said.before.iter_mut().chain(&mut said.old).chain(&mut said.after)
}

/// Every line, quoted or new.
fn every(said: &mut Said) -> impl Iterator<Item = &mut String> {
    said.before.iter_mut().chain(&mut said.old).chain(&mut said.after).chain(&mut said.new)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn trailing(said: &mut Said, rng: &mut Rng) -> bool {
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

fn dedented(said: &mut Said, rng: &mut Rng) -> bool {
    let mixes = mixes(said);
    let filled: Vec<String> = every(said).filter(|line| !is_blank(line)).map(|line| line.clone()).collect();
    let mut common = filled.first().map_or("", |line| indent(line));
    for line in &filled {
        let same = common.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
        common = &common[..same];
    }
    if common.is_empty() {
        return false;
    }
    let lost = if rng.bool() { common.len() } else { rng.usize(1..=common.len()) };
    let own = common[..lost].to_owned();
    for line in every(said) {
        let most = lost.min(indent(line).len());
        line.replace_range(..most, "");
    }
    said.sure = !is_torn(said, &own) && !mixes;
    true
}

/// Whether the new lines bring tabs among spaces, or the other way round, where the quoted ones have one kind.
fn mixes(said: &Said) -> bool {
    let kinds = |lines: &[String], kind: char| {
        lines.iter().any(|line| !is_blank(line) && indent(line).contains(kind))
    };
    let quoted = said.quoted();
    let (tabs, spaces) = (kinds(&quoted, '\t'), kinds(&quoted, ' '));
    let both = (tabs || kinds(&said.new, '\t')) && (spaces || kinds(&said.new, ' '));
    both && !(tabs && spaces)
}

/// Whether one line alone is quoted, and the new text reads as well as one whose first line alone lost its
/// indentation.
fn is_torn(said: &Said, lost: &str) -> bool {
    let deeper = |lines: &[String], from: usize| {
        let mut filled = lines.iter().filter(|line| !is_blank(line)).skip(from).peekable();
        filled.peek().is_some() && filled.all(|line| line.starts_with(lost))
    };
    let one = said.quoted().iter().filter(|line| !is_blank(line)).count() == 1;
    let inserts = said.old.is_empty() && deeper(&said.new, 0);
    one && (inserts || deeper(&said.new, 1) || deeper(&said.with_context(), 1))
}

fn indented(said: &mut Said, rng: &mut Rng) -> bool {
    let more = ["  ", "    ", "        ", "\t", "   "][rng.usize(0..5)];
    said.sure = !mixes(said);
    every(said).filter(|line| !is_blank(line)).for_each(|line| line.insert_str(0, more));
    true
}

/// Another unit of indentation. Only where the quotation shows two depths: one could as well be lost indentation.
fn unit(source: &Source, said: &mut Said, rng: &mut Rng) -> bool {
    let own = source.unit();
    let other = ["\t", "  ", "    "][rng.usize(0..3)];
    let depth = |line: &str| {
        let white = indent(line);
        let depth = white.len() / own.len();
        (own.repeat(depth) == white).then_some(depth)
    };
    let filled: Vec<&mut String> = every(said).filter(|line| !is_blank(line)).collect();
    if other == own || filled.iter().any(|line| depth(line).is_none()) {
        return false;
    }
    for line in filled {
        let deep = depth(line).unwrap_or(0);
        line.replace_range(..indent(line).len(), &other.repeat(deep));
    }
    let mut depths: Vec<usize> =
        quoted(said).filter(|line| !is_blank(line)).map(|line| indent(line).len() / other.len()).collect();
    depths.sort_unstable();
    depths.dedup();
    let divisor = depths.iter().fold(0, |a, b| gcd(a, *b));
    said.sure = other == "\t" || divisor == 1;
    depths.len() > 1
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The first line without its indentation. That one place is left is sure where another line that is as deep as
/// the first shows that nothing else was lost.
fn first_indent(said: &mut Said) -> bool {
    let quoted = said.quoted();
    let Some(lost) = quoted.first().map(|line| indent(line).to_owned()) else { return false };
    let same = |line: &&String| !is_blank(line) && indent(line) == lost;
    let first_new = said.with_context().first().cloned();
    if lost.is_empty()
        || is_blank(&quoted[0])
        || quoted.len() < 2
        || !first_new.as_ref().is_some_and(|line| same(&line))
    {
        return false;
    }
    // Where a new line is less indented, the whole reads as dedented, and is another payload.
    if said.new.iter().any(|line| !is_blank(line) && !line.starts_with(&lost)) {
        return false;
    }
    said.sure = quoted[1..].iter().any(|line| same(&line)) && !mixes(said);
    let cut = |line: Option<&mut String>| {
        if let Some(line) = line {
            line.replace_range(..lost.len(), "");
        }
    };
    if said.before.is_empty() {
        cut(said.old.first_mut());
        cut(said.new.first_mut());
        // An insertion before what is quoted, or a deletion: there is no first line of old or new to cut.
        return !said.old.is_empty() && !said.new.is_empty();
    }
    cut(said.before.first_mut());
    true
}

fn quotes(said: &mut Said, rng: &mut Rng) -> bool {
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

fn numbered(said: &mut Said, both: bool, rng: &mut Rng) -> bool {
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

fn wrong_hint(source: &Source, said: &mut Said, rng: &mut Rng) -> bool {
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
fn near_hint(said: &mut Said, rng: &mut Rng) -> bool {
    let line = said.start as u64 + 1;
    said.hint =
        Some(if rng.usize(0..3) > 0 { line } else { (line + rng.u64(0..5)).saturating_sub(2).max(1) });
    true
}

fn line_too_many(source: &Source, said: &mut Said, rng: &mut Rng) -> bool {
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

fn typo(said: &mut Said, rng: &mut Rng) -> bool {
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
fn stale(said: &mut Said, rng: &mut Rng) -> bool {
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
