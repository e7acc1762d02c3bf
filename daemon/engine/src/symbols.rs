//! Lists the definitions of a file for replies, with lines and columns of the decoded text. It edits nothing;
//! `editd_syntax` finds the definitions.

use std::borrow::Cow;
use std::ops::Range;

use editd_syntax::{Language, LookupError, Outline, ParseBudget, ParseError, Symbol, TreeCache};
use editd_types::{ErrorCode, FilePath, SymbolDeclaration, SymbolInfo, SymbolPosition, TextExtent};

use crate::cut::Cut;
use crate::limits;
use crate::refusal::{malformed, on_line, refuse, spent, too_large};
use crate::text::{Breaks, Text};
use crate::view::{FileView, part};
use crate::{PlanOptions, Refusal};

/// Maximum number of declarations that are listed beside their implementation.
const DECLARATIONS: usize = 10;

/// The outline of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileOutline {
    /// The name of the language.
    pub language: &'static str,
    /// The symbols in the order of the file, at most [`editd_types::limits::SYMBOLS`] and at most
    /// [`editd_types::limits::OUTLINE`] bytes.
    pub symbols: Vec<SymbolInfo>,
    /// The number of symbols that are left out at the end.
    pub omitted: u64,
    /// True if the text has syntax errors, so that symbols may be missing.
    pub broken: bool,
}

/// A symbol with its text.
#[derive(Clone, Debug)]
pub struct SymbolView {
    /// The text of the symbol.
    pub view: FileView,
    /// The first and the last line, 1-based; for a body, the lines that it touches.
    pub lines: (u64, u64),
    /// The symbol.
    pub symbol: SymbolInfo,
}

/// Lists the definitions of a file up to the nesting depth `depth`, where 0 is the top level. Without `depth`, all
/// definitions are listed.
///
/// ```
/// use editd_engine::{PlanOptions, outline};
///
/// let source = b"struct Point;\n\nimpl Point {\n    fn new() -> Self { Self }\n}\n";
/// let outline = outline(source, None, &"src/point.rs".into(), &PlanOptions::default())?;
/// let names: Vec<&str> = outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
/// assert_eq!(names, ["Point", "impl Point", "impl Point/new"]);
/// # Ok::<(), editd_engine::Refusal>(())
/// ```
///
/// # Errors
/// `binary` and `encoding` if the file is not text, `unsupported` if its language is not known, `too_large` and
/// `limit` if parsing it would cost too much.
pub fn outline(
    bytes: &[u8],
    depth: Option<u64>,
    path: &FilePath,
    options: &PlanOptions,
) -> Result<FileOutline, Refusal> {
    let text = read(bytes, path, options)?;
    let (language, outline) = parsed(&text, path, &ParseBudget::default(), &options.trees)?;
    let fits = |symbol: &&Symbol| depth.is_none_or(|depth| symbol.depth as u64 <= depth);
    let matching: Vec<&Symbol> = outline.symbols.iter().filter(fits).collect();
    let mut bytes = 0_usize;
    let affordable = |symbol: &&&Symbol| {
        bytes = bytes.saturating_add(symbol.path.len() + limits::SYMBOL_BYTES);
        bytes <= editd_types::limits::OUTLINE
    };
    let listed: Vec<&Symbol> =
        matching.iter().take(editd_types::limits::SYMBOLS).take_while(affordable).copied().collect();
    let omitted = (matching.len() - listed.len()) as u64;
    let symbols = symbol_infos(&text, &listed);
    Ok(FileOutline { language: language.name(), symbols, omitted, broken: outline.broken })
}

/// Finds a symbol by its name path. Returns its whole lines with the comments and attributes that belong to it, or
/// with `body` exactly the range that `replace_body` replaces.
///
/// # Errors
/// The errors of [`outline`]; `symbol_not_found` and `ambiguous`, which list candidates; `unsupported` if the symbol
/// has no body.
pub fn view_symbol(
    bytes: &[u8],
    name: &str,
    body: bool,
    path: &FilePath,
    options: &PlanOptions,
) -> Result<SymbolView, Refusal> {
    let text = read(bytes, path, options)?;
    let (_, outline) = parsed(&text, path, &ParseBudget::default(), &options.trees)?;
    let found = named(&outline, name, path)?;
    let beside = outline.declarations_beside(found, name);
    let all: Vec<&Symbol> = std::iter::once(found).chain(beside.into_iter().take(DECLARATIONS)).collect();
    let mut listed = symbol_infos(&text, &all).into_iter();
    let Some(mut symbol) = listed.next() else {
        return Err(malformed(format!("{path} has no place for {name:?}")));
    };
    symbol.declarations = listed.map(|one| SymbolDeclaration { name: one.name, lines: one.lines }).collect();
    let (lines, range) = match (body, &found.body, symbol.body) {
        (false, ..) => (symbol.lines, text.line_range(symbol.lines)),
        (true, Some(range), Some(extent)) => (lines_of(extent), range.clone()),
        (true, ..) => {
            let message = format!("{} {} has no body; read it whole", symbol.kind, symbol.name);
            let refusal = about(refuse(ErrorCode::Unsupported, message), path);
            return Err(on_line(symbol.position.line + 1, refusal));
        }
    };
    let view = part(&text, range, lines.0);
    Ok(SymbolView { view, lines, symbol })
}

fn read<'t>(bytes: &'t [u8], path: &FilePath, options: &PlanOptions) -> Result<Text<'t>, Refusal> {
    Text::read(bytes, options.label(path)).map_err(|error| about(error, path))
}

fn about(refusal: Refusal, path: &FilePath) -> Refusal {
    Box::new(refusal.at(path))
}

/// Returns the language and the definitions of a text, with offsets in its content.
///
/// # Errors
/// `unsupported`, `too_large`, `limit`.
pub(crate) fn parsed(
    text: &Text<'_>,
    path: &FilePath,
    budget: &ParseBudget,
    trees: &TreeCache,
) -> Result<(Language, Outline), Refusal> {
    // Grammars do not know lines that end in a lone `\r`. It is replaced by `\n`, which has the same length.
    let content = match text.breaks {
        Breaks::Cr => Cow::Owned(text.content.replace('\r', "\n")),
        Breaks::Lf | Breaks::None => Cow::Borrowed(text.content.as_ref()),
    };
    let language = Language::of(path.as_bytes(), &content).ok_or_else(|| {
        let message = format!(
            "the language of {path} is not known by its name or first line; read and edit it by text or lines"
        );
        about(refuse(ErrorCode::Unsupported, message), path)
    })?;
    match trees.outline(language, &content, budget) {
        Ok(outline) => Ok((language, outline)),
        Err(why) => Err(about(unparsed(path, why, budget), path)),
    }
}

/// Returns the maximum size of a file whose symbols can be found, in bytes. Its decoded text may be shorter.
pub fn longest_parsed() -> usize {
    // In UTF-16, two bytes are one character.
    2 * ParseBudget::default().bytes
}

/// Returns the refusal of a file that is larger than [`longest_parsed`] and was not read.
pub fn too_long_to_parse(path: &FilePath, bytes: usize) -> Refusal {
    let budget = ParseBudget::default();
    about(unparsed(path, ParseError::TooLarge { bytes, limit: budget.bytes }, &budget), path)
}

fn unparsed(path: &FilePath, why: ParseError, budget: &ParseBudget) -> Refusal {
    let message =
        format!("the symbols of {path} are not known, since {why}; read and edit it by text or lines");
    match why {
        ParseError::TooLarge { limit, .. } => too_large(message, limit),
        ParseError::StepLimit => spent(message, budget.steps),
        ParseError::MemoryLimit => spent(message, budget.memory as u64),
        ParseError::TooDeep | ParseError::Foreign { .. } | ParseError::Unsupported(_) => {
            refuse(ErrorCode::Unsupported, message)
        }
    }
}

/// Returns the only symbol with a name path.
///
/// # Errors
/// `symbol_not_found`, `ambiguous`.
pub(crate) fn named<'o>(outline: &'o Outline, name: &str, path: &FilePath) -> Result<&'o Symbol, Refusal> {
    let refusal = match outline.named(name) {
        Ok(symbol) => return Ok(symbol),
        Err(LookupError::NotFound(_)) if outline.symbols.is_empty() => refuse(
            ErrorCode::SymbolNotFound,
            format!("{path} defines no symbols; read and edit it by text or lines"),
        ),
        Err(LookupError::NotFound(symbols)) => {
            let message = format!("no symbol of {path} is called {}; name one that there is", quoted(name));
            let mut refusal = refuse(ErrorCode::SymbolNotFound, message);
            refusal.symbols = short(symbols);
            refusal
        }
        Err(LookupError::Ambiguous(symbols, found)) => {
            let message = format!("{} names {found} symbols of {path}; name one of them whole", quoted(name));
            let mut refusal = refuse(ErrorCode::Ambiguous, message);
            refusal.symbols = short(symbols);
            refusal.found = Some(found as u64);
            refusal
        }
    };
    Err(about(refusal, path))
}

/// Returns a name from the request, shortened for a message.
fn quoted(name: &str) -> String {
    let shown: String = name.chars().take(limits::EXCERPT).collect();
    format!("{shown:?}")
}

/// Returns the name paths that a message can list.
pub(crate) fn short(mut symbols: Vec<String>) -> Vec<String> {
    symbols.retain(|symbol| symbol.len() <= limits::SYMBOL_NAME);
    symbols.truncate(editd_types::limits::SYMBOLS_LISTED);
    symbols
}

/// Returns a sentence about the symbol that was chosen for a name, if other symbols with the name only declare it. The
/// sentence names the chosen symbol and the lines of the others.
pub(crate) fn chosen(text: &Text<'_>, outline: &Outline, symbol: &Symbol, name: &str) -> Option<String> {
    let beside = outline.declarations_beside(symbol, name);
    let named = |symbol: &Symbol| match text.lines_of(symbol.extent.clone()) {
        (first, last) if first >= last => format!("{} (line {first})", symbol.path),
        (first, last) => format!("{} (lines {first}-{last})", symbol.path),
    };
    let some = beside.iter().filter(|one| one.path.len() <= limits::SYMBOL_NAME).take(DECLARATIONS);
    let listed: Vec<String> = some.map(|one| named(one)).collect();
    let more = beside.len() - listed.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!beside.is_empty()).then(|| {
        format!("took {}, the implementation; declarations: {}{more}", named(symbol), listed.join(", "))
    })
}

/// Converts symbols to the form of a reply. Every byte of the text is read once, however many symbols there are.
fn symbol_infos(text: &Text<'_>, symbols: &[&Symbol]) -> Vec<SymbolInfo> {
    let ends = |range: &Range<usize>| [range.start, range.end];
    let mut offsets: Vec<usize> = Vec::with_capacity(symbols.len() * 7);
    for symbol in symbols {
        offsets.extend(ends(&symbol.extent));
        offsets.extend(ends(&symbol.definition));
        offsets.extend(symbol.body.iter().flat_map(ends));
        offsets.push(symbol.name.start);
    }
    let places = OffsetPositions::of(text, offsets);
    let listed = |symbol: &&Symbol| {
        let name = places.at(symbol.name.start);
        SymbolInfo {
            name: symbol.path.clone(),
            kind: symbol.kind.name().to_owned(),
            depth: symbol.depth as u64,
            lines: lines_of(places.extent(&symbol.extent)),
            definition: places.extent(&symbol.definition),
            body: symbol.body.as_ref().map(|body| places.extent(body)),
            position: SymbolPosition { line: name.line.saturating_sub(1), column: name.units },
            declarations: Vec::new(),
        }
    };
    symbols.iter().map(listed).collect()
}

/// Returns the first and the last line of a range. A range that ends with a line break does not reach into the next
/// line.
fn lines_of(extent: TextExtent) -> (u64, u64) {
    let ((first, _), (last, column)) = (extent.start, extent.end);
    (first, if column == 1 && last > first { last - 1 } else { last })
}

/// The position of an offset.
#[derive(Clone, Copy, Default, Debug)]
struct TextPosition {
    /// The 1-based line.
    line: u64,
    /// The number of Unicode scalar values in front of it on its line.
    scalars: u64,
    /// The number of UTF-16 code units in front of it on its line.
    units: u64,
}

/// Offsets in ascending order, with the position of each.
struct OffsetPositions(Vec<(usize, TextPosition)>);

impl OffsetPositions {
    fn of(text: &Text<'_>, mut offsets: Vec<usize>) -> Self {
        offsets.sort_unstable();
        offsets.dedup();
        let stop = text.breaks.stop();
        let mut from = 0;
        let mut here = TextPosition { line: 1, scalars: 0, units: 0 };
        let place = |at: usize| {
            let stretch = text.content.cut(from..at);
            from = at;
            let behind = match memchr::memrchr(stop, stretch.as_bytes()) {
                None => stretch,
                Some(last) => {
                    let breaks = memchr::memchr_iter(stop, stretch.as_bytes()).count();
                    here = TextPosition { line: here.line + breaks as u64, scalars: 0, units: 0 };
                    stretch.cut(last + 1..stretch.len())
                }
            };
            here.scalars += behind.chars().count() as u64;
            here.units += behind.chars().map(|letter| letter.len_utf16() as u64).sum::<u64>();
            (at, here)
        };
        Self(offsets.into_iter().map(place).collect())
    }

    fn at(&self, offset: usize) -> TextPosition {
        let found = self.0.binary_search_by_key(&offset, |(at, _)| *at).ok();
        found.and_then(|index| self.0.get(index)).map(|(_, place)| *place).unwrap_or_default()
    }

    fn extent(&self, range: &Range<usize>) -> TextExtent {
        let [start, end] = [range.start, range.end].map(|offset| self.at(offset));
        TextExtent { start: (start.line, start.scalars + 1), end: (end.line, end.scalars + 1) }
    }
}

#[cfg(test)]
mod tests;
