//! Open files and folders, and what hangs on them: leases, locks and the life of what has no name.

use std::io;

use editd::testing::LeaseState;

use super::SystemState;
use crate::tree::NodeId;

pub(crate) type HandleId = u64;

/// The process that opened a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HandleOwner {
    /// The process under test, by its number.
    Process(u64),
    /// Somebody else.
    OutsideProcess,
}

#[derive(Clone, Debug)]
pub(crate) struct OpenHandle {
    pub(crate) id: NodeId,
    owner: HandleOwner,
    writes: bool,
    lease: Option<bool>,
    locked: bool,
}

impl SystemState {
    /// Opens what `id` is. A handle that writes breaks the leases of others; only an outside owner gets it
    /// all the same.
    pub(crate) fn open(&mut self, id: NodeId, owner: HandleOwner, writes: bool) -> io::Result<HandleId> {
        self.node(id)?;
        if writes {
            let mut broke = false;
            for held in self.handles.values_mut().filter(|held| held.id == id) {
                if let Some(intact) = &mut held.lease {
                    *intact = false;
                    broke = true;
                }
            }
            if broke && owner != HandleOwner::OutsideProcess {
                return Err(io::Error::from(io::ErrorKind::WouldBlock));
            }
        }
        let number = self.next_handle;
        self.next_handle += 1;
        self.handles.insert(number, OpenHandle { id, owner, writes, lease: None, locked: false });
        Ok(number)
    }

    pub(crate) fn close(&mut self, handle: HandleId) {
        if self.handles.remove(&handle).is_some() {
            self.tidy();
        }
    }

    /// Closes what a process, or everybody, has open.
    pub(crate) fn close_all(&mut self, owner: Option<HandleOwner>) {
        self.handles.retain(|_, handle| owner.is_some_and(|owner| handle.owner != owner));
        self.tidy();
    }

    fn handle(&mut self, handle: HandleId) -> io::Result<&mut OpenHandle> {
        self.handles.get_mut(&handle).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    }

    pub(crate) fn lease(&mut self, handle: HandleId) -> io::Result<LeaseState> {
        if !self.features.leases {
            return Ok(LeaseState::Unsupported);
        }
        let held = self.handle(handle)?;
        if held.writes {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let id = held.id;
        if self.handles.values().any(|other| other.id == id && other.writes) {
            return Ok(LeaseState::Writer);
        }
        self.handle(handle)?.lease = Some(true);
        Ok(LeaseState::Held)
    }

    pub(crate) fn is_leased(&self, id: NodeId) -> bool {
        self.handles.values().any(|held| held.id == id && held.lease.is_some())
    }

    pub(crate) fn lease_intact(&mut self, handle: HandleId) -> io::Result<bool> {
        Ok(self.handle(handle)?.lease == Some(true))
    }

    pub(crate) fn release_lease(&mut self, handle: HandleId) -> io::Result<()> {
        self.handle(handle)?.lease = None;
        Ok(())
    }

    pub(crate) fn try_lock(&mut self, handle: HandleId) -> io::Result<bool> {
        let id = self.handle(handle)?.id;
        let taken = self.handles.iter().any(|(other, held)| *other != handle && held.id == id && held.locked);
        if !taken {
            self.handle(handle)?.locked = true;
        }
        Ok(!taken)
    }
}
