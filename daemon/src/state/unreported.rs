//! The changes by other programs that became entries and that subscribers were not sent yet: whichever request notices a
//! change, its event follows the request. Pure.

use editd_proto::ids::JobId;

use crate::limits::HINTS;

/// Entries whose events are due, oldest first.
#[derive(Default, Debug)]
pub struct UnreportedChanges {
    entries: Vec<JobId>,
    lost: bool,
}

impl UnreportedChanges {
    /// Adds an entry. If there are too many, it is lost, and subscribers must check the files.
    pub fn add(&mut self, entry: JobId) {
        if self.entries.len() < HINTS {
            self.entries.push(entry);
        } else {
            self.lost = true;
        }
    }

    /// Removes an entry whose event is sent otherwise.
    pub fn remove(&mut self, entry: JobId) {
        self.entries.retain(|other| *other != entry);
    }

    /// Returns all entries and removes them; true if some were lost.
    pub fn take(&mut self) -> (Vec<JobId>, bool) {
        (std::mem::take(&mut self.entries), std::mem::take(&mut self.lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_taken_once_and_a_loss_is_told_once() {
        let mut changes = UnreportedChanges::default();
        (1..=3).for_each(|id| changes.add(JobId(id)));
        changes.remove(JobId(2));
        assert_eq!(changes.take(), (vec![JobId(1), JobId(3)], false));
        (0..=HINTS as u64).for_each(|id| changes.add(JobId(id)));
        let (entries, lost) = changes.take();
        assert_eq!((entries.len(), lost), (HINTS, true));
        assert_eq!(changes.take(), (Vec::new(), false));
    }
}
