//! The change of a file that a section of a diff asks for: created, changed, deleted, renamed or copied. It reads no
//! file.

use editd_types::{ErrorCode, FilePath};

use super::header::bare;
use super::names::{Side, agreed};
use super::parse::{DiffHunk, FilePatch, Pair, fault};
use crate::Refusal;
use crate::dialect::PayloadContext;

/// The change of a file as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FileOperation {
    /// Its content or its mode changes.
    Change(FilePath),
    /// It is created, and must not exist.
    Create(FilePath),
    /// It is created, or is empty and is filled.
    Fill(FilePath),
    /// It is deleted.
    Delete(FilePath),
    /// It is renamed.
    Rename {
        /// The old path.
        from: FilePath,
        /// The new path.
        to: FilePath,
    },
    /// It is copied.
    Copy {
        /// The file that is copied.
        from: FilePath,
        /// The path of the copy.
        to: FilePath,
    },
}

/// Returns the change that a section asks for.
///
/// # Errors
/// `malformed` if it names no file, two files, or two different changes; `outside`.
pub(super) fn file_operation(
    file: &FilePatch<'_>,
    setting: &PayloadContext<'_>,
) -> Result<FileOperation, Refusal> {
    let moves = |pair: &Pair<'_>| *pair != Pair::default();
    let (renamed, copied) = (moves(&file.renamed), moves(&file.copied));
    let says = [file.comes.is_some(), file.goes.is_some(), renamed, copied];
    if says.iter().filter(|flag| **flag).count() > 1 {
        let what = "the section says two of: the file is created, deleted, renamed, copied; say one";
        return Err(fault(file.line, ErrorCode::Malformed, what));
    }
    let path = |name: &str| setting.path_or(Some(name));
    match agreed(file)? {
        None => changed(file, setting.path_or(None)?),
        Some((Side::File(from), Side::File(to))) if renamed || copied => {
            let (from, to) = (setting.inside(from)?, setting.inside(to)?);
            Ok(match renamed {
                true if from == to => FileOperation::Change(from),
                true => FileOperation::Rename { from, to },
                false => FileOperation::Copy { from, to },
            })
        }
        Some((Side::Nothing, Side::Nothing)) => {
            Err(fault(file.line, ErrorCode::Malformed, "both names are `/dev/null`; name the file"))
        }
        Some((Side::Nothing, Side::File(_))) if file.goes.is_some() => {
            let what = "the section deletes the file, but its old name is `/dev/null`; correct it";
            Err(fault(file.line, ErrorCode::Malformed, what))
        }
        Some((Side::File(_), Side::Nothing)) if file.comes.is_some() => {
            let what = "the section creates the file, but its new name is `/dev/null`; correct it";
            Err(fault(file.line, ErrorCode::Malformed, what))
        }
        Some((Side::Nothing, Side::File(new))) => Ok(FileOperation::Create(path(new)?)),
        Some((Side::File(old), Side::Nothing)) => Ok(FileOperation::Delete(path(old)?)),
        Some((Side::File(old), Side::File(new))) => {
            let path = one(file, old, new, setting)?;
            match (file.comes, file.goes) {
                (Some(_), _) => Ok(FileOperation::Create(path)),
                (None, Some(_)) => Ok(FileOperation::Delete(path)),
                (None, None) => changed(file, path),
            }
        }
    }
}

/// Returns true if the header of a hunk gives the old file no lines.
fn fills(hunk: &DiffHunk) -> bool {
    hunk.body.counts.0 == 0 && hunk.numbers.is_some_and(|numbers| numbers.old == (0, 0))
}

/// Returns the change of a file that has one name. GNU diff marks a created or deleted file by its time stamp and its
/// numbers.
fn changed(file: &FilePatch<'_>, path: FilePath) -> Result<FileOperation, Refusal> {
    match file.hunks.as_slice() {
        [hunk] if fills(hunk) || (file.epoch.0 && hunk.body.counts.0 == 0) => Ok(FileOperation::Fill(path)),
        [hunk] if file.epoch.1 && hunk.body.counts.0 > 0 && hunk.body.counts.1 == 0 => {
            Ok(FileOperation::Delete(path))
        }
        // Beside other hunks, such a hunk adds lines before the first one, as in `git diff -U0`.
        hunks => match hunks.iter().find(|hunk| file.epoch.0 && fills(hunk)) {
            Some(hunk) => {
                let what = "`-0,0` and the time stamp say that the old file does not exist, and another hunk quotes \
                            lines of it; correct the time stamp";
                Err(fault(hunk.line, ErrorCode::Malformed, what))
            }
            None => Ok(FileOperation::Change(path)),
        },
    }
}

/// Returns the one file that both names mean.
///
/// # Errors
/// `malformed` if they may mean two files.
fn one(
    file: &FilePatch<'_>,
    old: &str,
    new: &str,
    setting: &PayloadContext<'_>,
) -> Result<FilePath, Refusal> {
    let kept = [".orig", ".old", ".bak", "~"].iter().any(|end| old.strip_suffix(end) == Some(new));
    if old == new || kept {
        return setting.path_or(Some(new));
    }
    // If both names may mean the path that the request names, it is that file.
    if let (Some(_), Some(rest)) = (setting.path, bare(old).filter(|rest| bare(new) == Some(*rest))) {
        for name in [new, old, rest] {
            if let Ok(path) = setting.path_or(Some(name)) {
                return Ok(path);
            }
        }
    }
    let what =
        "the lines `---` and `+++` name two files; give one name, or say `rename from` and `rename to`";
    Err(fault(file.line, ErrorCode::Malformed, what))
}
