//! Globs of workspace paths in a settings file: a name without `/` matches in every folder, as in `.gitignore`. It
//! accesses no disk.

use editd_proto::path::FilePath;
use globset::{Candidate, Glob, GlobBuilder, GlobSet};
use serde::{Deserialize, Deserializer, de};

use crate::limits;

/// A set of files, by globs.
#[derive(Clone, Debug, Default)]
pub struct FileGlobs {
    globs: Vec<String>,
    set: GlobSet,
}

impl FileGlobs {
    /// Compiles globs: `*` and `?` match within a name, `**` across names; a leading `/` means the workspace's root.
    ///
    /// # Errors
    /// The glob that is invalid, too long, or one too many, and the reason.
    pub fn new(globs: Vec<String>) -> Result<Self, String> {
        if globs.len() > limits::COMMAND_GLOBS {
            return Err(format!("it has {} globs; the limit is {}", globs.len(), limits::COMMAND_GLOBS));
        }
        let bytes = globs.iter().map(String::len).sum::<usize>();
        if bytes > limits::COMMAND_GLOBS_BYTES {
            return Err(format!(
                "its globs have {bytes} bytes; the limit is {}",
                limits::COMMAND_GLOBS_BYTES
            ));
        }
        let mut set = GlobSet::builder();
        for glob in &globs {
            set.add(parse(glob)?);
        }
        Ok(Self { set: set.build().map_err(|why| why.to_string())?, globs })
    }

    /// Returns true if a file matches.
    pub fn matches(&self, path: &FilePath) -> bool {
        !self.globs.is_empty() && self.set.is_match_candidate(&Candidate::from_bytes(path.as_bytes()))
    }

    /// Returns the globs as they were written.
    pub fn globs(&self) -> &[String] {
        &self.globs
    }
}

impl PartialEq for FileGlobs {
    fn eq(&self, other: &Self) -> bool {
        self.globs == other.globs
    }
}

impl<'de> Deserialize<'de> for FileGlobs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(from)?).map_err(de::Error::custom)
    }
}

fn parse(text: &str) -> Result<Glob, String> {
    if text.is_empty() || text.len() > limits::GLOB {
        return Err(format!("a glob has 1 to {} bytes; `**` means every file", limits::GLOB));
    }
    let rooted = match text.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if text.contains('/') => text.to_owned(),
        None => format!("**/{text}"),
    };
    GlobBuilder::new(&rooted)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|why| why.to_string())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_in_every_folder_and_a_path_from_the_root() {
        let matches =
            |glob: &str, path: &str| FileGlobs::new(vec![glob.to_owned()]).unwrap().matches(&path.into());
        for (glob, path, expected) in [
            ("*.py", "a.py", true),
            ("*.py", "a/b/c.py", true),
            ("*.py", "a.pyi", false),
            ("/*.py", "a.py", true),
            ("/*.py", "a/b.py", false),
            ("src/*.py", "src/a.py", true),
            ("src/*.py", "src/b/a.py", false),
            ("src/*.py", "x/src/a.py", false),
            ("src/**/*.py", "src/b/c/a.py", true),
            ("**", "any/thing", true),
            ("*.{ts,tsx}", "web/a.tsx", true),
            ("Makefile", "sub/Makefile", true),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} and {path}");
        }
    }

    #[test]
    fn a_name_that_is_no_text_matches_by_its_bytes() {
        let files = FileGlobs::new(vec!["*.py".to_owned()]).unwrap();
        assert!(files.matches(&FilePath::new(b"\xff.py".to_vec())));
        assert!(!FileGlobs::default().matches(&"a.py".into()));
    }

    #[test]
    fn invalid_globs_are_refused() {
        assert!(FileGlobs::new(vec![String::new()]).is_err());
        assert!(FileGlobs::new(vec!["a[".to_owned()]).is_err());
        assert!(FileGlobs::new(vec!["a".repeat(limits::GLOB + 1)]).is_err());
        assert!(FileGlobs::new(vec!["a".repeat(1024); limits::COMMAND_GLOBS_BYTES / 1024]).is_ok());
        assert!(FileGlobs::new(vec!["a".repeat(1000); limits::COMMAND_GLOBS_BYTES / 1000 + 1]).is_err());
        assert!(FileGlobs::new(vec!["a".to_owned(); limits::COMMAND_GLOBS]).is_ok());
        assert!(FileGlobs::new(vec!["a".to_owned(); limits::COMMAND_GLOBS + 1]).is_err());
    }
}
