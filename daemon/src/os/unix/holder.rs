//! Finds the process that has locked a file, for messages. Nothing depends on it: the kernel shows neither processes of other
//! containers nor, on some file systems, the device of the file.

#![expect(clippy::disallowed_methods, reason = "os is the interface to the system's files")]

use std::os::fd::BorrowedFd;

use crate::os::LockHolder;

/// Returns the process that has locked a file as a whole, if the kernel shows it and it has not ended.
pub(super) fn of(fd: BorrowedFd<'_>) -> Option<LockHolder> {
    let found = rustix::fs::fstat(fd).ok()?;
    let (major, minor) = (rustix::fs::major(found.st_dev), rustix::fs::minor(found.st_dev));
    let file = format!("{major:02x}:{minor:02x}:{}", found.st_ino);
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let process = locks.lines().find_map(|line| holder_in(line, &file))?;
    let program = std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    Some(LockHolder { process, program: program.trim_end().to_owned() })
}

/// Returns the process in a line of `/proc/locks`, if it holds a lock of the file.
fn holder_in(line: &str, file: &str) -> Option<u32> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words.as_slice() {
        [_, "FLOCK", _, _, process, of, ..] if *of == file => {
            process.parse().ok().filter(|process| *process > 0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_of_a_whole_file_is_named() {
        let holder = |line| holder_in(line, "fe:00:12");
        assert_eq!(holder("3: FLOCK  ADVISORY  WRITE 929 fe:00:12 0 EOF"), Some(929));
        for other in [
            "3: FLOCK  ADVISORY  WRITE 929 fe:00:123 0 EOF",
            "3: -> FLOCK  ADVISORY  WRITE 929 fe:00:12 0 EOF",
            "3: POSIX  ADVISORY  WRITE 929 fe:00:12 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 0 fe:00:12 0 EOF",
            "",
        ] {
            assert_eq!(holder(other), None, "{other}");
        }
    }
}
