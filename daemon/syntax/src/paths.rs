//! Name paths: how they are written, and how symbols of the same name are told apart.

use std::collections::HashMap;

use crate::Symbol;
use crate::outline::Segment;

/// Bytes of all name paths of an outline; what lies deeper is left out. A file of 10,000 lines takes some 100 KB.
const PATH_BYTES: usize = 16 * 1024 * 1024;

/// Gives every symbol its path, those that lie in fewer symbols first. Those that would have the same are numbered in
/// the order of the file, so that no two paths are the same.
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

/// How many names each path has.
fn levels(symbols: &[Symbol]) -> Vec<usize> {
    let mut levels: Vec<usize> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let above = symbol.parent.and_then(|parent| levels.get(parent)).copied().unwrap_or(0);
        levels.push(above + symbol.segments.len());
    }
    levels
}

/// The path of a symbol before its own number; `None` where the one that holds it has none.
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

/// Without those that got no path.
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

/// A name in a path: `\` stands in front of what would mean something else there.
pub(crate) fn written(name: &str) -> String {
    let mut written = name.replace('\\', "\\\\").replace('/', "\\/");
    if let Some(bracket) = number_at(&written) {
        written.insert(bracket, '\\');
    }
    written
}

/// Where the `[` stands of a number that ends a name.
fn number_at(name: &str) -> Option<usize> {
    let (front, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && !front.is_empty()).then_some(front.len())
}

/// A name path that was asked for.
pub(crate) struct Wanted {
    /// Whether it begins with `/`: then nothing stands in front of its first name.
    pub(crate) whole: bool,
    /// Its names.
    pub(crate) names: Vec<WantedName>,
}

/// One name of it.
#[derive(Default)]
pub(crate) struct WantedName {
    /// As it was asked for, unescaped.
    pub(crate) literal: String,
    /// Without its number, and that.
    pub(crate) numbered: Option<(String, usize)>,
}

/// Reads a name path; `None` where a name is empty.
pub(crate) fn read(path: &str) -> Option<Wanted> {
    let (whole, path) = path.strip_prefix('/').map_or((false, path), |rest| (true, rest));
    let mut names = Vec::new();
    let mut name = Reading::default();
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
    Some(Wanted { whole, names })
}

/// A name as it is read.
#[derive(Default)]
struct Reading {
    literal: String,
    /// Whether its last `[` was escaped, so that it begins no number.
    bracketed: bool,
}

impl Reading {
    fn end(self) -> Option<WantedName> {
        let bracket = number_at(&self.literal).filter(|_| !self.bracketed);
        let numbered = bracket.and_then(|at| {
            let (front, number) = self.literal.split_at_checked(at)?;
            let number = number.strip_prefix('[')?.strip_suffix(']')?;
            Some((front.to_owned(), number.parse().ok()?))
        });
        (!self.literal.is_empty()).then_some(WantedName { literal: self.literal, numbered })
    }
}

impl WantedName {
    /// Whether it is this name, with a number or without.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.literal == name || self.numbered.as_ref().is_some_and(|(front, _)| front == name)
    }

    /// How far a segment is meant; `last` is the last one of its path.
    pub(crate) fn fits(&self, segment: &Segment, last: bool) -> Option<Fit> {
        let means = |name: &str| {
            if segment.name == name {
                Some(Fit::Exactly)
            } else if segment.also.iter().any(|also| also == name) {
                Some(Fit::AlsoCalled)
            } else {
                (!last && segment.alias.as_deref() == Some(name)).then_some(Fit::Exactly)
            }
        };
        let numbered = self.numbered.as_ref().filter(|(_, number)| segment.number.unwrap_or(1) == *number);
        means(&self.literal).or_else(|| numbered.and_then(|(name, _)| means(name)))
    }
}

/// How far a symbol is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// By one of several names that its definition gives.
    AlsoCalled,
    /// By its own.
    Exactly,
}
