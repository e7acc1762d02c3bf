//! The parts of a file beside its content and mode: attributes, the access control list, and named streams. Read and set as
//! extended attributes, and copied from file to file. It touches no content.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt;
use std::path::PathBuf;

use super::file::look;
use super::sharing::patiently;
use super::{SHARE_ALL, calls};
use crate::os::{ExtendedAttribute, UnsetAttribute, UnsetReason};

/// The name under which the attributes *hidden*, *system*, *archive*, *not indexed* and *compressed* are recorded.
const FLAGS: &[u8] = b"$attributes";
/// The name under which the access control list is recorded. Names of streams begin with a colon.
const ACCESS_LIST: &[u8] = b"$access";

/// Bytes of the named streams of one file that are copied: as much as the largest editable file.
const STREAMS: u64 = editd_proto::limits::FILE as u64;

/// Copies attributes, access control list and named streams.
///
/// # Errors
/// `FileTooLarge` if the streams are too large; `Unsupported` if the content would lose its encryption; otherwise errors of the
/// system. Attributes and lists that the file system does not have, or that this user may not set, are left out.
pub(super) fn copy(from: &File, to: &File) -> io::Result<()> {
    // A new file is encrypted if its folder is. No call encrypts a file that is open.
    if calls::is_encrypted(from)? && !calls::is_encrypted(to)? {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "it is encrypted, and its new content would not be; run `cipher /e .editd\\staging`, and try again",
        ));
    }
    calls::set_flags(to, calls::kept_flags(from)?)?;
    let streams = calls::streams(from)?;
    if streams.iter().fold(0, |sum: u64, (_, size)| sum.saturating_add(*size)) > STREAMS {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "its named streams are too large to be kept",
        ));
    }
    for (name, size) in streams {
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        open(from, &name, false)?.take(STREAMS).read_to_end(&mut bytes)?;
        write(to, &name, &bytes)?;
    }
    // At the end: it may forbid this user to write.
    permitted(calls::access_list(from).and_then(|list| calls::set_access_list(to, &list)))
}

/// Returns attributes, access control list and named streams. Those above `most` bytes together have no value.
pub(super) fn read(file: &File, most: usize) -> io::Result<Vec<ExtendedAttribute>> {
    let mut left = most;
    let mut fitting = |name: &[u8], size: usize| {
        let size = size.saturating_add(name.len());
        let fits = size <= left;
        left -= if fits { size } else { 0 };
        fits
    };
    let mut found = Vec::new();
    let mut add = |name: &[u8], value| found.push(ExtendedAttribute { name: name.to_vec(), value });
    let flags = calls::kept_flags(file)?.to_le_bytes();
    add(FLAGS, fitting(FLAGS, flags.len()).then(|| flags.to_vec()));
    for (name, size) in calls::streams(file)? {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        let is_read = fitting(name.as_bytes(), size)
            && open(file, &name, false)
                .and_then(|stream| stream.take(size as u64).read_to_end(&mut bytes))
                .is_ok();
        add(name.as_bytes(), is_read.then_some(bytes));
    }
    // Set at the end, too: it may forbid this user to write.
    if let Ok(list) = calls::access_list(file) {
        add(ACCESS_LIST, fitting(ACCESS_LIST, list.len()).then_some(list));
    }
    Ok(found)
}

/// Sets attributes, access control list and named streams that were read, and returns those that the file did not get.
pub(super) fn set(file: &File, wanted: &[ExtendedAttribute]) -> Vec<UnsetAttribute> {
    let unset = wanted.iter().filter_map(|one| {
        let reason = match &one.value {
            None => UnsetReason::Unknown,
            Some(value) => UnsetReason::Refused(set_one(file, &one.name, value).err()?),
        };
        Some(UnsetAttribute { name: one.name.clone(), reason })
    });
    unset.collect()
}

fn set_one(file: &File, name: &[u8], value: &[u8]) -> io::Result<()> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    match name {
        FLAGS => calls::set_flags(file, u32::from_le_bytes(value.try_into().map_err(|_| invalid())?)),
        ACCESS_LIST => permitted(calls::set_access_list(file, value)),
        stream => write(file, std::str::from_utf8(stream).map_err(|_| invalid())?, value),
    }
}

/// Returns no error if the file system has no access control lists, or if this user may not set them.
fn permitted(result: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    result.or_else(|error| match error.kind() {
        Unsupported | InvalidInput | PermissionDenied => Ok(()),
        _ => Err(error),
    })
}

fn write(to: &File, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut stream = open(to, name, true)?;
    stream.write_all(bytes)?;
    // The flush of the file does not cover it.
    stream.sync_all()
}

/// Opens a named stream of an open file, by the path that the file has now.
fn open(file: &File, name: &str, create: bool) -> io::Result<File> {
    if !is_stream(name) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut path: OsString = calls::final_path(file)?.into();
    path.push(name);
    let path = PathBuf::from(path);
    let mut options = OpenOptions::new();
    options.read(!create).write(create).create(create).share_mode(SHARE_ALL);
    let stream = patiently(|| options.open(&path))?;
    if look(&stream)?.identity == look(file)?.identity {
        return Ok(stream);
    }
    Err(io::Error::other("another file took its place"))
}

/// Returns true for the name of a stream with data as the system lists it, such as `:Zone.Identifier:$DATA`.
fn is_stream(name: &str) -> bool {
    name.strip_prefix(':')
        .and_then(|rest| rest.strip_suffix(":$DATA"))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains([':', '/', '\\', '\0']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_streams_of_data_are_taken() {
        assert!(is_stream(":Zone.Identifier:$DATA") && is_stream(":a b:$DATA"));
        for other in ["::$DATA", ":a", "a:$DATA", ":a:b:$DATA", ":a\\b:$DATA", ":a:$INDEX_ALLOCATION", ""] {
            assert!(!is_stream(other), "{other}");
        }
    }
}
