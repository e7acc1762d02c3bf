//! The command `blame`: for each line of a file, the entry that wrote it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use editctl::failure::Failure;
use editctl::journal::lines::{is_text, split};
use editctl::show::OutputStyle;
use editctl::show::letters::{TextStyle, for_terminal, one_line, word};
use editctl::{machine, values};
use editd_proto::ids::JobId;
use editd_proto::{ErrorCode, FilePath};
use serde::Serialize;

use crate::CommandOutput;
use crate::context::ReviewContext;
use crate::past::{PastEntry, PathHistory};
use crate::walk::{FILE, LineOrigin, LineWalk};

/// Maximum widths of a session and of a label, in characters.
const SESSION: usize = 20;
const LABEL: usize = 24;

/// The arguments of the command.
#[derive(Args, Debug)]
pub(crate) struct BlameArgs {
    /// The file
    path: PathBuf,
    /// Only these lines, from 1, inclusive; also A:B, A:, :B and a single number
    #[arg(long, value_name = "A-B", value_parser = values::lines)]
    lines: Option<(u64, u64)>,
}

/// The output in JSON.
#[derive(Serialize)]
struct BlameInJson<'a> {
    path: &'a FilePath,
    lines: Vec<LineInJson<'a>>,
    entries: Vec<EntryInJson<'a>>,
}

/// A line in JSON.
#[derive(Serialize)]
struct LineInJson<'a> {
    line: usize,
    /// `entry`, `before_journal`, `not_in_journal`, `not_kept` or `not_examined`.
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<JobId>,
    /// The text without its line feed, with invalid UTF-8 replaced.
    text: std::borrow::Cow<'a, str>,
}

/// An entry in JSON.
#[derive(Serialize)]
struct EntryInJson<'a> {
    id: JobId,
    kind: String,
    time: u64,
    session: &'a str,
    label: &'a Option<String>,
    /// The name of the file at that time.
    path: &'a FilePath,
}

/// The entries that wrote lines, with the name that the file had.
type LineAuthors = BTreeMap<JobId, (PastEntry, FilePath)>;

/// A shown line: its number, its origin and its text.
type OriginLine<'a> = (usize, LineOrigin, &'a [u8]);

/// Runs the command.
///
/// # Errors
/// The file cannot be read or is no text, or the daemon cannot be reached.
pub(crate) fn run(context: &ReviewContext<'_>, words: &BlameArgs) -> Result<CommandOutput, Failure> {
    let path = context.name(&words.path);
    let present = present(context, &path)?;
    let texts = split(&present);
    let (first, last) = words.lines.unwrap_or((1, u64::MAX));
    if words.lines.is_some() && (first > texts.len() as u64 || first > last) {
        let message = if first > last {
            format!("--lines {first}-{last}: the last line lies before the first")
        } else {
            format!("--lines: {path} has {} lines", texts.len())
        };
        return Err(Failure::refused(ErrorCode::OutOfRange, message));
    }
    let numbers = first..=last;
    let mut walk = LineWalk::new(PathHistory::new(context.caller()), &path, present.clone(), &numbers);
    let origins = walk.run()?;
    let lines: Vec<OriginLine<'_>> = (1..)
        .zip(origins)
        .zip(&texts)
        .map(|((number, origin), text)| (number, origin, text.strip_suffix(b"\n").unwrap_or(text)))
        .filter(|(number, ..)| numbers.contains(&(*number as u64)))
        .collect();
    let mut notes = Vec::new();
    if lines.iter().any(|(_, origin, _)| *origin == LineOrigin::NotExamined) {
        notes.push(
            "the search took too long, or the file has too many entries: some lines were not examined"
                .to_owned(),
        );
    }
    let out = if context.style.json {
        crate::in_json(&in_json(&path, &lines, &walk.authors))?
    } else {
        text(&lines, &walk.authors, context.style)
    };
    Ok(CommandOutput { out, notes })
}

/// Returns the content of the file as it is now.
fn present(context: &ReviewContext<'_>, path: &FilePath) -> Result<Vec<u8>, Failure> {
    let missing = || {
        let message =
            format!("there is no file {path}; `editctl log --path FILE` lists the entries that changed it");
        Failure::refused(ErrorCode::Missing, message)
    };
    let found = context.workspace.file(path);
    if found.as_deref().is_some_and(machine::is_folder) {
        let message = format!("{path} is a folder: name one of its files");
        return Err(Failure::refused(ErrorCode::Unsupported, message));
    }
    let file = found.filter(|file| machine::is_file(file)).ok_or_else(missing)?;
    let most = usize::try_from(FILE).unwrap_or(usize::MAX);
    let bytes =
        machine::read_whole(Some(&file), most).map_err(|error| Failure::File(path.display(), error))?;
    if is_text(&bytes) {
        Ok(bytes)
    } else {
        Err(Failure::refused(ErrorCode::Binary, format!("{path} is binary, so it has no lines")))
    }
}

/// Returns the words for the origin of a line that no entry wrote, for people and for JSON.
fn words_of(origin: LineOrigin) -> (&'static str, &'static str) {
    match origin {
        LineOrigin::Entry(_) => ("", "entry"),
        LineOrigin::BeforeJournal => ("before the journal", "before_journal"),
        LineOrigin::NotInJournal => ("not in the journal", "not_in_journal"),
        LineOrigin::NotKept => ("no longer kept", "not_kept"),
        LineOrigin::NotExamined => ("not examined", "not_examined"),
    }
}

fn in_json<'a>(path: &'a FilePath, lines: &'a [OriginLine<'a>], authors: &'a LineAuthors) -> BlameInJson<'a> {
    let line = |(line, origin, text): &OriginLine<'a>| LineInJson {
        line: *line,
        origin: words_of(*origin).1,
        entry: entry_of(*origin),
        text: String::from_utf8_lossy(text),
    };
    let entry = |(entry, path): &'a (PastEntry, FilePath)| EntryInJson {
        id: entry.id,
        kind: word(entry.kind),
        time: entry.time,
        session: &entry.session,
        label: &entry.label,
        path,
    };
    BlameInJson {
        path,
        lines: lines.iter().map(line).collect(),
        entries: named(lines, authors).map(entry).collect(),
    }
}

fn entry_of(origin: LineOrigin) -> Option<JobId> {
    match origin {
        LineOrigin::Entry(id) => Some(id),
        _ => None,
    }
}

/// Returns the entries that wrote some of these lines.
fn named<'a>(
    lines: &'a [OriginLine<'a>],
    authors: &'a LineAuthors,
) -> impl Iterator<Item = &'a (PastEntry, FilePath)> {
    let ids: std::collections::BTreeSet<JobId> =
        lines.iter().filter_map(|(_, origin, _)| entry_of(*origin)).collect();
    ids.into_iter().filter_map(|id| authors.get(&id))
}

/// Returns the lines as a table.
fn text(lines: &[OriginLine<'_>], authors: &LineAuthors, style: &OutputStyle) -> Vec<u8> {
    let rows: Vec<[String; 4]> = lines.iter().map(|(_, origin, _)| cells(*origin, authors, style)).collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let [entry, session, time, label] = widths;
    let number_width = lines.last().map_or(1, |(number, ..)| number.to_string().len());
    let mut out = Vec::new();
    for ((number, origin, content), [a, b, c, d]) in lines.iter().zip(&rows) {
        let by = format!("{a:>entry$}  {b:<session$}  {c:<time$}  {d:<label$}");
        let colour = if entry_of(*origin).is_some() { TextStyle::Place } else { TextStyle::Notice };
        out.extend_from_slice(style.paint(colour, &by).as_bytes());
        out.extend_from_slice(format!("  {number:>number_width$}) ").as_bytes());
        if style.terminal {
            // Colours of the content are escaped, too.
            out.extend_from_slice(&for_terminal(content, false));
        } else {
            out.extend_from_slice(content);
        }
        out.push(b'\n');
    }
    out
}

/// Returns the entry, the session, the time and the label of a line.
fn cells(origin: LineOrigin, authors: &LineAuthors, style: &OutputStyle) -> [String; 4] {
    match entry_of(origin).and_then(|id| authors.get(&id)) {
        Some((entry, _)) => [
            entry.id.to_string(),
            short(&entry.session, SESSION),
            style.time(entry.time),
            short(entry.label.as_deref().unwrap_or_default(), LABEL),
        ],
        None => ["-".to_owned(), words_of(origin).0.to_owned(), String::new(), String::new()],
    }
}

/// Returns a text on one line, with at most so many characters.
fn short(text: &str, most: usize) -> String {
    let text = one_line(text).replace('\t', " ");
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most.saturating_sub(1)).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use editctl::show::OutputStyle;

    use super::{LineAuthors, LineOrigin, text};

    #[test]
    fn a_terminal_obeys_no_content() {
        let lines = [(1, LineOrigin::BeforeJournal, &b"a\x1b[32mb\r\xff"[..])];
        let mut style = OutputStyle::of_this_terminal(false);
        (style.terminal, style.colour) = (false, false);
        let shown = text(&lines, &LineAuthors::new(), &style);
        assert_eq!(shown, b"-  before the journal      1) a\x1b[32mb\r\xff\n");
        (style.terminal, style.colour) = (true, true);
        let shown = text(&lines, &LineAuthors::new(), &style);
        let printed = style.printed(&shown).into_owned();
        assert_eq!(
            String::from_utf8_lossy(&printed),
            "\u{1b}[33m-  before the journal    \u{1b}[0m  1) a\\u{1b}[32mb\\r\\xff\n"
        );
    }
}
