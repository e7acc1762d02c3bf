//! What a kill interrupted in the middle of a move that takes several calls: it is finished, or undone. It never
//! decides about a job.

use std::io;

use super::Disk;
use super::folders::is_gone;
use super::observation::{self, Observation};
use super::put::held_name;
use crate::store::record::{ChangeMethod, Entry};

impl Disk {
    /// Finishes what a kill interrupted where the file system has no exchange: a displaced file that is still
    /// held under its other name goes to its slot, or back where its target has vanished.
    ///
    /// # Errors
    /// What the system says.
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
            let kept = observation::observe(&dir, &held)?.identity();
            let (staged, target) = (observation::observe(&dir, &staged_name)?, self.observe(&place)?);
            if kept.is_some() && (staged.identity() == kept || target.identity() == kept) {
                // Its file has another name, since the move has not begun, or was all but finished.
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

    /// Where a move is a link and an unlinking, a kill may have come between: the file stands under the target's and
    /// the slot's name. The slot's goes, so the move has not begun (a deletion), or is done (a creation).
    ///
    /// # Errors
    /// What the system says.
    pub fn part_moved(&self, entry: &Entry) -> io::Result<()> {
        for file in
            entry.files.iter().filter(|file| matches!(file.how, ChangeMethod::Create | ChangeMethod::Delete))
        {
            let staged_name = self.observe_staged(&file.staging, &file.staged_name)?;
            let Some(staged_name) = staged_name.found().filter(|found| found.links > 1) else { continue };
            let Some(place) = self.find(&file.path)? else { continue };
            let target = self.observe(&place)?;
            if target.found().is_some_and(|found| found.face.identity == staged_name.face.identity) {
                let (dir, name) = self.staged_entry(&file.staging, &file.staged_name)?;
                dir.remove_file(&name)?;
            }
        }
        Ok(())
    }
}
