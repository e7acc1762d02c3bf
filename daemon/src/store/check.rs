//! Checks the log and the database for `doctor` and `status`. It changes nothing.

use editd_proto::message::CheckFinding;

use super::log::verify::LogCheck;
use super::losses::shown;
use super::{LogPosition, Store, StoreCounts, StoreError};

fn finding(severity: &str, subject: &str, message: String) -> CheckFinding {
    CheckFinding { severity: severity.to_owned(), subject: subject.to_owned(), message }
}

impl Store {
    /// Reads the whole log and the database, and compares the position of the database with the log. Edits continue
    /// meanwhile.
    pub fn check(&self) -> Vec<CheckFinding> {
        let mut findings = vec![self.check_log(), self.check_database(), self.check_sizes()];
        // A look-up would wait until the database is rebuilt.
        if !self.is_rebuilding() {
            findings.extend(self.check_losses());
        }
        findings
    }

    /// Reports entries that damage has taken, also if the log is intact now.
    fn check_losses(&self) -> Option<CheckFinding> {
        let lost = self.lost_entries().ok().filter(|lost| !lost.is_empty())?;
        let message = format!("these entries may have been lost through damage of the log: {}", shown(&lost));
        Some(finding("note", "losses", message))
    }

    fn check_log(&self) -> CheckFinding {
        if let Some(why) = self.failed() {
            return finding("bad", "log", StoreError::Failed(why).to_string());
        }
        let mut seen = LogCheck::default();
        for id in self.segments() {
            match self.shared.check_segment(id) {
                Ok((checked, new)) => {
                    seen.add(checked);
                    new.into_iter().for_each(|told| self.shared.note_damage(told));
                }
                Err(gone @ StoreError::Gone) => return finding("bad", "log", gone.to_string()),
                Err(e) => {
                    let message = format!("it cannot be read; what was acknowledged stays as it is: {e}");
                    return finding("bad", "log", message);
                }
            }
        }
        // This includes damage that was passed at the start, and is not in the log any more.
        if let Some(damage) = self.damage() {
            return finding("bad", "log", damage);
        }
        if let Some(error) = self.shared.log.stuck() {
            let message = format!(
                "{error}, at the last attempt; unless there is room by then, edits are refused once the present file is full: \
                 make room on the disk of the state folder"
            );
            return finding("bad", "log", message);
        }
        let message = format!("{} records in {} segments are valid", seen.records, seen.segments);
        finding("ok", "log", message)
    }

    fn check_database(&self) -> CheckFinding {
        if let Some(told) = self.database_fault() {
            let severity = if self.is_rebuilding() { "note" } else { "bad" };
            return finding(severity, "database", told);
        }
        // This reads every page. The database is rebuilt if one of them is damaged.
        let mut rows = 0u64;
        let walked = self.shared.rows.down(&[], &[u8::MAX], &mut |_, _| {
            rows += 1;
            Ok(true)
        });
        if let Err(why) = walked {
            return finding("bad", "database", why.to_string());
        }
        let meta = self.shared.rows.meta();
        let (waiting, _) = self.shared.rows.waiting();
        let (at, last) = (LogPosition(meta.at), self.shared.log.last());
        if at > last {
            return finding(
                "bad",
                "database",
                "it has records that the log does not have; run `editctl stop`, and the next start rebuilds it".to_owned(),
            );
        }
        let message = format!("{rows} rows up to {}, {waiting} changes are not applied yet", at.shown());
        finding("ok", "database", message)
    }

    fn check_sizes(&self) -> CheckFinding {
        let numbers = self.numbers();
        let message = format!(
            "{} entries, {} open; log {} bytes, database {} bytes, contents {} bytes",
            numbers.entries,
            numbers.open,
            numbers.log_bytes,
            numbers.database_bytes,
            self.shared.contents.bytes()
        );
        finding("ok", "sizes", message)
    }

    /// Returns the counts for `status`.
    pub fn numbers(&self) -> StoreCounts {
        // The index is locked while the database is rebuilt, and `status` does not wait for that.
        let (entries, open) = self.shared.rows.counts();
        StoreCounts {
            entries,
            open,
            log_bytes: self.shared.log.bytes(),
            database_bytes: self.shared.rows.size(),
            log_counts: self.shared.log.counts(),
        }
    }
}
