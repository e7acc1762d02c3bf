//! The mask by which the process's new files are narrowed. It is read and, in the end, never changed.

use rustix::fs::Mode;

/// The permission bits that new files and folders of this process do not get.
///
/// Where the system tells it only by setting it (all but Linux), it is set to the strictest for a moment:
/// ask before other threads make files.
pub fn mask() -> u32 {
    told().unwrap_or_else(|| {
        let mask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
        rustix::process::umask(mask);
        mask.as_raw_mode() as u32 & 0o777
    })
}

#[cfg(target_os = "linux")]
fn told() -> Option<u32> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

#[cfg(not(target_os = "linux"))]
fn told() -> Option<u32> {
    None
}

#[cfg(any(target_os = "linux", test))]
pub(super) fn parse(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok().filter(|mask| *mask <= 0o777)
}
