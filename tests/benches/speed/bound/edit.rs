//! One job of the bound program: judge, stage, record, exchange, check, clean.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, Stat};

use super::frame::{BoundJob, Outcome};
use super::log::GroupLog;

/// The state of one connection. Its buffers are used again, so that a job allocates nothing.
pub(super) struct Editor {
    workspace: OwnedFd,
    staging: OwnedFd,
    log: Arc<GroupLog>,
    number: usize,
    reuse: bool,
    files: Vec<JudgedFile>,
    /// Files of the present job.
    used: usize,
    record: Vec<u8>,
    again: Vec<u8>,
}

/// A file of a job.
struct JudgedFile {
    path: CString,
    staged_name: CString,
    handle: Option<OwnedFd>,
    staged: Option<OwnedFd>,
    stat: Option<Stat>,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Editor {
    /// Opens the folders once.
    pub(super) fn new(folder: &Path, number: usize, reuse: bool, log: Arc<GroupLog>) -> Self {
        let open = |name: &str| {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::openat(CWD, folder.join(name), flags, Mode::empty()).unwrap()
        };
        Self {
            workspace: open("workspace"),
            staging: open("staging"),
            log,
            number,
            reuse,
            files: Vec::new(),
            used: 0,
            record: Vec::new(),
            again: Vec::new(),
        }
    }

    /// Runs a job as far as its reply.
    pub(super) fn run(&mut self, job: &BoundJob<'_>) -> Outcome {
        self.used = job.count;
        self.record.clear();
        for (nth, [path, old, new]) in job.edits().enumerate() {
            if nth == self.files.len() {
                self.files.push(JudgedFile::new(&format!("{}-{nth}", self.number)));
            }
            let file = &mut self.files[nth];
            file.open(&self.workspace, path);
            let Some(at) = file.replace(old, new) else {
                self.used = 0;
                return Outcome::Absent;
            };
            file.put_record(&mut self.record, at, [path, old, new]);
        }
        for file in &mut self.files[..self.used] {
            file.stage(&self.staging, self.reuse);
        }
        let checksum = blake3::hash(&self.record);
        self.record.extend_from_slice(checksum.as_bytes());
        self.log.write(&self.record, job.durable);
        for file in &self.files[..self.used] {
            if !file.exchange(&self.workspace, &self.staging, &mut self.again) {
                return Outcome::Changed;
            }
        }
        Outcome::Applied
    }

    /// Closes the files of a job after its reply, and removes the displaced ones unless they are used again.
    pub(super) fn clean(&mut self) {
        for file in &mut self.files[..self.used] {
            (file.handle, file.staged) = (None, None);
            if !self.reuse {
                rustix::fs::unlinkat(&self.staging, &file.staged_name, AtFlags::empty()).unwrap();
            }
        }
    }
}

impl JudgedFile {
    fn new(staged_name: &str) -> Self {
        Self {
            path: CString::default(),
            staged_name: CString::new(staged_name).unwrap(),
            handle: None,
            staged: None,
            stat: None,
            old: Vec::new(),
            new: Vec::new(),
        }
    }

    /// Opens the file, and reads as many bytes as it has.
    fn open(&mut self, workspace: &OwnedFd, path: &[u8]) {
        if self.path.as_bytes() != path {
            self.path = CString::new(path).unwrap();
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(workspace, &self.path, flags, Mode::empty()).unwrap();
        let stat = rustix::fs::fstat(&handle).unwrap();
        read_all(&handle, &mut self.old, stat.st_size as usize);
        (self.handle, self.stat) = (Some(handle), Some(stat));
    }

    /// Makes the new content; returns the place of the quoted text, which must be the only one.
    fn replace(&mut self, old: &[u8], new: &[u8]) -> Option<usize> {
        let finder = memmem::Finder::new(old);
        let at = finder.find(&self.old)?;
        if finder.find(&self.old[at + 1..]).is_some() {
            return None;
        }
        self.new.clear();
        self.new.extend_from_slice(&self.old[..at]);
        self.new.extend_from_slice(new);
        self.new.extend_from_slice(&self.old[at + old.len()..]);
        Some(at)
    }

    /// Adds the hashes of both contents and the change between them, from which either makes the other.
    fn put_record(&self, record: &mut Vec<u8>, at: usize, texts: [&[u8]; 3]) {
        record.extend_from_slice(blake3::hash(&self.old).as_bytes());
        record.extend_from_slice(blake3::hash(&self.new).as_bytes());
        record.extend_from_slice(&at.to_le_bytes());
        for text in texts {
            record.extend_from_slice(&text.len().to_le_bytes());
            record.extend_from_slice(text);
        }
    }

    fn stage(&mut self, staging: &OwnedFd, reuse: bool) {
        let mode = Mode::from_raw_mode(self.stat.as_ref().unwrap().st_mode);
        let fresh = if reuse { OFlags::empty() } else { OFlags::EXCL };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | fresh;
        let staged = rustix::fs::openat(staging, &self.staged_name, flags, mode).unwrap();
        let mut rest = &self.new[..];
        while !rest.is_empty() {
            let written = rustix::io::write(&staged, rest).unwrap();
            rest = &rest[written..];
        }
        if reuse {
            rustix::fs::ftruncate(&staged, self.new.len() as u64).unwrap();
        }
        self.staged = Some(staged);
    }

    /// Exchanges the files. Returns true if the displaced one is the judged one, with the same bytes.
    fn exchange(&self, workspace: &OwnedFd, staging: &OwnedFd, again: &mut Vec<u8>) -> bool {
        let flags = RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(staging, &self.staged_name, workspace, &self.path, flags).unwrap();
        let displaced = rustix::fs::statat(staging, &self.staged_name, AtFlags::SYMLINK_NOFOLLOW).unwrap();
        let judged = self.stat.as_ref().unwrap();
        let is_same = (displaced.st_dev, displaced.st_ino, displaced.st_size)
            == (judged.st_dev, judged.st_ino, judged.st_size);
        is_same && {
            read_all(self.handle.as_ref().unwrap(), again, self.old.len());
            *again == self.old
        }
    }
}

/// Reads this many bytes from the beginning of a file.
fn read_all(file: &OwnedFd, into: &mut Vec<u8>, size: usize) {
    into.resize(size, 0);
    let mut at = 0;
    while at < size {
        match rustix::io::pread(file, &mut into[at..], at as u64).unwrap() {
            0 => break,
            more => at += more,
        }
    }
}
