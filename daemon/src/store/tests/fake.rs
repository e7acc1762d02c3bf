//! A simulated machine for the store's own tests: files with a volatile and a durable content, power cuts and failing
//! calls. It has folders and plain files only.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::os::{
    Access, BootId, Dir, DirEntry, File, FileIdentity, FileKind, LeaseState, Os, OsDir, OsFile, Stat,
};

/// The bytes of a file, volatile and durable.
#[derive(Default, Clone)]
pub(crate) struct FakeContent {
    pub(crate) seen: Vec<u8>,
    durable: Vec<u8>,
    ino: u64,
    /// Bytes that the disk cannot read.
    pub(crate) unreadable: std::ops::Range<u64>,
}

#[derive(Clone)]
enum Node {
    File(Arc<Mutex<FakeContent>>),
    Dir(Arc<Mutex<BTreeMap<Vec<u8>, Node>>>),
}

#[derive(Default)]
struct Faults {
    /// The number of calls so far that change or flush something.
    calls: AtomicU64,
    /// The number of reads of files so far.
    reads: AtomicU64,
    /// The number of flushes so far.
    flushes: AtomicU64,
    /// The number of the call that fails; 0 for none.
    fail_at: AtomicU64,
    is_full: AtomicBool,
    boot: AtomicU64,
    /// Called inside every flush.
    on_flush: Mutex<Option<Hook>>,
    /// Called inside every flush of a folder.
    on_folder_flush: Mutex<Option<Hook>>,
}

type Hook = Arc<dyn Fn() + Send + Sync>;

/// The simulated machine.
#[derive(Clone)]
pub(crate) struct FakeMachine {
    root: FakeDir,
    faults: Arc<Faults>,
}

#[derive(Clone)]
struct FakeDir {
    names: Arc<Mutex<BTreeMap<Vec<u8>, Node>>>,
    faults: Arc<Faults>,
}

struct FakeFile {
    content: Arc<Mutex<FakeContent>>,
    faults: Arc<Faults>,
}

impl Faults {
    fn effect(&self) -> io::Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if call == self.fail_at.load(Ordering::SeqCst) {
            return Err(io::Error::other("a fault of the test"));
        }
        Ok(())
    }

    fn room(&self) -> io::Result<()> {
        if self.is_full.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl FakeMachine {
    pub(crate) fn new() -> Self {
        let faults = Arc::new(Faults::default());
        Self { root: FakeDir { names: Arc::default(), faults: faults.clone() }, faults }
    }

    pub(crate) fn os(&self) -> Arc<dyn Os> {
        Arc::new(self.clone())
    }

    pub(crate) fn dir(&self) -> Dir {
        Arc::new(self.root.clone())
    }

    pub(crate) fn flushes(&self) -> u64 {
        self.faults.flushes.load(Ordering::SeqCst)
    }

    /// Calls `hook` inside every flush.
    pub(crate) fn on_flush(&self, hook: impl Fn() + Send + Sync + 'static) {
        *self.faults.on_flush.lock().unwrap() = Some(Arc::new(hook));
    }

    /// Calls `hook` inside every flush of a folder.
    pub(crate) fn on_folder_flush(&self, hook: impl Fn() + Send + Sync + 'static) {
        *self.faults.on_folder_flush.lock().unwrap() = Some(Arc::new(hook));
    }

    pub(crate) fn reads(&self) -> u64 {
        self.faults.reads.load(Ordering::SeqCst)
    }

    pub(crate) fn calls(&self) -> u64 {
        self.faults.calls.load(Ordering::SeqCst)
    }

    /// Makes the `n`-th changing call from now fail, once.
    pub(crate) fn fail_in(&self, n: u64) {
        self.faults.fail_at.store(self.calls() + n, Ordering::SeqCst);
    }

    /// Fills the disk, or makes room.
    pub(crate) fn set_full(&self, is_full: bool) {
        self.faults.is_full.store(is_full, Ordering::SeqCst);
    }

    /// Returns a copy with the volatile contents, as after a kill.
    pub(crate) fn copy(&self) -> Self {
        self.map(&|content| FakeContent { ..content.clone() }, false)
    }

    /// Returns a copy as after a power cut: each 512 bytes that were not flushed are old or new, as `choose` decides.
    /// Names and lengths are kept.
    pub(crate) fn power_cut(&self, choose: &dyn Fn() -> bool) -> Self {
        self.map(
            &|content| {
                let mut seen = content.durable.clone();
                seen.resize(content.seen.len(), 0);
                for (old, new) in seen.chunks_mut(512).zip(content.seen.chunks(512)) {
                    if old != new && choose() {
                        old.copy_from_slice(new);
                    }
                }
                FakeContent { durable: seen.clone(), seen, ..content.clone() }
            },
            true,
        )
    }

    fn map(&self, change: &dyn Fn(&FakeContent) -> FakeContent, boot: bool) -> Self {
        let faults = Arc::new(Faults::default());
        faults.boot.store(self.faults.boot.load(Ordering::SeqCst) + u64::from(boot), Ordering::SeqCst);
        let names = map_dir(&self.root.names, change);
        Self { root: FakeDir { names, faults: faults.clone() }, faults }
    }

    /// Returns the path and the volatile content of every file.
    pub(crate) fn all_files(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.root.names, "", &mut found);
        found
    }

    /// Returns the file at a path of names.
    pub(crate) fn file(&self, path: &[&str]) -> Arc<Mutex<FakeContent>> {
        let (name, folders) = path.split_last().unwrap();
        let mut names = self.root.names.clone();
        for folder in folders {
            let next = match names.lock().unwrap().get(folder.as_bytes()) {
                Some(Node::Dir(next)) => next.clone(),
                _ => panic!("no folder {folder}"),
            };
            names = next;
        }
        let names = names.lock().unwrap();
        match names.get(name.as_bytes()) {
            Some(Node::File(content)) => content.clone(),
            _ => panic!("no file {name}"),
        }
    }
}

fn map_dir(
    names: &Mutex<BTreeMap<Vec<u8>, Node>>,
    change: &dyn Fn(&FakeContent) -> FakeContent,
) -> Arc<Mutex<BTreeMap<Vec<u8>, Node>>> {
    let names = names.lock().unwrap();
    let copy = names.iter().map(|(name, node)| {
        let node = match node {
            Node::File(content) => Node::File(Arc::new(Mutex::new(change(&content.lock().unwrap())))),
            Node::Dir(inner) => Node::Dir(map_dir(inner, change)),
        };
        (name.clone(), node)
    });
    Arc::new(Mutex::new(copy.collect()))
}

fn collect(names: &Mutex<BTreeMap<Vec<u8>, Node>>, below: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for (name, node) in names.lock().unwrap().iter() {
        let path = format!("{below}/{}", String::from_utf8_lossy(name));
        match node {
            Node::File(content) => found.push((path, content.lock().unwrap().seen.clone())),
            Node::Dir(inner) => collect(inner, &path, found),
        }
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

fn stat(kind: FileKind, ino: u64, size: u64) -> Stat {
    let identity = FileIdentity { dev: 1, ino, born: 1 };
    // The number grows with every file and serves as the time.
    let time = ino as i64;
    Stat { kind, identity, size, mode: 0o600, uid: 1, gid: 1, links: 1, modified: time, changed: time }
}

impl Os for FakeMachine {
    fn open_dir(&self, _: &Path) -> io::Result<Dir> {
        Ok(self.dir())
    }
    fn boot_id(&self) -> io::Result<BootId> {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&self.faults.boot.load(Ordering::SeqCst).to_le_bytes());
        Ok(BootId(id))
    }
    fn began(&self) -> io::Result<i64> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn exchange(&self, _: &Dir, _: &[u8], _: &Dir, _: &[u8]) -> io::Result<()> {
        unsupported()
    }
    fn rename_noreplace(&self, _: &Dir, _: &[u8], _: &Dir, _: &[u8]) -> io::Result<()> {
        unsupported()
    }
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        self.faults.effect()?;
        let from = from.as_any().downcast_ref::<FakeDir>().unwrap();
        let to = to.as_any().downcast_ref::<FakeDir>().unwrap();
        let node = from.names.lock().unwrap().remove(name).ok_or(io::ErrorKind::NotFound)?;
        to.names.lock().unwrap().insert(to_name.to_vec(), node);
        Ok(())
    }
    fn link(&self, _: &Dir, _: &[u8], _: &Dir, _: &[u8]) -> io::Result<()> {
        unsupported()
    }
}

impl OsDir for FakeDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        match self.names.lock().unwrap().get(name).ok_or(io::ErrorKind::NotFound)? {
            Node::File(content) => {
                let content = content.lock().unwrap();
                Ok(stat(FileKind::File, content.ino, content.seen.len() as u64))
            }
            Node::Dir(_) => Ok(stat(FileKind::Dir, 1, 0)),
        }
    }
    fn stat_self(&self) -> io::Result<Stat> {
        Ok(stat(FileKind::Dir, 1, 0))
    }
    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        match self.names.lock().unwrap().get(name).ok_or(io::ErrorKind::NotFound)? {
            Node::Dir(names) => Ok(Arc::new(FakeDir { names: names.clone(), faults: self.faults.clone() })),
            Node::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }
    fn open_file(&self, name: &[u8], _: Access) -> io::Result<File> {
        match self.names.lock().unwrap().get(name).ok_or(io::ErrorKind::NotFound)? {
            Node::File(content) => {
                Ok(Arc::new(FakeFile { content: content.clone(), faults: self.faults.clone() }))
            }
            Node::Dir(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    fn create_file(&self, name: &[u8], _: u32) -> io::Result<File> {
        let mut names = self.names.lock().unwrap();
        if names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.faults.effect().and_then(|()| self.faults.room())?;
        let ino = self.faults.calls.load(Ordering::SeqCst) + 1;
        let content = Arc::new(Mutex::new(FakeContent { ino, ..FakeContent::default() }));
        names.insert(name.to_vec(), Node::File(content.clone()));
        Ok(Arc::new(FakeFile { content, faults: self.faults.clone() }))
    }
    fn create_dir(&self, name: &[u8], _: u32) -> io::Result<()> {
        let mut names = self.names.lock().unwrap();
        if names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.faults.effect()?;
        names.insert(name.to_vec(), Node::Dir(Arc::default()));
        Ok(())
    }
    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        self.faults.effect()?;
        self.names.lock().unwrap().remove(name).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }
    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        self.remove_file(name)
    }
    fn read_link(&self, _: &[u8]) -> io::Result<Vec<u8>> {
        unsupported()
    }
    fn list(&self) -> io::Result<Vec<DirEntry>> {
        let names = self.names.lock().unwrap();
        Ok(names.keys().map(|name| DirEntry { name: name.clone(), kind: None }).collect())
    }
    fn sync(&self) -> io::Result<()> {
        let hook = self.faults.on_folder_flush.lock().unwrap().clone();
        hook.into_iter().for_each(|hook| hook());
        self.faults.effect()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl OsFile for FakeFile {
    fn stat(&self) -> io::Result<Stat> {
        let content = self.content.lock().unwrap();
        Ok(stat(FileKind::File, content.ino, content.seen.len() as u64))
    }
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.faults.reads.fetch_add(1, Ordering::SeqCst);
        let content = self.content.lock().unwrap();
        let rest = content.seen.get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        if offset < content.unreadable.end && content.unreadable.start < offset + n as u64 {
            return Err(io::Error::other("the test's disk cannot read this"));
        }
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let fault = self.faults.effect();
        // A failing write writes half of its bytes.
        let bytes = if fault.is_err() { &bytes[..bytes.len() / 2] } else { bytes };
        let mut content = self.content.lock().unwrap();
        let end = offset as usize + bytes.len();
        if content.seen.len() < end {
            self.faults.room()?;
        }
        if content.seen.len() < end {
            content.seen.resize(end, 0);
        }
        content.seen[offset as usize..end].copy_from_slice(bytes);
        fault
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.faults.effect()?;
        self.content.lock().unwrap().seen.resize(len as usize, 0);
        Ok(())
    }
    fn sync_data(&self) -> io::Result<()> {
        self.faults.effect()?;
        self.faults.flushes.fetch_add(1, Ordering::SeqCst);
        let hook = self.faults.on_flush.lock().unwrap().clone();
        if let Some(hook) = hook {
            hook();
        }
        let mut content = self.content.lock().unwrap();
        content.durable = content.seen.clone();
        Ok(())
    }
    fn sync_all(&self) -> io::Result<()> {
        self.sync_data()
    }
    fn set_mode(&self, _: u32) -> io::Result<()> {
        self.faults.effect()
    }
    fn set_owner(&self, _: u32, _: u32) -> io::Result<()> {
        self.faults.effect()
    }
    fn copy_attributes(&self, _: &dyn OsFile) -> io::Result<()> {
        self.faults.effect()
    }
    fn lease(&self) -> io::Result<LeaseState> {
        Ok(LeaseState::Unsupported)
    }
    fn lease_intact(&self) -> io::Result<bool> {
        Ok(false)
    }
    fn release_lease(&self) -> io::Result<()> {
        Ok(())
    }
    fn try_lock(&self) -> io::Result<bool> {
        Ok(true)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
