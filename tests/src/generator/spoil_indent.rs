//! The ways in which callers get indentation wrong, in the quoted lines and the new ones alike or not. It changes no
//! other character of a line.

use fastrand::Rng;

use super::disturb::Disturbance;
use super::quoting::QuotedEdit;
use super::source::{SourceFile, indent};
use super::spoil::{every, is_blank, quoted};

/// Spoils the indentation of a quotation; false where it cannot be spoiled so.
pub(super) fn spoil_indent(
    how: Disturbance,
    source: &SourceFile,
    said: &mut QuotedEdit,
    rng: &mut Rng,
) -> bool {
    let truth = said.clone();
    let spoiled = match how {
        Disturbance::Dedented => dedented(said, rng),
        Disturbance::Indented => indented(said, rng),
        Disturbance::Unit => unit(source, said, rng),
        Disturbance::FirstIndent => first_indent(said),
        Disturbance::DedentedOld => {
            let lost = share(&truth.quoted(), rng);
            apart(said, |line| less(line, &lost), |_| {});
            !lost.is_empty()
        }
        Disturbance::IndentedOld => {
            let more = deeper(rng);
            apart(said, |line| line.insert_str(0, more), |_| {});
            true
        }
        Disturbance::DedentedUnlike => {
            let (old, new) = (share(&truth.quoted(), rng), share(&truth.with_context(), rng));
            apart(said, |line| less(line, &old), |line| less(line, &new));
            old != new && !old.is_empty()
        }
        Disturbance::Crossed => {
            let (more, lost) = (deeper(rng), share(&truth.with_context(), rng));
            apart(said, |line| line.insert_str(0, more), |line| less(line, &lost));
            !lost.is_empty()
        }
        Disturbance::OtherKind => other_kind(source, said, true, rng),
        Disturbance::OtherKindOld => other_kind(source, said, false, rng),
        Disturbance::OtherKindDedented => {
            let lost = common(every(said).map(|line| line.as_str()));
            every(said).for_each(|line| less(line, &lost));
            !lost.is_empty() && other_kind(source, said, true, rng)
        }
        _ => false,
    };
    let told = !matches!(how, Disturbance::DedentedUnlike | Disturbance::Crossed);
    said.sure &= spoiled && told && stays_put(&truth);
    spoiled && !says_otherwise(&truth, said)
}

/// Returns true if a removed and an added line are the same now, and were not before: then the payload says that the
/// line stays.
fn says_otherwise(truth: &QuotedEdit, said: &QuotedEdit) -> bool {
    let same =
        |said: &QuotedEdit| said.old.iter().filter(|line| !is_blank(line) && said.new.contains(line)).count();
    same(said) > same(truth)
}

/// Returns true if the new lines start and end as deep as those that they replace, which shows their place.
fn stays_put(truth: &QuotedEdit) -> bool {
    let filled = |lines: &[String]| -> Vec<String> {
        lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line).to_owned()).collect()
    };
    let (old, new) = (filled(&truth.old), filled(&truth.new));
    let least = |indents: &[String]| indents.iter().map(String::len).min();
    let starts = |indents: &[String]| indents.first().map(String::len) == least(indents);
    match (old.as_slice(), new.as_slice()) {
        (_, []) => true,
        ([], new) => starts(new),
        (old, new) => (old.first(), old.last(), least(old)) == (new.first(), new.last(), least(new)),
    }
}

/// Returns the common indentation of all lines that are not blank.
fn common<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut filled = lines.filter(|line| !is_blank(line)).map(indent);
    let mut common = filled.next().unwrap_or("");
    for indent in filled {
        let same = common.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        common = &common[..same];
    }
    common.to_owned()
}

/// All or a part of what lines begin with.
fn share(lines: &[String], rng: &mut Rng) -> String {
    let common = common(lines.iter().map(String::as_str));
    let lost = if common.is_empty() || rng.bool() { common.len() } else { rng.usize(1..=common.len()) };
    common[..lost].to_owned()
}

fn deeper(rng: &mut Rng) -> &'static str {
    ["  ", "    ", "        ", "\t", "   "][rng.usize(0..5)]
}

fn less(line: &mut String, lost: &str) {
    let most = lost.len().min(indent(line).len());
    line.replace_range(..most, "");
}

/// Changes the quoted lines in one way and the new ones, contexts that they repeat included, in another.
fn apart(said: &mut QuotedEdit, old: impl Fn(&mut String), new: impl Fn(&mut String)) {
    let (mut before, mut after) = (said.before.clone(), said.after.clone());
    let come = said.new.iter_mut().chain(&mut before).chain(&mut after);
    come.filter(|line| !is_blank(line)).for_each(new);
    said.repeated = Some((before, after));
    quoted(said).filter(|line| !is_blank(line)).for_each(old);
}

/// Tabs where the file has spaces, or spaces where it has tabs.
fn other_kind(source: &SourceFile, said: &mut QuotedEdit, alike: bool, rng: &mut Rng) -> bool {
    let own = source.unit();
    let other = if own == "\t" { ["  ", "    ", "        "][rng.usize(0..3)] } else { "\t" };
    let turned = |line: &str| {
        let white = indent(line);
        let depth = white.len() / own.len();
        (own.repeat(depth) == white).then(|| other.repeat(depth) + &line[white.len()..])
    };
    let filled = || said.quoted().into_iter().chain(said.with_context()).filter(|line| !is_blank(line));
    if filled().any(|line| turned(&line).is_none())
        || said.quoted().iter().all(|line| is_blank(line) || indent(line).is_empty())
    {
        return false;
    }
    let turn = |line: &mut String| *line = turned(line).unwrap_or_else(|| line.clone());
    if alike {
        every(said).filter(|line| !is_blank(line)).for_each(turn);
    } else {
        apart(said, turn, |_| {});
    }
    true
}

fn dedented(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
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

/// Returns true if the new lines mix tabs and spaces, while the quoted ones have one kind.
fn mixes(said: &QuotedEdit) -> bool {
    let kinds = |lines: &[String], kind: char| {
        lines.iter().any(|line| !is_blank(line) && indent(line).contains(kind))
    };
    let quoted = said.quoted();
    let (tabs, spaces) = (kinds(&quoted, '\t'), kinds(&quoted, ' '));
    let both = (tabs || kinds(&said.new, '\t')) && (spaces || kinds(&said.new, ' '));
    both && !(tabs && spaces)
}

/// Returns true if one line alone is quoted, and the new text could also be one whose first line alone lost its
/// indentation.
fn is_torn(said: &QuotedEdit, lost: &str) -> bool {
    let deeper = |lines: &[String], from: usize| {
        let mut filled = lines.iter().filter(|line| !is_blank(line)).skip(from).peekable();
        filled.peek().is_some() && filled.all(|line| line.starts_with(lost))
    };
    let one = said.quoted().iter().filter(|line| !is_blank(line)).count() == 1;
    let inserts = said.old.is_empty() && deeper(&said.new, 0);
    one && (inserts || deeper(&said.new, 1) || deeper(&said.with_context(), 1))
}

fn indented(said: &mut QuotedEdit, rng: &mut Rng) -> bool {
    let more = ["  ", "    ", "        ", "\t", "   "][rng.usize(0..5)];
    said.sure = !mixes(said);
    every(said).filter(|line| !is_blank(line)).for_each(|line| line.insert_str(0, more));
    true
}

/// Another unit of indentation. Only where the quotation shows two depths: one could as well be lost indentation.
fn unit(source: &SourceFile, said: &mut QuotedEdit, rng: &mut Rng) -> bool {
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
fn first_indent(said: &mut QuotedEdit) -> bool {
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
