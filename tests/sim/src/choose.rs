//! The choices of one power cut: a chooser with a seed, and one that enumerates all states. It only counts, and never
//! reads the disk.

/// A choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoicePoint {
    /// The number of unflushed changes of names and metadata that persist: 0 is none.
    Journal,
    /// One such change persists, if the disk keeps no common order: 0 is no.
    Step,
    /// The first exchange that was lost is half done: 0 is no.
    HalfExchange,
    /// A file with unflushed changes: 0 as last flushed, 1 all there, 2 torn.
    File,
    /// The length of a torn file.
    Length,
    /// The pattern of a torn file's sectors.
    Pattern,
    /// The content of one sector: 0 is the oldest.
    Sector,
}

/// Makes the decisions of one power cut.
pub trait CutChooser {
    /// One of `options` possibilities, counted from 0. `options` is at least 1.
    fn choose(&mut self, point: ChoicePoint, options: usize) -> usize;

    /// One content for each sector, of so many each.
    fn mixture(&mut self, counts: &[usize]) -> Vec<usize> {
        counts.iter().map(|count| self.choose(ChoicePoint::Sector, *count)).collect()
    }
}

/// Random choices that depend on the seed alone.
#[derive(Clone, Debug)]
pub struct SeededRandom {
    state: u64,
}

impl SeededRandom {
    /// The same seed makes the same choices.
    pub fn new(seed: u64) -> Self {
        Self { state: seed ^ 0x9e37_79b9_7f4a_7c15 }
    }

    /// The next number of the sequence (splitmix64, Steele, Lea and Flood 2014).
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next_number() % (limit.max(1) as u64)).unwrap_or(0)
    }
}

impl CutChooser for SeededRandom {
    fn choose(&mut self, _: ChoicePoint, options: usize) -> usize {
        self.below(options)
    }

    fn mixture(&mut self, counts: &[usize]) -> Vec<usize> {
        // Even odds alone would almost never leave a long file nearly whole, or nearly lost.
        let odds = [4, 32, 64, 96, 124].get(self.below(5)).copied().unwrap_or(64);
        counts
            .iter()
            .map(|count| if self.below(128) < odds { self.below(*count) } else { count - 1 })
            .collect()
    }
}

/// Goes through all states one by one: each run of a power cut is one state, [`StateEnumerator::advance`] moves on.
///
/// Up to three sectors of a torn file are decided one by one; more follow a few patterns.
#[derive(Clone, Default, Debug)]
pub struct StateEnumerator {
    /// The choice at each decision, and how many there were.
    path: Vec<(usize, usize)>,
    next: usize,
}

impl StateEnumerator {
    /// Before the first state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves to the next state; `false` when there is none.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, options)) = self.path.last_mut() {
            *choice += 1;
            if choice < options {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl CutChooser for StateEnumerator {
    fn choose(&mut self, _: ChoicePoint, options: usize) -> usize {
        if self.next == self.path.len() {
            self.path.push((0, options));
        }
        let choice = self.path.get(self.next).map_or(0, |(choice, _)| *choice);
        self.next += 1;
        choice
    }

    fn mixture(&mut self, counts: &[usize]) -> Vec<usize> {
        if counts.len() <= 3 {
            return counts.iter().map(|count| self.choose(ChoicePoint::Sector, *count)).collect();
        }
        let last = counts.len() - 1;
        let pattern = self.choose(ChoicePoint::Pattern, 8);
        let newest = |n: usize| match pattern {
            0 => n == 0,
            1 => n == last,
            2 => n != 0,
            3 => n != last,
            4 => n.is_multiple_of(2),
            5 => !n.is_multiple_of(2),
            6 => n < counts.len() / 2,
            _ => n >= counts.len() / 2,
        };
        counts.iter().enumerate().map(|(n, count)| if newest(n) { count - 1 } else { 0 }).collect()
    }
}
