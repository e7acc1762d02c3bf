//! The calls of Windows that the standard library does not have, as safe functions; it decides nothing.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::Path;
use std::ptr;

use windows_sys::Wdk::System::SystemInformation::NtQuerySystemInformation;
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GetKernelObjectSecurity, SetKernelObjectSecurity,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_NORMAL,
    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_ATTRIBUTE_SYSTEM, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO,
    FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FileAttributeTagInfo, FileBasicInfo, FileIdInfo, FindClose,
    FindFirstFileW, GetFileInformationByHandle, GetFileInformationByHandleEx, GetVolumeInformationByHandleW,
    MoveFileExW, ReOpenFile, SetFileInformationByHandle, WIN32_FIND_DATAW,
};

/// The class `SystemTimeOfDayInformation` of `NtQuerySystemInformation`.
const TIME_OF_DAY: i32 = 3;

/// The most bytes of an access control list that are copied; the system allows no larger one.
const ACCESS_LIST: u32 = 128 * 1024;

/// The attributes of a file that its next content keeps, beside the read-only bit.
const KEPT: u32 = FILE_ATTRIBUTE_HIDDEN
    | FILE_ATTRIBUTE_SYSTEM
    | FILE_ATTRIBUTE_ARCHIVE
    | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns a path as the system takes it.
fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

/// A structure of the system that consists of numbers alone, so that any bytes are a value of it.
trait Numbers: Default {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS;
}

impl Numbers for FILE_BASIC_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileBasicInfo;
}

impl Numbers for FILE_ID_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileIdInfo;
}

impl Numbers for FILE_ATTRIBUTE_TAG_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileAttributeTagInfo;
}

#[expect(unsafe_code, reason = "a call into the system")]
fn facts<T: Numbers>(file: &File) -> io::Result<T> {
    let mut found = T::default();
    let size = u32::try_from(size_of::<T>()).unwrap_or(0);
    // SAFETY: the handle is open while `file` is borrowed, and `found` is a structure of `size` bytes of the class that
    // the call fills.
    done(unsafe {
        GetFileInformationByHandleEx(file.as_raw_handle(), T::CLASS, (&raw mut found).cast(), size)
    })?;
    Ok(found)
}

/// Returns times and attributes.
pub(super) fn basic(file: &File) -> io::Result<FILE_BASIC_INFO> {
    facts(file)
}

/// Returns the 128-bit identity; some file systems have none.
pub(super) fn identity(file: &File) -> io::Result<FILE_ID_INFO> {
    facts(file)
}

/// Returns the kind of a reparse point.
pub(super) fn reparse_tag(file: &File) -> io::Result<u32> {
    Ok(facts::<FILE_ATTRIBUTE_TAG_INFO>(file)?.ReparseTag)
}

/// Returns size, number of names, and the identity that every file system has.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn by_handle(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open while `file` is borrowed, and `found` is the structure that the call fills.
    done(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) })?;
    Ok(found)
}

/// Opens the file of a handle once more, whatever its name is by now.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn reopen(file: &File, access: u32, share: u32) -> io::Result<File> {
    // SAFETY: the handle is open while `file` is borrowed.
    let handle = unsafe { ReOpenFile(file.as_raw_handle(), access, share, 0) };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has opened the handle, and nothing else has it.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Moves a name to one that must be free, within a volume.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn move_to_free(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (wide(from), wide(to));
    // SAFETY: both are strings that end in a zero and live until the call returns.
    done(unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), 0) })
}

/// Returns the name that the last component of a path has in its folder.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn own_name(path: &Path) -> io::Result<String> {
    let path = wide(path);
    let mut found = WIN32_FIND_DATAW::default();
    // SAFETY: `path` is a string that ends in a zero, and `found` is the structure that the call fills.
    let search = unsafe { FindFirstFileW(path.as_ptr(), &raw mut found) };
    if search == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the search was opened above and is used no more.
    done(unsafe { FindClose(search) })?;
    let units = found.cFileName.split(|unit| *unit == 0).next().unwrap_or_default();
    String::from_utf16(units)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a name is not Unicode"))
}

/// Returns the flags of the volume of an open file.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn volume_flags(file: &File) -> io::Result<u32> {
    let mut flags = 0;
    // SAFETY: the handle is open while `file` is borrowed, and null is given for each result that is not wanted.
    done(unsafe {
        GetVolumeInformationByHandleW(
            file.as_raw_handle(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut flags,
            ptr::null_mut(),
            0,
        )
    })?;
    Ok(flags)
}

/// Gives a file the access control list of another one, exactly.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn copy_access_list(from: &File, to: &File) -> io::Result<()> {
    let mut needed = 0;
    // As words, since the structure must be aligned.
    let mut list = vec![0_u64; ACCESS_LIST as usize / 8];
    let into = list.as_mut_ptr().cast();
    // SAFETY: the handle is open while `from` is borrowed, and `list` has the size that is given.
    done(unsafe {
        GetKernelObjectSecurity(
            from.as_raw_handle(),
            DACL_SECURITY_INFORMATION,
            into,
            ACCESS_LIST,
            &raw mut needed,
        )
    })?;
    // SAFETY: the handle is open while `to` is borrowed, and the call above has filled `list` with a descriptor.
    done(unsafe { SetKernelObjectSecurity(to.as_raw_handle(), DACL_SECURITY_INFORMATION, into) })
}

/// Gives a file the attributes *hidden*, *system*, *archive* and *not indexed* of another one.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn copy_flags(from: &File, to: &File) -> io::Result<()> {
    let (of_from, of_to) = (basic(from)?.FileAttributes, basic(to)?.FileAttributes);
    let wanted = of_from & KEPT | of_to & !KEPT;
    // A time of zero is left as it is, and so are attributes of zero: *normal* says that there are none.
    let attributes = if wanted == 0 { FILE_ATTRIBUTE_NORMAL } else { wanted };
    let change = FILE_BASIC_INFO { FileAttributes: attributes, ..FILE_BASIC_INFO::default() };
    let size = u32::try_from(size_of::<FILE_BASIC_INFO>()).unwrap_or(0);
    // SAFETY: the handle is open while `to` is borrowed, and `change` is a structure of `size` bytes of the class.
    done(unsafe {
        SetFileInformationByHandle(to.as_raw_handle(), FileBasicInfo, (&raw const change).cast(), size)
    })
}

/// The time at which the machine was started, in units of 100 ns since 1601.
pub(super) struct MachineStart {
    /// By the clock as it is set now.
    pub(super) now: i64,
    /// By the clock as it was set then.
    pub(super) then: i64,
}

/// Asks the system when it was started.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn machine_start() -> io::Result<MachineStart> {
    // `SYSTEM_TIMEOFDAY_INFORMATION`: start, now, zone, and the fifth is the sum of all changes of the clock since.
    let mut times = [0_i64; 6];
    let size = u32::try_from(size_of_val(&times)).unwrap_or(0);
    // SAFETY: `times` has the size that is given.
    let status =
        unsafe { NtQuerySystemInformation(TIME_OF_DAY, times.as_mut_ptr().cast(), size, ptr::null_mut()) };
    if status < 0 {
        return Err(io::Error::other(format!("the system does not say when it was started: {status:#x}")));
    }
    let [now, _, _, _, changes, _] = times;
    Ok(MachineStart { now, then: now.saturating_sub(changes) })
}
