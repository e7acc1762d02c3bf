//! `rename` and `copy` give a file, or a copy of it, another path. Fields: `to`, `overwrite`. They refuse a target
//! that exists unless `overwrite` is set.

use editd_types::{FileEdit, FilePath};

use super::fields;
use crate::Refusal;
use crate::refusal::malformed;

/// The destination of a rename or copy.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The other path.
    pub(crate) to: FilePath,
    /// True if a file at the destination may be overwritten.
    pub(crate) overwrite: bool,
}

pub(crate) fn parse(edit: &FileEdit) -> Result<Target, Refusal> {
    let to = fields::required(edit, "to", &edit.to)?.clone();
    if to.as_bytes().is_empty() {
        return Err(malformed("`to` is empty; name the new path"));
    }
    Ok(Target { to, overwrite: edit.overwrite.unwrap_or(false) })
}
