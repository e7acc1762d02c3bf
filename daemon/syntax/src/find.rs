//! Finding one symbol of an outline, by name path or by place.

use crate::paths::{self, Fit, Wanted};
use crate::{Outline, Symbol};

/// Name paths that an answer lists.
const LISTED: usize = 50;

/// Name paths that are proposed for one that is not there.
const PROPOSED: usize = 5;

/// Letters of a name that are compared with those of another.
const COMPARED: usize = 40;

/// Symbols whose names are compared letter by letter.
const CANDIDATES: usize = 10_000;

/// Why a name path names no symbol alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotOne {
    /// There is none. The five of the nearest names.
    None(Vec<String>),
    /// These are meant, at most 50; and how many in all.
    Several(Vec<String>, usize),
}

/// How well a name path means a symbol, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meant {
    ByItsEnd,
    Whole(Fit),
}

impl Outline {
    /// The symbol of a name path. The names from some point on are enough where they name one symbol; a path that is
    /// whole wins over a longer one that ends in it. A `/` in front says that it is whole. The [`Symbol::path`] of a
    /// symbol always gives that symbol. Where nothing is called so, `.` and `::` part names too. Of several that are one
    /// thing, the only one that is no mere declaration is meant: see [`Outline::declarations_of`].
    ///
    /// # Errors
    /// None, or several.
    pub fn named(&self, path: &str) -> Result<&Symbol, NotOne> {
        match self.named_as_written(path) {
            Err(NotOne::None(proposed)) => {
                let parted = path.replace("::", "/").replace('.', "/");
                if parted == path { Err(NotOne::None(proposed)) } else { self.named_as_written(&parted) }
            }
            found => found,
        }
    }

    /// The declarations of what a symbol implements: those with its names, of which only it is no declaration.
    pub fn declarations_of(&self, symbol: &Symbol) -> Vec<&Symbol> {
        let own = symbol.segments.last().map(|segment| segment.name.as_str());
        let names = self.names(symbol);
        let is_named_so = |other: &Symbol| other.segments.last().map(|segment| segment.name.as_str()) == own;
        let is_same =
            |other: &&Symbol| other.name != symbol.name && is_named_so(other) && self.names(other) == names;
        let same: Vec<&Symbol> = self.symbols.iter().filter(is_same).collect();
        let declared = !same.is_empty() && !symbol.declares && same.iter().all(|other| other.declares);
        if declared { same } else { Vec::new() }
    }

    /// The same, where `asked` named the symbol and does not tell it from them.
    pub fn declarations_beside(&self, symbol: &Symbol, asked: &str) -> Vec<&Symbol> {
        let is_whole = asked.strip_prefix('/').unwrap_or(asked) == symbol.path;
        if is_whole { Vec::new() } else { self.declarations_of(symbol) }
    }

    /// The names of a symbol and of those that hold it, innermost first, without numbers.
    fn names<'o>(&'o self, symbol: &'o Symbol) -> Vec<&'o str> {
        let mut names = Vec::new();
        let mut here = Some(symbol);
        while let Some(one) = here {
            names.extend(one.segments.iter().rev().map(|segment| segment.name.as_str()));
            here = one.parent.and_then(|parent| self.symbols.get(parent));
        }
        names
    }

    /// The one implementation among symbols that are all one thing.
    fn implementation<'o>(&'o self, meant: &[&'o Symbol]) -> Option<&'o Symbol> {
        let (first, rest) = meant.split_first()?;
        let names = self.names(first);
        if meant.len() > LISTED || rest.iter().any(|other| self.names(other) != names) {
            return None;
        }
        let mut implementations = meant.iter().filter(|symbol| !symbol.declares);
        let one = implementations.next()?;
        implementations.next().is_none().then_some(*one)
    }

    fn named_as_written(&self, path: &str) -> Result<&Symbol, NotOne> {
        let exact = path.strip_prefix('/').unwrap_or(path);
        if let Some(symbol) = self.symbols.iter().find(|symbol| symbol.path == exact) {
            return Ok(symbol);
        }
        let Some(wanted) = paths::read(path) else { return Err(NotOne::None(self.listed(""))) };
        let fits: Vec<(&Symbol, Meant)> = self
            .symbols
            .iter()
            .filter_map(|symbol| Some((symbol, self.meant(symbol, &wanted)?)))
            .filter(|(_, meant)| !wanted.whole || *meant != Meant::ByItsEnd)
            .collect();
        let best = fits.iter().map(|(_, meant)| *meant).max();
        let meant: Vec<&Symbol> =
            fits.iter().filter(|(_, meant)| Some(*meant) == best).map(|(symbol, _)| *symbol).collect();
        match meant.as_slice() {
            [one] => Ok(one),
            [] => {
                let last = wanted.names.last().map(|name| name.literal.as_str());
                Err(NotOne::None(self.listed(last.unwrap_or_default())))
            }
            several => {
                if let Some(one) = self.implementation(several) {
                    return Ok(one);
                }
                let names = several.iter().take(LISTED).map(|symbol| symbol.path.clone()).collect();
                Err(NotOne::Several(names, several.len()))
            }
        }
    }

    /// The symbol that begins at a place (it, what belongs to it, or its name), the outermost of those; else the
    /// innermost that holds it. `at` is a byte of the text.
    pub fn at(&self, at: usize) -> Option<&Symbol> {
        let begins = |symbol: &&Symbol| {
            symbol.extent.start == at || symbol.definition.start == at || symbol.name.start == at
        };
        let holds = |symbol: &&Symbol| symbol.extent.start <= at && at < symbol.extent.end;
        self.symbols.iter().find(begins).or_else(|| self.symbols.iter().rfind(holds))
    }

    /// What must be asked for where `path` means a symbol by one of several names that its definition gives: what is
    /// done to it would be done to the others. `None` as path stands for a place, which says as little. The body of a
    /// type belongs to its first name, whatever others have the type.
    pub fn whole_of(&self, symbol: &Symbol, path: Option<&str>, only_body: bool) -> Option<String> {
        let segment = symbol.segments.last()?;
        let whole = segment.whole.as_deref()?;
        let asked = path.and_then(paths::read).and_then(|mut wanted| wanted.names.pop());
        let is_enough = match asked {
            Some(asked) => asked.is(whole) || only_body && asked.is(&segment.name),
            None => only_body && segment.name != whole,
        };
        if is_enough {
            return None;
        }
        let held =
            symbol.parent.and_then(|parent| self.symbols.get(parent)).map(|parent| parent.path.as_str());
        let under = symbol.segments.iter().rev().skip(1).rev().map(|segment| paths::written(&segment.name));
        let names = held.map(str::to_owned).into_iter().chain(under).chain([paths::written(whole)]);
        let number = segment.number.map_or_else(String::new, |number| format!("[{number}]"));
        Some(names.collect::<Vec<_>>().join("/") + &number)
    }

    /// How well a symbol's path ends in what is wanted.
    fn meant(&self, symbol: &Symbol, wanted: &Wanted) -> Option<Meant> {
        let mut names = wanted.names.iter().rev();
        let mut next = names.next();
        let mut fit = Fit::Exactly;
        let mut last = true;
        let mut here = Some(symbol);
        while let Some(symbol_here) = here {
            for segment in symbol_here.segments.iter().rev() {
                let Some(name) = next else { return Some(Meant::ByItsEnd) };
                fit = fit.min(name.fits(segment, last)?);
                (next, last) = (names.next(), false);
            }
            here = symbol_here.parent.and_then(|parent| self.symbols.get(parent));
        }
        next.is_none().then_some(Meant::Whole(fit))
    }

    /// The five of the nearest names: those that hold it or lie in it first, then by the letters that differ.
    fn listed(&self, name: &str) -> Vec<String> {
        let name = name.to_lowercase();
        let rank = |(at, symbol): (usize, &Symbol)| {
            let own = symbol.segments.last().map(|segment| segment.name.to_lowercase()).unwrap_or_default();
            let alike = !name.is_empty() && (own.contains(&name) || (!own.is_empty() && name.contains(&own)));
            let steps = if at < CANDIDATES && !name.is_empty() { distance(&name, &own) } else { COMPARED };
            (!alike, steps, at)
        };
        let mut ranked: Vec<(bool, usize, usize)> = self.symbols.iter().enumerate().map(rank).collect();
        ranked.sort_unstable();
        let nearest = ranked.into_iter().take(PROPOSED).filter_map(|(.., at)| self.symbols.get(at));
        nearest.map(|symbol| symbol.path.clone()).collect()
    }
}

/// Letters to put in, take out or exchange to make one name of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(COMPARED).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().take(COMPARED).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, opposite) in row.iter_mut().skip(1).zip(&other) {
            let least = (diagonal + usize::from(letter != *opposite)).min(left + 1).min(*cell + 1);
            (diagonal, left) = (*cell, least);
            *cell = least;
        }
    }
    row.last().copied().unwrap_or(0)
}
