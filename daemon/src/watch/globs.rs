//! Globs of a subscription: the paths they match, and the folders that can have a match. It accesses no disk.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::subjects::SubscribeError;
use crate::limits;

/// One glob of workspace paths.
#[derive(Clone, Debug)]
pub(super) struct PathGlob {
    matcher: GlobMatcher,
    /// The leading names without a wildcard; the folder of the file if there is no wildcard.
    pub(super) start: PathBuf,
    /// The levels of folders below `start` that can have a match; `None` for all.
    depth: Option<usize>,
    /// The part that is named literally, so that it is reported even if ignored: `start`, or the file itself.
    pub(super) literal: PathBuf,
}

impl PathGlob {
    /// Parses a client's glob: `/` separates, `*` and `?` match within a name, `**` across names.
    pub(super) fn parse(text: &str) -> Result<Self, SubscribeError> {
        let bad = |why: &str| SubscribeError::BadGlob { glob: shown(text), why: why.to_owned() };
        if text.len() > limits::GLOB {
            return Err(bad(&format!("it is longer than {} bytes", limits::GLOB)));
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        if text.is_empty() {
            return Err(bad("it is empty; `**` means every file"));
        }
        if Path::new(text).components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(bad("it leaves the workspace; name files below it"));
        }
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        let matcher = glob.map_err(|error| bad(&error.kind().to_string()))?.compile_matcher();
        let wild = |name: &&str| name.contains(['*', '?', '[', '{', '\\']);
        let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty()).collect();
        let plain = names.iter().take_while(|name| !wild(name)).count();
        let literal: PathBuf = names.iter().take(plain).collect();
        let rest: Vec<&str> = names.into_iter().skip(plain).collect();
        let (start, depth) = match rest.len() {
            0 => (literal.parent().unwrap_or(Path::new("")).to_path_buf(), Some(0)),
            // Braces may hold a separator: then the levels cannot be counted.
            _ if rest.iter().any(|name| name.contains("**") || name.contains('{')) => (literal.clone(), None),
            levels => (literal.clone(), Some(levels - 1)),
        };
        Ok(Self { matcher, start, depth, literal })
    }

    /// Returns true if a file matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }

    /// Returns true if files directly in a folder can match.
    pub(super) fn reaches(&self, folder: &Path) -> bool {
        let Ok(below) = folder.strip_prefix(&self.start) else { return false };
        self.depth.is_none_or(|depth| below.components().count() <= depth)
    }
}

/// Returns a glob for a message.
fn shown(text: &str) -> String {
    text.chars().take(100).flat_map(char::escape_debug).collect()
}
