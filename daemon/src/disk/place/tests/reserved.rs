//! Folders of daemons, which no path may lead into.

use std::any::Any;
use std::io;
use std::sync::Arc;

use super::*;
use crate::disk::place::OWN_FOLDER;
use crate::disk::reserved::OwnEntries;
use crate::os::{Access, Dir, DirEntry, File, OsDir, Stat};

#[test]
fn paths_of_the_daemon_are_recognized_under_any_name() {
    let world = world();
    fs::write(world.at("w/src/deep/lock"), "").unwrap();
    fs::hard_link(world.at("w/src/deep/lock"), world.at("w/other-name")).unwrap();
    world.link("src/deep", "link");
    assert_eq!(
        (world.told("link/new"), world.told("other-name")),
        ("src/deep/new?".into(), "other-name".into())
    );
    world.root.reserve(OwnEntries::list(Unix.open_dir(&world.at("w/src/deep")).unwrap()).unwrap());
    for path in ["src/deep", "src/deep/", "src/deep/new", "src/deep/x/y", "link/new", "other-name"] {
        assert!(matches!(world.go(path), Err(ResolveError::Reserved)), "{path}");
    }
    assert_eq!(world.told("src/a.rs"), "src/a.rs");
    // As another file that got the number of a removed entry, where files have no birth times.
    fs::remove_file(world.at("w/src/deep/lock")).unwrap();
    assert_eq!(world.told("other-name"), "other-name");
}

#[test]
fn no_path_leads_into_a_state_folder_in_the_workspace() {
    let world = world();
    fs::create_dir_all(world.at("w/src/state/log")).unwrap();
    fs::write(world.at("w/src/state/log/1"), "").unwrap();
    world.link("src/state/log", "link");
    world.root.reserve_state(b"state", Unix.open_dir(&world.at("w/src/state")).unwrap()).unwrap();
    for path in ["src/state", "src/state/lock", "src/state/log/1", "src/state/log/new/x", "link/1"] {
        assert!(matches!(world.go(path), Err(ResolveError::Reserved)), "{path}");
    }
    fs::create_dir_all(world.at("w/state/log")).unwrap();
    assert_eq!(world.told("state/log/x"), "state/log/x?", "another folder with its name");
}

#[test]
fn the_folder_of_a_daemon_inside_is_as_closed_as_the_own_one() {
    let world = world();
    fs::create_dir_all(world.at("w/src/.editd/staging")).unwrap();
    assert_eq!(world.told("src/.editd/x"), "src/.editd/x?", "a folder without a lock is nobody's");
    fs::write(world.at("w/src/.editd/lock"), "").unwrap();
    world.link(".editd/staging", "src/link");
    for path in ["src/.editd", "src/.editd/x", "src/.editd/lock", "src/link/x"] {
        assert!(matches!(world.go(path), Err(ResolveError::Reserved)), "{path}");
    }
}

/// A folder of a file system that has a short name for `.editd`.
struct ShortNames(Dir);

fn long(name: &[u8]) -> &[u8] {
    if name == b"EDITD~1" { OWN_FOLDER } else { name }
}

impl OsDir for ShortNames {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        self.0.stat(long(name))
    }
    fn stat_self(&self) -> io::Result<Stat> {
        self.0.stat_self()
    }
    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        Ok(Arc::new(ShortNames(self.0.open_dir(long(name))?)))
    }
    fn open_below(&self, names: &[Vec<u8>]) -> io::Result<(Dir, Stat)> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| long(name).to_vec()).collect();
        let (dir, stat) = self.0.open_below(&names)?;
        Ok((Arc::new(ShortNames(dir)), stat))
    }
    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File> {
        self.0.open_file(long(name), access)
    }
    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        self.0.create_file(long(name), mode)
    }
    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()> {
        self.0.create_dir(long(name), mode)
    }
    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        self.0.remove_file(long(name))
    }
    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        self.0.remove_dir(long(name))
    }
    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        self.0.read_link(long(name))
    }
    fn list(&self) -> io::Result<Vec<DirEntry>> {
        self.0.list()
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
    fn as_any(&self) -> &dyn Any {
        self.0.as_any()
    }
}

#[test]
fn a_short_name_leads_into_no_folder_of_a_daemon() {
    let mut world = world();
    for folder in ["w", "w/src"] {
        fs::create_dir_all(world.at(folder).join(".editd/staging/deep")).unwrap();
        fs::write(world.at(folder).join(".editd/lock"), "").unwrap();
    }
    world.root.dir = Arc::new(ShortNames(world.root.dir.clone()));
    world.root.reserve(OwnEntries::list(Unix.open_dir(&world.at("w/.editd")).unwrap()).unwrap());
    for above in ["", "src/"] {
        for below in ["new", "new/x", "lock", "staging/x", "staging/deep/x"] {
            let path = format!("{above}EDITD~1/{below}");
            assert!(matches!(world.go(&path), Err(ResolveError::Reserved)), "{path}");
        }
    }
    assert_eq!(world.told("src/deep/EDITD~1/new"), "src/deep/EDITD~1/new?[EDITD~1]");
}
