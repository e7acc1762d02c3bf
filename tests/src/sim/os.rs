//! The system calls of the simulated machine: each call passes the gate and does one thing to the state.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use editd::testing::{Access, BootId, Dir, DirEntry, File, FileKind, LeaseState, Os, OsDir, OsFile, Stat};

use super::call::{Op, Pass};
use super::machine::{SimMachine, lock};
use super::tree::{Body, Id};
use super::world::{HandleId, Owner, TargetExists, World};

struct SimDir {
    open: Open,
}

struct SimFile {
    open: Open,
}

/// Something open: closed when it is dropped.
struct Open {
    machine: SimMachine,
    id: Id,
    handle: HandleId,
}

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.machine.shared).world.close(self.handle);
    }
}

/// The error of the operating system for opening a link (`ELOOP`).
pub(super) fn link_error() -> io::Error {
    #[cfg(unix)]
    let number = rustix::io::Errno::LOOP.raw_os_error();
    #[cfg(windows)]
    let number = 1921;
    io::Error::from_raw_os_error(number)
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl SimMachine {
    fn owner(&self) -> Owner {
        Owner::Process(self.process)
    }

    fn id_of(&self, dir: &Dir) -> io::Result<Id> {
        let dir: &SimDir = dir.as_any().downcast_ref().ok_or_else(|| invalid("not of this machine"))?;
        Ok(dir.open.id)
    }

    fn opened(&self, (id, handle): (Id, HandleId)) -> Open {
        Open { machine: self.clone(), id, handle }
    }
}

fn open_folder(world: &mut World, id: Id, owner: Owner) -> io::Result<(Id, HandleId)> {
    match world.stat(id)?.kind {
        FileKind::Dir => Ok((id, world.open(id, owner, false)?)),
        FileKind::File | FileKind::Link | FileKind::Other => {
            Err(io::Error::from(io::ErrorKind::NotADirectory))
        }
    }
}

impl Os for SimMachine {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        let path = path.as_os_str().as_encoded_bytes();
        let opened = self.call(Op::OpenRoot, &[path], |world, _| {
            let id = world.walk(path, true)?;
            open_folder(world, id, self.owner())
        })?;
        Ok(Arc::new(SimDir { open: self.opened(opened) }))
    }

    fn boot_id(&self) -> io::Result<BootId> {
        self.call(Op::BootId, &[], |world, _| {
            let mut bytes = *b"simulated\0\0\0\0\0\0\0";
            if let Some(room) = bytes.last_chunk_mut::<7>() {
                let [_, tail @ ..] = world.boot().to_be_bytes();
                *room = tail;
            }
            Ok(BootId(bytes))
        })
    }

    fn began(&self) -> io::Result<i64> {
        self.call(Op::Began, &[], |world, _| Ok(world.began()))
    }

    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        let (a, b) = (self.id_of(a)?, self.id_of(b)?);
        self.call(Op::Exchange, &[a_name, b_name], |world, _| world.exchange((a, a_name), (b, b_name)))
    }

    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(Op::RenameNoreplace, &[name, to_name], |world, _| {
            world.rename((from, name), (to, to_name), TargetExists::Refuse)
        })
    }

    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(Op::Rename, &[name, to_name], |world, _| {
            world.rename((from, name), (to, to_name), TargetExists::Replace)
        })
    }

    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(Op::Link, &[name, to_name], |world, _| world.link((from, name), (to, to_name)))
    }
}

impl OsDir for SimDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        let id = self.open.id;
        self.open.machine.call(Op::Stat, &[name], |world, _| world.stat(world.lookup(id, name)?))
    }

    fn stat_self(&self) -> io::Result<Stat> {
        let id = self.open.id;
        self.open.machine.call(Op::StatSelf, &[], |world, _| world.stat(id))
    }

    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        let Open { machine, id, .. } = &self.open;
        let opened = machine.call(Op::OpenDir, &[name], |world, _| {
            let found = world.lookup(*id, name)?;
            open_folder(world, found, machine.owner())
        })?;
        Ok(Arc::new(SimDir { open: machine.opened(opened) }))
    }

    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File> {
        let Open { machine, id, .. } = &self.open;
        let opened = machine.call(Op::OpenFile, &[name], |world, _| {
            let found = world.lookup(*id, name)?;
            match world.stat(found)?.kind {
                FileKind::File => Ok((found, world.open(found, machine.owner(), access == Access::Write)?)),
                FileKind::Link => Err(link_error()),
                FileKind::Dir | FileKind::Other => Err(invalid("not a regular file")),
            }
        })?;
        Ok(Arc::new(SimFile { open: machine.opened(opened) }))
    }

    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let Open { machine, id, .. } = &self.open;
        let opened = machine.call(Op::CreateFile, &[name], |world, _| {
            // The usual mask.
            let made = world.create(*id, name, Body::File, mode & !0o022)?;
            Ok((made, world.open(made, machine.owner(), true)?))
        })?;
        Ok(Arc::new(SimFile { open: machine.opened(opened) }))
    }

    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(Op::CreateDir, &[name], |world, _| {
            let body = Body::Dir { entries: BTreeMap::new(), parent: id };
            world.create(id, name, body, mode).map(drop)
        })
    }

    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(Op::RemoveFile, &[name], |world, _| world.remove(id, name, false))
    }

    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(Op::RemoveDir, &[name], |world, _| world.remove(id, name, true))
    }

    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        let id = self.open.id;
        self.open.machine.call(Op::ReadLink, &[name], |world, _| {
            let found = world.lookup(id, name)?;
            match world.tree().get(found).map(|node| &node.body) {
                Some(Body::Link { target }) => Ok(target.clone()),
                _ => Err(invalid("not a link")),
            }
        })
    }

    fn list(&self) -> io::Result<Vec<DirEntry>> {
        let id = self.open.id;
        self.open.machine.call(Op::List, &[], |world, _| {
            let Some(Body::Dir { entries, .. }) = world.tree().get(id).map(|node| &node.body) else {
                return Err(io::Error::from(io::ErrorKind::NotFound));
            };
            let kind = |id: &Id| world.tree().get(*id).map(|node| node.kind());
            Ok(entries.iter().map(|(name, id)| DirEntry { name: name.clone(), kind: kind(id) }).collect())
        })
    }

    fn sync(&self) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(Op::SyncDir, &[], |world, _| world.sync_dir(id))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl SimFile {
    fn call<T>(&self, op: Op, run: impl FnOnce(&mut World, Pass) -> io::Result<T>) -> io::Result<T> {
        self.open.machine.call(op, &[], run)
    }
}

impl OsFile for SimFile {
    fn stat(&self) -> io::Result<Stat> {
        self.call(Op::FileStat, |world, _| world.stat(self.open.id))
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let most = lock(&self.open.machine.shared).gate.read_at_most.unwrap_or(usize::MAX);
        let wanted = buf.len().min(most);
        let bytes = self.call(Op::ReadAt, |world, _| world.read(self.open.id, offset, wanted))?;
        if let Some(room) = buf.get_mut(..bytes.len()) {
            room.copy_from_slice(&bytes);
        }
        Ok(bytes.len())
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.call(Op::WriteAt, |world, pass| {
            let part = match pass {
                Pass::Part(len) => bytes.get(..len).unwrap_or(bytes),
                Pass::Whole | Pass::FlushFails => bytes,
            };
            world.write(self.open.id, offset, part)
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.call(Op::SetLen, |world, _| world.set_len(self.open.id, len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.call(Op::SyncData, |world, pass| match pass {
            Pass::FlushFails => world.fail_flush(self.open.id),
            Pass::Whole | Pass::Part(_) => world.sync_data(self.open.id),
        })
    }

    fn sync_all(&self) -> io::Result<()> {
        self.call(Op::SyncAll, |world, pass| match pass {
            Pass::FlushFails => world.fail_flush(self.open.id),
            Pass::Whole | Pass::Part(_) => world.sync_all(self.open.id),
        })
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        let mode = mode & 0o7777;
        self.call(Op::SetMode, |world, _| world.attributes(self.open.id, |attributes| attributes.mode = mode))
    }

    fn set_owner(&self, uid: u32, gid: u32) -> io::Result<()> {
        self.call(Op::SetOwner, |world, _| {
            world.attributes(self.open.id, |attributes| (attributes.uid, attributes.gid) = (uid, gid))
        })
    }

    fn copy_attributes(&self, from: &dyn OsFile) -> io::Result<()> {
        let from: &SimFile = from.as_any().downcast_ref().ok_or_else(|| invalid("not of this machine"))?;
        self.call(Op::CopyAttributes, |world, _| world.copy_attributes(from.open.id, self.open.id))
    }

    fn lease(&self) -> io::Result<LeaseState> {
        self.call(Op::Lease, |world, _| world.lease(self.open.handle))
    }

    fn lease_intact(&self) -> io::Result<bool> {
        self.call(Op::LeaseIntact, |world, _| world.lease_intact(self.open.handle))
    }

    fn release_lease(&self) -> io::Result<()> {
        self.call(Op::ReleaseLease, |world, _| world.release_lease(self.open.handle))
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.call(Op::TryLock, |world, _| world.try_lock(self.open.handle))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
