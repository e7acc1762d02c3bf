//! Security identifiers on Windows: of the user of this process, whose pipe has it in its name, and of the owner of a pipe.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, GetSecurityInfo, SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// The size of a buffer for the user of a token, in words: the structure, and the longest id (68 bytes).
const WORDS: usize = 32;

/// Returns the security identifier of the user as which this process runs, such as `S-1-5-21-1-2-3-1001`.
///
/// # Errors
/// The system refuses the query.
#[expect(unsafe_code, reason = "calls into the system")]
pub fn security_id() -> io::Result<String> {
    let mut token = ptr::null_mut();
    // SAFETY: the pseudo handle of this process is always valid, and `token` takes the new handle.
    done(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the call has opened the handle, and nothing else closes it.
    let _closes = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut user = [0_u64; WORDS];
    let (size, mut used) = (u32::try_from(size_of_val(&user)).unwrap_or(0), 0);
    // SAFETY: the token is open, and `user` has the size that is given and the alignment of the structure.
    done(unsafe { GetTokenInformation(token, TokenUser, user.as_mut_ptr().cast(), size, &raw mut used) })?;
    // SAFETY: the call above has filled `user` with the structure, whose id points into `user`.
    unsafe { text_of((*user.as_ptr().cast::<TOKEN_USER>()).User.Sid) }
}

/// Returns the security identifier of the owner of an open pipe or file.
///
/// # Errors
/// The handle may not read it.
#[expect(unsafe_code, reason = "calls into the system")]
pub fn owner(of: &impl AsRawHandle) -> io::Result<String> {
    let (mut id, mut descriptor) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the handle is open while `of` is borrowed, and null is given for each result that is not wanted.
    let status = unsafe {
        GetSecurityInfo(
            of.as_raw_handle(),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut id,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    if status != 0 {
        return Err(io::Error::from_raw_os_error(status.cast_signed()));
    }
    // SAFETY: the call above has made the descriptor, into which `id` points.
    let text = unsafe { text_of(id) };
    // SAFETY: the call above allocated the descriptor in this way, and nothing uses it any more.
    unsafe { LocalFree(descriptor) };
    text
}

/// Returns a security identifier as text.
///
/// # Safety
/// `id` points to a security identifier, or is null.
#[expect(unsafe_code, reason = "calls into the system")]
unsafe fn text_of(id: PSID) -> io::Result<String> {
    let mut text = ptr::null_mut();
    // SAFETY: the caller passes an identifier; null is refused. `text` takes a new string.
    done(unsafe { ConvertSidToStringSidW(id, &raw mut text) })?;
    let mut units = Vec::new();
    // SAFETY: the string ends in a zero, and no unit after that is read.
    while let unit @ 1.. = unsafe { *text.add(units.len()) } {
        units.push(unit);
    }
    // SAFETY: the call above allocated the string in this way, and it is not used any more.
    unsafe { LocalFree(text.cast()) };
    String::from_utf16(&units).map_err(io::Error::other)
}

fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    #[test]
    fn the_user_has_an_id() {
        let id = super::security_id().unwrap();
        assert!(id.starts_with("S-1-"), "{id}");
        assert!(id.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'S' | b'-')), "{id}");
    }
}
