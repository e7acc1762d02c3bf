//! Looks up one symbol of an outline, by name path or by offset.

use crate::paths::{self, NameMatch, PathQuery};
use crate::{Outline, Symbol};

/// Maximum number of name paths in an error.
const LISTED: usize = 50;

/// Maximum number of similar name paths that are suggested for an unknown one.
const PROPOSED: usize = 5;

/// Maximum number of characters compared when two names are compared.
const COMPARED: usize = 40;

/// Maximum number of symbols whose names are compared by edit distance.
const CANDIDATES: usize = 10_000;

/// The reason why a name path does not select exactly one symbol.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LookupError {
    /// No symbol matches. Contains the paths of up to five symbols with similar names.
    #[error("no symbol has this name path")]
    NotFound(Vec<String>),
    /// Several symbols match. Contains the paths of at most 50 of them, and the number of all.
    #[error("{1} symbols match this name path")]
    Ambiguous(Vec<String>, usize),
}

/// The quality of a match between a query and the path of a symbol. Better matches are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathMatch {
    ByItsEnd,
    Whole(NameMatch),
}

impl Outline {
    /// Returns the symbol that a name path selects.
    ///
    /// * The last names of a path are enough if they select one symbol: `method` or `Class/method`.
    /// * A match of the whole path takes precedence over a match of its end. A leading `/` allows only whole paths.
    /// * The [`Symbol::path`] of a symbol always selects that symbol.
    /// * If nothing matches, the path is tried again with `.` and `::` as separators.
    /// * If the matches are several declarations and one definition of the same thing, the definition is selected; see
    ///   [`Outline::declarations_of`].
    ///
    /// ```
    /// use editd_syntax::{Language, LookupError, ParseBudget, outline};
    ///
    /// let text = "class A:\n    def run(self): pass\n\nclass B:\n    def run(self): pass\n";
    /// let outline = outline(Language::Python, text, &ParseBudget::default())?;
    /// assert_eq!(outline.named("B/run")?.path, "B/run");
    /// assert!(matches!(outline.named("run"), Err(LookupError::Ambiguous(_, 2))));
    /// assert!(matches!(outline.named("stop"), Err(LookupError::NotFound(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No symbol matches, or several do.
    pub fn named(&self, path: &str) -> Result<&Symbol, LookupError> {
        match self.named_as_written(path) {
            Err(LookupError::NotFound(proposed)) => {
                let parted = path.replace("::", "/").replace('.', "/");
                if parted == path {
                    Err(LookupError::NotFound(proposed))
                } else {
                    self.named_as_written(&parted)
                }
            }
            found => found,
        }
    }

    /// Returns the separate declarations of a definition, such as a prototype or the signatures of overloads: the
    /// symbols with the same names, if all of them are declarations and `symbol` is not.
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

    /// Returns the same declarations if `asked`, the path that selected `symbol`, also matches them; returns none if
    /// `asked` is the complete path.
    pub fn declarations_beside(&self, symbol: &Symbol, asked: &str) -> Vec<&Symbol> {
        let is_whole = asked.strip_prefix('/').unwrap_or(asked) == symbol.path;
        if is_whole { Vec::new() } else { self.declarations_of(symbol) }
    }

    /// Returns the names of a symbol and of the symbols that contain it, innermost first, without numbers.
    fn names<'o>(&'o self, symbol: &'o Symbol) -> Vec<&'o str> {
        let mut names = Vec::new();
        let mut here = Some(symbol);
        while let Some(one) = here {
            names.extend(one.segments.iter().rev().map(|segment| segment.name.as_str()));
            here = one.parent.and_then(|parent| self.symbols.get(parent));
        }
        names
    }

    /// Returns the only definition among symbols that have the same names.
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

    fn named_as_written(&self, path: &str) -> Result<&Symbol, LookupError> {
        let exact = path.strip_prefix('/').unwrap_or(path);
        if let Some(symbol) = self.symbols.iter().find(|symbol| symbol.path == exact) {
            return Ok(symbol);
        }
        let Some(wanted) = paths::read(path) else { return Err(LookupError::NotFound(self.listed(""))) };
        let fits: Vec<(&Symbol, PathMatch)> = self
            .symbols
            .iter()
            .filter_map(|symbol| Some((symbol, self.meant(symbol, &wanted)?)))
            .filter(|(_, meant)| !wanted.whole || *meant != PathMatch::ByItsEnd)
            .collect();
        let best = fits.iter().map(|(_, meant)| *meant).max();
        let meant: Vec<&Symbol> =
            fits.iter().filter(|(_, meant)| Some(*meant) == best).map(|(symbol, _)| *symbol).collect();
        match meant.as_slice() {
            [one] => Ok(one),
            [] => {
                let last = wanted.names.last().map(|name| name.literal.as_str());
                Err(LookupError::NotFound(self.listed(last.unwrap_or_default())))
            }
            several => {
                if let Some(one) = self.implementation(several) {
                    return Ok(one);
                }
                let names = several.iter().take(LISTED).map(|symbol| symbol.path.clone()).collect();
                Err(LookupError::Ambiguous(names, several.len()))
            }
        }
    }

    /// Returns the symbol at a byte offset: the outermost symbol whose extent, definition or name starts there, else
    /// the innermost symbol that contains the offset.
    ///
    /// ```
    /// use editd_syntax::{Language, ParseBudget, outline};
    ///
    /// let text = "fn one() {}\nfn two() { one() }\n";
    /// let outline = outline(Language::Rust, text, &ParseBudget::default())?;
    /// assert_eq!(outline.at(25).map(|symbol| symbol.path.as_str()), Some("two"));
    /// # Ok::<(), editd_syntax::ParseError>(())
    /// ```
    pub fn at(&self, at: usize) -> Option<&Symbol> {
        let begins = |symbol: &&Symbol| {
            symbol.extent.start == at || symbol.definition.start == at || symbol.name.start == at
        };
        let holds = |symbol: &&Symbol| symbol.extent.start <= at && at < symbol.extent.end;
        self.symbols.iter().find(begins).or_else(|| self.symbols.iter().rfind(holds))
    }

    /// Returns the path that selects all names of a definition, if the definition of `symbol` has several names and
    /// `path` selects only one of them. An edit of the symbol would then also change the other names. A `path` of
    /// `None` means that the symbol was selected by offset, which also selects a single name. If `only_body` is set,
    /// the first name of a type is enough, since the body of the type belongs to it.
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

    /// Compares the end of a symbol's path with the query.
    fn meant(&self, symbol: &Symbol, wanted: &PathQuery) -> Option<PathMatch> {
        let mut names = wanted.names.iter().rev();
        let mut next = names.next();
        let mut fit = NameMatch::Exactly;
        let mut last = true;
        let mut here = Some(symbol);
        while let Some(symbol_here) = here {
            for segment in symbol_here.segments.iter().rev() {
                let Some(name) = next else { return Some(PathMatch::ByItsEnd) };
                fit = fit.min(name.fits(segment, last)?);
                (next, last) = (names.next(), false);
            }
            here = symbol_here.parent.and_then(|parent| self.symbols.get(parent));
        }
        next.is_none().then_some(PathMatch::Whole(fit))
    }

    /// Returns the paths of up to five symbols with similar names: first those that contain the name or are contained
    /// in it, then by edit distance.
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

/// Returns the edit distance of two names, in characters inserted, removed or replaced.
fn distance(one: &str, other: &str) -> usize {
    let letters = |name: &str| name.chars().take(COMPARED).collect::<Vec<char>>();
    rapidfuzz::distance::levenshtein::distance(letters(one), letters(other))
}
