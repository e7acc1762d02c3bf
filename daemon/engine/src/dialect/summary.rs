//! The line of a dialect's reply that every dialect has: the job, and for each file the lines that changed. It has no
//! wording of its own beyond that.

use std::fmt::Write;

use editd_proto::ids::Version;
use editd_proto::message::{EditOutcome, EditStatus, FileOutcome, Receipt, Status};
use editd_proto::path::WirePath;

/// Files that are listed; the others are counted.
const FILES: usize = 3;

/// Places of a file that are listed; the others are counted.
const PLACES: usize = 3;

/// What a summary says of a file beside its changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// Nothing.
    Changes,
    /// The version that it has then, for a caller that edits it again by line numbers.
    Version,
}

/// Returns `job 17: src/a.rs +3 -1, lines 10-12`, or nothing where no file changed. A file with several stages is listed
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
    files.iter_mut().for_each(|file| file.places.sort_unstable());
    let listed: Vec<String> = files.iter().take(FILES).map(|file| file.text(detail)).collect();
    let more = (files.len().saturating_sub(FILES) as u64).saturating_add(receipt.omitted_files);
    let mut out = receipt.job.map(|job| format!("job {job}: ")).unwrap_or_default();
    out.push_str(&listed.join("; "));
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = write!(out, "; and {more} more files");
    }
    (!files.is_empty()).then_some(out)
}

/// Adds the summary to a reply, on a line of its own.
pub(super) fn add_summary(out: &mut String, receipt: &Receipt, detail: Detail) {
    if let Some(summary) = summary(receipt, detail) {
        let gap = if out.is_empty() || out.ends_with('\n') { "" } else { "\n" };
        out.extend([gap, &summary]);
    }
}

/// Returns true if something of a file was written, or would be.
fn is_changed(file: &FileOutcome) -> bool {
    matches!(file.status, Status::Applied | Status::Verified | Status::Partial)
}

/// The changes of one file.
struct FileSummary<'f> {
    path: &'f WirePath,
    version: Option<&'f Version>,
    /// Lines added and removed, where every stage tells.
    counts: Option<(u64, u64)>,
    places: Vec<(u64, u64)>,
    more: u64,
}

impl<'f> FileSummary<'f> {
    fn new(path: &'f WirePath) -> Self {
        Self { path, version: None, counts: Some((0, 0)), places: Vec::new(), more: 0 }
    }

    fn add(&mut self, file: &'f FileOutcome) {
        let counts = counts(file);
        self.version = file.after.as_ref();
        self.counts =
            self.counts.zip(counts).map(|(a, b)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1)));
        for edit in file.edits.iter().filter(|edit| edit.status == EditStatus::Applied) {
            self.place(edit);
        }
    }

    fn place(&mut self, edit: &EditOutcome) {
        let Some(lines) = edit.lines else { return };
        if self.places.len() < PLACES {
            self.places.push(lines);
        } else {
            self.more = self.more.saturating_add(1);
        }
        self.more = self.more.saturating_add(edit.replacements.unwrap_or(1).saturating_sub(1));
    }

    fn text(&self, detail: Detail) -> String {
        let mut out = self.path.to_string();
        if let Some(version) = self.version.filter(|_| detail == Detail::Version) {
            // Writing to a string cannot fail.
            let _ = write!(out, " {version}");
        }
        if let Some((added, removed)) = self.counts.filter(|counts| *counts != (0, 0)) {
            let _ = write!(out, " +{added} -{removed}");
        }
        let place = |&(first, last): &(u64, u64)| {
            if last <= first { first.to_string() } else { format!("{first}-{last}") }
        };
        let places: Vec<String> = self.places.iter().map(place).collect();
        if let Some(first) = self.places.first() {
            let one = places.len() == 1 && first.1 <= first.0 && self.more == 0;
            let _ = write!(out, ", {} {}", if one { "line" } else { "lines" }, places.join(", "));
        }
        if self.more > 0 {
            let _ = write!(out, " and {} more", self.more);
        }
        out
    }
}

/// Lines added and removed, as the diff shows them.
fn counts(file: &FileOutcome) -> Option<(u64, u64)> {
    let diff = file.diff.as_ref().filter(|_| file.omitted_hunks.is_none())?;
    let (mut added, mut removed, mut in_hunk) = (0, 0, false);
    for line in diff.lines() {
        in_hunk = line.starts_with("@@") || (in_hunk && !line.starts_with("diff "));
        added += u64::from(in_hunk && line.starts_with('+'));
        removed += u64::from(in_hunk && line.starts_with('-'));
    }
    Some((added, removed))
}
