//! The context of a translation: the path given beside the payload, and the location of the workspace. It opens no
//! file.

use std::borrow::Cow;

use editd_types::{ErrorCode, FilePath, RequestError};

use crate::Refusal;
use crate::refusal::malformed;

/// The context in which a payload is translated.
#[derive(Clone, Copy, Debug)]
pub struct PayloadContext<'s> {
    /// The file, if the request names it.
    pub path: Option<&'s FilePath>,
    /// The absolute paths of the workspace folder, without a slash at the end. If they begin with a drive or a share of Windows
    /// (`C:\`, `\\`), the paths of payloads may have backslashes.
    pub roots: &'s [Vec<u8>],
    /// The most bytes that a payload may have.
    pub limit: usize,
}

impl PayloadContext<'_> {
    /// Returns the path that a payload names, in its plain spelling. An absolute path inside the workspace is made
    /// relative.
    ///
    /// # Errors
    /// `malformed` if it is empty, `outside` if it is absolute and outside the workspace. Other ways out (`..`,
    /// links) are checked when paths are resolved.
    pub(crate) fn inside(&self, given: &str) -> Result<FilePath, Refusal> {
        if given.trim().is_empty() {
            return Err(malformed("the path is empty; name the file"));
        }
        let path = self.with_slashes(given);
        let is_absolute = path.starts_with('/') || (self.is_on_windows() && is_of_windows(path.as_bytes()));
        if !is_absolute {
            return plain(path.as_bytes());
        }
        match self.below_root(&path) {
            // Nothing is left of the path of the workspace's folder itself, which `plain` refuses.
            Some(rest) => plain(rest),
            None => Err(outside(given)),
        }
    }

    /// Returns true if a folder is the workspace's.
    pub(crate) fn is_root(&self, folder: &str) -> bool {
        let folder = self.with_slashes(folder);
        self.below_root(folder.trim_end_matches('/')).is_some_and(<[u8]>::is_empty)
    }

    /// Returns what follows the path of the workspace's folder; `None` if an absolute path does not begin with it. The case of
    /// letters does not count in that path on Windows.
    fn below_root<'p>(&self, path: &'p str) -> Option<&'p [u8]> {
        let on_windows = self.is_on_windows();
        let same = |one: u8, other: u8| {
            one == other
                || (on_windows && (one.eq_ignore_ascii_case(&other) || (one, other) == (b'/', b'\\')))
        };
        self.roots.iter().find_map(|root| {
            let (folder, rest) = path.as_bytes().split_at_checked(root.len())?;
            let is_root = folder.iter().zip(root).all(|(one, other)| same(*one, *other));
            if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }.filter(|_| is_root)
        })
    }

    /// Returns a path with slashes: on Windows a backslash separates names, too, and no name can have one.
    fn with_slashes<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if self.is_on_windows() { path.replace('\\', "/").into() } else { path.into() }
    }

    fn is_on_windows(&self) -> bool {
        self.roots.iter().any(|root| is_of_windows(root))
    }

    /// Returns the path of a payload that may leave it to the request. If both name one, they must agree.
    ///
    /// # Errors
    /// As [`PayloadContext::inside`]; `malformed` if neither names a file, or the two differ.
    pub(crate) fn path_or(&self, given: Option<&str>) -> Result<FilePath, Refusal> {
        let given = given.map(|given| self.inside(given)).transpose()?;
        let beside = self.path.map(beside).transpose()?;
        match (given, beside) {
            (Some(given), Some(beside)) if given != beside => {
                Err(malformed(format!("the payload names {given} and the request {beside}; leave one out")))
            }
            (Some(path), _) | (None, Some(path)) => Ok(path),
            (None, None) => Err(malformed("no file is named; give its path beside the payload")),
        }
    }

    /// Refuses a payload over the limit.
    ///
    /// # Errors
    /// `too_large`, in bytes.
    pub(crate) fn check_size(&self, payload: &str) -> Result<(), Refusal> {
        if payload.len() <= self.limit {
            return Ok(());
        }
        Err(crate::refusal::too_large(
            format!(
                "the payload has {} bytes, and {} are accepted; send it as several edits",
                payload.len(),
                self.limit
            ),
            self.limit,
        ))
    }
}

/// Returns true if a path begins with a drive or a share of Windows.
fn is_of_windows(path: &[u8]) -> bool {
    path.starts_with(br"\\")
        || (path.first().is_some_and(u8::is_ascii_alphabetic) && path.get(1) == Some(&b':'))
}

fn outside(given: &str) -> Refusal {
    let message = format!("{given} is not in this workspace; give a path relative to its folder");
    Box::new(RequestError::new(ErrorCode::Outside, message).at(&FilePath::from(given)))
}

/// Returns the path that the request names. An absolute path stays as it is: the resolution of paths judges it later.
fn beside(path: &FilePath) -> Result<FilePath, Refusal> {
    if path.as_bytes().starts_with(b"/") { Ok(path.clone()) } else { plain(path.as_bytes()) }
}

/// Returns a relative path without `.` steps and doubled slashes, so that all requests for one file use one entry.
/// `..` and a slash at the end stay: only the file system can tell their meaning.
fn plain(given: &[u8]) -> Result<FilePath, Refusal> {
    let folder = given.ends_with(b"/") || given.ends_with(b"/.");
    let steps: Vec<&[u8]> =
        given.split(|byte| *byte == b'/').filter(|step| !step.is_empty() && *step != b".").collect();
    if steps.is_empty() {
        return Err(malformed("the path names the workspace's folder; name a file in it"));
    }
    let mut path = steps.join(&b'/');
    if folder {
        path.push(b'/');
    }
    Ok(FilePath::new(path))
}
