//! Finishes or undoes a move of several calls that a kill interrupted. It never decides about a job.

use std::io;

use super::Disk;
use super::folders::is_gone;
use super::observation::{self, Observation};
use super::put::held_name;
use crate::record::{ChangeMethod, Entry};

impl Disk {
    /// Finishes an interrupted move on a file system without exchange: a displaced file that still has its temporary
    /// name gets its staged name, or its old name if the target has vanished.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn finish_held(&self, entry: &Entry, now_ms: u64) -> io::Result<()> {
        for file in entry.files.iter().filter(|file| file.how == ChangeMethod::Swap) {
            let (dir, staged_name) = match self.staged_entry(&file.staging, &file.staged_name) {
                Err(gone) if is_gone(&gone) => continue,
                found => found?,
            };
            let (_, held) = self.staged_entry(&file.staging, &held_name(&file.staged_name))?;
            if matches!(observation::observe(&dir, &held)?, Observation::Absent) {
                continue;
            }
            let Some(place) = self.find(&file.path)? else { continue };
            let kept = observation::observe(&dir, &held)?;
            let (staged, target) = (observation::observe(&dir, &staged_name)?, self.observe(&place)?);
            // Another program may have moved the file from the target since.
            let elsewhere = kept.found().is_some_and(|found| found.links > 1);
            let kept = kept.identity();
            if elsewhere || (kept.is_some() && (staged.identity() == kept || target.identity() == kept)) {
                // The file has another name, since the move has not begun, or was almost finished.
                dir.remove_file(&held)?;
                continue;
            }
            match (staged, target) {
                (Observation::Absent, _) => self.move_noreplace(&dir, &held, &dir, &staged_name)?,
                (_, Observation::Absent) if place.missing().is_empty() => {
                    self.move_noreplace(&dir, &held, place.parent(), place.name())?;
                }
                _ => self.set_aside(&file.staging, &held_name(&file.staged_name), now_ms)?,
            }
        }
        Ok(())
    }

    /// Finishes a move that is a link and an unlinking, if a kill came between them and the file has both the
    /// target's and the staged name. The staged name is removed, so that the move has not begun (a deletion) or is
    /// done (a creation).
    ///
    /// # Errors
    /// Errors of the system.
    pub fn part_moved(&self, entry: &Entry) -> io::Result<()> {
        for file in
            entry.files.iter().filter(|file| matches!(file.how, ChangeMethod::Create | ChangeMethod::Delete))
        {
            let staged_name = self.observe_staged(&file.staging, &file.staged_name)?;
            let Some(staged_name) = staged_name.found().filter(|found| found.links > 1) else { continue };
            let Some(place) = self.find(&file.path)? else { continue };
            let target = self.observe(&place)?;
            if target.found().is_some_and(|found| found.meta.identity == staged_name.meta.identity) {
                let (dir, name) = self.staged_entry(&file.staging, &file.staged_name)?;
                dir.remove_file(&name)?;
            }
        }
        Ok(())
    }
}
