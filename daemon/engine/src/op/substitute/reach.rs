//! Measures how far a pattern with look-around or back-references reads from one place: one step of the backtracking
//! engine may run a whole repetition, so the count of steps alone is not the cost of a search. No match is returned.

use fancy_regex::{Expr, LookAround};

use super::engine::Flags;
use super::meter::Automaton;
use crate::limits;

/// Places of a text from which the reach is measured.
const PLACES: usize = 64;

/// Bytes that measuring may read.
const MEASURED: usize = 8 * 1024 * 1024;

/// Bytes of what is made of a pattern: a reference repeats its group.
const SPELT: usize = 64 * 1024;

/// Returns the mean number of bytes that a search reads from one place of a text, or the size of the whole text if
/// nothing is known.
pub(super) fn mean(pattern: &str, flags: Flags, text: &str) -> usize {
    let Some(mut automata) = automata(pattern, flags) else {
        return text.len();
    };
    let (mut read, mut places) = (0usize, 0usize);
    for step in 0..PLACES {
        // Steps by the golden ratio spread the places evenly and follow no repetition of the text.
        let share = (step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let at = (text.len() as u64).saturating_mul(share) >> 32;
        let at = text.floor_char_boundary(usize::try_from(at).unwrap_or(0));
        read += automata.iter_mut().map(|one| one.reach(text, at, true)).sum::<usize>();
        places += 1;
        if read > MEASURED {
            break;
        }
    }
    read.div_ceil(places.max(1))
}

/// Returns one automaton for each way that a match may read ahead.
fn automata(pattern: &str, flags: Flags) -> Option<Vec<Automaton>> {
    let tree = Expr::parse_tree(&[&flags.inline(), pattern].concat()).ok()?;
    let mut walk = Walk { groups: Vec::new(), ways: Vec::new(), spelt: 0 };
    let whole = walk.spell(&tree.expr, "")?;
    walk.ways.push(whole);
    walk.ways.iter().map(|way| Automaton::new(way, Flags::default(), false)).collect()
}

/// Rewrites a pattern for the linear engine: look-ahead becomes a pattern of its own, a reference repeats its group,
/// and purely negative conditions are left out. So it reads at least as far.
struct Walk {
    groups: Vec<Option<String>>,
    ways: Vec<String>,
    spelt: usize,
}

impl Walk {
    /// Returns the pattern that stands for `expr` behind `before`, or `None` if there is none.
    fn spell(&mut self, expr: &Expr, before: &str) -> Option<String> {
        let spelt = match expr {
            Expr::Concat(children) => {
                let mut all = before.to_owned();
                for child in children {
                    let next = self.spell(child, &all)?;
                    all.push_str(&next);
                }
                all.split_off(before.len())
            }
            Expr::Alt(children) => {
                let ways: Option<Vec<String>> =
                    children.iter().map(|child| self.spell(child, before)).collect();
                ["(?:", &ways?.join("|"), ")"].concat()
            }
            Expr::Group(child) => {
                let group = self.groups.len();
                self.groups.push(None);
                let inner = ["(?:", &self.spell(child, before)?, ")"].concat();
                *self.groups.get_mut(group)? = Some(inner.clone());
                inner
            }
            Expr::AtomicGroup(child) => ["(?:", &self.spell(child, before)?, ")"].concat(),
            Expr::Repeat { child, lo, hi, greedy } => {
                let most = if *hi == usize::MAX { String::new() } else { hi.to_string() };
                let lazy = if *greedy { "" } else { "?" };
                let inner = self.spell(child, before)?;
                format!("(?:{inner}){{{lo},{most}}}{lazy}")
            }
            Expr::LookAround(child, LookAround::LookAhead | LookAround::LookAheadNeg) => {
                let ahead = self.spell(child, before)?;
                self.keep([before, &ahead].concat())?;
                String::new()
            }
            // A look-behind at the front decides at which places the rest is read.
            Expr::LookAround(child, LookAround::LookBehind) if before.is_empty() => {
                self.spell(child, before)?
            }
            Expr::LookAround(child, _) => self.spell(child, before).map(|_| String::new())?,
            Expr::Backref { group, .. } => self.groups.get(group.checked_sub(1)?)?.clone()?,
            // Word boundaries are left out, since they may make the automaton give up early.
            Expr::Empty | Expr::Assertion(_) | Expr::KeepOut | Expr::ContinueFromPreviousMatchEnd => {
                String::new()
            }
            Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => {
                let mut atom = String::new();
                expr.to_str(&mut atom, 3);
                ["(?:", &atom, ")"].concat()
            }
            _ => return None,
        };
        self.spelt += spelt.len();
        (self.spelt <= SPELT).then_some(spelt)
    }

    fn keep(&mut self, way: String) -> Option<()> {
        self.spelt += way.len();
        self.ways.push(way);
        (self.spelt <= SPELT && self.ways.len() <= limits::AHEAD).then_some(())
    }
}
