//! Properties of a process as the operating system reports them: memory, time, threads, open files. Linux only;
//! elsewhere every function returns `None`, and the calling test reports that it is skipped.

use std::fs;
use std::path::Path;

/// Resident memory, KiB.
pub fn resident_kib(pid: u32) -> Option<u64> {
    status_field(pid, "VmRSS:")
}

/// Resident memory of the process alone, without the files that it maps, KiB.
pub fn private_kib(pid: u32) -> Option<u64> {
    status_field(pid, "RssAnon:")
}

/// The highest resident memory so far, KiB.
pub fn peak_kib(pid: u32) -> Option<u64> {
    status_field(pid, "VmHWM:")
}

/// Threads.
pub fn threads(pid: u32) -> Option<u64> {
    status_field(pid, "Threads:")
}

/// Open file descriptors.
pub fn descriptors(pid: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count())
}

/// Processor time used so far by all threads, in clock ticks (100 a second on Linux).
pub fn cpu_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses and may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

/// The processes that were started with this variable set to this value, by their number.
pub fn with_variable(name: &str, value: &Path) -> Vec<u32> {
    let wanted = [name.as_bytes(), b"=", value.as_os_str().as_encoded_bytes()].concat();
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|all| all.split(|b| *b == 0).any(|v| v == wanted))
        })
        .collect()
}

/// The processes that stand in this folder, by their number.
pub fn in_folder(folder: &Path) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder))
        .collect()
}

fn status_field(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Returns true under Wine, whose variables a program for Windows has in its environment.
pub fn is_under_wine() -> bool {
    cfg!(windows) && std::env::var_os("WINEPREFIX").is_some()
}

/// Returns true and prints the reason under Wine, which lacks what a test needs.
pub fn skips_under_wine(why: &str) -> bool {
    let skips = is_under_wine();
    if skips {
        println!("skipped under Wine: {why}");
    }
    skips
}
