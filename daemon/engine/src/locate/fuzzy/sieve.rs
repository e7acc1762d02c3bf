//! Drops the windows that cannot be similar enough, in one pass over the file. It never drops one that is.
//!
//! *Source*: E. Ukkonen, "Approximate string-matching with q-grams and maximal matches", 1992: texts of at most
//! `m` characters at a distance of `d` share at least `m − q + 1 − dq` stretches of `q` characters. Counting
//! different stretches as one where their hashes meet, and a few from before the window, only keeps more windows.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::shape::{FuzzyTarget, each_char};
use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::limits;
use crate::refusal::spent;
use crate::text::Text;

/// A run of lines, and an upper bound of its similarity.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineWindow {
    /// The range of its lines, without the break of the last one.
    pub(super) span: Span,
    /// An upper bound of its similarity.
    pub(super) bound: f64,
}

/// The number of times that a sequence of characters occurs in the searched text and in the window.
#[derive(Clone, Copy, Default)]
struct GramCount {
    target: u32,
    have: u32,
}

/// A line of the window.
struct Row {
    start: usize,
    chars: usize,
    /// True if the line alone is too long.
    long: bool,
    /// The number of its stretches that are looked for.
    slots: usize,
}

/// The window that moves down the file.
pub(super) struct Sieve {
    wanted_chars: usize,
    threshold: f64,
    /// Characters of a stretch, and the bits that the last so many take in `last`.
    width: usize,
    mask: u64,
    last: u64,
    shift: u32,
    slots: Vec<GramCount>,
    rows: VecDeque<Row>,
    /// The stretches of all rows that are looked for.
    hits: VecDeque<u32>,
    shared: usize,
    chars: usize,
    long: usize,
}

impl Sieve {
    /// Creates a sieve for a text and the lowest similarity.
    pub(super) fn new(target: &FuzzyTarget, threshold: f64) -> Self {
        // Wide enough to be rare, narrow enough that a window at the threshold shares three fifths of them.
        let width = (0.4 / (1.0 - threshold).max(0.01) + 1e-9).clamp(1.0, 8.0) as usize;
        let bits = (target.chars.saturating_mul(8).max(4096)).next_power_of_two().ilog2();
        let mut sieve = Self {
            wanted_chars: target.chars,
            threshold,
            width,
            mask: u64::MAX >> (64 - 8 * width),
            last: 0,
            shift: 64 - bits,
            slots: vec![GramCount::default(); 1 << bits],
            rows: VecDeque::new(),
            hits: VecDeque::new(),
            shared: 0,
            chars: 0,
            long: 0,
        };
        for (i, c) in target.text.chars().enumerate() {
            let slot = sieve.next_slot(c);
            if let Some(slot) = sieve.slots.get_mut(slot).filter(|_| i + 1 >= width) {
                slot.target += 1;
            }
        }
        sieve
    }

    /// Returns the index of the counter for the sequence of characters that a character ends.
    fn next_slot(&mut self, c: char) -> usize {
        let code = u32::from(c);
        let small = if code < 0x80 { code } else { 0x80 | ((code ^ (code >> 7)) & 0x7f) };
        self.last = ((self.last << 8) | u64::from(small)) & self.mask;
        (self.last.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Takes a character of the newest row. Returns true if its stretch is looked for.
    fn take(&mut self, c: char) -> bool {
        let at = self.next_slot(c);
        let Some(slot) = self.slots.get_mut(at).filter(|slot| slot.target > 0) else { return false };
        slot.have += 1;
        self.shared += usize::from(slot.have <= slot.target);
        self.hits.push_back(u32::try_from(at).unwrap_or(u32::MAX));
        true
    }

    /// Takes the next line.
    fn push(&mut self, line: &str, start: usize) {
        let most = (self.wanted_chars as f64 / self.threshold) as usize + 1;
        let (mut chars, mut slots) = (0, 0);
        let stopped = each_char(line, |c| {
            chars += 1;
            slots += usize::from(self.take(c));
            if chars > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        slots += usize::from(self.take('\n'));
        let long = stopped.is_break();
        self.chars += chars + 1;
        self.long += usize::from(long);
        self.rows.push_back(Row { start, chars, long, slots });
    }

    /// Forgets the first line.
    fn pop(&mut self) {
        let Some(row) = self.rows.pop_front() else { return };
        for at in self.hits.drain(..row.slots.min(self.hits.len())) {
            if let Some(slot) = self.slots.get_mut(at as usize) {
                self.shared -= usize::from(slot.have <= slot.target);
                slot.have -= 1;
            }
        }
        self.chars -= row.chars + 1;
        self.long -= usize::from(row.long);
    }

    /// Returns an upper bound of the similarity of the lines that were taken.
    fn bound(&self) -> f64 {
        let chars = self.chars.saturating_sub(1);
        let longer = chars.max(self.wanted_chars);
        let missing = (longer + 1).saturating_sub(self.width + self.shared).div_ceil(self.width);
        let apart = missing.max(chars.abs_diff(self.wanted_chars));
        1.0 - apart as f64 / longer.max(1) as f64
    }

    /// Returns the windows with as many lines as the text that may reach the threshold, in file order.
    ///
    /// # Errors
    /// `limit` if there are more than `limits::FUZZY_WINDOWS`.
    pub(super) fn windows(mut self, text: &Text<'_>, lines: usize) -> Result<Vec<LineWindow>, Refusal> {
        let bytes = text.content.as_bytes();
        let mut found = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr::memchr(text.breaks.stop(), bytes.cut(start..bytes.len()))
                .map_or(bytes.len(), |step| start + step);
            let closed = end > start && text.splits_break(end);
            let line = text.content.cut(start..end - usize::from(closed));
            if self.rows.len() == lines {
                self.pop();
            }
            self.push(line, start);
            let bound = if self.long == 0 && self.rows.len() == lines { self.bound() } else { 0.0 };
            if bound + super::rank::SLACK >= self.threshold {
                if found.len() == limits::FUZZY_WINDOWS {
                    return Err(spent(
                        "more windows of the file resemble the text than can be compared; quote more of it, or raise `threshold`",
                        limits::FUZZY_WINDOWS as u64,
                    ));
                }
                let first = self.rows.front().map_or(start, |row| row.start);
                found.push(LineWindow { span: Span::new(first..start + line.len()), bound });
            }
            start = end + 1;
        }
        Ok(found)
    }
}
