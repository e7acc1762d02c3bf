//! The names in a path, as text. It opens nothing.

use super::WorkspaceRoot;

/// Returns the names of a path, without empty ones and `.`.
pub(in crate::disk) fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."))
}

/// Returns true if the end of the path says that it is a folder.
pub(super) fn ends_as_folder(path: &[u8]) -> bool {
    matches!(path.rsplit(|byte| *byte == b'/').next(), Some(b"" | b"." | b".."))
}

/// Returns the names in an absolute path that leads into the root, behind those of the root; the path may have another
/// name of the root.
pub(super) fn into_root<'p>(root: &WorkspaceRoot, path: &'p [u8]) -> Option<Vec<&'p [u8]>> {
    below(root.path.as_os_str().as_encoded_bytes(), path).or_else(|| below(root.other_name(path)?, path))
}

/// Returns the names in a path behind those of a folder, if it begins with them.
fn below<'p>(folder: &[u8], path: &'p [u8]) -> Option<Vec<&'p [u8]>> {
    let mut rest = names(path);
    names(folder).all(|name| rest.next() == Some(name)).then(|| rest.collect())
}

/// Returns true if a link's target climbs above the root from so many folders below it.
pub(super) fn climbs_out(depth: usize, target: &[&[u8]]) -> bool {
    let mut left = depth;
    for name in target {
        if *name != b".." {
            // What follows a name may be a link itself: the further steps decide.
            return false;
        }
        match left.checked_sub(1) {
            Some(above) => left = above,
            None => return true,
        }
    }
    false
}
