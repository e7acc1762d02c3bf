//! The parts of an entry that have been undone, as a set of files and hunks. Pure; it knows neither rows nor
//! contents.

use std::collections::BTreeMap;

use crate::record::FilePart;

/// The first and last number of each run, sorted; runs do not touch each other.
type HunkRuns = Vec<(u32, u32)>;

/// The part of one file that has been undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileTaken<'t> {
    /// Nothing.
    Nothing,
    /// The whole change of the file.
    Whole,
    /// These hunks, as first and last number of each run, and the total number of hunks.
    Hunks(&'t [(u32, u32)], u32),
}

/// The parts of an entry that have been undone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TakenBack {
    whole: bool,
    /// By the position of the file; empty if `whole` is set.
    files: BTreeMap<u32, FilePart>,
}

impl TakenBack {
    /// Creates the set from the fields of a row.
    pub fn new(whole: bool, parts: Vec<FilePart>) -> Self {
        let files = if whole { Vec::new() } else { parts };
        Self { whole, files: files.into_iter().map(|part| (part.file, part)).collect() }
    }

    /// Returns true if everything is undone.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns true if nothing is undone.
    pub fn is_empty(&self) -> bool {
        !self.whole && self.files.is_empty()
    }

    /// Returns the undone part of one file.
    pub fn of_file(&self, file: u32) -> FileTaken<'_> {
        match self.files.get(&file) {
            _ if self.whole => FileTaken::Whole,
            None => FileTaken::Nothing,
            Some(part) if part.hunks.is_empty() => FileTaken::Whole,
            Some(part) => FileTaken::Hunks(&part.hunks, part.total),
        }
    }

    /// Adds everything to the set, or removes everything.
    pub fn set_all(&mut self, taken: bool) {
        *self = Self { whole: taken, files: BTreeMap::new() };
    }

    /// Adds a part to the set, or removes it. `files` is the number of files of the entry.
    pub fn set(&mut self, files: u32, part: &FilePart, taken: bool) {
        if self.whole {
            if taken {
                return;
            }
            let all = |file| (file, FilePart { file, hunks: Vec::new(), total: 0 });
            self.files = (0..files).map(all).collect();
            self.whole = false;
        }
        let had = self.files.remove(&part.file);
        let now = match (had, taken) {
            (_, true) if part.hunks.is_empty() => Some(Vec::new()),
            (_, false) if part.hunks.is_empty() => None,
            (Some(had), true) if had.hunks.is_empty() => Some(Vec::new()),
            (had, true) => {
                let now = union(had.map(|had| had.hunks).unwrap_or_default(), &part.hunks);
                // All hunks together are the whole change, including the mode of the file and its existence.
                Some(if now == [(1, part.total)] { Vec::new() } else { now })
            }
            (None, false) => None,
            (Some(had), false) => {
                let had = if had.hunks.is_empty() { vec![(1, part.total)] } else { had.hunks };
                Some(without(&had, &part.hunks)).filter(|now| !now.is_empty())
            }
        };
        if let Some(hunks) = now {
            let total = if hunks.is_empty() { 0 } else { part.total };
            self.files.insert(part.file, FilePart { file: part.file, hunks, total });
        }
        let whole = self.files.values().all(|part| part.hunks.is_empty());
        if whole && self.files.len() == files as usize && files > 0 {
            *self = Self { whole: true, files: BTreeMap::new() };
        }
    }

    /// Returns the parts, if they are not everything.
    pub fn parts(&self) -> Vec<FilePart> {
        self.files.values().cloned().collect()
    }

    /// Returns the parts that are not undone, for an entry with so many files.
    pub fn rest(&self, files: u32) -> Vec<FilePart> {
        if self.whole {
            return Vec::new();
        }
        let rest = |file| match self.files.get(&file) {
            None => Some(FilePart { file, hunks: Vec::new(), total: 0 }),
            Some(part) if part.hunks.is_empty() => None,
            Some(part) => {
                let hunks = without(&[(1, part.total)], &part.hunks);
                (!hunks.is_empty()).then_some(FilePart { file, hunks, total: part.total })
            }
        };
        (0..files).filter_map(rest).collect()
    }

    /// Returns those of the given parts that are undone.
    pub fn among(&self, parts: &[FilePart]) -> Vec<FilePart> {
        let kept = |part: &FilePart| match self.of_file(part.file) {
            FileTaken::Nothing => None,
            FileTaken::Whole => Some(part.clone()),
            FileTaken::Hunks(runs, total) if part.hunks.is_empty() => {
                Some(FilePart { file: part.file, hunks: runs.to_vec(), total })
            }
            FileTaken::Hunks(runs, total) => {
                let hunks = without(&part.hunks, &without(&part.hunks, runs));
                (!hunks.is_empty()).then_some(FilePart { file: part.file, hunks, total })
            }
        };
        parts.iter().filter_map(kept).collect()
    }

    /// Returns the number of runs that a row stores for this set.
    pub fn size(&self) -> usize {
        self.files.values().map(|part| part.hunks.len().max(1)).sum()
    }
}

/// Returns true if a number is in one of the runs.
pub fn in_runs(runs: &[(u32, u32)], number: u64) -> bool {
    runs.iter().any(|&(first, last)| (u64::from(first)..=u64::from(last)).contains(&number))
}

/// Sorts runs and joins those that touch.
pub fn joined(mut runs: HunkRuns) -> HunkRuns {
    runs.retain(|(first, last)| first <= last);
    runs.sort_unstable();
    let mut out: HunkRuns = Vec::with_capacity(runs.len());
    for (first, last) in runs {
        match out.last_mut() {
            Some(open) if first <= open.1.saturating_add(1) => open.1 = open.1.max(last),
            _ => out.push((first, last)),
        }
    }
    out
}

fn union(mut runs: HunkRuns, more: &[(u32, u32)]) -> HunkRuns {
    runs.extend_from_slice(more);
    joined(runs)
}

/// Returns the numbers of the first runs that are not in the others.
fn without(runs: &[(u32, u32)], less: &[(u32, u32)]) -> HunkRuns {
    let mut out = Vec::new();
    for &(first, last) in runs {
        let mut from = u64::from(first);
        for &(cut, end) in less.iter().filter(|(cut, end)| *end >= first && *cut <= last) {
            if u64::from(cut) > from {
                out.push((small(from), cut.saturating_sub(1)));
            }
            from = from.max(u64::from(end) + 1);
        }
        if from <= u64::from(last) {
            out.push((small(from), last));
        }
    }
    out
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    //! Compares the set with a naive model that has one flag for each hunk of each file.

    use proptest::prelude::*;

    use super::*;

    const TOTALS: [u32; 3] = [1, 4, 9];

    fn parts() -> impl Strategy<Value = (FilePart, bool)> {
        (0..TOTALS.len(), prop::collection::vec((1u32..10, 1u32..10), 0..4), any::<bool>()).prop_map(
            |(file, runs, taken)| {
                let total = TOTALS[file];
                let runs = runs.into_iter().map(|(a, b)| (a.min(b).min(total), a.max(b).min(total)));
                let hunks = joined(runs.collect());
                let total = if hunks.is_empty() { 0 } else { total };
                (FilePart { file: file as u32, hunks, total }, taken)
            },
        )
    }

    fn flags(part: &FilePart) -> Vec<bool> {
        let total = TOTALS[part.file as usize];
        (1..=u64::from(total)).map(|n| part.hunks.is_empty() || in_runs(&part.hunks, n)).collect()
    }

    fn of_parts(parts: &[FilePart]) -> Vec<Vec<bool>> {
        let mut all: Vec<Vec<bool>> = TOTALS.iter().map(|total| vec![false; *total as usize]).collect();
        for part in parts {
            let file = &mut all[part.file as usize];
            file.iter_mut().zip(flags(part)).for_each(|(had, now)| *had |= now);
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn a_set_of_parts_is_what_its_flags_say(steps in prop::collection::vec(parts(), 0..20)) {
            let files = TOTALS.len() as u32;
            let (mut set, mut model) = (TakenBack::default(), of_parts(&[]));
            for (part, taken) in steps {
                set.set(files, &part, taken);
                let file = &mut model[part.file as usize];
                file.iter_mut().zip(flags(&part)).for_each(|(had, named)| if named { *had = taken });
                let all = vec![FilePart { file: part.file, hunks: Vec::new(), total: 0 }];
                let among = of_parts(&set.among(&all));
                assert_eq!(among[part.file as usize], model[part.file as usize]);
                let whole = model.iter().flatten().all(|taken| *taken);
                assert_eq!((set.is_whole(), set.is_empty()), (whole, !model.iter().flatten().any(|taken| *taken)));
                let now = if whole { model.clone() } else { of_parts(&set.parts()) };
                assert_eq!(now, model);
                let rest: Vec<Vec<bool>> = model.iter().map(|file| file.iter().map(|taken| !taken).collect()).collect();
                assert_eq!(of_parts(&set.rest(files)), rest);
                assert_eq!(TakenBack::new(set.is_whole(), set.parts()), set.clone());
            }
        }
    }
}
