//! File entries that name several files by `paths`: each is replaced by one entry for each file that has its patterns.
//! It counts the places of the patterns and changes nothing.
//!
//! *Invariants*: an edit with `expect` gets in each entry the number that was counted in its file. So a file that
//! changes before the job is written is refused by the ordinary rules, and the sum remains the requested one.
//!
//! If a listed file is gone when it is read, another program may have moved it to a name that the globs match, too: the
//! files are listed again, [`LISTINGS`] times at most.
//!
//! *Limitations*: globs match the files that exist before the job, not those that an earlier entry of it creates or
//! renames. A file that another program moves from a folder that is not listed yet to one that is listed already is left
//! out, and so is one that is moved during the last listing; `expect` notices that.

mod counted;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{CountBudget, PatternCounts, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits::{FILE, FILES};
use editd_proto::message::{FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;

use self::counted::{check_sum, unsearched};
use super::{ParsedRequest, Workspace};
use crate::caller::{Caller, RequestOwner};
use crate::config::FileGlobs;
use crate::disk::{Disk, Observation, ResolveError};
use crate::edit::ParsedJob;
use crate::limits::{COPIED_EDITS, JOB_BYTES, NAMES_VISITED};
use crate::os::Stat;
use crate::state::refusal::disk_refusal;
use crate::state::{BudgetClass, Reservation, WorkspaceState};
use crate::watch::files_below;

impl Workspace {
    /// Returns the edit job of a request, with one entry for each file.
    ///
    /// # Errors
    /// `not_found`, `count_mismatch`, `limit`, `too_large`, `malformed`, `busy`, and the errors of an exact path.
    pub(super) fn edit_job(
        &self,
        caller: &Caller,
        parsed: &ParsedRequest,
    ) -> Result<Arc<ParsedJob>, Refusal> {
        parsed.job(|came| {
            let (job, warnings) = LookUp::new(&self.state, &caller.owner).job(came)?;
            job.files.iter().for_each(|entry| self.touch(&entry.path));
            Ok((job, warnings))
        })
    }
}

/// The number of times that a file is read which grows meanwhile.
const LOOKS: usize = 8;

/// The number of times that the files are listed if one that was listed is gone.
const LISTINGS: usize = 4;

/// A file that `paths` names.
struct MatchedFile {
    path: FilePath,
    stat: Option<Stat>,
    /// True if it was named by its path, not by a glob.
    exact: bool,
    /// The number of places of each pattern in it; `None` if they cannot be counted.
    counts: Option<Vec<u64>>,
}

impl MatchedFile {
    fn count(&self, edit: usize) -> u64 {
        self.counts.as_ref().and_then(|counts| counts.get(edit)).copied().unwrap_or(0)
    }
}

/// The work of looking up the files of one job.
struct LookUp<'w> {
    state: &'w WorkspaceState,
    owner: &'w RequestOwner,
    counting: CountBudget,
    names_left: usize,
    bytes_left: usize,
    copies_left: usize,
    /// True if a file or folder was moved or removed since it was listed.
    is_torn: bool,
    /// The files and folders that globs lead to and that may not be read.
    forbidden: BTreeSet<FilePath>,
}

impl<'w> LookUp<'w> {
    fn new(state: &'w WorkspaceState, owner: &'w RequestOwner) -> Self {
        let counting = CountBudget::default();
        Self {
            state,
            owner,
            counting,
            names_left: NAMES_VISITED,
            bytes_left: JOB_BYTES,
            copies_left: COPIED_EDITS,
            is_torn: false,
            forbidden: BTreeSet::new(),
        }
    }

    /// Returns the job with one entry for each file, and its warnings.
    fn job(mut self, came: &JobRequest) -> Result<(JobRequest, Vec<String>), Refusal> {
        let mut files = Vec::with_capacity(came.files.len());
        let mut warnings = Vec::new();
        for (entry, number) in came.files.iter().zip(0..) {
            if entry.paths.is_empty() {
                files.push(entry.clone());
            } else {
                files.extend(self.entries(entry, number)?);
                warnings.extend(unsearched(&self.forbidden, number));
            }
        }
        let job = JobRequest {
            key: came.key.clone(),
            label: came.label.clone(),
            verified: came.verified.clone(),
            files,
            payload: None,
            ..*came
        };
        Ok((job, warnings))
    }

    /// Returns the entries for the files that one entry names.
    fn entries(&mut self, entry: &FileEntry, number: usize) -> Result<Vec<FileEntry>, Refusal> {
        let patterns = PatternCounts::new(&entry.edits)?;
        let mut files = self.counted(entry, &patterns, number)?;
        let looked_at = files.len();
        let holds = |file: &MatchedFile| file.exact || file.counts.iter().flatten().any(|count| *count > 0);
        files.retain(holds);
        for (edit, index) in entry.edits.iter().zip(0..) {
            check_sum(edit, index, &files, looked_at, number).map_err(|mut refusal| {
                if let Some(told) = unsearched(&self.forbidden, number) {
                    refusal.message.push_str("; ");
                    refusal.message.push_str(&told);
                }
                refusal
            })?;
        }
        let most = patterns.most_files().min(FILES);
        if files.len() > most {
            let what =
                format!("leads to {} files with the pattern, and a job may change {most}", files.len());
            return Err(over(ErrorCode::Limit, number, &what, most));
        }
        let copied = entry.edits.iter().map(size_of_edit).sum::<usize>().saturating_mul(files.len());
        self.copies_left = self.copies_left.checked_sub(copied).ok_or_else(|| {
            let what = format!("makes edits of more than {COPIED_EDITS} bytes, one copy for each file");
            over(ErrorCode::TooLarge, number, &what, COPIED_EDITS)
        })?;
        Ok(files.iter().map(|file| entry_of(entry, file)).collect())
    }

    /// Returns the files that `paths` names, with the places of the patterns in them.
    fn counted(
        &mut self,
        entry: &FileEntry,
        patterns: &PatternCounts,
        number: usize,
    ) -> Result<Vec<MatchedFile>, Refusal> {
        let (names_left, bytes_left) = (self.names_left, self.bytes_left);
        let mut listings = 0;
        loop {
            listings += 1;
            self.is_torn = false;
            self.forbidden.clear();
            let mut files = self.files(entry, number)?;
            for file in &mut files {
                file.counts = self.counts(patterns, file, number)?;
            }
            if !self.is_torn || listings == LISTINGS {
                return Ok(files);
            }
            (self.names_left, self.bytes_left) = (names_left, bytes_left);
        }
    }

    /// Returns the files that `paths` names, each once, sorted by path.
    fn files(&mut self, entry: &FileEntry, number: usize) -> Result<Vec<MatchedFile>, Refusal> {
        // A resolved path keeps its folder open, and there may be many: only the names are kept.
        let mut found: BTreeMap<FilePath, (Option<Stat>, bool)> = BTreeMap::new();
        let mut globs = Vec::new();
        for text in &entry.paths {
            let path = FilePath::from(text.as_str());
            let is_glob = text.contains(['*', '?', '[', '{']);
            match self.state.disk.resolve(&path) {
                // A name may have the wildcards of a glob: then the file with exactly this name is meant.
                Ok(place) if !is_glob || place.stat().is_some() => {
                    found.insert(place.path().clone(), (place.stat().copied(), true));
                }
                Err(error) if !is_glob => return Err(Box::new(error.to_wire(&path))),
                Ok(_) | Err(_) => globs.push(text.clone()),
            }
        }
        for path in self.matched(globs, number)? {
            match self.state.disk.resolve_link(&path) {
                Ok(place) if place.stat().is_some() => {
                    found.entry(path).or_insert((place.stat().copied(), false));
                }
                Err(error @ (ResolveError::Io { .. } | ResolveError::Changing(_))) => {
                    return Err(Box::new(error.to_wire(&path)));
                }
                Err(ResolveError::Denied(_)) => {
                    self.forbidden.insert(path);
                }
                // The state folder may be in the workspace.
                Err(ResolveError::Reserved) => {}
                // A file that was removed or became something else meanwhile is left out.
                Ok(_) | Err(_) => self.is_torn = true,
            }
        }
        // Several names of one file count as one file.
        let mut known = BTreeSet::new();
        let mut fresh =
            |stat: Option<&Stat>| stat.is_none_or(|stat| stat.links < 2 || known.insert(stat.identity));
        let file = |(path, (stat, exact))| MatchedFile { path, stat, exact, counts: None };
        let mut all: Vec<MatchedFile> = found.into_iter().map(file).collect();
        all.sort_by_key(|file| !file.exact);
        all.retain(|file| fresh(file.stat.as_ref()));
        all.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(all)
    }

    /// Returns the files that globs match.
    fn matched(&mut self, globs: Vec<String>, number: usize) -> Result<Vec<FilePath>, Refusal> {
        if globs.is_empty() {
            return Ok(Vec::new());
        }
        let starts: Vec<Vec<u8>> = globs.iter().map(|glob| fixed_start(glob)).collect();
        let files = FileGlobs::new(globs).map_err(|why| {
            Box::new(RequestError::new(ErrorCode::Malformed, format!("files[{number}].paths: {why}")))
        })?;
        let wanted = |path: &FilePath, is_folder: bool| {
            if is_folder {
                return starts.iter().any(|start| reaches(path.as_bytes(), start));
            }
            let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            files.matches(path) && !Disk::is_staged_name(name)
        };
        let listing = files_below(self.state.disk.top(), &wanted, &mut self.names_left)
            .map_err(|(folder, error)| disk_refusal(&folder, &error))?;
        let listing = listing.ok_or_else(|| {
            let what = format!("is compared with more than {NAMES_VISITED} names of files and folders");
            over(ErrorCode::Limit, number, &what, NAMES_VISITED)
        })?;
        self.is_torn |= listing.is_torn;
        self.forbidden.extend(listing.forbidden);
        Ok(listing.files)
    }

    /// Returns the number of places of each pattern in a file; `None` for a file that is missing, too large, no text,
    /// or not permitted to be read. Refuses the job if the disk fails.
    fn counts(
        &mut self,
        patterns: &PatternCounts,
        file: &MatchedFile,
        number: usize,
    ) -> Result<Option<Vec<u64>>, Refusal> {
        let path = &file.path;
        let mut size = file.stat.as_ref().map_or(0, |stat| stat.size);
        for _ in 0..LOOKS {
            let Some((_reservation, seen)) = self.look(file, size, number)? else { return Ok(None) };
            let found = match seen {
                Observation::File(found) => found,
                // It has grown since.
                Observation::TooLarge(grown) if grown.size <= FILE as u64 => {
                    size = grown.size;
                    continue;
                }
                Observation::Unreadable(_) if !file.exact => {
                    self.forbidden.insert(path.clone());
                    return Ok(None);
                }
                _ => return Ok(None),
            };
            let options = self.state.options([path]);
            return patterns.of_file(&found.bytes, path, &options, &self.counting).map_err(|mut refusal| {
                refusal.path = Some(path.clone());
                refusal
            });
        }
        Err(Box::new(ResolveError::Changing(path.clone()).to_wire(path)))
    }

    /// Reads a file of at most so many bytes, and reserves the memory; `None` if that is too much, or if it is missing.
    fn look(
        &mut self,
        file: &MatchedFile,
        size: u64,
        number: usize,
    ) -> Result<Option<(Reservation<'w>, Observation)>, Refusal> {
        let path = &file.path;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > FILE {
            return Ok(None);
        }
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or_else(|| {
            let what = format!("leads to files of more than {JOB_BYTES} bytes in all");
            over(ErrorCode::TooLarge, number, &what, JOB_BYTES)
        })?;
        // The text, and as much again for the matches.
        let reservation = self.state.memory.acquire(self.owner, size.saturating_mul(2), BudgetClass::Job)?;
        let place = match self.state.disk.resolve_link(path) {
            Ok(place) => place,
            Err(error @ (ResolveError::Io { .. } | ResolveError::Changing(_))) => {
                return Err(Box::new(error.to_wire(path)));
            }
            Err(ResolveError::Denied(_)) if !file.exact => {
                self.forbidden.insert(path.clone());
                return Ok(None);
            }
            Err(_) => {
                self.is_torn |= !file.exact;
                return Ok(None);
            }
        };
        // A file that the disk fails to read must not be left out silently: the job would change only the others.
        let seen =
            self.state.disk.observe_within(&place, size).map_err(|error| disk_refusal(path, &error))?;
        self.is_torn |= !file.exact && matches!(seen, Observation::Absent);
        Ok(Some((reservation, seen)))
    }
}

/// Returns the entry for one file.
fn entry_of(entry: &FileEntry, file: &MatchedFile) -> FileEntry {
    let edits = entry.edits.iter().zip(0..).map(|(edit, index)| {
        let expect = match (file.count(index), edit.expect) {
            // The ordinary rules refuse it, and show the nearest text.
            (0, expect) if file.exact => expect,
            (0, _) => Some(0),
            (count, Some(_)) => Some(count),
            (_, None) => None,
        };
        FileEdit { expect, ..edit.clone() }
    });
    let (path, base) = (file.path.clone(), entry.base.clone());
    FileEntry { path, base, edits: edits.collect(), ..FileEntry::default() }
}

/// Returns the folders of a glob before its first wildcard.
fn fixed_start(glob: &str) -> Vec<u8> {
    if !glob.contains('/') {
        return Vec::new();
    }
    let glob = glob.strip_prefix('/').unwrap_or(glob);
    let fixed = glob.find(['*', '?', '[', '{', '\\']).and_then(|at| glob.get(..at)).unwrap_or(glob);
    fixed.rsplit_once('/').map_or_else(Vec::new, |(folders, _)| folders.as_bytes().to_vec())
}

/// Returns true if a folder is above another, is the same, or is below it.
fn reaches(folder: &[u8], start: &[u8]) -> bool {
    let below = |long: &[u8], short: &[u8]| {
        short.is_empty()
            || long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    below(folder, start) || below(start, folder)
}

/// Returns the bytes that a copy of an edit takes.
fn size_of_edit(edit: &FileEdit) -> usize {
    let texts = [&edit.pattern, &edit.replacement, &edit.flags, &edit.eol];
    size_of::<FileEdit>() / 4 + texts.into_iter().flatten().map(String::len).sum::<usize>()
}

fn over(code: ErrorCode, number: usize, what: &str, limit: usize) -> Refusal {
    let message = format!("files[{number}].paths {what}; narrow the globs, or send several jobs");
    let mut error = RequestError::new(code, message);
    error.limit = Some(limit as u64);
    Box::new(error)
}

#[cfg(all(test, unix))]
mod tests;
