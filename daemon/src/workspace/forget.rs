//! The request `forget`: removes the contents of a file from everything that the daemon keeps. The file itself is not
//! touched.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::{ForgetReply, ForgetRequest};
use editd_proto::path::FilePath;

use super::Workspace;
use crate::caller::Caller;
use crate::state::refusal::{disk_refusal, log_present, store_refusal};
use crate::store::{ForgetReport, StoreError};

impl Workspace {
    /// Removes the contents that a file had from the journal, the kept contents, the clipboards and the files that were
    /// set aside. Entries remain, and can no longer be undone.
    ///
    /// # Errors
    /// `not_found` if the journal does not know the path, `busy` if an entry of it is not settled or no memory is free, the
    /// errors of a path that cannot be resolved, `io`. After `busy` and `io` some contents may be removed; the same request removes the
    /// others.
    pub fn forget(&self, caller: &Caller, request: &ForgetRequest) -> Result<ForgetReply, Refusal> {
        let path = self.known_path(&request.path)?;
        log_present(&self.state)?;
        // Displaced files of open entries are copies, and recovery needs what such entries hold.
        self.settle(true);
        // A change by another program that no event has reported yet would become an entry with the contents afterwards.
        self.look(caller, &path)?;
        let forgotten = self.state.store.forget(&path).map_err(|error| may_remain(&error))?;
        let damaged = self.damaged_folders(&path)?;
        if !forgotten.known {
            let mut message = format!(
                "the journal knows nothing of {path}; `editctl log` lists the entries and their files"
            );
            if !damaged.is_empty() {
                message = format!(
                    "{message}. Its contents may be in damaged state that was set aside; remove that if you do not need \
                     it: {}",
                    damaged.join(", ")
                );
            }
            return Err(Box::new(RequestError::new(ErrorCode::NotFound, message).at(&path)));
        }
        let set_aside = self.forget_set_aside(&path, &forgotten)?;
        if let Some(id) = forgotten.open.first() {
            let more = forgotten.open.len() - 1;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!(
                "job {id}{more} is not finished with {path}, so its contents remain; close the programs that have the \
                 file open, wait for the job or cancel it, and run `editctl forget` again"
            );
            return Err(Box::new(RequestError::new(ErrorCode::Busy, message).at(&path)));
        }
        Ok(ForgetReply {
            path,
            entries: forgotten.entries.len() as u64,
            clipboards: forgotten.clipboards,
            files: forgotten.contents.saturating_add(set_aside),
            damaged,
        })
    }

    /// Returns the absolute paths of damaged logs and databases in the state folder.
    fn damaged_folders(&self, path: &FilePath) -> Result<Vec<String>, Refusal> {
        let folder = &self.state.state_folder;
        let names = self.state.store.damaged_folders(folder).map_err(|error| disk_refusal(path, &error))?;
        Ok(names.iter().map(|name| folder.join(name).display().to_string()).collect())
    }

    /// Removes the files in `.editd/lost` that have a content of the path, or were staged for it.
    fn forget_set_aside(&self, path: &FilePath, forgotten: &ForgetReport) -> Result<u64, Refusal> {
        let failed = |error: std::io::Error| disk_refusal(path, &error);
        let mut removed = 0;
        for lost in self.state.disk.lost().map_err(failed)? {
            let of_path = lost.staged_name().is_some_and(|name| forgotten.staged_names.contains(name));
            let has_content = || self.state.disk.lost_hash(&lost);
            if of_path || has_content().map_err(failed)?.is_some_and(|hash| forgotten.hashes.contains(&hash))
            {
                self.state.disk.forget_lost(&lost).map_err(failed)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// Returns the refusal for an error after which some contents may be removed, and others not.
fn may_remain(error: &StoreError) -> Refusal {
    let mut refusal = store_refusal(error);
    if let StoreError::Io(why) = error {
        refusal.message =
            format!("{why}; some contents may remain: repair the disk, and run `editctl forget` again");
    }
    refusal
}
