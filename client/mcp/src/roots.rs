//! Finds the workspace of a path: the one in which the server was started, or one of the folders that the client announces
//! as its roots.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use editctl::Workspace;
use percent_encoding::percent_decode_str;

use crate::context::tell;

/// The workspaces of the server.
pub(crate) struct WorkspaceRoots {
    /// The workspace of the current folder, or of `--workspace`.
    own: Workspace,
    /// Set if the command line names the workspace: relative paths belong to it whatever the client announces.
    named: bool,
    announced: RwLock<Vec<Workspace>>,
}

impl WorkspaceRoots {
    /// Starts with one workspace.
    pub(crate) fn new(own: Workspace, named: bool) -> Self {
        Self { own, named, announced: RwLock::default() }
    }

    /// Replaces the announced folders, which are URIs. One that cannot be used is reported and left out.
    pub(crate) fn announce<'u>(&self, uris: impl IntoIterator<Item = &'u str>) {
        let found = uris.into_iter().filter_map(|uri| {
            let workspace = folder(uri).and_then(|path| Workspace::find(&path).map_err(|e| e.to_string()));
            workspace.map_err(|why| tell(&format!("the root {uri} is not used: {why}"))).ok()
        });
        let found = found.collect();
        *self.announced.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Returns the workspace of paths that are relative, and of calls without a path.
    pub(crate) fn usual(&self) -> Workspace {
        let announced = self.announced.read().unwrap_or_else(PoisonError::into_inner);
        match announced.first() {
            Some(first) if !self.named && !announced.contains(&self.own) => first.clone(),
            _ => self.own.clone(),
        }
    }

    /// Returns all workspaces, the usual one first.
    pub(crate) fn all(&self) -> Vec<Workspace> {
        let mut all = vec![self.usual()];
        let announced = self.announced.read().unwrap_or_else(PoisonError::into_inner);
        for one in announced.iter().chain([&self.own]) {
            if !all.contains(one) {
                all.push(one.clone());
            }
        }
        all
    }

    /// Returns the workspace of a path: the innermost one that contains it.
    pub(crate) fn of(&self, path: &str) -> Workspace {
        let path = Path::new(path);
        let announced = self.announced.read().unwrap_or_else(PoisonError::into_inner);
        let all = announced.iter().chain([&self.own]);
        let inside = all.filter(|one| one.contains(path));
        let innermost = inside.max_by_key(|one| one.root().components().count()).cloned();
        drop(announced);
        innermost.unwrap_or_else(|| self.usual())
    }
}

/// Returns the folder of a `file:` URI.
fn folder(uri: &str) -> Result<PathBuf, String> {
    let rest = uri.strip_prefix("file://").ok_or("it is no file URI")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().map_err(|_| "it is not UTF-8")?;
    // `/C:/folder` on Windows.
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Ok(PathBuf::from(if drive { path.trim_start_matches('/') } else { &*path }))
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn a_uri_names_a_folder() {
        for (uri, path) in [
            ("file:///a/b", Ok("/a/b")),
            ("file://localhost/a%20b/%C3%A4", Ok("/a b/ä")),
            ("https://a/b", Err("it is no file URI")),
            ("file:///%FF", Err("it is not UTF-8")),
        ] {
            assert_eq!(folder(uri), path.map(Into::into).map_err(str::to_owned), "{uri}");
        }
    }
}
