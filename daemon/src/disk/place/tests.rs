//! Resolves paths in a real temporary folder: inside, outside, and changing meanwhile.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use editd_proto::ErrorCode;
use editd_proto::path::FilePath;

use super::{ResolveError, ResolvedPath, WorkspaceRoot, resolve, resolve_link};
use crate::limits;
use crate::os::unix::Unix;
use crate::os::unix::tests::fifo;
use crate::os::{FileKind, Os};

mod moved;
mod reserved;

/// A workspace `w` beside a folder `out` that holds the file `secret`.
struct World {
    temp: tempfile::TempDir,
    root: WorkspaceRoot,
}

fn world() -> World {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    for folder in ["w", "w/src", "w/src/deep", "w/.editd", "w/.git", "out"] {
        fs::create_dir(base.join(folder)).unwrap();
    }
    for file in ["w/f", "w/src/a.rs", "w/.git/config", "w/.editd/log", "out/secret"] {
        fs::write(base.join(file), file).unwrap();
    }
    let root = WorkspaceRoot::open(std::sync::Arc::new(Unix), &base.join("w")).unwrap();
    World { temp, root }
}

impl World {
    fn at(&self, path: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(path)
    }

    fn link(&self, target: impl AsRef<Path>, path: &str) {
        symlink(target, self.at("w").join(path)).unwrap();
    }

    fn go(&self, path: &str) -> Result<ResolvedPath, ResolveError> {
        resolve(&self.root, &FilePath::from(path))
    }

    /// Returns the result as text: the path, with `?` for no file and the missing folders in brackets; or the error's
    /// name.
    fn told(&self, path: &str) -> String {
        match self.go(path) {
            Ok(place) => {
                let there = if place.stat().is_some() { "" } else { "?" };
                let missing: Vec<_> =
                    place.missing().iter().map(|name| String::from_utf8_lossy(name)).collect();
                let missing =
                    if missing.is_empty() { String::new() } else { format!("[{}]", missing.join(",")) };
                format!("{}{there}{missing}", place.path())
            }
            Err(error) => format!("{:?}", error.to_wire(&FilePath::from(path)).code),
        }
    }
}

#[test]
fn plain_paths_lead_to_files_and_to_nothing_yet() {
    let world = world();
    for (path, wanted) in [
        ("f", "f"),
        ("src/a.rs", "src/a.rs"),
        (".//src/./a.rs", "src/a.rs"),
        ("new", "new?"),
        ("src/deep/new", "src/deep/new?"),
        ("x/y/z", "x/y/z?[x,y]"),
        ("src/x/z", "src/x/z?[x]"),
        (".git/config", ".git/config"),
        ("...", "...?"),
        ("src/.editd/f", "src/.editd/f?[.editd]"),
        (".editd2", ".editd2?"),
    ] {
        assert_eq!(world.told(path), wanted, "{path}");
    }
    let place = world.go("src/a.rs").unwrap();
    assert_eq!((place.name(), place.stat().unwrap().kind), (&b"a.rs"[..], FileKind::File));
    let own = Unix.open_dir(&world.at("w/src")).unwrap().stat_self().unwrap();
    assert_eq!(place.parent().stat_self().unwrap().identity, own.identity);
}

#[test]
fn paths_to_no_file_of_the_workspace_are_refused_by_code() {
    let world = world();
    fifo(&world.at("w/fifo"));
    let long = "n".repeat(256);
    let (deep, wide) = (format!("{long}/f"), format!("x/{long}"));
    let endless = "a/".repeat(3000);
    for (path, wanted) in [
        ("", "Malformed"),
        ("a\0b", "Malformed"),
        ("f/", "Missing"),
        ("f/.", "Missing"),
        ("new/", "Malformed"),
        (&long, "Malformed"),
        (&deep, "Malformed"),
        (&wide, "Malformed"),
        (&endless, "Malformed"),
        ("..", "Outside"),
        ("../out/secret", "Outside"),
        ("src/../f", "Outside"),
        ("x/../../f", "Outside"),
        ("/etc/passwd", "Outside"),
        ("/", "Outside"),
        (".editd/log", "Outside"),
        (".editd", "Outside"),
        ("./.editd/new/x", "Outside"),
        ("src", "Unsupported"),
        ("src/", "Unsupported"),
        (".", "Unsupported"),
        ("./", "Unsupported"),
        ("fifo", "Unsupported"),
        ("f/x", "Missing"),
        ("fifo/x", "Missing"),
    ] {
        assert_eq!(world.told(path), wanted, "{path:?}");
    }
    assert!(matches!(world.go(&long), Err(ResolveError::TooLong(limits::COMPONENT))));
    assert_eq!(world.told(&"n".repeat(255)), format!("{}?", "n".repeat(255)));
}

#[test]
fn an_absolute_path_inside_is_accepted_under_each_name_of_the_root() {
    let world = world();
    let inside = world.at("w/src/a.rs");
    assert_eq!(world.told(inside.to_str().unwrap()), "src/a.rs");
    assert_eq!(world.told(world.at("w").to_str().unwrap()), "Unsupported");
    assert_eq!(world.told(&format!("{}x/f", world.at("w").display())), "Outside");
    symlink(world.at("w"), world.at("alias")).unwrap();
    let alias = world.at("alias");
    assert_eq!(world.told(alias.to_str().unwrap()), "Unsupported");
    for (inside, wanted) in
        [("f", "f"), ("src/a.rs", "src/a.rs"), ("new/x", "new/x?[new]"), ("../f", "Outside")]
    {
        assert_eq!(world.told(alias.join(inside).to_str().unwrap()), wanted, "{inside}");
    }
    assert_eq!(world.told(&format!("{}x/f", alias.display())), "Outside");
    world.link(alias.join("f"), "by-alias");
    assert_eq!(world.told("by-alias"), "f");
}

#[test]
fn links_inside_are_followed_to_where_they_lead() {
    let world = world();
    world.link("src/a.rs", "to-file");
    world.link("src", "to-dir");
    world.link("../f", "src/up");
    world.link("deep/../../f", "src/up-and-down");
    world.link(world.at("w/src"), "absolute");
    world.link("to-dir", "twice");
    world.link("src/not-yet", "dangling");
    world.link("no/where/f", "far");
    world.link("src/", "slash");
    world.link("f/", "wrong-slash");
    world.link(".", "self");
    world.link("src/..", "root");
    world.link("deep/", "src/deeper");
    for (path, wanted) in [
        ("to-file", "src/a.rs"),
        ("to-dir/a.rs", "src/a.rs"),
        ("src/up", "f"),
        ("to-dir/up-and-down", "f"),
        ("absolute/a.rs", "src/a.rs"),
        ("twice/deeper/new", "src/deep/new?"),
        ("dangling", "src/not-yet?"),
        ("far", "no/where/f?[no,where]"),
        ("slash/a.rs", "src/a.rs"),
        ("self/self/root/f", "f"),
        ("to-dir", "Unsupported"),
        ("root", "Unsupported"),
        ("wrong-slash", "Missing"),
        ("to-file/", "Missing"),
        ("to-file/x", "Missing"),
        ("dangling/x", "src/not-yet/x?[not-yet]"),
    ] {
        assert_eq!(world.told(path), wanted, "{path}");
    }
}

#[test]
fn links_that_leave_loop_or_lead_through_nothing_are_refused() {
    let world = world();
    world.link("../out", "out");
    world.link("../out/secret", "secret");
    world.link("../out/new", "src/x");
    world.link(world.at("out"), "absolute");
    world.link("/etc/passwd", "etc");
    world.link("src/../../out", "sly");
    world.link("out/secret", "by-the-other");
    world.link(".editd/log", "log");
    world.link("loop", "loop");
    world.link("b", "a");
    world.link("a", "b");
    world.link("nothing/../f", "through-nothing");
    for (path, wanted) in [
        ("out/secret", "Outside"),
        ("out/new", "Outside"),
        ("secret", "Outside"),
        ("absolute/secret", "Outside"),
        ("etc", "Outside"),
        ("sly/secret", "Outside"),
        ("by-the-other", "Outside"),
        ("log", "Outside"),
        ("loop", "Missing"),
        ("a", "Missing"),
        ("b/x", "Missing"),
        ("through-nothing", "Missing"),
    ] {
        assert_eq!(world.told(path), wanted, "{path}");
    }
    // From `src`, `../out` is the link of that name in the root.
    assert_eq!(world.told("src/x"), "Outside");
    for number in 0..limits::LINKS + 1 {
        world.link(
            if number == 0 { "f".to_owned() } else { format!("chain{}", number - 1) },
            &format!("chain{number}"),
        );
    }
    assert_eq!(world.told(&format!("chain{}", limits::LINKS - 1)), "f");
    assert_eq!(world.told(&format!("chain{}", limits::LINKS)), "Missing");
}

#[test]
fn a_link_leads_to_no_path_that_is_too_long_to_be_told() {
    let limit = editd_proto::limits::PATH;
    let world = world();
    let deep = [&*"d".repeat(250); 15].join("/");
    world.link(&deep, "long");
    let room = limit - deep.len() - 1;
    for end in [vec![200, room - 201], vec![200, 54, room - 256]] {
        let end: Vec<String> = end.into_iter().map(|bytes| "e".repeat(bytes)).collect();
        let end = end.join("/");
        for folder in [false, true] {
            if folder {
                // The folders exist, the file does not; no name of it is missing.
                fs::create_dir_all(world.at("w").join("d".repeat(250))).unwrap();
            }
            let fits = world.go(&format!("long/{end}")).unwrap();
            assert_eq!(fits.path().as_bytes().len(), limit);
            let over = world.go(&format!("long/{end}e"));
            assert!(matches!(over, Err(ResolveError::TooLong(most)) if most == limit));
        }
        fs::remove_dir(world.at("w").join("d".repeat(250))).unwrap();
    }
}

#[test]
fn a_last_link_is_reported_where_it_is_not_to_be_followed() {
    let world = world();
    world.link("src", "to-dir");
    world.link("a.rs", "src/l");
    world.link("../out/secret", "leaves");
    let go = |path: &str| resolve_link(&world.root, &FilePath::from(path));
    match go("to-dir/l").unwrap_err() {
        ResolveError::IsLink { path, target } => {
            assert_eq!((path, target), (FilePath::from("src/l"), FilePath::from("a.rs")));
        }
        other => panic_with(&other),
    }
    assert!(matches!(go("leaves"), Err(ResolveError::IsLink { .. })));
    assert_eq!(go("to-dir/a.rs").unwrap().path(), &FilePath::from("src/a.rs"));
    assert!(matches!(go("to-dir/"), Err(ResolveError::IsFolder(_))));
}

#[expect(clippy::panic, reason = "a test fails by panicking")]
fn panic_with(error: &ResolveError) {
    panic!("{error:?}")
}

#[test]
fn any_bytes_but_slash_and_nul_may_stand_in_a_name() {
    let world = world();
    for name in [&b"\xff\xfe"[..], b"a b\nc", b"\x1b[31m", &[b'\xc3'; 255]] {
        let folder = world.at("w").join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
        let path = [name, b"/", name].concat();
        let place = resolve(&world.root, &FilePath::new(path.clone())).unwrap();
        assert_eq!(place.path().as_bytes(), path);
        assert!(place.stat().is_some());
    }
}

#[test]
fn missing_folders_are_made_with_the_mask_and_named() {
    let world = world();
    let place = world.go("src/x/y/z").unwrap();
    let (parent, made) = place.ensure_folders(0o027).unwrap();
    assert_eq!(made, [FilePath::from("src/x"), FilePath::from("src/x/y")]);
    parent.create_file(place.name(), 0o644).unwrap();
    assert!(world.at("w/src/x/y/z").exists());
    assert_eq!(Unix.open_dir(&world.at("w/src/x")).unwrap().stat_self().unwrap().mode, 0o750);
    let (_, again) = place.ensure_folders(0).unwrap();
    assert!(again.is_empty(), "what is there already is not made");
    let (same, none) = world.go("src/a.rs").unwrap().ensure_folders(0).unwrap();
    assert!(none.is_empty() && same.stat(b"a.rs").is_ok());
}

#[test]
fn obstacles_to_a_folder_are_refused_and_nothing_is_left() {
    let world = world();
    let place = world.go("p/q/r/f").unwrap();
    let through_link = world.go("link/f").unwrap();
    let through_file = world.go("src/file/f").unwrap();
    world.link(world.at("out"), "link");
    fs::write(world.at("w/src/file"), "x").unwrap();
    assert!(matches!(through_link.ensure_folders(0), Err(ResolveError::Outside { link: Some(_) })));
    assert!(matches!(through_file.ensure_folders(0), Err(ResolveError::NotAFolder(_))));
    fs::create_dir(world.at("w/p")).unwrap();
    fs::create_dir(world.at("w/p/q")).unwrap();
    fs::write(world.at("w/p/q/r"), "x").unwrap();
    assert!(matches!(place.ensure_folders(0), Err(ResolveError::NotAFolder(_))));
    assert!(world.at("w/p/q").exists(), "it was not ours");
}

#[test]
fn the_error_says_what_to_do_next_and_names_the_path() {
    let world = world();
    world.link("../out", "out");
    let path = FilePath::from("out/secret");
    let error = resolve(&world.root, &path).unwrap_err().to_wire(&path);
    assert_eq!((error.code, error.path), (ErrorCode::Outside, Some(path)));
    assert_eq!(
        error.message,
        "the link out leads out of the workspace: name a file inside the workspace, or serve a wider one"
    );
}

/// Ends the other thread also if a test fails, which would wait for it otherwise.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A folder and a link to another place alternate under one name while files are created through it: none of them may
/// be outside.
#[test]
fn a_folder_that_turns_into_a_link_never_lets_a_file_out() {
    let world = world();
    fs::create_dir(world.at("w/flip")).unwrap();
    world.link(world.at("out"), "other");
    let dir = Unix.open_dir(&world.at("w")).unwrap();
    if Unix.exchange(&dir, b"flip", &dir, b"other").is_err() {
        return eprintln!("skipped: this file system cannot exchange");
    }
    let stop = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                Unix.exchange(&dir, b"flip", &dir, b"other").unwrap();
            }
        });
        let _ends = Ends(&stop);
        for number in 0..1_000_000 {
            if number >= 10_000 && inside > 0 && refused > 0 {
                break;
            }
            let name = format!("flip/{}/f{number}", if number % 2 == 0 { "." } else { "new" });
            let made = world.go(&name).and_then(|place| {
                let (parent, _) = place.ensure_folders(0)?;
                let file = parent.create_file(place.name(), 0o600);
                file.map_err(|error| ResolveError::of(place.path().clone(), error))
            });
            match made {
                Ok(_) => inside += 1,
                Err(ResolveError::Outside { .. } | ResolveError::Changing(_)) => refused += 1,
                Err(other) => panic_with(&other),
            }
        }
    });
    assert!(inside > 0 && refused > 0, "both faces were seen: {inside} {refused}");
    let outside: Vec<_> =
        fs::read_dir(world.at("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside, ["secret"]);
}
