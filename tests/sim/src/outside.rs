//! Other processes on the machine: formatters, editors, shells, people. Their calls are not counted and do not fail,
//! and a power cut may lose their unflushed writes like any others.

use std::collections::BTreeMap;
use std::io;

use editd::testing::Stat;

use super::machine::{SharedState, lock};
use super::snapshot::{MachineSnapshot, SnapshotNode};
use super::system::{HandleId, HandleOwner, SystemState, TargetExists};
use super::tree::{NodeBody, NodeId};

/// Another process. Paths are absolute; links on the way are followed, the last one where the system would.
pub struct OutsideProcess {
    shared: SharedState,
}

/// A file that another process keeps open for writing.
pub struct OutsideFile {
    shared: SharedState,
    id: NodeId,
    handle: HandleId,
}

/// The folder of a path and its last name.
fn place<'a>(system: &SystemState, path: &'a (impl AsRef<[u8]> + ?Sized)) -> io::Result<(NodeId, &'a [u8])> {
    let path = path.as_ref();
    let end = path.iter().rposition(|byte| *byte == b'/');
    let (folder, name) = end.map_or((&path[..0], path), |end| (&path[..end], &path[end + 1..]));
    Ok((system.walk(folder, true)?, name))
}

impl OutsideProcess {
    pub(super) fn new(shared: SharedState) -> Self {
        Self { shared }
    }

    fn act<T>(&self, run: impl FnOnce(&mut SystemState) -> io::Result<T>) -> io::Result<T> {
        run(&mut lock(&self.shared).system)
    }

    /// Makes a folder and those above it that are missing, mode 0755.
    ///
    /// # Errors
    /// The error that `mkdir` would return; the other calls here return those of theirs.
    pub fn mkdir(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let path = path.as_ref();
            let ends = (1..path.len()).filter(|at| path[*at] == b'/').chain([path.len()]);
            for end in ends {
                let (dir, name) = place(system, &path[..end])?;
                let body = NodeBody::Dir { entries: BTreeMap::new(), parent: dir };
                match system.create(dir, name, body, 0o755) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => drop(done?),
                }
            }
            Ok(())
        })
    }

    /// Makes a folder that is another file system.
    pub fn mount(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            system.mount(dir, name).map(drop)
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
        let (id, handle) = self.act(|system| {
            let id = match system.walk(path.as_ref(), true) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let (dir, name) = place(system, path)?;
                    system.create(dir, name, NodeBody::File, 0o644)?
                }
                found => found?,
            };
            if system.data(id).is_none() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            Ok((id, system.open(id, HandleOwner::OutsideProcess, true)?))
        })?;
        Ok(OutsideFile { shared: self.shared.clone(), id, handle })
    }

    /// Returns true if a process holds a lease on the file, so that opening it for writing waits.
    pub fn is_leased(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> bool {
        let leased = self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            Ok(system.is_leased(id))
        });
        leased.unwrap_or(false)
    }

    /// Reads a whole file.
    pub fn read(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<Vec<u8>> {
        self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            let data = system.data(id).ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
            Ok(data.seen().all())
        })
    }

    /// Returns the metadata of a name; a link is not followed.
    pub fn stat(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<Stat> {
        self.act(|system| system.stat(system.walk(path.as_ref(), false)?))
    }

    /// Moves a name, over what is there.
    pub fn rename(
        &self,
        from: &(impl AsRef<[u8]> + ?Sized),
        to: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|system| system.rename(place(system, from)?, place(system, to)?, TargetExists::Replace))
    }

    /// Exchanges two names.
    pub fn exchange(
        &self,
        a: &(impl AsRef<[u8]> + ?Sized),
        b: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|system| system.exchange(place(system, a)?, place(system, b)?))
    }

    /// Removes a file or link.
    pub fn remove(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            system.remove(dir, name, false)
        })
    }

    /// Removes an empty folder.
    pub fn rmdir(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            system.remove(dir, name, true)
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
        self.act(|system| system.link(place(system, from)?, place(system, to)?))
    }

    /// Makes a symbolic link.
    pub fn symlink(
        &self,
        target: &(impl AsRef<[u8]> + ?Sized),
        path: &(impl AsRef<[u8]> + ?Sized),
    ) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            system.create(dir, name, NodeBody::Link { target: target.as_ref().into() }, 0o777).map(drop)
        })
    }

    /// Makes a FIFO.
    pub fn fifo(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            system.create(dir, name, NodeBody::Special, 0o644).map(drop)
        })
    }

    /// Sets the permission bits.
    pub fn chmod(&self, path: &(impl AsRef<[u8]> + ?Sized), mode: u32) -> io::Result<()> {
        self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            system.attributes(id, |attributes| attributes.mode = mode & 0o7777)
        })
    }

    /// Sets the owner.
    pub fn chown(&self, path: &(impl AsRef<[u8]> + ?Sized), uid: u32, gid: u32) -> io::Result<()> {
        self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            system.attributes(id, |attributes| (attributes.uid, attributes.gid) = (uid, gid))
        })
    }

    /// Sets an extended attribute.
    pub fn set_attribute(
        &self,
        path: &(impl AsRef<[u8]> + ?Sized),
        name: &str,
        value: &[u8],
    ) -> io::Result<()> {
        self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            system.attributes(id, |attributes| {
                std::sync::Arc::make_mut(&mut attributes.extended).insert(name.into(), value.into());
            })
        })
    }

    /// Reads an extended attribute.
    pub fn attribute(&self, path: &(impl AsRef<[u8]> + ?Sized), name: &str) -> io::Result<Option<Vec<u8>>> {
        self.act(|system| {
            let id = system.walk(path.as_ref(), true)?;
            let node = system.tree().get(id);
            Ok(node.and_then(|node| node.attributes.extended.get(name.as_bytes()).cloned()))
        })
    }

    /// Flushes everything, as `sync` does.
    pub fn sync(&self) -> io::Result<()> {
        self.act(|system| {
            system.settle();
            Ok(())
        })
    }

    /// Flushes what stands at a path, if it is a file, and then its folder, as careful programs do.
    pub fn flush(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
        self.act(|system| {
            let (dir, name) = place(system, path)?;
            match system.lookup(dir, name) {
                Ok(id) if system.data(id).is_some() => system.sync_all(id)?,
                _ => {}
            }
            system.sync_dir(dir)
        })
    }

    /// Returns the contents of a folder and all folders below it.
    pub fn snapshot(&self, path: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<MachineSnapshot> {
        self.act(|system| MachineSnapshot::take(system, path.as_ref()))
    }
}

impl OutsideFile {
    /// Writes at an offset.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        lock(&self.shared).system.write(self.id, offset, bytes)
    }

    /// Writes at the end.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let system = &mut lock(&self.shared).system;
        let end = system.data(self.id).map_or(0, |data| data.seen().len());
        system.write(self.id, end, bytes)
    }

    /// Cuts or lengthens it.
    pub fn set_len(&self, len: u64) -> io::Result<()> {
        lock(&self.shared).system.set_len(self.id, len)
    }

    /// Everything in it.
    pub fn read(&self) -> Vec<u8> {
        lock(&self.shared).system.data(self.id).map(|data| data.seen().all()).unwrap_or_default()
    }
}

impl Drop for OutsideFile {
    fn drop(&mut self) {
        lock(&self.shared).system.close(self.handle);
    }
}
