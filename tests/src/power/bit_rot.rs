//! Flips a bit of a file in the block of the disk that stores it, so that the file system reads it: as changed content,
//! or, if it has checksums of contents, as an error.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::device::{FileSystem, IMAGE, LoopMount};

/// Bytes of the smallest block in which one of the file systems stores contents: a small ext4 has blocks of 1 KiB.
const BLOCK: usize = 1024;
/// Bytes that are read from the image at once.
const CHUNK: usize = 1 << 20;

/// Unmounts the disk after a cut, flips a bit in a block of this file, and mounts it again. Returns the offset in the
/// file, or `None` if no block of the file is found on the disk: a small file lies in the metadata.
///
/// # Errors
/// Errors of the system, and of the mount.
pub fn flip_stored_bit(
    top: &Path,
    kind: FileSystem,
    mounted: LoopMount,
    file: &Path,
    dice: &mut fastrand::Rng,
) -> Result<(LoopMount, Option<u64>), String> {
    let io = |error: io::Error| format!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(io)?;
    drop(mounted);
    let mut blocks: Vec<(usize, &[u8])> = bytes.chunks_exact(BLOCK).enumerate().collect();
    blocks.retain(|(_, block)| block.iter().any(|byte| *byte != 0));
    let image = top.join(IMAGE);
    let disk = File::options().read(true).write(true).open(&image).map_err(io)?;
    let mut flipped = None;
    if let Some((nth, block)) = dice.choice(blocks) {
        let at = dice.usize(..BLOCK);
        for place in places_of(&disk, block).map_err(io)? {
            let byte = [block[at] ^ (1 << dice.u32(..8))];
            disk.write_all_at(&byte, place + at as u64).map_err(io)?;
            flipped = Some((nth * BLOCK + at) as u64);
        }
    }
    drop(disk);
    Ok((LoopMount::new(&image, kind, &top.join("disk"))?, flipped))
}

/// The offsets of blocks with this content on a disk.
fn places_of(disk: &File, block: &[u8]) -> io::Result<Vec<u64>> {
    let len = disk.metadata()?.len();
    let mut chunk = vec![0; CHUNK];
    let mut places = Vec::new();
    for at in (0..len).step_by(CHUNK) {
        let size = usize::try_from(len - at).unwrap_or(CHUNK).min(CHUNK);
        let some = chunk.get_mut(..size).unwrap_or_default();
        disk.read_exact_at(some, at)?;
        let found = some.chunks_exact(BLOCK).enumerate().filter(|(_, one)| *one == block);
        places.extend(found.map(|(nth, _)| at + (nth * BLOCK) as u64));
    }
    Ok(places)
}
