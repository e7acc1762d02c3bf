//! Reads of real files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::os::Os;
use crate::os::unix::Unix;

#[test]
fn files_of_several_parts_are_read_and_hashed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Unix.open_dir(folder.path()).unwrap();
    for size in [0, 1, PART - 1, PART, PART + 1, 3 * PART + 5] {
        let content: Vec<u8> = (0..size).map(|at| (at * at / 7) as u8).collect();
        std::fs::write(folder.path().join("a"), &content).unwrap();
        let file = dir.open_file(b"a", Access::Read).unwrap();
        let stat = file.stat().unwrap();
        // The file may have grown or shrunk since its size was read.
        for told in [size, size / 2, size + 1, size + PART] {
            let (bytes, hashed) = read_hashed(&*file, told as u64, 2 * size + PART).unwrap();
            assert!(*bytes == *content && hashed == hash(&content), "{size} and {told}");
            let told = Stat { size: told as u64, ..stat };
            let wanted = (told.size == stat.size).then(|| hash(&content));
            assert_eq!(hash_within(&*file, &told).unwrap(), wanted, "{size}");
        }
    }
}
