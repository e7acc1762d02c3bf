//! Finds renames among deleted and created files: those with the same content, then those of which half is the same, as
//! `git diff` does it.
//!
//! *Limitations*: only texts are compared, and only a bounded number of them. A file that was created where another one was
//! is changed, not renamed. A file that moved into a folder with its own former name, or back, is deleted and created.

use std::cmp::Reverse;

use editd_proto::FilePath;
use editd_proto::ids::Version;
use editd_proto::message::EntrySide;

use super::similarity::{SimilarityScore, TextPieces};

/// Maximum number of files whose contents are read.
const FILES: usize = 2000;

/// Maximum number of pairs of files that are compared.
const PAIRS: usize = 1_000_000;

/// Maximum number of steps of all comparisons: each takes one for each piece of both contents.
const STEPS: u64 = 400_000_000;

/// A deleted or a created file.
#[derive(Clone, Copy, Debug)]
pub struct RenameSide<'a> {
    /// Its index among the files of the caller.
    pub index: usize,
    /// Its path.
    pub path: &'a FilePath,
    /// The version of its content.
    pub version: &'a Version,
}

/// A deleted and a created file that are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenamePair {
    /// The index of the deleted file in `old`.
    pub old: usize,
    /// The index of the created file in `new`.
    pub new: usize,
    /// The part of the larger content that both have. It may be [`SimilarityScore::EQUAL`] for lines in another order.
    pub score: SimilarityScore,
    /// Set if the contents are equal.
    pub is_same: bool,
}

/// Returns the renames among deleted and created files, in the order of the created ones.
///
/// `pieces` returns the text of a file, if it is known; it is called for files without an equal counterpart.
///
/// # Errors
/// Those of `pieces`.
pub fn pairs<E>(
    old: &[RenameSide<'_>],
    new: &[RenameSide<'_>],
    mut pieces: impl FnMut(EntrySide, usize) -> Result<Option<TextPieces>, E>,
) -> Result<Vec<RenamePair>, E> {
    let mut found = FoundPairs { pairs: vec![None; new.len()], is_taken: vec![false; old.len()] };
    found.add_same(old, new);
    let olds: Vec<usize> = (0..old.len()).filter(|at| found.is_free(*at)).collect();
    let news: Vec<usize> = (0..new.len()).filter(|at| found.is_open(*at)).collect();
    let is_bounded = olds.len() + news.len() <= FILES && olds.len().saturating_mul(news.len()) <= PAIRS;
    if is_bounded && !olds.is_empty() && !news.is_empty() {
        let mut texts = |side, files: &[usize]| -> Result<Vec<(usize, TextPieces)>, E> {
            let read = files.iter().map(|at| Ok(pieces(side, *at)?.map(|text| (*at, text))));
            read.filter_map(Result::transpose).collect()
        };
        let (olds, news) = (texts(EntrySide::Before, &olds)?, texts(EntrySide::After, &news)?);
        found.add_similar((old, &olds), (new, &news));
    }
    let paths = |pair: &RenamePair| Some((old.get(pair.old)?.path, new.get(pair.new)?.path));
    // `patch` cannot make a folder of a file that it moves there.
    let is_kept = |pair: &RenamePair| paths(pair).is_some_and(|(a, b)| !is_below(a, b) && !is_below(b, a));
    Ok(found.pairs.into_iter().flatten().filter(is_kept).collect())
}

/// Returns true if a path would be below another one.
fn is_below(path: &FilePath, top: &FilePath) -> bool {
    path.as_bytes().strip_prefix(top.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Returns the last component of a path.
fn name(path: &FilePath) -> &[u8] {
    path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

type SideTexts<'s> = (&'s [RenameSide<'s>], &'s [(usize, TextPieces)]);

/// The pairs found so far.
struct FoundPairs {
    /// For each created file its pair.
    pairs: Vec<Option<RenamePair>>,
    /// For each deleted file true if it has a pair.
    is_taken: Vec<bool>,
}

impl FoundPairs {
    /// Returns true for a deleted file without a pair.
    fn is_free(&self, old: usize) -> bool {
        self.is_taken.get(old) == Some(&false)
    }

    /// Returns true for a created file without a pair.
    fn is_open(&self, new: usize) -> bool {
        self.pairs.get(new) == Some(&None)
    }

    fn add(&mut self, pair: RenamePair) {
        if let (Some(slot), Some(is_taken)) = (self.pairs.get_mut(pair.new), self.is_taken.get_mut(pair.old))
        {
            (*slot, *is_taken) = (Some(pair), true);
        }
    }

    /// Pairs files with the same content, at first those that have the same name in another folder.
    fn add_same(&mut self, old: &[RenameSide<'_>], new: &[RenameSide<'_>]) {
        let key = |at: &usize| old.get(*at).map(|side| (side.version.0.as_str(), name(side.path)));
        let mut order: Vec<usize> = (0..old.len()).collect();
        order.sort_unstable_by(|one, two| key(one).cmp(&key(two)).then(one.cmp(two)));
        for with_name in [true, false] {
            for (at, side) in new.iter().enumerate() {
                let wanted = (side.version.0.as_str(), if with_name { name(side.path) } else { &[] });
                let first = order.partition_point(|old| key(old) < Some(wanted));
                let is_it = |it: (&str, &[u8])| it.0 == wanted.0 && (!with_name || it.1 == wanted.1);
                let mut equal = order.iter().skip(first).take_while(|old| key(old).is_some_and(is_it));
                if let Some(old) = equal.find(|old| self.is_free(**old)).filter(|_| self.is_open(at)) {
                    self.add(RenamePair { old: *old, new: at, score: SimilarityScore::EQUAL, is_same: true });
                }
            }
        }
    }

    /// Pairs files with similar contents: the most similar ones first, and of those the ones with the same name.
    fn add_similar(&mut self, (old, olds): SideTexts<'_>, (new, news): SideTexts<'_>) {
        let all = || news.iter().flat_map(|new| olds.iter().map(move |old| (old, new)));
        let steps = all().fold(0_u64, |sum, (old, new)| sum.saturating_add(old.1.steps(&new.1)));
        if steps > STEPS {
            return;
        }
        let mut scored: Vec<(SimilarityScore, bool, usize, usize)> = all()
            .filter_map(|(from, to)| {
                let score = from.1.similarity(&to.1)?;
                let is_name = name(old.get(from.0)?.path) == name(new.get(to.0)?.path);
                Some((score, is_name, to.0, from.0))
            })
            .collect();
        scored.sort_unstable_by_key(|(score, is_name, new, old)| (Reverse((*score, *is_name)), *new, *old));
        for (score, _, new, old) in scored {
            if self.is_free(old) && self.is_open(new) {
                self.add(RenamePair { old, new, score, is_same: false });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the renames among files, each with a path, a version and a text, as `old > new percent`.
    fn found(old: &[[&str; 3]], new: &[[&str; 3]]) -> Vec<String> {
        let owned = |files: &[[&str; 3]]| -> Vec<(FilePath, Version)> {
            files.iter().map(|[path, version, _]| ((*path).into(), Version((*version).to_owned()))).collect()
        };
        let (olds, news) = (owned(old), owned(new));
        fn sides(files: &[(FilePath, Version)]) -> Vec<RenameSide<'_>> {
            let sides = files.iter().enumerate();
            sides.map(|(index, (path, version))| RenameSide { index, path, version }).collect()
        }
        let text = |side, at: usize| {
            let files = if side == EntrySide::Before { old } else { new };
            Ok::<_, ()>(files.get(at).and_then(|file| TextPieces::of(file[2].as_bytes())))
        };
        let pairs = pairs(&sides(&olds), &sides(&news), text).unwrap_or_default();
        let told = |pair: &RenamePair| {
            let (from, to) = (old.get(pair.old)?[0], new.get(pair.new)?[0]);
            let same = if pair.is_same { "same".to_owned() } else { pair.score.percent().to_string() };
            Some(format!("{from} > {to} {same}"))
        };
        pairs.iter().filter_map(told).collect()
    }

    #[test]
    fn equal_contents_are_paired_once_and_by_name() {
        let old = [["a/x", "1", ""], ["a/y", "1", ""], ["gone", "2", "q\n"]];
        assert_eq!(found(&old, &[["b/y", "1", ""], ["new", "3", "r\n"]]), ["a/y > b/y same"]);
        let new = [["b/q", "1", ""], ["b/y", "1", ""], ["b/z", "1", ""]];
        assert_eq!(found(&old, &new), ["a/x > b/q same", "a/y > b/y same"]);
        assert!(found(&[["d", "1", ""]], &[["d/x", "1", ""]]).is_empty());
        assert!(found(&[], &new).is_empty() && found(&old, &[]).is_empty());
    }

    #[test]
    fn similar_contents_are_paired_by_their_score_and_then_by_name() {
        let old = [["a", "1", "1\n2\n3\n4\n"], ["b", "2", "1\n2\n3\n5\n"]];
        let new = [["c", "3", "1\n2\n3\n4\n6\n"], ["d", "4", "7\n8\n9\n"]];
        assert_eq!(found(&old, &new), ["a > c 80"]);
        let new = [["d/b", "3", "1\n2\n3\n6\n"], ["d/a", "4", "1\n2\n3\n7\n"]];
        assert_eq!(found(&old, &new), ["b > d/b 75", "a > d/a 75"]);
        // A binary file is no text to compare.
        assert!(found(&[["a", "1", "x\n\0"]], &[["b", "2", "x\n\0y"]]).is_empty());
    }
}
