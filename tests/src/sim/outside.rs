//! Other processes on the machine: formatters, editors, shells, people. Their calls are not counted and do not fail,
//! and a power cut may lose their unflushed writes like any others.

use std::collections::BTreeMap;
use std::io;

use editd::testing::Stat;

use super::machine::{SharedState, lock};
use super::snapshot::{Snapshot, SnapshotNode};
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
fn place<'a>(world: &World, path: &'a (impl AsRef<[u8]> + ?Sized)) -> io::Result<(Id, &'a [u8])> {
    let path = path.as_ref();
    let end = path.iter().rposition(|byte| *byte == b'/');
    let (folder, name) = end.map_or((&path[..0], path), |end| (&path[..end], &path[end + 1..]));
    Ok((world.walk(folder, true)?, name))
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
    pub fn mkdir(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|world| {
            let path = path.as_ref();
            let ends = (1..path.len()).filter(|at| path[*at] == b'/').chain([path.len()]);
            for end in ends {
                let (dir, name) = place(world, &path[..end])?;
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
    pub fn mount(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.mount(dir, name).map(drop)
        })
    }

    /// Writes a file in place: truncates and writes it, or makes it with mode 0644.
    pub fn write(&self, path: &(impl AsRef<[u8]> + ?Sized), bytes: &[u8]) -> io::Result<()> {
        let file = self.open(path)?;
        file.set_len(0)?;
        file.write_at(bytes, 0)
    }

    /// Writes a new file beside it and renames it over it, as editors and formatters do.
    pub fn replace(&self, path: &(impl AsRef<[u8]> + ?Sized), bytes: &[u8]) -> io::Result<()> {
        let temporary = [path.as_ref(), b".outside-temporary"].concat();
        self.write(&temporary, bytes)?;
        self.rename(&temporary, path)
    }

    /// Appends through a descriptor of its own.
    pub fn append(&self, path: &(impl AsRef<[u8]> + ?Sized), bytes: &[u8]) -> io::Result<()> {
        self.open(path)?.append(bytes)
    }

    /// Opens a file for writing and keeps it open; makes it where it is missing. Breaks leases.
    pub fn open(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<OutsideFile> {
        let (id, handle) = self.act(|world| {
            let id = match world.walk(path.as_ref(), true) {
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
    pub fn is_leased(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> bool {
        let leased = self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
            Ok(world.is_leased(id))
        });
        leased.unwrap_or(false)
    }

    /// Reads a whole file.
    pub fn read(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<Vec<u8>> {
        self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
            let data = world.data(id).ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
            Ok(data.seen().all())
        })
    }

    /// Returns the metadata of a name; a link is not followed.
    pub fn stat(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<Stat> {
        self.act(|world| world.stat(world.walk(path.as_ref(), false)?))
    }

    /// Moves a name, over what is there.
    pub fn rename(
        &self,
        from: &(impl AsRef<[u8]> + ?Sized),
        to: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|world| world.rename(place(world, from)?, place(world, to)?, TargetExists::Replace))
    }

    /// Exchanges two names.
    pub fn exchange(
        &self,
        a: &(impl AsRef<[u8]> + ?Sized),
        b: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|world| world.exchange(place(world, a)?, place(world, b)?))
    }

    /// Removes a file or link.
    pub fn remove(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.remove(dir, name, false)
        })
    }

    /// Removes an empty folder.
    pub fn rmdir(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.remove(dir, name, true)
        })
    }

    /// Removes a file or link, or a folder with everything in it.
    pub fn remove_all(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        let path = path.as_ref();
        let Ok(below) = self.snapshot(path) else { return self.remove(path) };
        for (name, seen) in below.0.iter().rev() {
            let place = [path, b"/", name].concat();
            if matches!(seen, SnapshotNode::Dir { .. }) { self.rmdir(&place)? } else { self.remove(&place)? }
        }
        self.rmdir(path)
    }

    /// Makes a hard link.
    pub fn link(
        &self,
        from: &(impl AsRef<[u8]> + ?Sized),
        to: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|world| world.link(place(world, from)?, place(world, to)?))
    }

    /// Makes a symbolic link.
    pub fn symlink(
        &self,
        target: &(impl AsRef<[u8]> + ?Sized),
        path: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.create(dir, name, Body::Link { target: target.as_ref().into() }, 0o777).map(drop)
        })
    }

    /// Makes a FIFO.
    pub fn fifo(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|world| {
            let (dir, name) = place(world, path)?;
            world.create(dir, name, Body::Special, 0o644).map(drop)
        })
    }

    /// Sets the permission bits.
    pub fn chmod(&self, path: &(impl AsRef<[u8]> + ?Sized), mode: u32) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
            world.attributes(id, |attributes| attributes.mode = mode & 0o7777)
        })
    }

    /// Sets the owner.
    pub fn chown(&self, path: &(impl AsRef<[u8]> + ?Sized), uid: u32, gid: u32) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
            world.attributes(id, |attributes| (attributes.uid, attributes.gid) = (uid, gid))
        })
    }

    /// Sets an extended attribute.
    pub fn set_attribute(
        &self,
        path: &(impl AsRef<[u8]> + ?Sized),
        name: &str,
        value: &[u8],
    ) -> io::Result<()> {
        self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
            world.attributes(id, |attributes| {
                std::sync::Arc::make_mut(&mut attributes.extended).insert(name.into(), value.into());
            })
        })
    }

    /// Reads an extended attribute.
    pub fn attribute(&self, path: &(impl AsRef<[u8]> + ?Sized), name: &str) -> io::Result<Option<Vec<u8>>> {
        self.act(|world| {
            let id = world.walk(path.as_ref(), true)?;
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
    pub fn flush(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
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
    pub fn snapshot(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<Snapshot> {
        self.act(|world| Snapshot::take(world, path.as_ref()))
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
