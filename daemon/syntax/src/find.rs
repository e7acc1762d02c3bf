//! Finding one symbol of an outline, by name path or by place.

use crate::paths::{self, Fit, Wanted};
use crate::{Outline, Symbol};

/// Name paths that an answer lists.
const LISTED: usize = 50;

/// Why a name path names no symbol alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotOne {
    /// There is none. What there is: first those of a similar name, then in the order of the file, at most 50.
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
    /// symbol always gives that symbol.
    ///
    /// # Errors
    /// None, or several.
    pub fn named(&self, path: &str) -> Result<&Symbol, NotOne> {
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

    /// What there is, those of a similar name first.
    fn listed(&self, name: &str) -> Vec<String> {
        let name = name.to_lowercase();
        let alike = |symbol: &&Symbol| {
            let own = symbol.segments.last().map(|segment| segment.name.to_lowercase()).unwrap_or_default();
            !name.is_empty() && (own.contains(&name) || (!own.is_empty() && name.contains(&own)))
        };
        let first = self.symbols.iter().filter(alike);
        let rest = self.symbols.iter().filter(|symbol| !alike(symbol));
        first.chain(rest).take(LISTED).map(|symbol| symbol.path.clone()).collect()
    }
}
