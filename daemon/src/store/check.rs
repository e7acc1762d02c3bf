//! Checks the log and the database for `doctor` and `status`. It changes nothing.

use editd_proto::message::CheckFinding;

use super::{LogPosition, Store, StoreCounts};
use crate::sync::lock;

fn finding(severity: &str, subject: &str, message: String) -> CheckFinding {
    CheckFinding { severity: severity.to_owned(), subject: subject.to_owned(), message }
}

impl Store {
    /// Reads the whole log and compares the position of the database with it. Edits continue meanwhile.
    pub fn check(&self) -> Vec<CheckFinding> {
        vec![self.check_log(), self.check_database(), self.check_sizes()]
    }

    fn check_log(&self) -> CheckFinding {
        if let Some(why) = self.failed() {
            return finding("bad", "log", format!("no more changes are accepted: {why}"));
        }
        // Keeps segments from being dropped while they are read.
        let _still = lock(&self.shared.upkeep);
        match self.shared.log.verify() {
            Ok(seen) => {
                let message = format!("{} records in {} segments are valid", seen.records, seen.segments);
                finding("ok", "log", message)
            }
            Err(e) => finding("bad", "log", format!("{e}; entries after this position cannot be undone")),
        }
    }

    fn check_database(&self) -> CheckFinding {
        let meta = self.shared.rows.meta();
        let (waiting, _) = self.shared.rows.waiting();
        let (at, last) = (LogPosition(meta.at), self.shared.log.last());
        if at > last {
            return finding(
                "bad",
                "database",
                "it is ahead of the log; restart the daemon to rebuild it".to_owned(),
            );
        }
        let message =
            format!("{} rows up to {}, {waiting} changes are not applied yet", meta.count, at.shown());
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
        let (entries, open) = {
            let index = lock(&self.shared.index);
            (index.entries, index.open.len() as u64)
        };
        StoreCounts {
            entries,
            open,
            log_bytes: self.shared.log.segments().iter().map(|(_, len)| len).sum(),
            database_bytes: self.shared.rows.size(),
        }
    }
}
