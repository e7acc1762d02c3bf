//! Measures how far a regular expression reads for a match. One search is linear, but a search for every match may read
//! the rest of the file each time, and the engine has no clock that would show it. No match is returned.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::engine::Flags;

/// One of this many searches is measured, and represents the others.
const SAMPLE: usize = 16;

/// Measures some of the searches of one pattern.
pub(crate) struct Meter {
    kind: SearchCost,
    searches: usize,
}

enum SearchCost {
    /// Nothing is known of the pattern.
    None,
    /// An automaton measures how far a search reads.
    Read(Box<Automaton>),
    /// Each place that is passed reads this many bytes.
    Each(usize),
}

impl Meter {
    /// Creates the meter of a pattern that the linear engine runs. A pattern whose automaton is too large is not
    /// measured.
    pub(crate) fn new(pattern: &str, flags: Flags, crlf: bool) -> Self {
        let automaton = Automaton::new(pattern, flags, crlf);
        Self { kind: automaton.map_or(SearchCost::None, |one| SearchCost::Read(Box::new(one))), searches: 0 }
    }

    /// Creates the meter of a pattern that reads this many bytes from each place.
    pub(crate) fn each(reach: usize) -> Self {
        Self { kind: SearchCost::Each(reach), searches: 0 }
    }

    /// Returns the number of bytes that are counted for a search that began at `from` and found a match that ends
    /// at `end`.
    pub(crate) fn cost(&mut self, text: &str, from: usize, end: usize) -> usize {
        self.searches += 1;
        let automaton = match &mut self.kind {
            SearchCost::None => return 0,
            SearchCost::Each(reach) => return end.saturating_sub(from).saturating_mul(*reach),
            SearchCost::Read(automaton) => automaton,
        };
        // The offset is hashed, so that the sampling follows no repetition of the text.
        let mixed = (from as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if self.searches >= SAMPLE && !mixed.is_multiple_of(SAMPLE as u64) {
            return 0;
        }
        let read = automaton.reach(text, from, false).max(end.saturating_sub(from));
        if self.searches < SAMPLE { read } else { read.saturating_mul(SAMPLE) }
    }
}

/// An automaton of a pattern that only shows how far it reads.
pub(super) struct Automaton {
    dfa: DFA,
    cache: Cache,
}

impl Automaton {
    /// Creates the automaton of a pattern, or returns `None` if it would be too large.
    pub(super) fn new(pattern: &str, flags: Flags, crlf: bool) -> Option<Self> {
        // An automaton over bytes measures the reach closely enough, and never gives up at a letter.
        let built = build(pattern, flags, crlf, false).or_else(|| build(pattern, flags, crlf, true));
        built.map(|dfa| Self { cache: dfa.create_cache(), dfa })
    }

    /// Returns the number of bytes from `from` to the point at which no better match is possible. `here` is set if
    /// the match must begin at `from`.
    pub(super) fn reach(&mut self, text: &str, from: usize, here: bool) -> usize {
        let anchored = if here { Anchored::Yes } else { Anchored::No };
        let input = Input::new(text).range(from..).anchored(anchored);
        let Ok(mut state) = self.dfa.start_state_forward(&mut self.cache, &input) else {
            return 0;
        };
        let mut read = 0;
        for byte in text.as_bytes().iter().skip(from) {
            read += 1;
            match self.dfa.next_state(&mut self.cache, state, *byte) {
                Ok(next) if next.is_dead() || next.is_quit() => break,
                Ok(next) => state = next,
                Err(_) => break,
            }
        }
        read
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
