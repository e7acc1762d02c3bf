//! Finding one symbol of an outline, by name path or by place.

use crate::paths::{self, Wanted};
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

impl Outline {
    /// The symbol of a name path. The names from some point on are enough where they name one symbol; a path that is
    /// whole wins over a longer one that ends in it. A `/` in front says that it is whole.
    ///
    /// # Errors
    /// None, or several.
    pub fn named(&self, path: &str) -> Result<&Symbol, NotOne> {
        let Some(wanted) = paths::read(path) else { return Err(NotOne::None(self.listed(""))) };
        let fits: Vec<(&Symbol, bool)> =
            self.symbols.iter().filter_map(|symbol| self.fits(symbol, &wanted)).collect();
        let whole: Vec<&Symbol> =
            fits.iter().filter(|(_, whole)| *whole).map(|(symbol, _)| *symbol).collect();
        let meant = if whole.is_empty() && !wanted.whole {
            fits.iter().map(|(symbol, _)| *symbol).collect()
        } else {
            whole
        };
        match meant.as_slice() {
            [one] => Ok(one),
            [] => {
                let last = wanted.names.last().map(|(name, _)| name.as_str());
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

    /// Whether a symbol's path ends in what is wanted, and whether that is all of it.
    fn fits<'o>(&'o self, symbol: &'o Symbol, wanted: &Wanted) -> Option<(&'o Symbol, bool)> {
        let mut names = wanted.names.iter().rev();
        let mut next = names.next();
        let mut last = true;
        let mut here = Some(symbol);
        while let Some(symbol_here) = here {
            for segment in symbol_here.segments.iter().rev() {
                let Some((name, number)) = next else { return Some((symbol, false)) };
                let named = segment.name == *name || (!last && segment.alias.as_ref() == Some(name));
                let numbered = number.is_none_or(|number| segment.number.unwrap_or(1) == number);
                if !named || !numbered {
                    return None;
                }
                (next, last) = (names.next(), false);
            }
            here = symbol_here.parent.and_then(|parent| self.symbols.get(parent));
        }
        next.is_none().then_some((symbol, true))
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
