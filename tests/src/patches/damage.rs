//! A diff of one file taken apart, and what becomes of diffs that are edited by hand or written by a model: the numbers
//! are wrong, and context is missing or has lost its blanks. The change that is meant stays the same.

use fastrand::Rng;

/// A damage to a diff.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DiffDamage {
    /// Nothing.
    None,
    /// The headers count lines wrongly.
    Counts,
    /// The headers name other lines.
    Lines,
    /// The headers have no numbers.
    Bare,
    /// Some context is missing around the hunks, and the headers count what is left.
    Trimmed,
    /// Lines of context lost the blanks at their ends, and blank ones the sign.
    Blanks,
    /// A blank line of context is missing.
    BlankLine,
    /// Every line ends in `\r\n`.
    Crlf,
}

/// All of them.
pub const DAMAGES: [DiffDamage; 8] = [
    DiffDamage::None,
    DiffDamage::Counts,
    DiffDamage::Lines,
    DiffDamage::Bare,
    DiffDamage::Trimmed,
    DiffDamage::Blanks,
    DiffDamage::BlankLine,
    DiffDamage::Crlf,
];

/// A hunk.
#[derive(Clone, Debug)]
pub struct HunkText {
    /// First line and count of both sides.
    pub numbers: [u64; 4],
    /// Its lines with their signs, without breaks.
    pub lines: Vec<String>,
}

/// A diff of one file.
#[derive(Clone, Debug)]
pub struct PatchText {
    head: Vec<String>,
    /// Its hunks.
    pub hunks: Vec<HunkText>,
}

impl HunkText {
    fn is_context(line: &str) -> bool {
        line.starts_with(' ')
    }

    /// The lines of one side: those with a blank or `sign` in front.
    pub fn side(&self, sign: char) -> Vec<&str> {
        let own = |line: &&String| line.is_empty() || line.starts_with([' ', sign]);
        self.lines.iter().filter(own).map(|line| line.get(1..).unwrap_or("")).collect()
    }

    fn count(&mut self) {
        self.numbers[1] = self.side('-').len() as u64;
        self.numbers[3] = self.side('+').len() as u64;
    }

    fn trim(&mut self, rng: &mut Rng) {
        let mark = |line: &String| !Self::is_context(line);
        let Some(first) = self.lines.iter().position(mark) else { return };
        let last = self.lines.iter().rposition(mark).unwrap_or(first);
        let (above, below) = (rng.usize(0..=first), rng.usize(0..self.lines.len() - last));
        // A hunk without any context is no damage but another hunk.
        if above == first && last + below + 1 == self.lines.len() && self.side('-').len() <= above + below {
            return;
        }
        self.lines.truncate(self.lines.len() - below);
        self.lines.drain(..above);
        self.numbers[0] += above as u64;
        self.numbers[2] += above as u64;
        self.count();
    }
}

impl PatchText {
    /// Takes a diff of one file apart.
    pub fn read(text: &str) -> Self {
        let mut patch = Self { head: Vec::new(), hunks: Vec::new() };
        for line in text.lines() {
            match patch.hunks.last_mut() {
                _ if line.starts_with("@@ ") => {
                    patch.hunks.push(HunkText { numbers: header(line), lines: Vec::new() });
                }
                Some(hunk) => hunk.lines.push(line.to_owned()),
                None => patch.head.push(line.to_owned()),
            }
        }
        patch
    }

    /// The same with a damage, if it can have it.
    pub fn damaged(mut self, damage: DiffDamage, rng: &mut Rng) -> String {
        let shift = rng.i64(-30..=30);
        for hunk in &mut self.hunks {
            match damage {
                DiffDamage::Counts => {
                    hunk.numbers[1] = (hunk.numbers[1] + rng.u64(0..4)).saturating_sub(1).max(1);
                    hunk.numbers[3] = (hunk.numbers[3] + rng.u64(0..4)).saturating_sub(1).max(1);
                }
                DiffDamage::Lines => {
                    hunk.numbers[0] = hunk.numbers[0].saturating_add_signed(shift).max(1);
                    hunk.numbers[2] = hunk.numbers[2].saturating_add_signed(shift).max(1);
                }
                DiffDamage::Trimmed => hunk.trim(rng),
                DiffDamage::Blanks => {
                    for line in hunk.lines.iter_mut().filter(|line| HunkText::is_context(line)) {
                        line.truncate(line.trim_end().len());
                    }
                }
                DiffDamage::BlankLine => {
                    if let Some(at) = hunk.lines.iter().position(|line| line == " ") {
                        hunk.lines.remove(at);
                        hunk.count();
                    }
                }
                DiffDamage::None | DiffDamage::Bare | DiffDamage::Crlf => {}
            }
        }
        self.print(damage)
    }

    fn print(&self, damage: DiffDamage) -> String {
        let end = if damage == DiffDamage::Crlf { "\r\n" } else { "\n" };
        let mut out: String = self.head.iter().flat_map(|line| [line.as_str(), end]).collect();
        for hunk in &self.hunks {
            let [old, lines, new, more] = hunk.numbers;
            match damage {
                DiffDamage::Bare => out.push_str("@@ ... @@"),
                _ => out.push_str(&format!("@@ -{old},{lines} +{new},{more} @@")),
            }
            out.push_str(end);
            out.extend(hunk.lines.iter().flat_map(|line| [line.as_str(), end]));
        }
        out
    }
}

/// The numbers of a hunk's header.
fn header(line: &str) -> [u64; 4] {
    let mut words = line.split(' ').skip(1);
    let mut side = || {
        let word = words.next().unwrap_or_default();
        let (first, count) = word.split_once(',').unwrap_or((word, "1"));
        let number = |text: &str| text.trim_start_matches(['-', '+']).parse().unwrap_or(0);
        (number(first), number(count))
    };
    let (old, new) = (side(), side());
    [old.0, old.1, new.0, new.1]
}
