//! Formats the files of a success in few words: a name, the changed lines and the version. Replies of more than 60
//! tokens are shortened. Uses only the receipt.
//!
//! *Shortening*, step by step until the reply is short enough: the places of a file are reduced to two, then to one;
//! names are reduced to the last components that distinguish the files (`…place/walk.rs`); then long components are
//! truncated.

use editd_proto::ids::{JobId, Version};
use editd_proto::message::{FileOutcome, JobStatus, Receipt};
use editd_proto::tokens::tokens;

use super::letters::{one_line, range};

/// Maximum number of tokens of a success, as estimated by [`tokens`], minus a margin for the error of the estimate.
const TOKENS: usize = 56;

/// Maximum number of files of a reply that is shortened.
const FILES: usize = 3;

/// Number of characters that are kept of a name's last component, per step.
const LETTERS: [usize; 2] = [24, 16];

/// Maximum size of a file extension that is kept, in bytes.
const ENDING: usize = 8;

/// The parts of a long reply that are shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShortenedParts {
    /// None.
    Nothing,
    /// The places of a file. A program finds each file by its whole path.
    Places,
    /// The places, then the names.
    PlacesAndNames,
}

/// The text about one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileWords {
    /// The path, or the shown part of it. Parts that are left out are replaced by `…`.
    pub name: String,
    /// The changed lines, the numbers of added and removed lines, and the version if it is not that of the job.
    pub words: String,
}

/// Returns the version of the files that the job wrote, if it wrote any.
pub fn version(receipt: &Receipt) -> Option<Version> {
    let wrote = matches!(receipt.status, JobStatus::Applied | JobStatus::Partial);
    receipt.job.filter(|_| wrote).map(JobId::version)
}

/// Returns the text for each file, in their order.
pub fn files(receipt: &Receipt, shortened: ShortenedParts) -> Vec<FileWords> {
    let said = |names: Vec<String>, places: usize| -> Vec<FileWords> {
        let words = receipt.files.iter().map(|file| words(file, &standing(receipt, file), places));
        names.into_iter().zip(words).map(|(name, words)| FileWords { name, words }).collect()
    };
    let names: Vec<String> = receipt.files.iter().map(name).collect();
    if shortened == ShortenedParts::Nothing || names.len() > FILES {
        return said(names, usize::MAX);
    }
    let mut told = said(names.clone(), usize::MAX);
    for places in [2, 1] {
        if fits(receipt, &told) {
            return told;
        }
        told = said(names.clone(), places);
    }
    if shortened == ShortenedParts::Places {
        return told;
    }
    let tails = tails(&names);
    for short in std::iter::once(tails.clone()).chain(LETTERS.map(|letters| cut(&tails, letters))) {
        if fits(receipt, &told) {
            return told;
        }
        told = said(short, 1);
    }
    told
}

/// Returns the version of a file if it is not that of its job: a command changed it afterwards, or the job did not
/// change it.
fn standing(receipt: &Receipt, file: &FileOutcome) -> String {
    let Some(after) = &file.after else {
        return if file.before.is_some() && file.to.is_none() { "gone".to_owned() } else { String::new() };
    };
    let last = receipt.hooks.iter().rev().find(|hook| hook.files.iter().any(|one| one.path == file.path));
    match (last.and_then(|hook| hook.job), version(receipt)) {
        (Some(job), _) => job.version().0,
        (None, Some(_)) if matches!(file.status, JobStatus::Applied | JobStatus::Partial) => String::new(),
        _ => one_line(&after.0),
    }
}

/// Returns `10-12,40,before 51 and 5 more +3 -1 @18`, after `→ PATH` if the file was moved. `before 51` means that lines
/// were removed there.
pub fn words(file: &FileOutcome, standing: &str, places: usize) -> String {
    // A removed file has no lines.
    let is_gone = file.after.is_none() && file.before.is_some() && file.to.is_none();
    let shown = if is_gone { 0 } else { file.lines.0.len().min(places) };
    let lines: Vec<String> = file.lines.0.iter().take(shown).map(|range| lines(*range)).collect();
    let all = file.places.unwrap_or(file.lines.0.len() as u64);
    let more = all.saturating_sub(shown as u64);
    let lines = (shown > 0).then(|| lines.join(","));
    let more = (shown > 0 && more > 0).then(|| format!("and {more} more"));
    let added = (file.added > 0).then(|| format!("+{}", file.added));
    let removed = (file.removed > 0).then(|| format!("-{}", file.removed));
    let standing = (!standing.is_empty()).then(|| standing.to_owned());
    let to = file.to.as_ref().map(|to| format!("\u{2192} {}", to.display()));
    let parts: Vec<String> = [to, lines, more, added, removed, standing].into_iter().flatten().collect();
    parts.join(" ")
}

/// Returns `10-12`, `40`, or `before 51` for an empty range.
fn lines((first, last): (u64, u64)) -> String {
    if last < first { format!("before {first}") } else { range((first, last)) }
}

/// Returns a path as text. Invalid UTF-8 is replaced by U+FFFD.
pub fn name(file: &FileOutcome) -> String {
    String::from_utf8_lossy(file.path.as_bytes()).into_owned()
}

/// Returns true if the reply as JSON, which is longer than the text, is short enough.
fn fits(receipt: &Receipt, told: &[FileWords]) -> bool {
    let job = receipt.job.map_or_else(String::new, |job| job.to_string());
    let mut reply = format!("{{\"job\":{job},\"version\":\"@{job}\",\"files\":{{");
    for file in told {
        reply.push_str(&format!("\"{}\":\"{}\",", file.name, file.words));
    }
    tokens(&reply) <= TOKENS
}

/// Returns the last components of each name that distinguish it from the others.
fn tails(names: &[String]) -> Vec<String> {
    let tail = |name: &String| {
        let others: Vec<&String> = names.iter().filter(|other| *other != name).collect();
        let starts = name.rmatch_indices('/').map(|(at, _)| at);
        let alone = |at: &usize| {
            let tail = name.get(*at..).unwrap_or_default();
            others
                .iter()
                .all(|other| !other.ends_with(tail) && other.as_str() != tail.trim_start_matches('/'))
        };
        match starts.into_iter().find(alone) {
            Some(at) => format!("…{}", name.get(at + 1..).unwrap_or_default()),
            None => name.clone(),
        }
    };
    names.iter().map(tail).collect()
}

/// Truncates the last component of each name: keeps its start and its extension, or its end if the names differ only
/// there. Returns the names unchanged if they would not be distinct.
fn cut(names: &[String], most: usize) -> Vec<String> {
    for keep in [head, tail] {
        let short: Vec<String> = names.iter().map(|name| cut_one(name, most, keep)).collect();
        let clear = |at: usize, name: &String| {
            let mut others = short.iter().zip(names).skip(at + 1);
            others.all(|(other, long)| other != name || names.get(at) == Some(long))
        };
        if short.iter().enumerate().all(|(at, name)| clear(at, name)) {
            return short;
        }
    }
    names.to_vec()
}

/// Truncates the last component of a name to `most` characters.
fn cut_one(name: &str, most: usize, keep: fn(&str, usize) -> String) -> String {
    let (folder, last) = name.split_at(name.rfind('/').map_or(0, |at| at + 1));
    if last.chars().count() <= most {
        return name.to_owned();
    }
    format!("{folder}{}", keep(last, most))
}

/// Returns the start of a component and its extension.
fn head(last: &str, most: usize) -> String {
    let ending = last.rfind('.').filter(|at| *at > 0).and_then(|at| last.get(at..)).unwrap_or_default();
    let ending = if ending.len() <= ENDING { ending } else { "" };
    let kept: String = last.chars().take(most.saturating_sub(ending.len() + 1)).collect();
    format!("{kept}…{ending}")
}

/// Returns the end of a component.
fn tail(last: &str, most: usize) -> String {
    let cut = last.chars().count().saturating_sub(most.saturating_sub(1));
    format!("…{}", last.chars().skip(cut).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_name_is_shortened_as_far_as_it_is_told_apart() {
        let shortened = [
            (&["a/b/c.rs", "a/d.rs"][..], &["…c.rs", "…d.rs"][..]),
            (&["x/a/mod.rs", "x/b/mod.rs"], &["…a/mod.rs", "…b/mod.rs"]),
            (&["mod.rs", "b/mod.rs"], &["mod.rs", "b/mod.rs"]),
            (&["a/mod.rs", "b/a/mod.rs"], &["a/mod.rs", "b/a/mod.rs"]),
            (&["a/b.rs", "a/b.rs"], &["…b.rs", "…b.rs"]),
            (&["README.md"], &["README.md"]),
        ];
        for (names, tails_of) in shortened {
            let tails = tails(&strings(names));
            assert_eq!(tails, strings(tails_of));
        }
    }

    #[test]
    fn long_names_are_cut_before_their_ending_and_stay_apart() {
        let cut = |names: &[&str]| cut(&strings(names), 16);
        assert_eq!(cut(&["…a very long sentence.case", "a.rs"]), strings(&["…a very lo….case", "a.rs"]));
        assert_eq!(cut(&["d/häßliche-Überschriften.md"]), strings(&["d/häßliche-Übe….md"]));
        assert_eq!(cut(&["no-ending-in-this-name"]), strings(&["no-ending-in-th…"]));
        let alike = ["a sentence that begins so.case", "a sentence that begins thus.case"];
        assert_eq!(cut(&alike), strings(&["… begins so.case", "…egins thus.case"]));
        let alike = ["a sentence a that ends so.case", "a sentence b that ends so.case"];
        assert_eq!(cut(&alike), strings(&alike));
    }
}
