//! The paths in the text of a patch in the format of `apply_patch`. Pure.

/// The beginnings of the lines that name a file.
const MARKS: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Returns the paths that a patch names.
pub(crate) fn paths(patch: &str) -> Vec<String> {
    let named = patch.lines().filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
    named.map(|path| path.trim().to_owned()).filter(|path| !path.is_empty()).collect()
}
