//! Recovery after a power cut: every path of the open entries gets the state that its newest entry left, rebuilt from
//! whatever is intact. Then everything is flushed and settled, and only then are the staged files removed. An
//! unsealed job that another program overtook (`overtaken`) is rolled back in all of its files instead.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::chain::{ChainLink, EntryEnd, RecordChain};
use super::decide::{LaterChange, RecoveryAction};
use super::doubt::{self, DoubtfulEntries};
use super::overtaken::is_overtaken;
use super::restore::{PathRestorer, RestoreOutcome};
use crate::journal::seal::seal_records;
use crate::journal::settle;
use crate::record::{Record, SettleRecord};
use crate::state::WorkspaceState;
use crate::store::intent::Intended;
use crate::store::unknown_end;

/// Recovers every entry that an earlier run of the machine left open. Returns notes for the log, and calls `report` with
/// the number of files that were restored.
///
/// # Errors
/// Errors of the system; nothing was deleted, and recovery may be tried again.
pub fn after_cut(
    state: &WorkspaceState,
    open: &[(Intended, bool)],
    doubtful: &DoubtfulEntries<'_>,
    report: &dyn Fn(usize),
) -> io::Result<Vec<String>> {
    let mut chains = chains(state, open)?;
    let unknown = doubt::mark_doubtful(state, &mut chains, doubtful)?;
    let mut restore = PathRestorer::new(state);
    foresee(state, &chains, &mut restore)?;
    let mut outcomes = BTreeMap::new();
    // Each round but the last rolls one more job back.
    while !round(state, &chains, &mut restore, &mut outcomes, report)? {}
    flush(state, &chains, &restore)?;
    let mut diverged = BTreeSet::new();
    for chain in chains.iter().filter(|chain| outcomes.get(chain.path) == Some(&RestoreOutcome::Diverged)) {
        diverged.extend(chain.newest(&restore.refused).map(|link| link.entry.id));
    }
    let mut records = Vec::new();
    for (entry, sealed) in open {
        if restore.refused.contains(&entry.id) {
            records.push(Record::Void(entry.id));
            continue;
        }
        if unknown.contains(&entry.id) {
            records.push(Record::Void(entry.id));
            records.extend(unknown_end(entry).map_err(io::Error::other)?);
            continue;
        }
        if !sealed {
            records.extend(seal_records(state, entry));
        }
        records.push(Record::Settle(SettleRecord { id: entry.id, diverged: diverged.contains(&entry.id) }));
    }
    let settled = state.store.append(&records).and_then(|at| state.store.flush(at));
    let _durable = settled.map_err(io::Error::other)?;
    let notes = notes(&chains, &restore, &outcomes);
    // Another program may have opened a file in the moment in which it was at the target, so the staged files are
    // removed as carefully as in settling.
    for (id, file, seen) in restore.fresh.into_iter().chain(restore.staged_files) {
        settle::leave_staged(state, id, file, seen);
    }
    for (staging, staged_name) in restore.aside {
        state.disk.set_aside(&staging, &staged_name, state.clock.wall_ms())?;
    }
    Ok(notes)
}

/// Returns the open records by their paths, each with the change that came after them.
fn chains<'a>(state: &WorkspaceState, open: &'a [(Intended, bool)]) -> io::Result<Vec<RecordChain<'a>>> {
    let mut by_path: BTreeMap<&FilePath, Vec<ChainLink<'_>>> = BTreeMap::new();
    for (entry, sealed) in open {
        for file in &entry.files {
            let link = ChainLink { entry, file, sealed: *sealed, end: EntryEnd::Known };
            by_path.entry(&file.path).or_default().push(link);
        }
    }
    let with_behind = |(path, links): (&'a FilePath, Vec<ChainLink<'a>>)| {
        let last = links.last().map_or(JobId(0), |link| link.entry.id);
        Ok(RecordChain { path, links, behind: behind(state, path, last)?, is_untouched: false })
    };
    by_path.into_iter().map(with_behind).collect()
}

/// Returns the change of a path after an entry, as the journal has it.
fn behind(state: &WorkspaceState, path: &FilePath, last: JobId) -> io::Result<LaterChange> {
    let newer = state.store.last_of(path).map_err(io::Error::other)?.filter(|(id, _)| *id > last);
    let Some((_, left)) = newer else { return Ok(LaterChange::Nothing) };
    // All open entries are in the chain: a job after it is settled.
    let settled = state.store.job_behind(path, last).map_err(io::Error::other)?.is_some();
    Ok(if settled { LaterChange::Settled } else { LaterChange::Content(left) })
}

/// Finds the jobs that must be rolled back, before anything is changed.
fn foresee(
    state: &WorkspaceState,
    chains: &[RecordChain<'_>],
    restore: &mut PathRestorer<'_>,
) -> io::Result<()> {
    for chain in chains {
        let Some(link) = chain.unsealed(&restore.refused) else { continue };
        let look = || -> io::Result<bool> {
            let case = chain.observe(state, &restore.refused)?;
            if let Some(case) = &case
                && chain.has_displaced(state, link, case)?
            {
                return Ok(true);
            }
            let left = case.is_none_or(|case| {
                matches!(case.action, RecoveryAction::Leave | RecoveryAction::Superseded) || case.is_linked()
            });
            Ok((left || chain.behind != LaterChange::Nothing) && is_overtaken(state, link, chain.behind)?)
        };
        if look().map_err(at(chain.path))? {
            restore.refuse(link.entry.id, chain.path);
        }
    }
    Ok(())
}

/// Restores every path; returns false if one more job must be rolled back, since another program was faster.
fn round<'a>(
    state: &WorkspaceState,
    chains: &[RecordChain<'a>],
    restore: &mut PathRestorer<'_>,
    outcomes: &mut BTreeMap<&'a FilePath, RestoreOutcome>,
    report: &dyn Fn(usize),
) -> io::Result<bool> {
    let mut last = true;
    let mut done = 0;
    restore.begin();
    for chain in chains {
        report(done);
        done += chain.links.len();
        let outcome = restore.path(chain).map_err(at(chain.path))?;
        if let (RestoreOutcome::Diverged, Some(link)) = (outcome, chain.unsealed(&restore.refused))
            && is_overtaken(state, link, chain.behind).map_err(at(chain.path))?
        {
            restore.refuse(link.entry.id, chain.path);
            last = false;
        }
        let earlier = outcomes.insert(chain.path, outcome);
        if (earlier, outcome) == (Some(RestoreOutcome::Redone), RestoreOutcome::Stands) {
            outcomes.insert(chain.path, RestoreOutcome::Redone);
        }
    }
    Ok(last)
}

/// Flushes every target, its folders, and the staging folders.
fn flush(state: &WorkspaceState, chains: &[RecordChain<'_>], restore: &PathRestorer<'_>) -> io::Result<()> {
    let mut stagings = Vec::new();
    for chain in chains {
        if let Some(place) = chain.place(state)? {
            state.disk.flush_file(&place)?;
            let made: Vec<FilePath> =
                chain.links.iter().flat_map(|link| link.file.made.iter().cloned()).collect();
            state.disk.flush_folders(&place, &made)?;
        }
        stagings.extend(chain.staged_files().map(|link| &link.file.staging));
        stagings.dedup();
    }
    stagings.extend(restore.fresh.iter().map(|(_, file, _)| &file.staging));
    let mut flushed = Vec::new();
    for staging in stagings {
        if !flushed.contains(&staging) {
            state.disk.flush_staging(staging)?;
            flushed.push(staging);
        }
    }
    Ok(())
}

fn notes(
    chains: &[RecordChain<'_>],
    restore: &PathRestorer<'_>,
    outcomes: &BTreeMap<&FilePath, RestoreOutcome>,
) -> Vec<String> {
    let taken_back = restore.reasons.iter().map(|(id, path)| {
        format!(
            "job {id} was rolled back: another program changed {path}, and nothing on the disk shows that the job came \
             first"
        )
    });
    let paths = chains.iter().filter(|chain| chain.refused(&restore.refused).is_empty());
    let paths = paths.filter_map(|chain| {
        let path = chain.path;
        match outcomes.get(path)? {
            RestoreOutcome::Stands => None,
            RestoreOutcome::Redone => {
                Some(format!("{path}: content lost in the power cut was written again"))
            }
            RestoreOutcome::Diverged if chain.doubtful().is_some() => Some(doubt::told(chain)),
            RestoreOutcome::Diverged => {
                Some(format!("{path}: has bytes that no job wrote; it was left unchanged"))
            }
        }
    });
    taken_back.chain(paths).collect()
}

/// Adds the path and a remedy to an error of the system.
fn at(path: &FilePath) -> impl Fn(io::Error) -> io::Error {
    move |error| super::unreachable(path, &error)
}
