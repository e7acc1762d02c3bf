//! The operations of an entry on the file as a whole: delete, rename, copy, chmod. They change no content.

use editd_types::{ContentHash, ErrorCode, FilePath};

use super::combine::is_text;
use super::needs::Parsed;
use super::stage::{EditReport, EditReports};
use super::verdict::Verdicts;
use crate::op::{Op, Target};
use crate::refusal::refuse;
use crate::tree::Tree;
use crate::{FileState, Refusal};

/// A file that `rename` or `copy` replaced.
pub(super) struct Replaced<'j> {
    pub(super) path: &'j FilePath,
    pub(super) before: FileState,
    pub(super) after: FileState,
    /// The warning for the user.
    pub(super) warning: String,
}

/// Performs the file operations in the order of the request. Returns the new path of the file if it was renamed, and
/// the replaced files.
pub(super) fn run<'j>(
    ops: &'j Parsed,
    tree: &mut Tree<'_>,
    path: &FilePath,
    verdicts: &mut Verdicts<'_>,
    reports: &mut EditReports,
) -> Result<(Option<&'j FilePath>, Vec<Replaced<'j>>), Refusal> {
    let (mut moved, mut replaced) = (None, Vec::new());
    for (edit, op) in ops.iter().enumerate() {
        let Ok(op) = op else { continue };
        if is_text(op) || !verdicts.stands(edit) {
            continue;
        }
        let at = moved.unwrap_or(path);
        if tree.node(at)?.state == FileState::Absent {
            verdicts.refuse(edit, refuse(ErrorCode::Missing, format!("{path} does not exist")))?;
            continue;
        }
        let done = match op {
            Op::Chmod(mode) => tree.chmod(at, *mode).map(Some),
            Op::Delete => tree.remove(path).map(|()| Some(true)),
            Op::Copy(target) | Op::Rename(target) => put(tree, path, target, &mut replaced),
            _ => Ok(None),
        };
        match done {
            Ok(Some(changed)) => {
                if let Op::Rename(target) = op
                    && target.to != *path
                {
                    tree.remove(path)?;
                    moved = Some(&target.to);
                }
                let changed = changed || (moved.is_some() && matches!(op, Op::Rename(_)));
                if let Some(report) = reports.get_mut(edit) {
                    *report = Some(Box::new(EditReport::plain(changed)));
                }
            }
            Ok(None) => {}
            Err(refusal) => verdicts.refuse(edit, refusal)?,
        }
    }
    Ok((moved, replaced))
}

fn put<'j>(
    tree: &mut Tree<'_>,
    path: &FilePath,
    target: &'j Target,
    replaced: &mut Vec<Replaced<'j>>,
) -> Result<Option<bool>, Refusal> {
    let hash = tree.node(path)?.hash();
    let node = tree.node(&target.to)?;
    let (before, old) = (node.state.clone(), node.hash());
    if !target.overwrite && before != FileState::Absent {
        let to = &target.to;
        return Err(refuse(
            ErrorCode::Exists,
            format!("{to} exists; choose another path, or say `overwrite`"),
        ));
    }
    tree.check_room(&target.to)?;
    let changed = tree.copy(path, &target.to)?;
    if changed && before != FileState::Absent {
        let after = tree.node(&target.to)?.state.clone();
        let tag = |hash: Option<ContentHash>| hash.map(|hash| hash.version().0).unwrap_or_default();
        let warning = format!("{} was replaced: it was {}, and is {} now", target.to, tag(old), tag(hash));
        replaced.push(Replaced { path: &target.to, before, after, warning });
    }
    Ok(Some(changed))
}
