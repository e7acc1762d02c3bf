//! Words the results of counting the places of the patterns of an entry: errors about their sum, and a warning about files
//! that were not searched.

use std::collections::BTreeSet;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::FileEdit;
use editd_proto::path::FilePath;

use super::MatchedFile;
use crate::limits::COUNTS_TOLD;

/// The files and folders that a warning names.
const FORBIDDEN_TOLD: usize = 3;

/// Returns the warning about files and folders that the globs of an entry lead to and that were not searched.
pub(super) fn unsearched(forbidden: &BTreeSet<FilePath>, number: usize) -> Option<String> {
    let more = forbidden.len().saturating_sub(FORBIDDEN_TOLD);
    let mut shown: Vec<String> = forbidden.iter().take(FORBIDDEN_TOLD).map(FilePath::display).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    let shown = shown.join(", ");
    (!forbidden.is_empty()).then(|| {
        format!("files[{number}].paths leaves out files and folders that editd may not read: {shown}")
    })
}

/// Refuses an edit whose pattern is in no file, or is at a different total number of places than it expects.
pub(super) fn check_sum(
    edit: &FileEdit,
    index: usize,
    files: &[MatchedFile],
    looked_at: usize,
    number: usize,
) -> Result<(), Refusal> {
    let sum: u64 = files.iter().map(|file| file.count(index)).sum();
    let named = files.iter().any(|file| file.exact);
    let mut error = match edit.expect {
        _ if sum == 0 && named => return Ok(()),
        _ if sum == 0 => {
            let message = match looked_at {
                0 => format!(
                    "files[{number}].paths matches no file; correct the globs (files that git ignores are left out)"
                ),
                files => format!(
                    "the pattern occurs in none of the {files} files that files[{number}].paths matches; correct the pattern or the globs"
                ),
            };
            RequestError::new(ErrorCode::NotFound, message)
        }
        Some(expected) if expected != sum => {
            let counts = told_counts(files, index);
            let message = format!(
                "{sum} places are to change, not {expected}: {counts}; check them and correct `expect`"
            );
            let mut error = RequestError::new(ErrorCode::CountMismatch, message);
            (error.found, error.expected) = (Some(sum), Some(expected));
            error
        }
        _ => return Ok(()),
    };
    error.edit = u64::try_from(index).ok().map(|index| index + 1);
    Err(Box::new(error))
}

/// Lists some files with the number of places of an edit's pattern.
fn told_counts(files: &[MatchedFile], index: usize) -> String {
    let counted: Vec<(&MatchedFile, u64)> =
        files.iter().map(|file| (file, file.count(index))).filter(|(_, count)| *count > 0).collect();
    let told = counted.iter().take(COUNTS_TOLD).map(|(file, count)| format!("{count} in {}", file.path));
    let mut told: Vec<String> = told.collect();
    let more = counted.get(COUNTS_TOLD..).unwrap_or_default();
    if !more.is_empty() {
        let places: u64 = more.iter().map(|(_, count)| count).sum();
        told.push(format!("{places} in {} more", more.len()));
    }
    told.join(", ")
}
