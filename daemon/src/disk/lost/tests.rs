//! Files that are set aside while another program removes `.editd/lost`.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and acts as another program"
)]

use crate::record::StagingFolder;
use crate::workspace::tests::kit::Bench;

#[test]
fn a_file_is_set_aside_although_the_folder_for_it_was_removed() {
    let bench = Bench::new();
    bench.put(".editd/staging/x", "theirs");
    std::fs::remove_dir(bench.workspace.root().join(".editd/lost")).unwrap();
    bench.state().disk.set_aside(&StagingFolder::Root, "x", 7).unwrap();
    assert_eq!(bench.list(".editd/staging"), [""; 0]);
    assert_eq!(bench.list(".editd/lost"), ["7-x"]);
    assert_eq!(bench.get(".editd/lost/7-x"), "theirs");
    // One that is gone is no error.
    bench.state().disk.set_aside(&StagingFolder::Root, "x", 8).unwrap();
}
