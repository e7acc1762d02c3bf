//! The summary line in the reply of every dialect: the job, and for each file the lines that changed.

use std::fmt::Write;

use editd_types::{EditStatus, FileOutcome, FilePath, JobStatus, Receipt, Version};

/// Files that are listed; the others are counted.
const FILES: usize = 3;

/// Places of a file that are listed; the others are counted.
const PLACES: usize = 3;

/// The detail that a summary adds to the changes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// Nothing.
    Changes,
    /// The new version, for a caller that edits it again by line numbers.
    Version,
}

/// Returns `job 17: src/a.rs +3 -1, lines 10-12`, or nothing if no file changed. A file with several stages is listed
/// once.
pub(super) fn summary(receipt: &Receipt, detail: Detail) -> Option<String> {
    let mut files: Vec<FileSummary<'_>> = Vec::new();
    for file in receipt.files.iter().filter(|file| is_changed(file)) {
        match files.iter_mut().find(|known| *known.path == file.path) {
            Some(known) => known.add(file),
            None => {
                let mut one = FileSummary::new(&file.path);
                one.add(file);
                files.push(one);
            }
        }
    }
    for file in &mut files {
        file.places.sort_unstable();
        file.places.dedup_by(|later, place| {
            // Stages may have changed the same lines.
            let meets = later.0 <= place.1;
            place.1 = if meets { place.1.max(later.1) } else { place.1 };
            meets
        });
    }
    // A file without changed lines is not listed.
    let summaries: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{}{}", file.name(detail), file.changes()?))).collect();
    let more = (summaries.len().saturating_sub(FILES) as u64).saturating_add(receipt.omitted_files);
    let job = receipt.job.filter(|_| !files.is_empty()).map(|job| format!("job {job}"));
    let mut parts: Vec<String> = summaries.into_iter().take(FILES).collect();
    if more > 0 {
        parts.push(format!("and {more} more files"));
    }
    match (job, parts.is_empty()) {
        (job, true) => job,
        (Some(job), false) => Some(format!("{job}: {}", parts.join("; "))),
        (None, false) => Some(parts.join("; ")),
    }
}

/// Returns `+3 -1, lines 10-12` of one file entry, for a dialect that lists the files itself; nothing if no line
/// changed.
pub(super) fn changes(file: &FileOutcome) -> Option<String> {
    let mut one = FileSummary::new(&file.path);
    one.add(file);
    one.changes()
        .filter(|_| is_changed(file))
        .map(|changes| changes.trim_start_matches([',', ' ']).to_owned())
}

/// Adds the job's number to a reply that lists the files itself.
pub(super) fn add_job(out: &mut String, receipt: &Receipt) {
    if let Some(job) = receipt.job {
        add_line(out, &format!("job {job}"));
    }
}

/// Adds the summary to a reply, on a separate line.
pub(super) fn add_summary(out: &mut String, receipt: &Receipt, detail: Detail) {
    if let Some(summary) = summary(receipt, detail) {
        add_line(out, &summary);
    }
}

/// Adds a line to a reply, after a line break if the reply does not end in one.
pub(super) fn add_line(out: &mut String, line: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(line);
}

/// Returns true if something of a file was written, or would be.
fn is_changed(file: &FileOutcome) -> bool {
    matches!(file.status, JobStatus::Applied | JobStatus::Verified | JobStatus::Partial)
}

/// The changes of one file.
struct FileSummary<'f> {
    path: &'f FilePath,
    version: Option<&'f Version>,
    /// Lines added and removed; absent if a stage changed the result of an earlier one.
    counts: Option<(u64, u64)>,
    /// The lines that changed, as the last stage left them.
    places: Vec<(u64, u64)>,
    /// Places that are not among those.
    more: u64,
}

impl<'f> FileSummary<'f> {
    fn new(path: &'f FilePath) -> Self {
        Self { path, version: None, counts: Some((0, 0)), places: Vec::new(), more: 0 }
    }

    /// Adds a stage.
    fn add(&mut self, file: &'f FileOutcome) {
        self.version = file.after.as_ref();
        if !self.places.is_empty() {
            self.follow(file);
        }
        let counts = (file.added, file.removed);
        self.counts =
            self.counts.map(|known| (known.0.saturating_add(counts.0), known.1.saturating_add(counts.1)));
        self.places.extend(&file.lines.0);
        let listed = file.lines.0.len() as u64;
        self.more = self.more.saturating_add(file.places.unwrap_or(listed).saturating_sub(listed));
    }

    /// Moves the places of earlier stages to where a later stage has left them. If that is not certain, they are left out.
    fn follow(&mut self, file: &FileOutcome) {
        let Some(moves) = moves(file) else {
            self.counts = None;
            self.places.clear();
            return;
        };
        for place in &mut self.places {
            let mut moved = *place;
            for (old, new) in &moves {
                // A line below an edit is moved by that edit and all edits above it.
                let grown = |line: u64| line.saturating_add(new.1).saturating_sub(old.1);
                if place.0 > old.1 {
                    moved.0 = grown(place.0);
                }
                if place.1 > old.1 {
                    moved.1 = grown(place.1);
                }
                if place.0 <= old.1 && place.1 >= old.0 {
                    self.counts = None;
                    moved = (moved.0.min(new.0), moved.1.max(new.1));
                }
            }
            *place = moved;
        }
    }

    fn name(&self, detail: Detail) -> String {
        match self.version.filter(|_| detail == Detail::Version) {
            Some(version) => format!("{} {version}", self.path),
            None => self.path.to_string(),
        }
    }

    /// Returns ` +3 -1, lines 10-12`; nothing if no line changed.
    fn changes(&self) -> Option<String> {
        let mut out = String::new();
        if let Some((added, removed)) = self.counts.filter(|counts| *counts != (0, 0)) {
            // Writing to a string cannot fail.
            let _ = write!(out, " +{added} -{removed}");
        }
        let place = |&(first, last): &(u64, u64)| {
            if last <= first { first.to_string() } else { format!("{first}-{last}") }
        };
        let listed: Vec<String> = self.places.iter().take(PLACES).map(place).collect();
        let more = self.more.saturating_add(self.places.len().saturating_sub(PLACES) as u64);
        if let [(first, last)] = self.places.as_slice()
            && last <= first
            && more == 0
        {
            let _ = write!(out, ", line {first}");
        } else if !listed.is_empty() {
            let _ = write!(out, ", lines {}", listed.join(", "));
        }
        if more > 0 {
            let _ = write!(out, " and {more} more");
        }
        (!out.is_empty()).then_some(out)
    }
}

/// First and last line.
type LineSpan = (u64, u64);

/// Returns the lines of each edit of a stage, before and after the whole stage, from the top; `None` if they are not known.
fn moves(file: &FileOutcome) -> Option<Vec<(LineSpan, LineSpan)>> {
    let applied: Vec<_> = file.edits.iter().filter(|edit| edit.status == EditStatus::Applied).collect();
    let once = applied.iter().all(|edit| edit.replacements.is_none_or(|count| count == 1));
    // A hunk quotes more lines than it changes; with one edit, the counts of the file are those of the edit.
    let before = |line: u64| line.saturating_add(file.removed).saturating_sub(file.added);
    if let ([one], true) = (applied.as_slice(), once) {
        return one.now.map(|new| vec![((new.0, before(new.1)), new)]);
    }
    let both = applied.iter().map(|edit| edit.lines.zip(edit.now).filter(|_| once));
    let mut moves = both.collect::<Option<Vec<_>>>()?;
    moves.sort_unstable();
    let agrees = moves.last().is_none_or(|(old, new)| before(new.1) == old.1);
    agrees.then_some(moves)
}

#[cfg(test)]
mod tests {
    use editd_types::EditOutcome;

    use super::*;

    /// Returns a stage that changes these lines, before and after.
    fn stage(
        lines: &[(u64, u64)],
        (added, removed): (u64, u64),
        edits: &[(LineSpan, LineSpan)],
    ) -> FileOutcome {
        let edit = |(old, new): &(LineSpan, LineSpan)| EditOutcome {
            lines: Some(*old),
            now: Some(*new),
            ..EditOutcome::new(EditStatus::Applied)
        };
        FileOutcome {
            lines: editd_types::LineRanges(lines.to_vec()),
            added,
            removed,
            edits: edits.iter().map(edit).collect(),
            ..FileOutcome::new(FilePath::from("f"), JobStatus::Applied)
        }
    }

    fn summaries(stages: Vec<FileOutcome>) -> String {
        let receipt = Receipt { files: stages, ..Receipt::new(None, JobStatus::Applied) };
        summary(&receipt, Detail::Changes).unwrap_or_default()
    }

    #[test]
    fn lines_of_an_earlier_stage_are_moved_once_by_the_edits_above_them() {
        let first = stage(&[(100, 100)], (1, 1), &[((100, 100), (100, 100))]);
        let below = [((10, 9), (10, 14)), ((20, 20), (25, 25)), ((103, 103), (108, 108))];
        let second = stage(&[(10, 14), (25, 25), (108, 108)], (7, 2), &below);
        assert_eq!(summaries(vec![first, second]), "f +8 -3, lines 10-14, 25, 105 and 1 more");
    }

    #[test]
    fn the_context_of_a_hunk_moves_no_lines() {
        let first = stage(&[(100, 100)], (1, 1), &[((97, 103), (100, 100))]);
        let second = stage(&[(13, 13)], (1, 1), &[((10, 16), (13, 13))]);
        assert_eq!(summaries(vec![first, second]), "f +2 -2, lines 13, 100");
    }

    #[test]
    fn lines_of_an_earlier_stage_are_left_out_where_their_place_is_not_certain() {
        let first = stage(&[(100, 100)], (1, 1), &[((97, 103), (100, 100))]);
        let hunks = [((10, 16), (13, 13)), ((30, 36), (33, 34))];
        let second = stage(&[(13, 13), (33, 34)], (3, 2), &hunks);
        assert_eq!(summaries(vec![first, second]), "f, lines 13, 33-34");
    }
}
