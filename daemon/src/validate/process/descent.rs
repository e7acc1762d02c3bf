//! Finds the descendants of a process in `/proc`. Linux only; it signals only processes below this one, or in a
//! session that such a process leads.

#![expect(
    clippy::disallowed_methods,
    reason = "validate is the module that looks at the processes it started"
)]

use std::collections::BTreeMap;

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};

/// A descendant.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescendantProcess {
    pid: Pid,
    parent: i32,
    session: i32,
    /// Its start, in the system's ticks: process numbers are reused, starts are not.
    began: u64,
}

/// Returns all descendants of this process that have not ended.
pub(super) fn family() -> Vec<DescendantProcess> {
    let own = getpid().as_raw_nonzero().get();
    listed(own).unwrap_or_else(|| searched(own))
}

/// Uses the lists of children that some kernels keep.
fn listed(own: i32) -> Option<Vec<DescendantProcess>> {
    let mut family = Vec::new();
    let mut parents = vec![own];
    while let Some(parent) = parents.pop() {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{parent}/task")) else { continue };
        for task in tasks.flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            if parent == own && children.is_err() {
                return None;
            }
            for child in children.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse().ok()) {
                parents.push(child);
                family.extend(member(child));
            }
        }
    }
    Some(family)
}

/// Examines every process of the machine.
fn searched(own: i32) -> Vec<DescendantProcess> {
    below(vec![own], &everybody())
}

/// Returns all processes in the session of `leader`, and their descendants, without itself.
pub(super) fn session(leader: u32) -> Vec<DescendantProcess> {
    let Ok(leader) = i32::try_from(leader) else { return Vec::new() };
    let everybody = everybody();
    let own = |member: &&DescendantProcess| member.session == leader && member.number() != leader;
    let mut all: Vec<DescendantProcess> = everybody.iter().filter(own).copied().collect();
    let parents = all.iter().map(DescendantProcess::number).chain([leader]).collect();
    all.extend(below(parents, &everybody));
    all
}

fn everybody() -> Vec<DescendantProcess> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    all.flatten().filter_map(|entry| member(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn below(mut parents: Vec<i32>, all: &[DescendantProcess]) -> Vec<DescendantProcess> {
    let mut children: BTreeMap<i32, Vec<DescendantProcess>> = BTreeMap::new();
    for member in all {
        children.entry(member.parent).or_default().push(*member);
    }
    let mut family = Vec::new();
    while let Some(parent) = parents.pop() {
        let Some(members) = children.remove(&parent) else { continue };
        parents.extend(members.iter().map(DescendantProcess::number));
        family.extend(members);
    }
    family
}

fn member(pid: i32) -> Option<DescendantProcess> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(Pid::from_raw(pid)?, &stat)
}

/// Parses a line of `/proc/PID/stat`; `None` for a process that has ended.
fn parse(pid: Pid, stat: &[u8]) -> Option<DescendantProcess> {
    let stat = String::from_utf8_lossy(stat);
    // The second field is the name in parentheses and may have any characters.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let began = fields.nth(15)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(DescendantProcess { pid, parent, session, began })
}

impl DescendantProcess {
    fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Returns the bytes of resident memory that are private, or shared without a file: programs and libraries are in
    /// memory once, however many processes run them.
    pub(super) fn memory(&self) -> u64 {
        let status = std::fs::read(format!("/proc/{}/status", self.pid.as_raw_nonzero()));
        memory(&String::from_utf8_lossy(&status.unwrap_or_default()))
    }

    /// Kills the process, unless its number belongs to another process by now.
    pub(super) fn end(&self) {
        let Ok(handle) = pidfd_open(self.pid, PidfdFlags::empty()) else {
            // The kernel has no process handles, or the process is gone.
            if self.is_same() {
                let _gone = kill_process(self.pid, Signal::KILL);
            }
            return;
        };
        if self.is_same() {
            let _gone = pidfd_send_signal(handle, Signal::KILL);
        }
    }

    fn is_same(&self) -> bool {
        member(self.number()).is_some_and(|now| now.began == self.began)
    }
}

fn memory(status: &str) -> u64 {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let kib = ["RssAnon:", "RssShmem:"].into_iter().filter_map(field).fold(0, u64::saturating_add);
    kib.saturating_mul(1024)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let line = b"7 (a) b (c) S 3 5 6 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 4711 900000 25 184 1 1 0";
        let pid = Pid::from_raw(7).unwrap();
        let member = parse(pid, line).unwrap();
        assert_eq!((member.parent, member.session, member.began), (3, 6, 4711));
        assert!(parse(pid, b"7 (a) S 3 7 7").is_none());
        let ended = b"7 (a) Z 3 7 7 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 4711 0 0 184 1 1 0";
        assert!(parse(pid, ended).is_none());
    }

    #[test]
    fn memory_of_mapped_files_is_not_counted() {
        let status =
            "VmRSS:\t    3920 kB\nRssAnon:\t     376 kB\nRssFile:\t    3543 kB\nRssShmem:\t       1 kB\n";
        assert_eq!(memory(status), 377 * 1024);
        assert_eq!(memory(""), 0);
    }
}
