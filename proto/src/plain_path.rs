//! The usual form of an absolute path on Windows. It compares text alone and touches no file.

use std::path::{Path, PathBuf};

/// Returns a path without the prefix `\\?\` that resolving links puts before it on Windows: `C:\project`, or
/// `\\server\share\project`. Other paths, those with another prefix, and those that only that prefix makes possible are
/// returned as they are.
///
/// # Examples
/// ```
/// use editd_proto::plain_path::plain;
///
/// assert_eq!(plain(r"\\?\C:\project".into()), std::path::Path::new(r"C:\project"));
/// assert_eq!(plain(r"\\?\UNC\server\share\project".into()), std::path::Path::new(r"\\server\share\project"));
/// assert_eq!(plain("/home/me/project".into()), std::path::Path::new("/home/me/project"));
/// ```
#[must_use]
pub fn plain(path: PathBuf) -> PathBuf {
    shortened(&path).unwrap_or(path)
}

/// The length from which some calls of Windows take no path without the prefix.
const LONG: usize = 248;

fn shortened(path: &Path) -> Option<PathBuf> {
    let rest = path.to_str()?.strip_prefix(r"\\?\")?;
    if rest.len() >= LONG || rest.split('\\').any(|name| name.ends_with(['.', ' ']) || name.contains('/')) {
        return None;
    }
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Some(PathBuf::from(format!(r"\\{share}")));
    }
    let mut letters = rest.chars();
    let is_drive = letters.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters.next() == Some('\\');
    is_drive.then(|| PathBuf::from(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_needs_its_prefix_keeps_it() {
        let long = format!(r"\\?\C:\{}", "x".repeat(LONG));
        for path in
            [r"\\?\Volume{1}\a", r"\\?\C:", r"\\?\C:\a.", r"\\?\C:\a \b", r"\\.\pipe\a", r"C:\a", &long]
        {
            assert_eq!(plain(path.into()), Path::new(path));
        }
    }
}
