//! The steps before each call of the process under test: its number, its injected fault, the hooks of other
//! processes, and the end of the process. It knows no files.

use std::io;
use std::sync::Arc;

use super::outside::OutsideProcess;

/// `EIO`, or `ERROR_IO_DEVICE` of Windows: the disk failed.
pub const EIO: i32 = if cfg!(windows) { 1117 } else { 5 };
/// `EACCES`, or `ERROR_ACCESS_DENIED`: not permitted.
pub const EACCES: i32 = if cfg!(windows) { 5 } else { 13 };
/// `EMFILE`, or `ERROR_TOO_MANY_OPEN_FILES`: too many open files.
pub const EMFILE: i32 = if cfg!(windows) { 4 } else { 24 };
/// `ENOSPC`, or `ERROR_DISK_FULL`: the disk is full.
pub const ENOSPC: i32 = if cfg!(windows) { 112 } else { 28 };
/// `EROFS`, or `ERROR_WRITE_PROTECT`: the file system is read-only.
pub const EROFS: i32 = if cfg!(windows) { 19 } else { 30 };

/// The calls of the seam.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "each is the call of the same name")]
pub enum OsCall {
    OpenRoot,
    BootId,
    Began,
    Exchange,
    RenameNoreplace,
    Rename,
    Link,
    Stat,
    StatSelf,
    OpenDir,
    OpenFile,
    CreateFile,
    CreateDir,
    RemoveFile,
    RemoveDir,
    ReadLink,
    List,
    SyncDir,
    FileStat,
    ReadAt,
    WriteAt,
    SetLen,
    SyncData,
    SyncAll,
    SetMode,
    SetOwner,
    CopyAttributes,
    Attributes,
    SetAttributes,
    Lease,
    LeaseIntact,
    ReleaseLease,
    TryLock,
}

impl OsCall {
    /// Returns true if the call changes the files that others see, or the state after a power cut.
    pub fn is_effect(self) -> bool {
        match self {
            OsCall::Exchange | OsCall::RenameNoreplace | OsCall::Rename | OsCall::Link => true,
            OsCall::CreateFile | OsCall::CreateDir | OsCall::RemoveFile | OsCall::RemoveDir => true,
            OsCall::WriteAt
            | OsCall::SetLen
            | OsCall::SetMode
            | OsCall::SetOwner
            | OsCall::CopyAttributes
            | OsCall::SetAttributes => true,
            OsCall::SyncDir | OsCall::SyncData | OsCall::SyncAll => true,
            OsCall::OpenRoot
            | OsCall::BootId
            | OsCall::Began
            | OsCall::Stat
            | OsCall::StatSelf
            | OsCall::OpenDir
            | OsCall::OpenFile => false,
            OsCall::ReadLink | OsCall::List | OsCall::FileStat | OsCall::ReadAt | OsCall::Attributes => false,
            OsCall::Lease | OsCall::LeaseIntact | OsCall::ReleaseLease | OsCall::TryLock => false,
        }
    }
}

/// The number of calls that a fault makes fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultDuration {
    /// The first call that it fits.
    Once,
    /// Every call that it fits.
    ForEver,
}

/// A call that fails.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The first call that may fail, counted from 1.
    pub at: u64,
    /// The number of calls that fail.
    pub lasting: FaultDuration,
    /// Only these calls; all where empty.
    pub only: Vec<OsCall>,
    /// The system's number of the error.
    pub errno: i32,
    /// The number of bytes that a failing write writes first.
    pub written: usize,
}

/// The moment at which a hook runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HookTiming {
    /// Before the call does anything.
    Before,
    /// After it has happened, before the process knows.
    After,
}

pub(super) enum HookTrigger {
    Call(u64),
    Next { op: OsCall, skip: u64 },
}

pub(super) struct CallHook {
    pub(super) trigger: HookTrigger,
    pub(super) when: HookTiming,
    pub(super) run: Box<dyn FnOnce(&OutsideProcess) + Send>,
}

#[derive(Clone, Copy)]
pub(super) struct StopPoint {
    pub(super) after: u64,
    pub(super) written: Option<usize>,
}

/// The part of a call that is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CallEffect {
    Whole,
    /// A write that ends early.
    Part(usize),
    /// A flush that fails.
    FlushFails,
}

/// The result of the steps before a call.
pub(super) enum CallOutcome {
    Passes,
    Fails { errno: i32, pass: Option<CallEffect> },
    DiesInside(usize),
}

#[derive(Default)]
pub(super) struct CallState {
    pub(super) process: u64,
    pub(super) dead: bool,
    pub(super) calls: u64,
    pub(super) effects: u64,
    pub(super) stop: Option<StopPoint>,
    pub(super) faults: Vec<Fault>,
    pub(super) hooks: Vec<CallHook>,
    pub(super) trace: Vec<Arc<str>>,
    pub(super) read_at_most: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct ProcessEnded;

impl std::fmt::Display for ProcessEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this process has ended")
    }
}

impl std::error::Error for ProcessEnded {}

/// Returns true if a call failed because the process was ended.
pub fn is_dead(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ProcessEnded>())
}

pub(super) fn dead() -> io::Error {
    io::Error::other(ProcessEnded)
}

impl CallState {
    pub(super) fn of(process: u64) -> Self {
        Self { process, ..Self::default() }
    }

    pub(super) fn refuses(&self, process: u64) -> bool {
        self.dead || self.process != process || self.stop.is_some_and(|stop| self.effects >= stop.after)
    }

    /// Counts a call and takes out the hooks that run before it.
    pub(super) fn arrive(&mut self, op: OsCall, names: &[&[u8]]) -> (u64, Vec<CallHook>) {
        self.calls += 1;
        let names: Vec<String> =
            names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        self.trace.push(format!("{} {op:?} {}", self.calls, names.join(" ")).into());
        (self.calls, self.due(self.calls, op, HookTiming::Before))
    }

    pub(super) fn due(&mut self, call: u64, op: OsCall, when: HookTiming) -> Vec<CallHook> {
        let (mut due, mut kept) = (Vec::new(), Vec::new());
        for mut hook in self.hooks.drain(..) {
            let now = match &mut hook.trigger {
                HookTrigger::Call(number) => *number == call,
                HookTrigger::Next { op: wanted, skip } if *wanted == op && hook.when == when => {
                    let now = *skip == 0;
                    *skip = skip.saturating_sub(1);
                    now
                }
                HookTrigger::Next { .. } => false,
            };
            if now && hook.when == when { due.push(hook) } else { kept.push(hook) }
        }
        self.hooks = kept;
        due
    }

    /// Decides what becomes of a call.
    pub(super) fn fate(&mut self, call: u64, op: OsCall) -> CallOutcome {
        if let Some(StopPoint { after, written: Some(written) }) = self.stop
            && op == OsCall::WriteAt
            && self.effects + 1 == after
        {
            return CallOutcome::DiesInside(written);
        }
        let fits = |fault: &Fault| call >= fault.at && (fault.only.is_empty() || fault.only.contains(&op));
        let Some(index) = self.faults.iter().position(fits) else { return CallOutcome::Passes };
        let Some(fault) = self.faults.get(index).cloned() else { return CallOutcome::Passes };
        if fault.lasting == FaultDuration::Once {
            self.faults.remove(index);
        }
        let pass = match op {
            OsCall::WriteAt if fault.written > 0 => Some(CallEffect::Part(fault.written)),
            OsCall::SyncData | OsCall::SyncAll => Some(CallEffect::FlushFails),
            _ => None,
        };
        CallOutcome::Fails { errno: fault.errno, pass }
    }
}
