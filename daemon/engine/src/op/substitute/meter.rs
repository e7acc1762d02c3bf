//! How far a regular expression reads for a match. One search is linear, but a search for every match may read
//! the rest of the file each time, and no clock is here to notice. It finds no match.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::engine::Flags;

/// One search in so many is measured, and stands for the others.
const SAMPLE: usize = 16;

/// Measures some of the searches of one pattern.
pub(crate) struct Meter {
    automaton: Option<(DFA, Cache)>,
    searches: usize,
}

impl Meter {
    /// For a pattern that the linear engine runs. A pattern whose automaton is too large is not measured.
    pub(crate) fn new(pattern: &str, flags: Flags, crlf: bool) -> Self {
        // Bytes are close enough to tell how far a search goes, and never give up at a letter.
        let built = build(pattern, flags, crlf, false).or_else(|| build(pattern, flags, crlf, true));
        let automaton = built.map(|dfa| {
            let cache = dfa.create_cache();
            (dfa, cache)
        });
        Self { automaton, searches: 0 }
    }

    /// Measures nothing.
    pub(crate) fn none() -> Self {
        Self { automaton: None, searches: 0 }
    }

    /// The bytes that the search which began at `from` and found a match that ends at `end` stands for.
    pub(crate) fn cost(&mut self, text: &str, from: usize, end: usize) -> usize {
        self.searches += 1;
        // Mixed, so that no regular text keeps out of step with the sampling.
        let mixed = (from as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let turn = self.searches < SAMPLE || mixed.is_multiple_of(SAMPLE as u64);
        let Some((dfa, cache)) = self.automaton.as_mut().filter(|_| turn) else {
            return 0;
        };
        let read = reach(dfa, cache, text, from).max(end.saturating_sub(from));
        if self.searches < SAMPLE { read } else { read.saturating_mul(SAMPLE) }
    }
}

fn build(pattern: &str, flags: Flags, crlf: bool, unicode: bool) -> Option<DFA> {
    let syntax = syntax::Config::new()
        .case_insensitive(flags.case_insensitive)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.verbose)
        .crlf(crlf)
        .unicode(unicode)
        .utf8(false);
    let config = DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true);
    DFA::builder().configure(config).syntax(syntax).build(pattern).ok()
}

/// Bytes from `from` to where no better match can come any more.
fn reach(dfa: &DFA, cache: &mut Cache, text: &str, from: usize) -> usize {
    let input = Input::new(text).range(from..).anchored(Anchored::No);
    let Ok(mut state) = dfa.start_state_forward(cache, &input) else {
        return 0;
    };
    let bytes = text.as_bytes().iter().skip(from);
    let mut read = 0;
    for byte in bytes {
        read += 1;
        match dfa.next_state(cache, state, *byte) {
            Ok(next) if next.is_dead() || next.is_quit() => break,
            Ok(next) => state = next,
            Err(_) => break,
        }
    }
    read
}
