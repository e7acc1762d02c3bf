//! Folders that another program moves while the paths of a job are resolved.

use std::fs;

use super::{ResolvedPath, World, world};
use crate::disk::inconsistent_folder;

#[test]
fn paths_resolved_around_a_move_of_their_folder_do_not_agree() {
    let world = world();
    let agree = |places: &[&ResolvedPath]| {
        inconsistent_folder(places.iter().copied()).map(|folder| folder.to_string())
    };
    let find = |world: &World, path: &str| world.go(path).unwrap();
    let before = [find(&world, "src/a.rs"), find(&world, "src/hooks/use.ts"), find(&world, "f")];
    assert_eq!(agree(&[&before[0], &before[1], &before[2]]), None);

    fs::rename(world.at("w/src"), world.at("w/src.moved")).unwrap();
    let after = [find(&world, "src/hooks/use.ts"), find(&world, "src/a.rs"), find(&world, "f")];
    assert_eq!(agree(&[&before[0], &after[0]]).as_deref(), Some("src"), "the new folders would be elsewhere");
    assert_eq!(agree(&[&after[1], &before[1]]).as_deref(), Some("src"), "in either order");
    assert_eq!(agree(&[&after[0], &after[1], &after[2]]), None);

    fs::create_dir(world.at("w/src")).unwrap();
    assert_eq!(agree(&[&after[0], &find(&world, "src/a.rs")]).as_deref(), Some("src"));
    // A name that only begins alike is another folder.
    assert_eq!(agree(&[&after[0], &find(&world, "src.moved/a.rs")]), None);
}
