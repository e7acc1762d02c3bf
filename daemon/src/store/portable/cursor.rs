//! The position between two pieces of an export, as text that a client sends back. Pure: it trusts nothing of the text.

use std::fmt;

use super::NUMBER;

/// The version of the text.
const VERSION: &str = "1";

/// The position between two pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportCursor {
    /// The first entry of the export.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// The next line.
    pub stage: ExportStage,
}

/// The part of the journal that comes next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExportStage {
    /// Entries, from this one on. If some of its lines were written, the next one.
    Entries(u64, Option<NextLine>),
    /// Clipboards, from the last row down to the first: those before this key.
    Clipboards(Option<Vec<u8>>),
}

/// A line within an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextLine {
    /// Its place.
    pub at: LinePlace,
    /// The [`super::render::fingerprint`] of the entry: another one means that the lines before do not fit those after.
    pub fingerprint: u64,
}

/// The place of a line within an entry: the file from 1 (0 for the line of the entry itself), the item of the file, the
/// part of the item.
pub type LinePlace = (u32, u64, u64);

impl fmt::Display for ExportCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VERSION}.{}.{}", self.first, self.last)?;
        match &self.stage {
            ExportStage::Entries(next, None) => write!(f, ".e.{next}"),
            ExportStage::Entries(next, Some(NextLine { at: (file, item, part), fingerprint })) => {
                write!(f, ".e.{next}.{file}.{item}.{part}.{fingerprint}")
            }
            ExportStage::Clipboards(None) => f.write_str(".c"),
            ExportStage::Clipboards(Some(key)) => {
                f.write_str(".c.")?;
                key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

impl ExportCursor {
    /// Parses the text; `None` if no export has made it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split('.');
        if words.next() != Some(VERSION) {
            return None;
        }
        let (first, last) = (number(words.next()?)?, number(words.next()?)?);
        let stage = match words.next()? {
            "e" => {
                let next = number(words.next()?)?;
                let within = match words.next() {
                    None => None,
                    Some(file) => {
                        let at =
                            (file.parse().ok()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                        Some(NextLine { at, fingerprint: words.next()?.parse().ok()? })
                    }
                };
                ExportStage::Entries(next, within)
            }
            "c" => ExportStage::Clipboards(match words.next() {
                None => None,
                Some(hex) => Some(key(hex)?),
            }),
            _ => return None,
        };
        words.next().is_none().then_some(Self { first, last, stage })
    }
}

/// Parses the number of an entry.
fn number(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|number| *number <= NUMBER)
}

/// Parses the key of a row.
fn key(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    (pairs.remainder().is_empty() && hex.len() <= 256)
        .then(|| pairs.map(|pair| pair.iter().fold(0, |sum, digit| sum << 4 | digit)).collect())
}
