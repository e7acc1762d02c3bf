//! Job objects and the processes in them, as safe functions; it decides nothing.

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;
use std::sync::Once;
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, IsProcessInJob, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS_EX};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, OpenThread, PROCESS_QUERY_INFORMATION, PROCESS_SYNCHRONIZE, ResumeThread,
    THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// The processes that a list has room for at first.
const LISTED: usize = 64;

/// The exit status of processes that are ended with their job.
const ENDED: u32 = 1;

/// The time for which the end of one process is waited for before the others are looked at.
const BRIEFLY: Duration = Duration::from_millis(5);

fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Owns a handle that a call returned; null is the error of that call.
#[expect(unsafe_code, reason = "a call into the system")]
fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the caller has just opened the handle, and nothing else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Limits that the system enforces for all processes of a job together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JobLimits {
    /// Bytes of memory that they may reserve.
    pub(super) memory: u64,
    /// Processes at once.
    pub(super) processes: u32,
}

/// A job object. When it is dropped, the system ends all processes in it.
#[derive(Debug)]
pub(super) struct JobObject(OwnedHandle);

impl JobObject {
    /// Creates a job that no process can leave.
    pub(super) fn new(limits: JobLimits) -> io::Result<Self> {
        let mut wanted = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        wanted.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
            | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
            | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
            | JOB_OBJECT_LIMIT_JOB_MEMORY;
        wanted.BasicLimitInformation.ActiveProcessLimit = limits.processes;
        wanted.JobMemoryLimit = usize::try_from(limits.memory).unwrap_or(usize::MAX);
        Self::with(&wanted)
    }

    #[expect(unsafe_code, reason = "a call into the system")]
    fn with(wanted: &JOBOBJECT_EXTENDED_LIMIT_INFORMATION) -> io::Result<Self> {
        // SAFETY: null asks for a job without a name, whose handle is not inherited.
        let job = Self(owned(unsafe { CreateJobObjectW(ptr::null(), ptr::null()) })?);
        let size = u32::try_from(size_of_val(wanted)).unwrap_or(0);
        // SAFETY: the handle is open, and `wanted` is a structure of `size` bytes of the class.
        done(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(wanted).cast(),
                size,
            )
        })?;
        Ok(job)
    }

    /// Puts a process into the job, and with it all that it starts from then on.
    pub(super) fn adopt(&self, child: &Child) -> io::Result<()> {
        self.assign(child.as_raw_handle())
    }

    #[expect(unsafe_code, reason = "a call into the system")]
    fn assign(&self, process: HANDLE) -> io::Result<()> {
        // SAFETY: the handle of the job is open, and a wrong one of a process is an error.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) })
    }

    /// Ends all processes of the job.
    #[expect(unsafe_code, reason = "a call into the system")]
    pub(super) fn end(&self) {
        // SAFETY: the handle is open.
        let _gone = unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) };
    }

    /// Returns the numbers of the processes in the job that have not ended.
    #[expect(unsafe_code, reason = "a call into the system")]
    pub(super) fn processes(&self) -> io::Result<Vec<u32>> {
        let mut room = LISTED;
        loop {
            // `JOBOBJECT_BASIC_PROCESS_ID_LIST`: two numbers of 32 bits, then one as wide as a pointer for each process.
            let mut list = vec![0_u64; room.saturating_add(1)];
            let size = u32::try_from(size_of_val(list.as_slice())).unwrap_or(0);
            // SAFETY: the handle is open, and `list` has the size that is given.
            let answer = done(unsafe {
                QueryInformationJobObject(
                    self.0.as_raw_handle(),
                    JobObjectBasicProcessIdList,
                    list.as_mut_ptr().cast(),
                    size,
                    ptr::null_mut(),
                )
            });
            match answer {
                Err(error) if error.raw_os_error() != Some(ERROR_MORE_DATA.cast_signed()) => {
                    return Err(error);
                }
                answer => {
                    let (head, numbers) = list.split_first().unwrap_or((&0, &[]));
                    let (assigned, listed) = (head & 0xFFFF_FFFF, usize::try_from(head >> 32).unwrap_or(0));
                    if answer.is_ok() && assigned <= listed as u64 {
                        let numbers = numbers.get(..listed).unwrap_or(numbers);
                        return Ok(numbers.iter().filter_map(|one| u32::try_from(*one).ok()).collect());
                    }
                    room = room.saturating_mul(2);
                }
            }
        }
    }

    /// Opens a process of the job by its number; `None` if it has ended, even if another process has its number by now.
    #[expect(unsafe_code, reason = "a call into the system")]
    fn open(&self, process: u32) -> Option<OwnedHandle> {
        let rights = PROCESS_QUERY_INFORMATION | PROCESS_SYNCHRONIZE;
        // SAFETY: a wrong number is an error.
        let handle = owned(unsafe { OpenProcess(rights, 0, process) }).ok()?;
        let mut is_member = 0;
        // SAFETY: both handles are open, and `is_member` is the number that the call fills.
        let answer =
            unsafe { IsProcessInJob(handle.as_raw_handle(), self.0.as_raw_handle(), &raw mut is_member) };
        (answer != 0 && is_member != 0).then_some(handle)
    }

    /// Returns the bytes of memory that belong to a process of the job alone, in memory or swapped out.
    #[expect(unsafe_code, reason = "a call into the system")]
    pub(super) fn memory_of(&self, process: u32) -> Option<u64> {
        let handle = self.open(process)?;
        let mut found = PROCESS_MEMORY_COUNTERS_EX::default();
        let size = u32::try_from(size_of_val(&found)).unwrap_or(0);
        found.cb = size;
        // SAFETY: the handle is open, and `found` is a structure of `size` bytes, one of the two that the call fills.
        done(unsafe { K32GetProcessMemoryInfo(handle.as_raw_handle(), (&raw mut found).cast(), size) })
            .ok()?;
        // Both are the same number, but no system fills in both in all versions.
        Some(found.PrivateUsage.max(found.PagefileUsage) as u64)
    }

    /// Waits for some milliseconds for the end of a process of the job.
    pub(super) fn wait_briefly(&self, process: u32) {
        use std::os::windows::io::AsHandle;
        match self.open(process) {
            Some(handle) => {
                wait_for(handle.as_handle(), BRIEFLY);
            }
            // It is about to leave the list.
            None => std::thread::park_timeout(BRIEFLY),
        }
    }
}

/// Waits for the end of a process; returns true if it has ended.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn wait_for(process: BorrowedHandle<'_>, time: Duration) -> bool {
    // Rounded up, so that it does not wait for nothing again and again. The largest number would mean for ever.
    let whole = time.as_nanos().div_ceil(1_000_000);
    let time = u32::try_from(whole).unwrap_or(u32::MAX).min(u32::MAX - 1);
    // SAFETY: the handle is open while it is borrowed.
    unsafe { WaitForSingleObject(process.as_raw_handle(), time) == WAIT_OBJECT_0 }
}

/// Resumes the threads of a process that was created suspended: it has one.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn resume(child: &Child) -> io::Result<()> {
    // SAFETY: the call takes no pointer.
    let threads = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
    let size = u32::try_from(size_of::<THREADENTRY32>()).unwrap_or(0);
    let mut thread = THREADENTRY32 { dwSize: size, ..THREADENTRY32::default() };
    let mut resumed = false;
    // SAFETY: the handle is open, and `thread` is the structure that the call fills.
    let mut found = unsafe { Thread32First(threads.as_raw_handle(), &raw mut thread) };
    while found != 0 {
        if thread.th32OwnerProcessID == child.id() {
            // SAFETY: a wrong number is an error.
            let handle = owned(unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, thread.th32ThreadID) })?;
            // SAFETY: the handle is open.
            if unsafe { ResumeThread(handle.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            resumed = true;
        }
        // SAFETY: as above.
        found = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut thread) };
    }
    if resumed { Ok(()) } else { Err(io::Error::other("the system lists no thread of it")) }
}

/// The job of the daemon itself, in which the jobs of its commands are: a command belongs to it from its creation, so that
/// the system ends even one that the daemon has not yet put into its own job.
#[derive(Debug)]
pub(in super::super) struct OwnJob(Once);

impl OwnJob {
    pub(in super::super) fn new() -> Self {
        Self(Once::new())
    }

    /// Puts this process into its job, once. Where the system permits no job in a job, only a command that is being
    /// created as the daemon is killed could stay, suspended.
    pub(super) fn enter(&self) {
        self.0.call_once(|| {
            if let Err(why) = enter() {
                tracing::debug!(%why, "the daemon has no job object of its own");
            }
        });
    }
}

#[expect(unsafe_code, reason = "a call into the system")]
fn enter() -> io::Result<()> {
    let mut wanted = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    wanted.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let job = JobObject::with(&wanted)?;
    // SAFETY: the call returns a constant that stands for this process.
    job.assign(unsafe { GetCurrentProcess() })?;
    // It closes when this process ends: closing it earlier would end this process.
    std::mem::forget(job);
    Ok(())
}
