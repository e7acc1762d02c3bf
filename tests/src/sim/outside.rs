//! Other processes on the machine: formatters, editors, shells, people. Their calls are not counted and do not fail,
//! and a power cut may lose their unflushed writes like any others.

use std::collections::BTreeMap;
use std::io;

use editd::os::Stat;

use super::machine::{SharedState, lock};
use super::snapshot::Snapshot;
use super::tree::{Body, Id};
use super::world::{HandleId, Owner, TargetExists, World};

/// Another process. Paths are absolute; links on the way are followed, the last one where the system would.
pub struct Outside {
    shared: SharedState,
}

/// A file that another process keeps open for writing.
pub struct OutsideFile {
    shared: SharedState,
    id: Id,
    handle: HandleId,
}

/// The folder of a path and its last name.
fn place<'a>(world: &World, path: &'a str) -> io::Result<(Id, &'a [u8])> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    Ok((world.walk(folder.as_bytes(), true)?, name.as_bytes()))
}

impl Outside {
    pub(super) fn new(shared: SharedState) -> Self {
        Self { shared }
    }

    fn act<T>(&self, run: impl FnOnce(&mut World) -> io::Result<T>) -> io::Result<T> {
        run(&mut lock(&self.shared).world)
    }

    /// Makes a folder and those above it that are missing, mode 0755.
    ///
    /// # Errors
    /// What `mkdir` would say; as in all calls here.
    pub fn mkdir(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            for (end, _) in path.match_indices('/').skip(1).chain([(path.len(), "")]) {
                let Some(path) = path.get(..end) else { continue };
                let (dir, name) = place(world, path)?;
                let body = Body::Dir { entries: BTreeMap::new(), parent: dir };
                match world.create(dir, name, body, 0o755) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => drop(done?),
                }
            }
            Ok(())
        })
    }

    /// Makes a folder that is another file system.
    pub fn mount(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.mount(dir, name).map(drop)
        })
    }

    /// Writes a file in place: truncates and writes it, or makes it with mode 0644.
    pub fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let file = self.open(path)?;
        file.set_len(0)?;
        file.write_at(bytes, 0)
    }

    /// Writes a new file beside it and renames it over it, as editors and formatters do.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = format!("{path}.outside-temporary");
        self.write(&temporary, bytes)?;
        self.rename(&temporary, path)
    }

    /// Appends through a descriptor of its own.
    pub fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.open(path)?.append(bytes)
    }

    /// Opens a file for writing and keeps it open; makes it where it is missing. Breaks leases.
    pub fn open(&self, path: &str) -> io::Result<OutsideFile> {
        let (id, handle) = self.act(|world| {
            let id = match world.walk(path.as_bytes(), true) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let (dir, name) = place(world, path)?;
                    world.create(dir, name, Body::File, 0o644)?
                }
                found => found?,
            };
            if world.data(id).is_none() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            Ok((id, world.open(id, Owner::Outside, true)?))
        })?;
        Ok(OutsideFile { shared: self.shared.clone(), id, handle })
    }

    /// Returns true if a process holds a lease on the file, so that opening it for writing waits.
    pub fn is_leased(&self, path: &str) -> bool {
        let leased = self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            Ok(world.is_leased(id))
        });
        leased.unwrap_or(false)
    }

    /// Reads a whole file.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            let data = world.data(id).ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
            Ok(data.seen().all())
        })
    }

    /// Returns the metadata of a name; a link is not followed.
    pub fn stat(&self, path: &str) -> io::Result<Stat> {
        self.act(|world| world.stat(world.walk(path.as_bytes(), false)?))
    }

    /// Moves a name, over what is there.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.act(|world| world.rename(place(world, from)?, place(world, to)?, TargetExists::Replace))
    }

    /// Exchanges two names.
    pub fn exchange(&self, a: &str, b: &str) -> io::Result<()> {
        self.act(|world| world.exchange(place(world, a)?, place(world, b)?))
    }

    /// Removes a file or link.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.remove(dir, name, false)
        })
    }

    /// Removes an empty folder.
    pub fn rmdir(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.remove(dir, name, true)
        })
    }

    /// Makes a hard link.
    pub fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.act(|world| world.link(place(world, from)?, place(world, to)?))
    }

    /// Makes a symbolic link.
    pub fn symlink(&self, target: &str, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.create(dir, name, Body::Link { target: target.into() }, 0o777).map(drop)
        })
    }

    /// Makes a FIFO.
    pub fn fifo(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.create(dir, name, Body::Special, 0o644).map(drop)
        })
    }

    /// Sets the permission bits.
    pub fn chmod(&self, path: &str, mode: u32) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            world.attributes(id, |attributes| attributes.mode = mode & 0o7777)
        })
    }

    /// Sets the owner.
    pub fn chown(&self, path: &str, uid: u32, gid: u32) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            world.attributes(id, |attributes| (attributes.uid, attributes.gid) = (uid, gid))
        })
    }

    /// Sets an extended attribute.
    pub fn set_attribute(&self, path: &str, name: &str, value: &[u8]) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            world.attributes(id, |attributes| {
                std::sync::Arc::make_mut(&mut attributes.extended).insert(name.into(), value.into());
            })
        })
    }

    /// Reads an extended attribute.
    pub fn attribute(&self, path: &str, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.act(|world| {
            let id = world.walk(path.as_bytes(), true)?;
            let node = world.tree().get(id);
            Ok(node.and_then(|node| node.attributes.extended.get(name.as_bytes()).cloned()))
        })
    }

    /// Flushes everything, as `sync` does.
    pub fn sync(&self) -> io::Result<()> {
        self.act(|world| {
            world.settle();
            Ok(())
        })
    }

    /// Flushes what stands at a path, if it is a file, and then its folder, as careful programs do.
    pub fn flush(&self, path: &str) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            match world.lookup(dir, name) {
                Ok(id) if world.data(id).is_some() => world.sync_all(id)?,
                _ => {}
            }
            world.sync_dir(dir)
        })
    }

    /// Returns the contents of a folder and all folders below it.
    pub fn snapshot(&self, path: &str) -> io::Result<Snapshot> {
        self.act(|world| Snapshot::take(world, path.as_bytes()))
    }
}

impl OutsideFile {
    /// Writes at an offset.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        lock(&self.shared).world.write(self.id, offset, bytes)
    }

    /// Writes at the end.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let world = &mut lock(&self.shared).world;
        let end = world.data(self.id).map_or(0, |data| data.seen().len());
        world.write(self.id, end, bytes)
    }

    /// Cuts or lengthens it.
    pub fn set_len(&self, len: u64) -> io::Result<()> {
        lock(&self.shared).world.set_len(self.id, len)
    }

    /// Everything in it.
    pub fn read(&self) -> Vec<u8> {
        lock(&self.shared).world.data(self.id).map(|data| data.seen().all()).unwrap_or_default()
    }
}

impl Drop for OutsideFile {
    fn drop(&mut self) {
        lock(&self.shared).world.close(self.handle);
    }
}
