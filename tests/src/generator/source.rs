//! One file as edits are drawn from it: its lines and their endings, as it is or reshaped. It knows nothing of
//! edits.

use std::fs;

use fastrand::Rng;

use super::change::ChangeSite;
use super::corpus::{DrawnFile, Language};
use super::versions;

/// One line.
#[derive(Clone, Debug)]
pub(super) struct SourceLine {
    /// Without its ending.
    pub(super) text: String,
    /// `""` only at the end of the file.
    pub(super) ending: &'static str,
}

/// The line endings of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineEndings {
    /// All alike.
    Same(&'static str),
    /// Both kinds.
    Mixed,
}

/// A file.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// The path it has in payloads.
    pub(super) path: String,
    /// The path that it was read from.
    pub(super) origin: String,
    pub(super) language: Language,
    pub(super) bom: bool,
    pub(super) lines: Vec<SourceLine>,
    pub(super) endings: LineEndings,
    /// Every line with `\n` where it has an ending.
    pub(super) lf: String,
    /// Offsets in `lf` at which the lines start.
    pub(super) starts: Vec<usize>,
    /// The lines, trimmed and folded, for finding what looks alike.
    pub(super) loose: Vec<String>,
    /// The changes that the authors made in the next version.
    pub(super) changes: Vec<ChangeSite>,
}

impl SourceFile {
    /// Reads a file and perhaps reshapes it: other endings, no final break, a BOM, tabs. `None` where it is not
    /// text, or too short to be edited.
    pub(super) fn read(drawn: &DrawnFile<'_>, rng: &mut Rng) -> Option<Self> {
        let (path, language) = (drawn.path, drawn.language);
        let text = String::from_utf8(fs::read(path).ok()?).ok()?;
        let (bom, text) = match text.strip_prefix('\u{feff}') {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        if text.contains('\0') || text.replace("\r\n", "\n").contains('\r') {
            return None;
        }
        let mut lines: Vec<SourceLine> = text.split_inclusive('\n').map(line).collect();
        if lines.len() < 5 {
            return None;
        }
        let later = drawn.later.and_then(|path| String::from_utf8(fs::read(path).ok()?).ok());
        let mut changes = later.map(|later| changed(text, &later)).unwrap_or_default();
        let bom = reshape(&mut lines, &mut changes, bom, rng);
        let name = path.file_name()?.to_str()?;
        let made = Self::made(format!("src/{name}"), path.display().to_string(), language, bom, lines);
        Some(Self { changes, ..made })
    }

    pub(super) fn made(
        path: String,
        origin: String,
        language: Language,
        bom: bool,
        lines: Vec<SourceLine>,
    ) -> Self {
        let mut lf = String::new();
        let mut starts = Vec::with_capacity(lines.len());
        for line in &lines {
            starts.push(lf.len());
            lf.push_str(&line.text);
            if !line.ending.is_empty() {
                lf.push('\n');
            }
        }
        let kinds = |kind: &str| lines.iter().any(|line| line.ending == kind);
        let endings = match (kinds("\n"), kinds("\r\n")) {
            (true, true) => LineEndings::Mixed,
            (false, true) => LineEndings::Same("\r\n"),
            _ => LineEndings::Same("\n"),
        };
        let loose = lines.iter().map(|line| loosened(&line.text)).collect();
        let changes = Vec::new();
        Self { path, origin, language, bom, lines, endings, lf, starts, loose, changes }
    }

    /// The content.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.bom { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
        for line in &self.lines {
            bytes.extend_from_slice(line.text.as_bytes());
            bytes.extend_from_slice(line.ending.as_bytes());
        }
        bytes
    }

    /// The texts of some lines.
    pub(super) fn texts(&self, range: std::ops::Range<usize>) -> Vec<String> {
        self.lines[range].iter().map(|line| line.text.clone()).collect()
    }

    /// Returns true if the last line has no ending.
    pub(super) fn is_open(&self) -> bool {
        self.lines.last().is_some_and(|line| line.ending.is_empty())
    }

    /// One level of indentation, as far as the lines show it.
    pub(super) fn unit(&self) -> String {
        let count = |start: &str| self.lines.iter().filter(|line| line.text.starts_with(start)).count();
        if count("\t") > count("  ") {
            return "\t".to_owned();
        }
        let two = |line: &&SourceLine| indent(&line.text).len() % 4 == 2;
        let indented = self.lines.iter().filter(|line| line.text.starts_with("  ")).count();
        let narrow = self.lines.iter().filter(two).count() * 4 > indented.max(1);
        // Most lines of a short file may stand at two steps of two, as a list in a setting does.
        if narrow || self.steps(2) > self.steps(4) { "  ".to_owned() } else { "    ".to_owned() }
    }

    /// Returns the number of lines that are this much deeper than the line before.
    fn steps(&self, width: usize) -> usize {
        let filled = self.lines.iter().filter(|line| !line.text.trim().is_empty());
        let depths: Vec<usize> = filled.map(|line| indent(&line.text).len()).collect();
        depths.windows(2).filter(|pair| pair[1] == pair[0] + width).count()
    }

    /// Returns the places of runs of whole lines that are equal once trimmed and folded.
    pub(super) fn alike(&self, quoted: &[String]) -> Vec<usize> {
        let wanted: Vec<String> = quoted.iter().map(|line| loosened(line)).collect();
        windows(&self.loose, &wanted)
    }
}

/// The first lines of the windows that equal `wanted`.
pub(super) fn windows(lines: &[String], wanted: &[String]) -> Vec<usize> {
    if wanted.is_empty() || wanted.len() > lines.len() {
        return Vec::new();
    }
    (0..=lines.len() - wanted.len()).filter(|at| lines[*at..*at + wanted.len()] == *wanted).collect()
}

/// The white space before a line's text.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A line as it looks: without the white space around it, quotes and dashes as on a keyboard.
pub(super) fn loosened(line: &str) -> String {
    plain(line).trim().to_owned()
}

/// Typographic characters as they are typed.
pub(super) fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '‘' | '’' | '‚' | '‛' => plain.push('\''),
            '“' | '”' | '„' | '‟' => plain.push('"'),
            '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => plain.push('-'),
            '…' => plain.push_str("..."),
            '\u{a0}' | '\u{202f}' | '\u{2007}' => plain.push(' '),
            '\u{ff01}'..='\u{ff5e}' => {
                plain.push(char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter));
            }
            other => plain.push(other),
        }
    }
    plain
}

fn line(text: &str) -> SourceLine {
    let (text, ending) = match (text.strip_suffix("\r\n"), text.strip_suffix('\n')) {
        (Some(body), _) => (body, "\r\n"),
        (None, Some(body)) => (body, "\n"),
        (None, None) => (text, ""),
    };
    SourceLine { text: text.to_owned(), ending }
}

/// Gives a third of the files another shape than they have. Returns whether there is a BOM.
fn reshape(lines: &mut [SourceLine], changes: &mut [ChangeSite], bom: bool, rng: &mut Rng) -> bool {
    match rng.usize(0..100) {
        0..12 => each_ending(lines, |_| "\r\n"),
        12..16 => each_ending(lines, |at| if at % 3 == 0 { "\r\n" } else { "\n" }),
        16..22 => {
            if let Some(last) = lines.last_mut().filter(|line| !line.text.is_empty()) {
                last.ending = "";
            }
        }
        22..25 => return true,
        25..30 => {
            let new = changes.iter_mut().flat_map(|site| &mut site.new);
            for text in lines.iter_mut().map(|line| &mut line.text).chain(new) {
                let spaces = text.len() - text.trim_start_matches(' ').len();
                *text = "\t".repeat(spaces / 4) + &text[spaces / 4 * 4..];
            }
        }
        _ => {}
    }
    bom
}

/// Returns the changes from one text to the next.
fn changed(old: &str, new: &str) -> Vec<ChangeSite> {
    let new = new.strip_prefix('\u{feff}').unwrap_or(new);
    let [old, new] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    versions::changes(&old, &new)
}

fn each_ending(lines: &mut [SourceLine], ending: impl Fn(usize) -> &'static str) {
    for (at, line) in lines.iter_mut().enumerate().filter(|(_, line)| !line.ending.is_empty()) {
        line.ending = ending(at);
    }
}
