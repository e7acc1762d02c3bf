//! Name paths: how they are written, and how symbols of the same name are told apart.

use std::collections::HashMap;

use crate::Symbol;
use crate::outline::Segment;

/// Bytes of all name paths of an outline; the symbols behind are left out. A file of 10,000 lines takes some 100 KB.
const PATH_BYTES: usize = 16 * 1024 * 1024;

/// Gives every symbol its path.
pub(crate) fn numbered(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    number(&mut symbols);
    let mut bytes = 0_usize;
    let mut kept = 0;
    for at in 0..symbols.len() {
        let path = path_of(&symbols, at);
        bytes = bytes.saturating_add(path.len());
        if bytes > PATH_BYTES {
            break;
        }
        if let Some(symbol) = symbols.get_mut(at) {
            symbol.path = path;
        }
        kept = at + 1;
    }
    symbols.truncate(kept);
    symbols
}

/// Numbers those that would have the same path.
fn number(symbols: &mut [Symbol]) {
    // What holds a symbol, by its own place among those of the same name, and its names.
    let mut groups: HashMap<(Option<usize>, Vec<String>), Vec<usize>> = HashMap::new();
    let mut order = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        let names: Vec<String> = symbol.segments.iter().map(|segment| segment.name.clone()).collect();
        let key = (symbol.parent, names);
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(at);
    }
    for key in order {
        let Some(group) = groups.get(&key).filter(|group| group.len() > 1) else { continue };
        for (index, at) in group.iter().enumerate() {
            if let Some(last) = symbols.get_mut(*at).and_then(|symbol| symbol.segments.last_mut()) {
                last.number = Some(index + 1);
            }
        }
    }
}

fn path_of(symbols: &[Symbol], at: usize) -> String {
    let Some(symbol) = symbols.get(at) else { return String::new() };
    let above = symbol.parent.and_then(|parent| symbols.get(parent));
    let mut path = above.map(|above| above.path.clone()).unwrap_or_default();
    for segment in &symbol.segments {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(&written(segment));
    }
    path
}

fn written(segment: &Segment) -> String {
    let name = segment.name.replace('\\', "\\\\").replace('/', "\\/");
    match segment.number {
        Some(number) => format!("{name}[{number}]"),
        None => name,
    }
}

/// A name path that was asked for.
pub(crate) struct Wanted {
    /// Whether it begins with `/`: then nothing stands in front of its first name.
    pub(crate) whole: bool,
    /// Its names, with their numbers.
    pub(crate) names: Vec<(String, Option<usize>)>,
}

/// Reads a name path; `None` where a name is empty.
pub(crate) fn read(path: &str) -> Option<Wanted> {
    let (whole, path) = path.strip_prefix('/').map_or((false, path), |rest| (true, rest));
    let mut names = Vec::new();
    let mut name = String::new();
    let mut letters = path.chars();
    loop {
        match letters.next() {
            Some('\\') => name.extend(letters.next()),
            Some('/') => names.push(std::mem::take(&mut name)),
            Some(letter) => name.push(letter),
            None => {
                names.push(name);
                break;
            }
        }
    }
    let names: Vec<_> = names.into_iter().map(with_number).collect();
    names.iter().all(|(name, _)| !name.is_empty()).then_some(Wanted { whole, names })
}

fn with_number(name: String) -> (String, Option<usize>) {
    let number = name
        .strip_suffix(']')
        .and_then(|front| front.rsplit_once('['))
        .and_then(|(front, number)| Some((front.to_owned(), number.parse::<usize>().ok()?)));
    match number {
        Some((front, number)) if !front.is_empty() => (front, Some(number)),
        _ => (name, None),
    }
}
