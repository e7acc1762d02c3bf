//! The files of kept contents; the oldest are removed first. Its calls never fail: a content that cannot be kept is
//! dropped.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};

use editd_proto::ids::ContentHash;
use editd_proto::limits::FILE;
use editd_proto::system_error::in_words;

use super::packed::{HEADER, pack, unpack, unpacked_size};
use crate::limits;
use crate::os::{Access, Dir, Os, read_all};
use crate::sync::lock;

/// The kept contents.
pub struct ContentFiles {
    os: Arc<dyn Os>,
    dir: Dir,
    /// Most bytes on the disk, in whole blocks.
    bound: u64,
    waiting: Mutex<WaitingContents>,
    /// Held while waiting contents are written.
    writing: Mutex<()>,
    /// The files on the disk; read when first needed.
    known: Mutex<Option<FileSizes>>,
}

#[derive(Default)]
struct WaitingContents {
    contents: BTreeMap<ContentHash, OfferedContent>,
    order: VecDeque<ContentHash>,
    bytes: usize,
}

struct OfferedContent {
    content: Arc<[u8]>,
    /// True if a session was shown the content. If false, a job made it, and it is not written if another job
    /// replaces it first.
    shown: bool,
}

impl WaitingContents {
    fn remove(&mut self, hash: ContentHash) {
        if let Some(gone) = self.contents.remove(&hash) {
            self.bytes = self.bytes.saturating_sub(gone.content.len());
            self.order.retain(|other| *other != hash);
        }
    }
}

#[derive(Default)]
struct FileSizes {
    /// Oldest first.
    order: VecDeque<(ContentHash, u64)>,
    hashes: HashSet<ContentHash>,
    bytes: u64,
}

/// The beginning of the name of a file that is being written.
const HALF_WRITTEN: &str = "tmp-";

fn home(name: &str) -> Option<&str> {
    name.get(..2)
}

/// Returns the hash that a file is named by, also one that is half written.
fn hash_of(name: &str) -> Option<ContentHash> {
    let name = name.strip_prefix(HALF_WRITTEN).unwrap_or(name);
    blake3::Hash::from_hex(name).ok().map(|hash| ContentHash::from_bytes(*hash.as_bytes()))
}

/// Returns the error that contents are still there.
fn remaining(first: &str, others: usize, error: Option<io::Error>) -> io::Error {
    let others = if others > 0 { format!(" and {others} more") } else { String::new() };
    let error = error.map_or_else(String::new, |error| format!(": {}", in_words(&error)));
    io::Error::other(format!("{first}{others} in contents/ remain{error}"))
}

/// Returns the bytes that a file of this size takes on the disk.
fn on_disk(size: u64) -> u64 {
    size.next_multiple_of(limits::CONTENTS_BLOCK)
}

impl ContentFiles {
    /// Keeps contents in a folder of their own, `bound` bytes at most.
    pub fn new(os: Arc<dyn Os>, dir: Dir, bound: u64) -> Self {
        Self { os, dir, bound, waiting: Mutex::default(), writing: Mutex::default(), known: Mutex::default() }
    }

    /// Queues a content that a session was shown for writing. Returns false if it is too large or too many wait
    /// already.
    pub fn offer(&self, hash: ContentHash, content: Arc<[u8]>) -> bool {
        Self::take(&mut lock(&self.waiting), hash, content, true)
    }

    /// Queues a content by which a job replaced another. The replaced content is not written if it still waits and no
    /// session was shown it. Returns false if the new content is too large or too many wait already.
    pub fn offer_instead(&self, before: Option<ContentHash>, hash: ContentHash, content: Arc<[u8]>) -> bool {
        let mut waiting = lock(&self.waiting);
        if let Some(before) = before.filter(|before| *before != hash)
            && waiting.contents.get(&before).is_some_and(|offered| !offered.shown)
        {
            waiting.remove(before);
        }
        Self::take(&mut waiting, hash, content, false)
    }

    fn take(waiting: &mut WaitingContents, hash: ContentHash, content: Arc<[u8]>, shown: bool) -> bool {
        if content.len() > FILE {
            return false;
        }
        if let Some(offered) = waiting.contents.get_mut(&hash) {
            offered.shown |= shown;
            return true;
        }
        let full = waiting.order.len() >= limits::CONTENTS_WAITING
            || waiting.bytes + content.len() > limits::CONTENTS_WAITING_BYTES;
        // A single large content may wait alone.
        if full && !waiting.order.is_empty() {
            return false;
        }
        waiting.bytes += content.len();
        waiting.order.push_back(hash);
        waiting.contents.insert(hash, OfferedContent { content, shown });
        true
    }

    /// Writes the contents that wait, and returns the number of their bytes. Those that are offered meanwhile wait for the
    /// next call, since a job may replace them before that.
    pub fn write_waiting(&self) -> usize {
        let _one = lock(&self.writing);
        let hashes: Vec<ContentHash> = lock(&self.waiting).order.iter().copied().collect();
        let mut bytes = 0_usize;
        for hash in hashes {
            let offered = lock(&self.waiting).contents.get(&hash).map(|one| Arc::clone(&one.content));
            let Some(content) = offered else { continue };
            if let Err(e) = self.write(hash, &content) {
                tracing::debug!("a content was not kept: {e}");
            }
            bytes = bytes.saturating_add(content.len());
            lock(&self.waiting).remove(hash);
        }
        bytes
    }

    /// Returns the content with a hash, if it is kept. A damaged file is removed.
    pub fn get(&self, hash: ContentHash) -> Option<Vec<u8>> {
        if let Some(offered) = lock(&self.waiting).contents.get(&hash) {
            return Some(offered.content.to_vec());
        }
        let name = hash.hex();
        let folder = self.dir.open_dir(home(&name)?.as_bytes()).ok()?;
        let file = folder.open_file(name.as_bytes(), Access::Read).ok()?;
        let packed = read_all(&*file, zstd::zstd_safe::compress_bound(FILE) + 16).ok()?;
        let content = unpack(&packed, hash);
        if content.is_none() {
            tracing::warn!("the kept content {name} is damaged; it is removed");
            self.forget(hash);
            // If this fails, the file is found damaged again.
            let _ = folder.remove_file(name.as_bytes());
        }
        content
    }

    /// Returns the size of the content with a hash, if it is kept. For a damaged file this may be any number up to
    /// the limit.
    pub fn size(&self, hash: ContentHash) -> Option<usize> {
        if let Some(offered) = lock(&self.waiting).contents.get(&hash) {
            return Some(offered.content.len());
        }
        let name = hash.hex();
        let folder = self.dir.open_dir(home(&name)?.as_bytes()).ok()?;
        let file = folder.open_file(name.as_bytes(), Access::Read).ok()?;
        let mut head = [0; HEADER];
        let read = file.read_at(&mut head, 0).ok()?;
        head.get(..read).and_then(unpacked_size)
    }

    /// Returns the hashes of all contents that are kept or wait to be written.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn hashes(&self) -> io::Result<HashSet<ContentHash>> {
        let _one = lock(&self.writing);
        let mut hashes: HashSet<ContentHash> = lock(&self.waiting).contents.keys().copied().collect();
        self.each(&mut |_, name| {
            hashes.extend(hash_of(name));
            Ok(())
        })?;
        Ok(hashes)
    }

    /// Removes contents, also those that wait to be written or that a kill left half written, and lists the folder again.
    /// Returns the number of removed files.
    ///
    /// # Errors
    /// Errors of the system, and the names of files that remain.
    pub fn remove_all(&self, hashes: &HashSet<ContentHash>) -> io::Result<u64> {
        let _one = lock(&self.writing);
        hashes.iter().for_each(|hash| {
            lock(&self.waiting).remove(*hash);
            self.forget(*hash);
        });
        let is_meant = |name: &str| hash_of(name).is_some_and(|hash| hashes.contains(&hash));
        let (mut removed, mut failed) = (0, None);
        self.each(&mut |folder, name| {
            if is_meant(name) {
                match folder.remove_file(name.as_bytes()).and_then(|()| folder.sync()) {
                    Ok(()) => removed += 1,
                    // It was damaged, and a look-up has removed it.
                    Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                    Err(e) => failed = Some(e),
                }
            }
            Ok(())
        })?;
        let mut left = Vec::new();
        self.each(&mut |_, name| {
            left.extend(is_meant(name).then(|| name.to_owned()));
            Ok(())
        })?;
        match (failed, left.as_slice()) {
            (None, []) => Ok(removed),
            (Some(error), []) => Err(error),
            (error, [first, others @ ..]) => Err(remaining(first, others.len(), error)),
        }
    }

    /// Calls `see` with the folder and the name of each file.
    fn each(&self, see: &mut dyn FnMut(&Dir, &str) -> io::Result<()>) -> io::Result<()> {
        for listed in self.dir.list()? {
            let folder = match self.dir.open_dir(&listed.name) {
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    continue;
                }
                folder => folder?,
            };
            for file in folder.list()? {
                see(&folder, &String::from_utf8_lossy(&file.name))?;
            }
        }
        Ok(())
    }

    /// Returns the bytes on the disk; 0 if the folder was not listed yet.
    pub fn bytes(&self) -> u64 {
        lock(&self.known).as_ref().map_or(0, |known| known.bytes)
    }

    fn write(&self, hash: ContentHash, content: &[u8]) -> io::Result<()> {
        let mut known = lock(&self.known);
        let known = match &mut *known {
            Some(known) => known,
            none => none.insert(self.list()?),
        };
        if known.hashes.contains(&hash) {
            return Ok(());
        }
        let Some(packed) = pack(content) else { return Ok(()) };
        let size = on_disk(packed.len() as u64);
        if size > self.bound {
            return Ok(());
        }
        while known.bytes + size > self.bound {
            let Some((oldest, freed)) = known.order.pop_front() else { break };
            known.hashes.remove(&oldest);
            known.bytes = known.bytes.saturating_sub(freed);
            self.remove(&oldest.hex());
        }
        self.place(&hash.hex(), &packed)?;
        known.bytes += size;
        known.order.push_back((hash, size));
        known.hashes.insert(hash);
        Ok(())
    }

    fn place(&self, name: &str, packed: &[u8]) -> io::Result<()> {
        let home = home(name).unwrap_or_default().as_bytes();
        let folder = match self.dir.open_dir(home) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.dir.create_dir(home, 0o700)?;
                self.dir.open_dir(home)?
            }
            other => other?,
        };
        let temporary = format!("{HALF_WRITTEN}{name}");
        let written = || -> io::Result<()> {
            let file = folder.create_file(temporary.as_bytes(), 0o600)?;
            file.write_all_at(packed, 0)?;
            self.os.rename(&folder, temporary.as_bytes(), &folder, name.as_bytes())
        };
        written().inspect_err(|_| {
            // As on a full disk: the partly written file is removed.
            let _ = folder.remove_file(temporary.as_bytes());
        })
    }

    fn remove(&self, name: &str) {
        let folder = home(name).map(|home| self.dir.open_dir(home.as_bytes()));
        if let Some(Ok(folder)) = folder {
            // A file that stays is found the next time the folder is listed.
            let _ = folder.remove_file(name.as_bytes());
        }
    }

    fn forget(&self, hash: ContentHash) {
        if let Some(known) = &mut *lock(&self.known)
            && known.hashes.remove(&hash)
        {
            let gone = known.order.iter().position(|(other, _)| *other == hash);
            if let Some((_, size)) = gone.and_then(|index| known.order.remove(index)) {
                known.bytes = known.bytes.saturating_sub(size);
            }
        }
    }

    /// Lists the files on the disk, oldest first. Removes files that a kill left half written.
    fn list(&self) -> io::Result<FileSizes> {
        let mut found = Vec::new();
        for listed in self.dir.list()? {
            let Ok(folder) = self.dir.open_dir(&listed.name) else { continue };
            for file in folder.list()? {
                let name = String::from_utf8_lossy(&file.name).into_owned();
                if name.starts_with(HALF_WRITTEN) {
                    // Tried again the next time the folder is listed.
                    let _ = folder.remove_file(&file.name);
                } else if let (Some(hash), Ok(stat)) = (hash_of(&name), folder.stat(&file.name)) {
                    found.push((stat.modified, hash, on_disk(stat.size)));
                }
            }
        }
        found.sort();
        Ok(FileSizes {
            bytes: found.iter().map(|(_, _, size)| size).sum(),
            hashes: found.iter().map(|(_, hash, _)| *hash).collect(),
            order: found.into_iter().map(|(_, hash, size)| (hash, size)).collect(),
        })
    }
}
