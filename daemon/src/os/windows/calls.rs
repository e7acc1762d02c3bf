//! The calls of Windows that the standard library does not have, as safe functions; it decides nothing.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::{Path, PathBuf};
use std::ptr;

use windows_sys::Wdk::System::SystemInformation::NtQuerySystemInformation;
use windows_sys::Win32::Foundation::{
    ERROR_CALL_NOT_IMPLEMENTED, ERROR_HANDLE_EOF, ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_FUNCTION,
    ERROR_INVALID_PARAMETER, ERROR_MORE_DATA, ERROR_NOT_SUPPORTED, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GetKernelObjectSecurity, SetKernelObjectSecurity,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, COMPRESSION_FORMAT_DEFAULT, COMPRESSION_FORMAT_NONE, FILE_ATTRIBUTE_ARCHIVE,
    FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_ENCRYPTED, FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_NORMAL,
    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_ATTRIBUTE_SYSTEM, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO,
    FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_NAME_NORMALIZED, FileAttributeTagInfo, FileBasicInfo,
    FileIdInfo, FileRenameInfoEx, FileStreamInfo, FindClose, FindFirstFileW, GetFileInformationByHandle,
    GetFileInformationByHandleEx, GetFinalPathNameByHandleW, GetVolumeInformationByHandleW, MoveFileExW,
    ReOpenFile, SetFileInformationByHandle, WIN32_FIND_DATAW,
};

use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::FSCTL_SET_COMPRESSION;

use crate::os::windows_layout::{is_access_list, named_streams};

/// The words of the longest list of streams that is read: no name is longer than 255 units.
const STREAM_LIST: usize = 1 << 20;

/// The flags of `FILE_RENAME_INFO`, which are not among the constants of the interface.
const FILE_RENAME_FLAG_REPLACE_IF_EXISTS: u32 = 0x1;
const FILE_RENAME_FLAG_POSIX_SEMANTICS: u32 = 0x2;
const FILE_RENAME_FLAG_IGNORE_READONLY_ATTRIBUTE: u32 = 0x40;

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

/// Moves an open file over another one, even if that is read-only, in one step. Needs a volume that can replace open files.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn replace_read_only(from: &File, to: &Path) -> io::Result<()> {
    let name: Vec<u8> = to.as_os_str().encode_wide().flat_map(u16::to_ne_bytes).collect();
    let length = u32::try_from(name.len()).map_err(io::Error::other)?;
    // `FILE_RENAME_INFO`: the flags, a folder, the length of the name, and the name with a zero at its end.
    let flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS
        | FILE_RENAME_FLAG_POSIX_SEMANTICS
        | FILE_RENAME_FLAG_IGNORE_READONLY_ATTRIBUTE;
    let head = [&flags.to_ne_bytes()[..], &[0; 12], &length.to_ne_bytes(), &name, &[0; 2]].concat();
    let words: Vec<u64> = head
        .chunks(8)
        .map(|part| {
            let mut whole = [0; 8];
            whole.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            u64::from_ne_bytes(whole)
        })
        .collect();
    let size = u32::try_from(size_of_val(words.as_slice())).map_err(io::Error::other)?;
    // SAFETY: the handle is open while `from` is borrowed, and `words` is a structure of `size` bytes of the class.
    done(unsafe {
        SetFileInformationByHandle(from.as_raw_handle(), FileRenameInfoEx, words.as_ptr().cast(), size)
    })
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

/// Returns the access control list of a file, as the system stores it.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn access_list(file: &File) -> io::Result<Vec<u8>> {
    let mut needed = 0;
    // As words, since the structure must be aligned.
    let mut list = vec![0_u64; ACCESS_LIST as usize / 8];
    let into = list.as_mut_ptr().cast();
    // SAFETY: the handle is open while `file` is borrowed, and `list` has the size that is given.
    done(unsafe {
        GetKernelObjectSecurity(
            file.as_raw_handle(),
            DACL_SECURITY_INFORMATION,
            into,
            ACCESS_LIST,
            &raw mut needed,
        )
    })?;
    let bytes = list.iter().flat_map(|word| word.to_ne_bytes());
    Ok(bytes.take(usize::try_from(needed).unwrap_or(0)).collect())
}

/// Gives a file exactly the access control list that [`access_list`] returned.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn set_access_list(file: &File, list: &[u8]) -> io::Result<()> {
    let mut words = vec![0_u64; list.len().div_ceil(8).saturating_add(1)];
    for (word, bytes) in words.iter_mut().zip(list.chunks(8)) {
        let mut whole = [0; 8];
        whole.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        *word = u64::from_ne_bytes(whole);
    }
    if !is_access_list(list) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let list = words.as_mut_ptr().cast();
    // SAFETY: the handle is open while `file` is borrowed, and `list` is a descriptor within `words`.
    done(unsafe { SetKernelObjectSecurity(file.as_raw_handle(), DACL_SECURITY_INFORMATION, list) })
}

/// Returns those attributes of a file that its next content keeps.
pub(super) fn kept_flags(file: &File) -> io::Result<u32> {
    Ok(basic(file)?.FileAttributes & (KEPT | FILE_ATTRIBUTE_COMPRESSED))
}

/// Returns true if the system encrypts the content of a file (EFS).
pub(super) fn is_encrypted(file: &File) -> io::Result<bool> {
    Ok(basic(file)?.FileAttributes & FILE_ATTRIBUTE_ENCRYPTED != 0)
}

/// Gives a file the attributes that [`kept_flags`] returned. A file system that compresses nothing is no error.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn set_flags(file: &File, flags: u32) -> io::Result<()> {
    let now = basic(file)?.FileAttributes;
    if (now ^ flags) & FILE_ATTRIBUTE_COMPRESSED != 0 {
        set_compressed(file, flags & FILE_ATTRIBUTE_COMPRESSED != 0);
    }
    let wanted = flags & KEPT | now & !(KEPT | FILE_ATTRIBUTE_COMPRESSED);
    // A time of zero is left as it is, and so are attributes of zero: *normal* says that there are none.
    let attributes = if wanted == 0 { FILE_ATTRIBUTE_NORMAL } else { wanted };
    let change = FILE_BASIC_INFO { FileAttributes: attributes, ..FILE_BASIC_INFO::default() };
    let size = u32::try_from(size_of::<FILE_BASIC_INFO>()).unwrap_or(0);
    // SAFETY: the handle is open while `file` is borrowed, and `change` is a structure of `size` bytes of the class.
    done(unsafe {
        SetFileInformationByHandle(file.as_raw_handle(), FileBasicInfo, (&raw const change).cast(), size)
    })
}

#[expect(unsafe_code, reason = "a call into the system")]
fn set_compressed(file: &File, compressed: bool) {
    let format: u16 = if compressed { COMPRESSION_FORMAT_DEFAULT } else { COMPRESSION_FORMAT_NONE };
    let mut returned = 0;
    // SAFETY: the handle is open while `file` is borrowed, and `format` has the two bytes that are given.
    let _as_it_is = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_SET_COMPRESSION,
            (&raw const format).cast(),
            2,
            ptr::null_mut(),
            0,
            &raw mut returned,
            ptr::null_mut(),
        )
    };
}

/// Returns the names of the named streams of a file, such as `:Zone.Identifier:$DATA`, and their bytes. A file system that has
/// no streams has none in a file.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn streams(file: &File) -> io::Result<Vec<(String, u64)>> {
    let mut list = vec![0_u64; 512];
    loop {
        let size = u32::try_from(size_of_val(list.as_slice())).unwrap_or(0);
        let into = list.as_mut_ptr().cast();
        // SAFETY: the handle is open while `file` is borrowed, and `list` has the size that is given.
        let answer =
            done(unsafe { GetFileInformationByHandleEx(file.as_raw_handle(), FileStreamInfo, into, size) });
        match answer.map_err(|error| error.raw_os_error().unwrap_or_default().cast_unsigned()) {
            Ok(()) => break,
            Err(ERROR_MORE_DATA | ERROR_INSUFFICIENT_BUFFER) if list.len() < STREAM_LIST => {
                list = vec![0; list.len().saturating_mul(4)];
            }
            // There is no stream at all, or the file system has none.
            Err(
                ERROR_HANDLE_EOF
                | ERROR_INVALID_PARAMETER
                | ERROR_INVALID_FUNCTION
                | ERROR_NOT_SUPPORTED
                | ERROR_CALL_NOT_IMPLEMENTED,
            ) => return Ok(Vec::new()),
            Err(code) => return Err(io::Error::from_raw_os_error(code.cast_signed())),
        }
    }
    let bytes: Vec<u8> = list.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Ok(named_streams(&bytes))
}

/// Returns the path that an open file has now.
#[expect(unsafe_code, reason = "a call into the system")]
pub(super) fn final_path(file: &File) -> io::Result<PathBuf> {
    let mut path = vec![0_u16; 32_768];
    let room = u32::try_from(path.len()).unwrap_or(0);
    // SAFETY: the handle is open while `file` is borrowed, and `path` has the size that is given.
    let length = unsafe {
        GetFinalPathNameByHandleW(file.as_raw_handle(), path.as_mut_ptr(), room, FILE_NAME_NORMALIZED)
    };
    if length == 0 || length >= room {
        return Err(io::Error::last_os_error());
    }
    path.truncate(usize::try_from(length).unwrap_or(0));
    Ok(OsString::from_wide(&path).into())
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
