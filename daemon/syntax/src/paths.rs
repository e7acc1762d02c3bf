//! Name paths: parsing, escaping, and the numbers that make paths unique.

use std::collections::HashMap;

use crate::Symbol;
use crate::outline::PathSegment;

/// Maximum size of all name paths of an outline, in bytes. Symbols beyond it are left out, the deepest first. The paths
/// of a file of 10,000 lines take about 100 KB.
const PATH_BYTES: usize = 16 * 1024 * 1024;

/// Gives each symbol its path, outer symbols first. Symbols with the same path are numbered in the order of the file,
/// so that each path is unique.
pub(crate) fn numbered(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    let levels = levels(&symbols);
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|at| levels.get(*at).copied());
    let mut bytes = 0_usize;
    for level in order.chunk_by(|one, other| levels.get(*one) == levels.get(*other)) {
        let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
        for at in level {
            let Some(path) = unnumbered(&symbols, *at) else { continue };
            bytes = bytes.saturating_add(path.len());
            if bytes <= PATH_BYTES {
                groups.entry(path).or_default().push(*at);
            }
        }
        for (path, group) in groups {
            for (index, at) in group.iter().enumerate() {
                let number = (group.len() > 1).then_some(index + 1);
                let Some(symbol) = symbols.get_mut(*at) else { continue };
                symbol.path = number.map_or_else(|| path.clone(), |number| format!("{path}[{number}]"));
                if let Some(last) = symbol.segments.last_mut() {
                    last.number = number;
                }
            }
        }
    }
    with_paths(symbols)
}

/// Returns the number of names in the path of each symbol.
fn levels(symbols: &[Symbol]) -> Vec<usize> {
    let mut levels: Vec<usize> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let above = symbol.parent.and_then(|parent| levels.get(parent)).copied().unwrap_or(0);
        levels.push(above + symbol.segments.len());
    }
    levels
}

/// Returns the path of a symbol without its own number, or `None` if its parent has no path.
fn unnumbered(symbols: &[Symbol], at: usize) -> Option<String> {
    let symbol = symbols.get(at)?;
    let mut path = String::new();
    if let Some(parent) = symbol.parent {
        path = symbols.get(parent).map(|parent| parent.path.clone()).filter(|path| !path.is_empty())?;
    }
    for segment in &symbol.segments {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(&written(&segment.name));
    }
    Some(path)
}

/// Removes the symbols without a path.
fn with_paths(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut places: Vec<usize> = Vec::with_capacity(symbols.len());
    let mut kept: Vec<Symbol> = Vec::with_capacity(symbols.len());
    for mut symbol in symbols {
        places.push(kept.len());
        if !symbol.path.is_empty() {
            symbol.parent = symbol.parent.and_then(|parent| places.get(parent).copied());
            kept.push(symbol);
        }
    }
    kept
}

/// Returns a name as it appears in a path: a `\` is put in front of each character with a special meaning.
pub(crate) fn written(name: &str) -> String {
    let mut written = name.replace('\\', "\\\\").replace('/', "\\/");
    if let Some(bracket) = number_at(&written) {
        written.insert(bracket, '\\');
    }
    written
}

/// Returns the offset of the `[` of a number at the end of a name.
fn number_at(name: &str) -> Option<usize> {
    let (front, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && !front.is_empty()).then_some(front.len())
}

/// A parsed name path that is looked up.
pub(crate) struct PathQuery {
    /// Set if the path starts with `/`: the first name must then be at the top level.
    pub(crate) whole: bool,
    /// The names of the path.
    pub(crate) names: Vec<QueryName>,
}

/// A name of the path.
#[derive(Default)]
pub(crate) struct QueryName {
    /// The unescaped name.
    pub(crate) literal: String,
    /// The name without its number, and the number.
    pub(crate) numbered: Option<(String, usize)>,
}

/// Parses a name path. Returns `None` if a name is empty.
pub(crate) fn read(path: &str) -> Option<PathQuery> {
    let (whole, path) = path.strip_prefix('/').map_or((false, path), |rest| (true, rest));
    let mut names = Vec::new();
    let mut name = NameReader::default();
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.literal.extend(letters.next().inspect(|escaped| name.bracketed |= *escaped == '[')),
            '/' => names.push(std::mem::take(&mut name).end()?),
            _ => {
                name.bracketed &= letter != '[';
                name.literal.push(letter);
            }
        }
    }
    names.push(name.end()?);
    Some(PathQuery { whole, names })
}

/// The state of reading one name.
#[derive(Default)]
struct NameReader {
    literal: String,
    /// Set if the last `[` was escaped, so that it starts no number.
    bracketed: bool,
}

impl NameReader {
    fn end(self) -> Option<QueryName> {
        let bracket = number_at(&self.literal).filter(|_| !self.bracketed);
        let numbered = bracket.and_then(|at| {
            let (front, number) = self.literal.split_at_checked(at)?;
            let number = number.strip_prefix('[')?.strip_suffix(']')?;
            Some((front.to_owned(), number.parse().ok()?))
        });
        (!self.literal.is_empty()).then_some(QueryName { literal: self.literal, numbered })
    }
}

impl QueryName {
    /// Returns true if this is the given name, with or without a number.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.literal == name || self.numbered.as_ref().is_some_and(|(front, _)| front == name)
    }

    /// Compares this name with a path segment. `last` is set for the last segment of the path.
    pub(crate) fn fits(&self, segment: &PathSegment, last: bool) -> Option<NameMatch> {
        let means = |name: &str| {
            if segment.name == name {
                Some(NameMatch::Exactly)
            } else if segment.also.iter().any(|also| also == name) {
                Some(NameMatch::AlsoCalled)
            } else {
                (!last && segment.alias.as_deref() == Some(name)).then_some(NameMatch::Exactly)
            }
        };
        let numbered = self.numbered.as_ref().filter(|(_, number)| segment.number.unwrap_or(1) == *number);
        means(&self.literal).or_else(|| numbered.and_then(|(name, _)| means(name)))
    }
}

/// The quality of a match between two names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameMatch {
    /// The query is one of several names that the definition gives.
    AlsoCalled,
    /// The query is the name.
    Exactly,
}
