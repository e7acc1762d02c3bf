//! Folders of daemons, which no path may lead into.

use super::*;
use crate::disk::reserved::OwnEntries;

#[test]
fn what_belongs_to_the_daemon_is_recognized_under_any_name() {
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
