//! A real folder that is moved, replaced and locked. No job runs here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use super::Disk;
use crate::os::unix::Unix;

#[test]
fn a_folder_stands_where_its_path_leads_to_it() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let (above, root) = (top.join("above"), top.join("above/root"));
    std::fs::create_dir_all(&root).unwrap();
    let disk = Disk::open(Arc::new(Unix), &root).unwrap();
    assert!(disk.stands().unwrap());
    std::fs::write(root.join("file"), "").unwrap();
    assert!(disk.stands().unwrap(), "what is in it may change");

    std::fs::rename(&above, top.join("moved")).unwrap();
    assert!(!disk.stands().unwrap(), "the folder above it went");
    std::os::unix::fs::symlink(top.join("moved"), &above).unwrap();
    assert!(disk.stands().unwrap(), "a link leads to the same folder");
    std::fs::remove_file(&above).unwrap();
    std::fs::write(&above, "").unwrap();
    assert!(!disk.stands().unwrap(), "a file stands above it");
    std::fs::remove_file(&above).unwrap();
    std::fs::create_dir_all(&root).unwrap();
    assert!(!disk.stands().unwrap(), "another of the same name");
    std::fs::remove_dir_all(top.join("moved")).unwrap();
    assert!(!disk.stands().unwrap());
}

#[test]
fn the_owner_of_a_taken_workspace_is_named_also_in_an_own_folder_made_anew() {
    let temp = tempfile::tempdir().unwrap();
    let open = || Disk::open(Arc::new(Unix), temp.path());
    let told = || open().err().unwrap().to_string();
    let disk = open().unwrap();
    assert!(told().contains("`editctl stop`"), "{}", told());
    disk.announce(b"/a/long/socket").unwrap();
    disk.announce(b"/socket").unwrap();
    assert!(
        told().contains("at /socket;") && told().contains("`editctl --socket /socket stop`"),
        "{}",
        told()
    );
    std::fs::remove_dir_all(temp.path().join(".editd")).unwrap();
    disk.renew().unwrap();
    assert!(told().contains("at /socket;"), "{}", told());
}
