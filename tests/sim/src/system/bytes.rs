//! Calls on files and folders themselves: bytes, metadata and flushes.

use std::io;
use std::sync::Arc;

use super::SystemState;
use crate::call::OsCall;
use crate::file::FileData;
use crate::tree::{MetadataOperation, NodeAttributes, NodeId};

impl SystemState {
    fn file(&mut self, id: NodeId) -> io::Result<&mut FileData> {
        let data = self.data.get_mut(&id).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(Arc::make_mut(data))
    }

    pub(crate) fn read(&self, id: NodeId, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let data = self.data(id).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(data.seen().read(offset, len))
    }

    pub(crate) fn write(&mut self, id: NodeId, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file(id)?.write(offset, bytes);
        self.touch(id)
    }

    pub(crate) fn set_len(&mut self, id: NodeId, len: u64) -> io::Result<()> {
        self.file(id)?.set_len(len);
        self.touch(id)
    }

    fn touch(&mut self, id: NodeId) -> io::Result<()> {
        let clock = self.clock;
        self.attributes(id, |attributes| attributes.modified = clock)
    }

    /// Changes mode, owner, times or extended attributes.
    pub(crate) fn attributes(
        &mut self,
        id: NodeId,
        change: impl FnOnce(&mut NodeAttributes),
    ) -> io::Result<()> {
        let mut attributes = self.node(id)?.attributes.clone();
        change(&mut attributes);
        self.step(MetadataOperation::Attributes { id, attributes });
        Ok(())
    }

    pub(crate) fn copy_attributes(&mut self, from: NodeId, to: NodeId) -> io::Result<()> {
        let extended = Arc::clone(&self.node(from)?.attributes.extended);
        self.attributes(to, |attributes| attributes.extended = extended)
    }

    pub(crate) fn sync_data(&mut self, id: NodeId) -> io::Result<()> {
        if !self.lies.contains(&OsCall::SyncData) {
            self.file(id)?.flush();
        }
        Ok(())
    }

    pub(crate) fn sync_all(&mut self, id: NodeId) -> io::Result<()> {
        if !self.lies.contains(&OsCall::SyncAll) {
            self.file(id)?.flush();
            self.force(|step| step.concerns_file(id));
        }
        Ok(())
    }

    pub(crate) fn sync_dir(&mut self, id: NodeId) -> io::Result<()> {
        self.node(id)?;
        if !self.lies.contains(&OsCall::SyncDir) {
            self.force(|step| step.concerns_folder(id));
        }
        Ok(())
    }

    /// A flush of this file was reported as failed.
    pub(crate) fn fail_flush(&mut self, id: NodeId) -> io::Result<()> {
        self.file(id)?.fail_flush();
        Ok(())
    }
}
