//! A FUSE file system with one file, on which a loop device stands: each write and each flush goes onto the tape.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, Generation, INodeNo, LockOwner, OpenFlags, ReplyAttr,
    ReplyData, ReplyEmpty, ReplyEntry, ReplyWrite, Request, WriteFlags,
};

use super::faults::{CallResult, DiskFaults, FailingCalls};
use super::operation_log::OperationLog;

/// The file's name.
pub(super) const DISK: &str = "disk";
const INODE: INodeNo = INodeNo(2);
const CACHED: Duration = Duration::from_secs(3600);
/// `FALLOC_FL_PUNCH_HOLE`: what a discard of a loop device becomes.
const PUNCH_HOLE: i32 = 2;

/// The tape, as several hold it.
pub(super) type SharedLog = Arc<Mutex<OperationLog>>;

pub(super) fn lock(log: &SharedLog) -> MutexGuard<'_, OperationLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file system.
pub(super) struct RecordingDisk {
    pub(super) log: SharedLog,
    pub(super) size: u64,
    pub(super) faults: DiskFaults,
}

impl RecordingDisk {
    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let (kind, perm, size) = match ino {
            INODE => (FileType::RegularFile, 0o600, self.size),
            _ => (FileType::Directory, 0o700, 0),
        };
        let time = SystemTime::UNIX_EPOCH;
        FileAttr {
            ino,
            size,
            blocks: size.div_ceil(512),
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

impl Filesystem for RecordingDisk {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == DISK {
            reply.entry(&CACHED, &self.attributes(INODE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&CACHED, &self.attributes(ino));
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if self.faults.decide(FailingCalls::Reads) != CallResult::Done {
            return reply.error(Errno::EIO);
        }
        let size = u64::from(size).min(self.size.saturating_sub(offset));
        reply.data(&lock(&self.log).read(offset, usize::try_from(size).unwrap_or(0)));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let result = self.faults.decide(FailingCalls::Writes);
        if result != CallResult::Failed {
            lock(&self.log).write(offset, data.to_vec());
        }
        if result != CallResult::Done {
            return reply.error(Errno::EIO);
        }
        reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX));
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        if self.faults.decide(FailingCalls::Flushes) != CallResult::Done {
            return reply.error(Errno::EIO);
        }
        lock(&self.log).flush();
        reply.ok();
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        if mode & PUNCH_HOLE == 0 {
            reply.error(Errno::EOPNOTSUPP);
            return;
        }
        let length = length.min(self.size.saturating_sub(offset));
        lock(&self.log).write(offset, vec![0; usize::try_from(length).unwrap_or(0)]);
        reply.ok();
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }
}
