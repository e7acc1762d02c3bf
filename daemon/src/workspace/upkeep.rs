//! Work between the requests: settling, late flushes, retention, checks. None of it changes a file of the workspace.

use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::message::{CheckFinding, CheckReply};
use editd_proto::system_error::in_words;

use super::{Counts, Workspace};
use crate::journal::settle;
use crate::limits::{LOST_BYTES, LOST_FILES, LOST_MS};
use crate::metrics::{Metrics, OtherCounts};
use crate::state::lock;
use crate::state::refusal::{log_gone, store_refusal};
use crate::store::{LogPosition, RetentionPolicy, RetentionTask};

/// 2020, in milliseconds since 1970. Entries and files with an earlier time were made while the clock was wrong; they
/// are not removed for their age.
const SANE_MS: u64 = 1_577_836_800_000;

impl Workspace {
    /// Settles the entries that are due, or with `all` every entry that can be. Returns the milliseconds until the next
    /// call.
    pub fn settle(&self, all: bool) -> Option<u64> {
        let next = settle::settle(&self.state, all)?;
        Some(u64::try_from(next.as_millis()).unwrap_or(u64::MAX).max(1))
    }

    /// Flushes the records that `relaxed` jobs and read receipts left in the log.
    ///
    /// # Errors
    /// `io`: the log failed, and nothing more is accepted.
    pub fn flush(&self) -> Result<(), Refusal> {
        let flushed = self.state.store.flush(LogPosition(u64::MAX));
        flushed.map(|_| ()).map_err(|error| store_refusal(&error))
    }

    /// Makes the log durable and brings the database up to date, so that the next opening is quick. Without this call,
    /// nothing is lost after a kill.
    pub fn close(&self) {
        if let Err(error) = self.state.store.close() {
            tracing::warn!(%error, "the journal could not be closed; the next start recovers it");
        }
    }

    /// Waits until retention is due and applies it. Returns false once [`Workspace::end_retention`] was called.
    pub fn retain(&self) -> bool {
        match self.state.store.await_retention() {
            Some(RetentionTask::Trim) => self.trim(),
            Some(RetentionTask::Upkeep) => self.upkeep(),
            None => return false,
        }
        true
    }

    /// Asks the thread in [`Workspace::retain`] to check all limits of the journal.
    pub fn ask_upkeep(&self) {
        self.state.store.ask_retention(RetentionTask::Upkeep);
    }

    /// Removes the syntax trees of recent contents, since nobody works at the moment.
    pub fn drop_trees(&self) {
        self.state.trees.clear();
    }

    /// Ends the thread in [`Workspace::retain`].
    pub fn end_retention(&self) {
        self.state.store.end_retention();
    }

    /// Shortens the log if it exceeds its limit.
    fn trim(&self) {
        if self.state.store.is_over_limit() {
            // Entries that are not settled cannot be dropped.
            let _next = settle::settle(&self.state, true);
        }
        let now = self.state.steady.now_ms(&*self.state.clock);
        if let Err(error) = self.state.store.trim(now, self.keep()) {
            tracing::warn!(%error, "the log could not be shortened");
        }
    }

    fn keep(&self) -> RetentionPolicy {
        let settings = &self.state.settings;
        RetentionPolicy {
            age_ms: u64::try_from(settings.keep_age.as_millis()).unwrap_or(u64::MAX),
            entries: settings.keep_entries,
            bytes: settings.keep_bytes,
            sane_ms: SANE_MS,
        }
    }

    /// Applies retention to the log, and removes old files that were set aside.
    pub fn upkeep(&self) {
        if self.state.store.is_over_limit() {
            let _next = settle::settle(&self.state, true);
        }
        let now = self.state.steady.now_ms(&*self.state.clock);
        if let Err(error) = self.state.store.upkeep(now, self.keep()) {
            tracing::warn!(%error, "the journal could not be pruned");
        }
        let lost = match self.state.disk.lost() {
            Ok(lost) => lost,
            Err(error) => {
                tracing::warn!(%error, "cannot look into .editd/lost");
                return;
            }
        };
        for one in lost {
            if one.time > SANE_MS
                && now.saturating_sub(one.time) > LOST_MS
                && let Err(error) = self.state.disk.forget_lost(&one)
            {
                tracing::warn!(%error, name = one.name, "cannot remove an old file that was set aside");
            }
        }
        self.state.disk.bound_lost();
    }

    /// Returns the numbers for `status`.
    pub fn counts(&self) -> Counts {
        Counts {
            entries: self.state.store.numbers().entries,
            unsettled: lock(&self.state.unsettled).len() as u64,
        }
    }

    /// Returns the counters, latencies and times of jobs.
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.state.metrics)
    }

    /// Returns the numbers of flushes and of bytes since the start.
    pub fn other_counts(&self) -> OtherCounts {
        let [log_flushes, log_syncs, log_bytes] = self.state.store.numbers().log_counts;
        OtherCounts { log_flushes, log_syncs, log_bytes, file_flushes: self.state.disk.flushes() }
    }

    /// Returns the reason why no more edits are accepted, if there is one.
    pub fn failed(&self) -> Option<String> {
        let failed = self.state.store.failed().map(|why| why.to_string());
        let gone = || matches!(self.state.store.is_in(&self.state.state_folder), Ok(false));
        failed.or_else(|| gone().then(|| log_gone(&self.state)))
    }

    /// Checks the folder, the state folder, the log, the database, staged and lost files, the commands and the unsettled entries.
    pub fn check(&self) -> CheckReply {
        let mut findings = vec![self.check_place(), self.check_state_folder()];
        findings.extend(self.state.store.check());
        findings.push(self.check_staging());
        findings.push(self.check_lost());
        findings.push(self.check_commands());
        findings.push(self.check_confinement());
        findings.push(self.check_unsettled());
        CheckReply { findings }
    }

    fn check_place(&self) -> CheckFinding {
        let (severity, message) = match self.root_present() {
            Ok(()) => ("ok", format!("at {}", self.state.root.display())),
            Err(refusal) => ("bad", refusal.message),
        };
        CheckFinding { severity: severity.to_owned(), subject: "folder".to_owned(), message }
    }

    fn check_state_folder(&self) -> CheckFinding {
        let folder = self.state.state_folder.display();
        let (severity, message) = match self.state.store.is_in(&self.state.state_folder) {
            Ok(true) => ("ok", format!("at {folder}")),
            Ok(false) => ("bad", log_gone(&self.state)),
            Err(error) => (
                "bad",
                format!("the journal in {folder} cannot be examined: {}; repair that", in_words(&error)),
            ),
        };
        CheckFinding { severity: severity.to_owned(), subject: "state folder".to_owned(), message }
    }

    fn check_unsettled(&self) -> CheckFinding {
        let failed = lock(&self.state.unsettled).failed();
        let (severity, message) = match failed.first() {
            None => ("ok", format!("{} entries wait for the background flush", self.counts().unsettled)),
            Some(path) => {
                let others = match failed.len() {
                    1 => String::new(),
                    n => format!(" and {} more", n - 1),
                };
                let message = format!(
                    "{path}{others} could not be flushed: a power cut may lose the changes of jobs there. The earlier \
                     content is kept, and the change is written again when the disk accepts writes; look at the disk and \
                     at the daemon's log"
                );
                ("bad", message)
            }
        };
        CheckFinding { severity: severity.to_owned(), subject: "unsettled".to_owned(), message }
    }

    fn check_staging(&self) -> CheckFinding {
        let known = lock(&self.state.unsettled).staged();
        let (severity, message) = match self.state.disk.staged_names() {
            Err(error) => ("bad", format!("cannot look into it: {error}; check its permissions")),
            Ok(names) => {
                let strange = names.iter().filter(|name| !known.contains(*name)).count();
                match strange {
                    0 => ("ok", format!("{} slots, each of an open entry", names.len())),
                    n => ("note", unknown_slots(n)),
                }
            }
        };
        CheckFinding { severity: severity.to_owned(), subject: ".editd/staging".to_owned(), message }
    }

    fn check_lost(&self) -> CheckFinding {
        let removed = self.state.disk.lost_removed();
        let (severity, message) = match self.state.disk.lost() {
            Err(error) => ("bad", format!("cannot look into it: {error}; check its permissions")),
            Ok(lost) if lost.is_empty() && removed == 0 => ("ok", "empty".to_owned()),
            Ok(lost) => {
                let gone = match removed {
                    0 => String::new(),
                    removed => format!(" ({removed} since the daemon started)"),
                };
                let mut beside = lost.iter().filter_map(|one| Some((one.folder.as_ref()?, &one.name)));
                let elsewhere = beside.next().map_or_else(String::new, |(folder, name)| {
                    let more = beside.count();
                    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                    format!("; on other mounts {}/{name}{more}", folder.display())
                });
                let message = format!(
                    "{} files that were set aside: of jobs that a kill or power cut ended, or with contents that the journal cannot hold; look at them, they are removed after 30 days, and the oldest beyond {LOST_FILES} files or {} MiB when more are set aside or a minute passes without a job{gone}{elsewhere}",
                    lost.len(),
                    LOST_BYTES >> 20
                );
                ("note", message)
            }
        };
        CheckFinding { severity: severity.to_owned(), subject: ".editd/lost".to_owned(), message }
    }
}

/// Returns the finding that staged files belong to no entry.
fn unknown_slots(count: usize) -> String {
    let (files, are, them) = if count == 1 { ("file", "is", "it") } else { ("files", "are", "them") };
    format!(
        "{count} staged {files} {are} of jobs that run now, or of no job; if no job runs, restart the daemon (`editctl \
         stop`): the start examines {them}"
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;

    use super::{LOST_BYTES, LOST_FILES};
    use crate::limits::LOST_UNCHECKED;
    use crate::os::unix::Unix;
    use crate::record::StagingFolder;
    use crate::workspace::tests::kit::Bench;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn told(bench: &Bench) -> String {
        let findings = bench.workspace.check().findings;
        findings.into_iter().find(|finding| finding.subject == ".editd/lost").unwrap().message
    }

    #[test]
    fn a_finding_says_what_to_do_and_nothing_about_a_request() {
        let bench = Bench::new();
        let find = |subject: &str| {
            let findings = bench.workspace.check().findings;
            findings.into_iter().find(|finding| finding.subject == subject).unwrap().message
        };
        std::fs::write(bench.state().root.join(".editd/staging/unknown"), "").unwrap();
        assert!(find(".editd/staging").starts_with("1 staged file is of jobs that run now, or of no job"));
        std::fs::remove_dir_all(&bench.state().state_folder).unwrap();
        let gone = find("state folder");
        assert!(gone.contains("`editctl stop`") && !gone.contains("send it again"), "{gone}");
    }

    #[test]
    fn files_that_were_set_aside_are_bounded_and_the_oldest_go_first() {
        let bench = Bench::new();
        let now = bench.state().clock.wall_ms();
        bench.put(".editd/lost/of-a-user", "");
        let lose = |name: String, age: u64, size: u64| {
            bench.put(&format!(".editd/staging/{name}"), "");
            let path = bench.workspace.root().join(format!(".editd/staging/{name}"));
            // The bytes are a hole.
            std::fs::File::options().write(true).open(path).unwrap().set_len(size).unwrap();
            bench.state().disk.set_aside(&StagingFolder::Root, &name, now - age).unwrap();
        };
        for nth in 0..LOST_FILES + 500 {
            lose(format!("s{nth}"), 10_000 + nth as u64, 0);
            let kept = bench.list(".editd/lost").len();
            assert!(kept <= LOST_FILES + LOST_UNCHECKED + 2, "{kept}");
        }
        bench.workspace.upkeep();
        let left = bench.list(".editd/lost");
        assert_eq!(left.len(), LOST_FILES + 1);
        let name = |nth: usize| format!("{}-s{nth}", now - 10_000 - nth as u64);
        assert!(left.contains(&name(LOST_FILES - 1)) && !left.contains(&name(LOST_FILES)));
        (0..10).for_each(|nth| lose(format!("b{nth}"), 1000 + nth, LOST_BYTES / 8));
        bench.workspace.upkeep();
        let newest = (0..8).map(|nth| format!("{}-b{nth}", now - 1000 - nth));
        let mut expected: Vec<String> = newest.chain(["of-a-user".to_owned()]).collect();
        expected.sort();
        assert_eq!(bench.list(".editd/lost"), expected);
        let gone = format!("({} since the daemon started)", LOST_FILES + 502);
        assert!(told(&bench).contains(&gone), "{}", told(&bench));
    }

    #[test]
    fn files_set_aside_on_another_mount_are_told_and_go_after_their_time() {
        let bench = Bench::new();
        bench.stage_beside("sub");
        let now = bench.state().clock.wall_ms();
        let folder = StagingFolder::Folder("sub".into());
        for (staged_name, age) in [("old", 31 * DAY), ("young", 29 * DAY)] {
            bench.put(&format!("sub/.editd-slot-{staged_name}"), staged_name);
            bench.state().disk.set_aside(&folder, staged_name, now - age).unwrap();
        }
        assert!(told(&bench).starts_with("2 files"), "{}", told(&bench));
        // The next daemons know of them, too.
        let (bench, _) = bench.reopened(Arc::new(Unix));
        let (bench, _) = bench.reopened(Arc::new(Unix));
        assert!(told(&bench).starts_with("2 files"), "{}", told(&bench));
        bench.workspace.upkeep();
        let young = format!("sub/.editd-slot-lost-{}-young", now - 29 * DAY);
        assert_eq!(bench.list("sub"), [young.replace("sub/", ""), "a".to_owned()]);
        assert!(told(&bench).starts_with("1 files") && told(&bench).contains(&young), "{}", told(&bench));
        bench.remove(&young);
        assert_eq!(told(&bench), "empty");
        let (bench, _) = bench.reopened(Arc::new(Unix));
        assert_eq!((told(&bench).as_str(), bench.get(".editd/beside").as_str()), ("empty", ""));
    }
}
