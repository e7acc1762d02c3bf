//! Tests of finding the workspace and of paths in it, in real folders.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use super::Workspace;

struct Tree {
    _guard: tempfile::TempDir,
    top: PathBuf,
}

fn tree(folders: &[&str], files: &[&str]) -> Tree {
    let guard = tempfile::tempdir().unwrap();
    let top = crate::machine::canonical(guard.path()).unwrap();
    for folder in folders {
        fs::create_dir_all(top.join(folder)).unwrap();
    }
    for file in files {
        fs::write(top.join(file), "").unwrap();
    }
    Tree { _guard: guard, top }
}

fn name(workspace: &Workspace, current: impl AsRef<Path>, given: impl AsRef<Path>) -> String {
    workspace.name(current.as_ref(), given.as_ref()).display()
}

#[test]
fn a_slash_at_the_end_of_a_file_name_is_kept() {
    let tree = tree(&["w/.git", "w/src"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    let src = workspace.root().join("src");
    for (given, expected) in [("new/", "src/new/"), ("new", "src/new"), ("../new//", "new/"), ("../", ".")] {
        assert_eq!(workspace.file_name(&src, given.as_ref()).display(), expected, "{given}");
        assert!(!workspace.name(&src, given.as_ref()).display().ends_with('/'), "{given}");
    }
}

#[test]
fn the_nearest_marker_upward_wins() {
    let tree = tree(&["a/.git", "a/b/c", "a/b/d"], &["a/b/.editd.toml"]);
    assert_eq!(Workspace::find(&tree.top.join("a/b/c")).unwrap().root(), tree.top.join("a/b"));
    assert_eq!(Workspace::find(&tree.top.join("a")).unwrap().root(), tree.top.join("a"));
}

#[test]
fn a_git_file_marks_a_root_as_a_git_folder_does() {
    let tree = tree(&["w/sub"], &["w/.git"]);
    assert_eq!(Workspace::find(&tree.top.join("w/sub")).unwrap().root(), tree.top.join("w"));
}

#[test]
fn without_a_marker_the_folder_itself_is_the_workspace() {
    let tree = tree(&["x/y"], &[]);
    let found = Workspace::find(&tree.top.join("x/y")).unwrap();
    // A marker above the folder for temporary files would be found, correctly.
    assert!(tree.top.join("x/y").starts_with(found.root()));
    let marked =
        tree.top.ancestors().any(|above| above.join(".git").exists() || above.join(".editd.toml").exists());
    assert!(marked || found.root() == tree.top.join("x/y"));
}

#[test]
fn a_workspace_that_is_named_must_be_a_folder() {
    let tree = tree(&[], &["plain"]);
    assert!(Workspace::at(&tree.top.join("plain")).is_err());
    assert!(Workspace::at(&tree.top.join("missing")).is_err());
    assert_eq!(Workspace::at(&tree.top).unwrap().root(), tree.top);
}

#[test]
fn names_are_relative_to_the_current_folder() {
    let tree = tree(&["w/src/deep"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    let src = tree.top.join("w/src");
    assert_eq!(name(&workspace, &src, "a.rs"), "src/a.rs");
    assert_eq!(name(&workspace, &src, "./deep/../a.rs"), "src/a.rs");
    assert_eq!(name(&workspace, &src, "../top"), "top");
    assert_eq!(name(&workspace, &src, ".."), ".");
    assert_eq!(name(&workspace, &src, "new/folder/"), "src/new/folder");
}

#[test]
fn somebody_outside_writes_names_from_the_root() {
    let tree = tree(&["w", "elsewhere"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    assert_eq!(name(&workspace, tree.top.join("elsewhere"), "a.rs"), "a.rs");
    assert_eq!(name(&workspace, tree.top.join("elsewhere"), "../elsewhere/a.rs"), "../elsewhere/a.rs");
}

#[test]
fn absolute_paths_inside_lose_the_root() {
    let tree = tree(&["w/src"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    assert_eq!(name(&workspace, &tree.top, tree.top.join("w/src/a.rs")), "src/a.rs");
    assert_eq!(name(&workspace, &tree.top, tree.top.join("w/src/../../w/b")), "b");
}

#[test]
fn paths_that_leave_the_workspace_are_left_for_the_daemon_to_refuse() {
    let tree = tree(&["w/src", "w2"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    let src = tree.top.join("w/src");
    assert_eq!(name(&workspace, &src, "../../secret"), "../secret");
    assert_eq!(name(&workspace, &src, "../../w2/x"), "../w2/x");
    assert_eq!(name(&workspace, &src, "/etc/passwd"), "/etc/passwd");
    let sibling = tree.top.join("w2/x");
    assert_eq!(name(&workspace, &src, &sibling), sibling.display().to_string());
}

#[cfg(unix)]
#[test]
fn the_root_is_known_under_another_name_too() {
    let tree = tree(&["real/src"], &[]);
    std::os::unix::fs::symlink(tree.top.join("real"), tree.top.join("alias")).unwrap();
    let workspace = Workspace::at(&tree.top.join("alias")).unwrap();
    assert_eq!(workspace.root(), tree.top.join("real"));
    assert_eq!(name(&workspace, &tree.top, tree.top.join("alias/src/a")), "src/a");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_text_travels_as_its_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = tree(&["w/src"], &[]);
    let workspace = Workspace::at(&tree.top.join("w")).unwrap();
    let given = OsStr::from_bytes(b"caf\xe9\n.txt");
    let found = workspace.name(&tree.top.join("w/src"), given.as_ref());
    assert_eq!(found.as_bytes(), b"src/caf\xe9\n.txt");
}

/// Gives a path to another user. `None` if that needs root.
#[cfg(unix)]
fn give(path: &Path) -> Option<()> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can give files to another user");
        return None;
    }
    std::os::unix::fs::lchown(path, Some(65534), Some(65534)).unwrap();
    Some(())
}

#[cfg(unix)]
#[test]
fn a_workspace_that_another_user_made_above_is_not_used() {
    for marker in [".editd.toml", ".git"] {
        let tree = tree(&["shared/mine/sub"], &[&format!("shared/{marker}")]);
        let (shared, sub) = (tree.top.join("shared"), tree.top.join("shared/mine/sub"));
        assert_eq!(Workspace::find(&sub).unwrap().root(), shared);
        if give(&shared.join(marker)).is_none() {
            return;
        }
        let why = Workspace::find(&sub).unwrap_err().to_string();
        let way = format!(
            "belongs to user 65534, so it is not used; to edit without it, add `--workspace {}`",
            sub.display()
        );
        assert!(why.contains(marker) && why.ends_with(&way), "{why}");
        assert_eq!(Workspace::at(&sub).unwrap().root(), sub);
        // The daemon serves this folder with `.git`, and refuses the settings unless they are replaced.
        let why = Workspace::find(&shared).unwrap_err().to_string();
        let way = if marker == ".git" { "`--workspace " } else { "mv -f " };
        assert!(why.contains(way) && why.contains("--workspace") == (marker == ".git"), "{why}");
        // A workspace of one's own below it is found first.
        fs::write(tree.top.join("shared/mine/.editd.toml"), "").unwrap();
        assert_eq!(Workspace::find(&sub).unwrap().root(), tree.top.join("shared/mine"));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_of_another_user_is_used_only_if_it_is_named() {
    let tree = tree(&["theirs/sub"], &["theirs/.git"]);
    let theirs = tree.top.join("theirs");
    if give(&theirs).is_none() {
        return;
    }
    give(&theirs.join(".git")).unwrap();
    let why = Workspace::find(&theirs.join("sub")).unwrap_err().to_string();
    let way = format!("to use it all the same, add `--workspace {}`;", theirs.display());
    assert!(why.contains(&way), "{why}");
    assert!(Workspace::find(&theirs).is_err());
    assert_eq!(Workspace::at(&theirs).unwrap().root(), theirs);
}
