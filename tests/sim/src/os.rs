//! The system calls of the simulated machine: each call passes the gate and does one thing to the state.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use editd::testing::{
    Access, BootId, Dir, DirEntry, ExtendedAttribute, File, FileIdentity, FileKind, LeaseState, Os, OsDir,
    OsFile, Stat, UnsetAttribute,
};

use super::call::{CallEffect, OsCall};
use super::machine::{SimMachine, lock};
use super::system::{HandleId, HandleOwner, SystemState, TargetExists};
use super::tree::{NodeBody, NodeId};

struct SimDir {
    open: OpenNode,
}

struct SimFile {
    open: OpenNode,
}

/// Something open: closed when it is dropped.
struct OpenNode {
    machine: SimMachine,
    id: NodeId,
    handle: HandleId,
}

impl Drop for OpenNode {
    fn drop(&mut self) {
        lock(&self.machine.shared).system.close(self.handle);
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
    fn owner(&self) -> HandleOwner {
        HandleOwner::Process(self.process)
    }

    fn id_of(&self, dir: &Dir) -> io::Result<NodeId> {
        let dir: &SimDir = dir.as_any().downcast_ref().ok_or_else(|| invalid("not of this machine"))?;
        Ok(dir.open.id)
    }

    fn opened(&self, (id, handle): (NodeId, HandleId)) -> OpenNode {
        OpenNode { machine: self.clone(), id, handle }
    }
}

fn open_folder(system: &mut SystemState, id: NodeId, owner: HandleOwner) -> io::Result<(NodeId, HandleId)> {
    match system.stat(id)?.kind {
        FileKind::Dir => Ok((id, system.open(id, owner, false)?)),
        FileKind::File | FileKind::Link | FileKind::Other => {
            Err(io::Error::from(io::ErrorKind::NotADirectory))
        }
    }
}

impl Os for SimMachine {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        // On Windows, joined paths have backslashes.
        let shown = path.to_string_lossy();
        let slashes = if cfg!(windows) { shown.replace('\\', "/").into() } else { shown };
        let path = slashes.as_bytes();
        let opened = self.call(OsCall::OpenRoot, &[path], |system, _| {
            let id = system.walk(path, true)?;
            open_folder(system, id, self.owner())
        })?;
        Ok(Arc::new(SimDir { open: self.opened(opened) }))
    }

    fn boot_id(&self) -> io::Result<BootId> {
        self.call(OsCall::BootId, &[], |system, _| {
            let mut bytes = *b"simulated\0\0\0\0\0\0\0";
            if let Some(room) = bytes.last_chunk_mut::<7>() {
                let [_, tail @ ..] = system.boot().to_be_bytes();
                *room = tail;
            }
            Ok(BootId(bytes))
        })
    }

    fn began(&self) -> io::Result<i64> {
        self.call(OsCall::Began, &[], |system, _| Ok(system.began()))
    }

    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        let (a, b) = (self.id_of(a)?, self.id_of(b)?);
        self.call(OsCall::Exchange, &[a_name, b_name], |system, _| system.exchange((a, a_name), (b, b_name)))
    }

    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(OsCall::RenameNoreplace, &[name, to_name], |system, _| {
            system.rename((from, name), (to, to_name), TargetExists::Refuse)
        })
    }

    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(OsCall::Rename, &[name, to_name], |system, _| {
            system.rename((from, name), (to, to_name), TargetExists::Replace)
        })
    }

    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (self.id_of(from)?, self.id_of(to)?);
        self.call(OsCall::Link, &[name, to_name], |system, _| system.link((from, name), (to, to_name)))
    }
}

impl OsDir for SimDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        let id = self.open.id;
        self.open.machine.call(OsCall::Stat, &[name], |system, _| system.stat(system.lookup(id, name)?))
    }

    fn stat_self(&self) -> io::Result<Stat> {
        let id = self.open.id;
        self.open.machine.call(OsCall::StatSelf, &[], |system, _| system.stat(id))
    }

    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        let OpenNode { machine, id, .. } = &self.open;
        let opened = machine.call(OsCall::OpenDir, &[name], |system, _| {
            let found = system.lookup(*id, name)?;
            open_folder(system, found, machine.owner())
        })?;
        Ok(Arc::new(SimDir { open: machine.opened(opened) }))
    }

    /// One call, as the real one, which is counted and fails as an `OpenDir`.
    fn open_below(&self, names: &[Vec<u8>]) -> io::Result<(Dir, Stat)> {
        let OpenNode { machine, id, .. } = &self.open;
        let path: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
        let (opened, stat) = machine.call(OsCall::OpenDir, &path, |system, _| {
            let mount = system.stat(*id)?.identity.dev;
            let mut found = *id;
            for name in names {
                found = system.lookup(found, name)?;
                let stat = system.stat(found)?;
                if stat.kind == FileKind::Link {
                    return Err(link_error());
                }
                if stat.identity.dev != mount {
                    return Err(io::Error::from(io::ErrorKind::CrossesDevices));
                }
            }
            Ok((open_folder(system, found, machine.owner())?, system.stat(found)?))
        })?;
        Ok((Arc::new(SimDir { open: machine.opened(opened) }), stat))
    }

    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File> {
        let OpenNode { machine, id, .. } = &self.open;
        let opened = machine.call(OsCall::OpenFile, &[name], |system, _| {
            let found = system.lookup(*id, name)?;
            match system.stat(found)?.kind {
                FileKind::File => Ok((found, system.open(found, machine.owner(), access == Access::Write)?)),
                FileKind::Link => Err(link_error()),
                FileKind::Dir | FileKind::Other => Err(invalid("not a regular file")),
            }
        })?;
        Ok(Arc::new(SimFile { open: machine.opened(opened) }))
    }

    fn append(&self, name: &[u8], to: FileIdentity, bytes: &[u8]) -> io::Result<bool> {
        let OpenNode { machine, id, .. } = &self.open;
        let opened = machine.call(OsCall::OpenFile, &[name], |system, _| {
            let found = system.lookup(*id, name)?;
            let is_meant = system.stat(found)?.identity == to;
            if is_meant { Ok(Some((found, system.open(found, machine.owner(), true)?))) } else { Ok(None) }
        })?;
        let Some(opened) = opened else { return Ok(false) };
        let file = SimFile { open: machine.opened(opened) };
        file.call(OsCall::WriteAt, |system, pass| {
            let part = match pass {
                CallEffect::Part(len) => bytes.get(..len).unwrap_or(bytes),
                CallEffect::Whole | CallEffect::FlushFails => bytes,
            };
            let end = system.stat(file.open.id)?.size;
            system.write(file.open.id, end, part)
        })?;
        file.sync_data()?;
        Ok(true)
    }

    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let OpenNode { machine, id, .. } = &self.open;
        let opened = machine.call(OsCall::CreateFile, &[name], |system, _| {
            // The usual mask.
            let made = system.create(*id, name, NodeBody::File, mode & !0o022)?;
            Ok((made, system.open(made, machine.owner(), true)?))
        })?;
        Ok(Arc::new(SimFile { open: machine.opened(opened) }))
    }

    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(OsCall::CreateDir, &[name], |system, _| {
            let body = NodeBody::Dir { entries: BTreeMap::new(), parent: id };
            system.create(id, name, body, mode).map(drop)
        })
    }

    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(OsCall::RemoveFile, &[name], |system, _| system.remove(id, name, false))
    }

    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(OsCall::RemoveDir, &[name], |system, _| system.remove(id, name, true))
    }

    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        let id = self.open.id;
        self.open.machine.call(OsCall::ReadLink, &[name], |system, _| {
            let found = system.lookup(id, name)?;
            match system.tree().get(found).map(|node| &node.body) {
                Some(NodeBody::Link { target }) => Ok(target.clone()),
                _ => Err(invalid("not a link")),
            }
        })
    }

    fn list(&self) -> io::Result<Vec<DirEntry>> {
        let id = self.open.id;
        self.open.machine.call(OsCall::List, &[], |system, _| {
            let Some(NodeBody::Dir { entries, .. }) = system.tree().get(id).map(|node| &node.body) else {
                return Err(io::Error::from(io::ErrorKind::NotFound));
            };
            let kind = |id: &NodeId| system.tree().get(*id).map(|node| node.kind());
            Ok(entries.iter().map(|(name, id)| DirEntry { name: name.clone(), kind: kind(id) }).collect())
        })
    }

    fn sync(&self) -> io::Result<()> {
        let id = self.open.id;
        self.open.machine.call(OsCall::SyncDir, &[], |system, _| system.sync_dir(id))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl SimFile {
    fn call<T>(
        &self,
        op: OsCall,
        run: impl FnOnce(&mut SystemState, CallEffect) -> io::Result<T>,
    ) -> io::Result<T> {
        self.open.machine.call(op, &[], run)
    }
}

impl OsFile for SimFile {
    fn stat(&self) -> io::Result<Stat> {
        self.call(OsCall::FileStat, |system, _| system.stat(self.open.id))
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let most = lock(&self.open.machine.shared).calls.read_at_most.unwrap_or(usize::MAX);
        let wanted = buf.len().min(most);
        let bytes = self.call(OsCall::ReadAt, |system, _| system.read(self.open.id, offset, wanted))?;
        if let Some(room) = buf.get_mut(..bytes.len()) {
            room.copy_from_slice(&bytes);
        }
        Ok(bytes.len())
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.call(OsCall::WriteAt, |system, pass| {
            let part = match pass {
                CallEffect::Part(len) => bytes.get(..len).unwrap_or(bytes),
                CallEffect::Whole | CallEffect::FlushFails => bytes,
            };
            system.write(self.open.id, offset, part)
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.call(OsCall::SetLen, |system, _| system.set_len(self.open.id, len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.call(OsCall::SyncData, |system, pass| match pass {
            CallEffect::FlushFails => system.fail_flush(self.open.id),
            CallEffect::Whole | CallEffect::Part(_) => system.sync_data(self.open.id),
        })
    }

    fn sync_all(&self) -> io::Result<()> {
        self.call(OsCall::SyncAll, |system, pass| match pass {
            CallEffect::FlushFails => system.fail_flush(self.open.id),
            CallEffect::Whole | CallEffect::Part(_) => system.sync_all(self.open.id),
        })
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        let mode = mode & 0o7777;
        self.call(OsCall::SetMode, |system, _| {
            system.attributes(self.open.id, |attributes| attributes.mode = mode)
        })
    }

    fn set_owner(&self, uid: u32, gid: u32) -> io::Result<()> {
        self.call(OsCall::SetOwner, |system, _| {
            system.attributes(self.open.id, |attributes| (attributes.uid, attributes.gid) = (uid, gid))
        })
    }

    fn copy_attributes(&self, from: &dyn OsFile) -> io::Result<()> {
        let from: &SimFile = from.as_any().downcast_ref().ok_or_else(|| invalid("not of this machine"))?;
        self.call(OsCall::CopyAttributes, |system, _| system.copy_attributes(from.open.id, self.open.id))
    }

    fn attributes(&self, _: usize) -> io::Result<Vec<ExtendedAttribute>> {
        self.call(OsCall::Attributes, |system, _| {
            let extended = Arc::clone(&system.node(self.open.id)?.attributes.extended);
            let attribute = |(name, value): (&Vec<u8>, &Vec<u8>)| ExtendedAttribute {
                name: name.clone(),
                value: Some(value.clone()),
            };
            Ok(extended.iter().map(attribute).collect())
        })
    }

    fn set_attributes(&self, wanted: &[ExtendedAttribute]) -> io::Result<Vec<UnsetAttribute>> {
        let all = wanted.iter().filter_map(|one| Some((one.name.clone(), one.value.clone()?))).collect();
        self.call(OsCall::SetAttributes, |system, _| {
            system.attributes(self.open.id, |attributes| attributes.extended = Arc::new(all))
        })?;
        Ok(Vec::new())
    }

    fn lease(&self) -> io::Result<LeaseState> {
        self.call(OsCall::Lease, |system, _| system.lease(self.open.handle))
    }

    fn lease_intact(&self) -> io::Result<bool> {
        self.call(OsCall::LeaseIntact, |system, _| system.lease_intact(self.open.handle))
    }

    fn release_lease(&self) -> io::Result<()> {
        self.call(OsCall::ReleaseLease, |system, _| system.release_lease(self.open.handle))
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.call(OsCall::TryLock, |system, _| system.try_lock(self.open.handle))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
