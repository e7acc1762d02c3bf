//! The state of all checks: due and running ones, results by job, and results that sessions have not been told.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use editd_proto::ids::JobId;
use editd_proto::limits::ISSUES;
use editd_proto::message::{CheckOutcome, CheckStatus};
use editd_proto::path::FilePath;

use super::known::{KnownIssues, ToldKey, told_key};
use super::{ChangedFiles, DueCheck, FinishedRun};
use crate::config::CommandSpec;
use crate::limits::{CHECK_JOBS, CHECK_JOBS_TOLD, CHECK_KNOWN, CHECK_NEW_TOLD, CHECK_SESSIONS};
use crate::validate::RunEnd;

/// All checks of a workspace.
#[derive(Debug, Default)]
pub struct CheckBoard {
    checks: BTreeMap<String, CheckState>,
    /// The number of the last run that became due, so that they begin in order.
    last_due: u64,
    /// The last jobs with their checks, oldest first; a check without a result has not ended.
    jobs: VecDeque<(JobId, BTreeMap<String, Option<CheckOutcome>>)>,
    /// The results that the replies to a session have not had yet, of the session that got one last at the end.
    untold: VecDeque<(String, BTreeMap<String, CheckOutcome>)>,
}

#[derive(Debug)]
struct CheckState {
    spec: CommandSpec,
    due: Option<DueRun>,
    running: Option<DueRun>,
    known: KnownIssues,
    last: Option<CheckOutcome>,
}

/// A run for all jobs since the one before began.
#[derive(Debug, Default)]
struct DueRun {
    since: u64,
    changed: ChangedFiles,
    jobs: VecDeque<JobId>,
    sessions: BTreeSet<String>,
}

/// A run that begins.
#[derive(Clone, Debug)]
pub struct StartedCheck {
    /// The check.
    pub spec: CommandSpec,
    /// The files that jobs changed.
    pub changed: ChangedFiles,
    /// The files of the known problems.
    pub known: BTreeSet<FilePath>,
}

impl CheckBoard {
    /// Adds the checks that are due for a job. A check whose definition changed starts anew.
    pub fn add(&mut self, job: JobId, session: &str, due: Vec<DueCheck>) {
        if due.is_empty() {
            return;
        }
        let names = due.iter().map(|check| (check.spec.name.clone(), None)).collect();
        self.jobs.push_back((job, names));
        if self.jobs.len() > CHECK_JOBS {
            self.jobs.pop_front();
        }
        for check in due {
            self.last_due += 1;
            let state = self.checks.entry(check.spec.name.clone()).or_insert_with(|| CheckState {
                spec: check.spec.clone(),
                due: None,
                running: None,
                known: KnownIssues::default(),
                last: None,
            });
            if state.spec != check.spec {
                state.spec = check.spec;
                state.known = KnownIssues::default();
            }
            let since = self.last_due;
            let run = state.due.get_or_insert_with(|| DueRun { since, ..DueRun::default() });
            run.changed.add(check.files);
            run.sessions.insert(session.to_owned());
            run.jobs.push_back(job);
            if run.jobs.len() > CHECK_JOBS {
                run.jobs.pop_front();
            }
        }
    }

    /// Returns true if no check has been due yet, or all of them were forgotten.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.untold.is_empty()
    }

    /// Forgets what is known of all checks but these, except those that run or are due. The results of a job stay.
    pub fn keep_only(&mut self, names: &BTreeSet<String>) {
        self.checks.retain(|name, state| names.contains(name) || state.active().is_some());
        self.untold.retain_mut(|(_, results)| {
            results.retain(|name, _| names.contains(name));
            !results.is_empty()
        });
    }

    /// Returns the run that has been due for the longest time and whose check does not run; it runs from now on.
    pub fn next(&mut self) -> Option<StartedCheck> {
        let ready = self.checks.values_mut().filter(|state| state.running.is_none());
        let state = ready.min_by_key(|state| state.due.as_ref().map_or(u64::MAX, |run| run.since))?;
        let run = state.due.take()?;
        let started = StartedCheck {
            spec: state.spec.clone(),
            changed: run.changed.clone(),
            known: state.known.paths().cloned().collect(),
        };
        state.running = Some(run);
        Some(started)
    }

    /// Notes the end of a run. Returns its result.
    pub fn finish(&mut self, started: &StartedCheck, run: &FinishedRun) -> Option<CheckOutcome> {
        let name = &started.spec.name;
        let state = self.checks.get_mut(name)?;
        let ran = state.running.take()?;
        let outcome = state.result(&ran, started, run);
        // A run may have said nothing about a file, and the problems there are still known.
        let present: Vec<ToldKey> = if run.is_complete() && state.spec == started.spec {
            state.known.keys().collect()
        } else {
            run.issues.iter().map(|one| told_key(&one.told)).collect()
        };
        for (job, checks) in &mut self.jobs {
            if let Some(result) = checks.get_mut(name).filter(|_| ran.jobs.contains(job)) {
                *result = Some(outcome.clone());
            }
        }
        self.keep_untold(&ran, &outcome, run, &present);
        Some(outcome)
    }

    /// Keeps a result for the sessions of its jobs. Problems that a session was not told of and that are gone are dropped.
    fn keep_untold(&mut self, ran: &DueRun, outcome: &CheckOutcome, run: &FinishedRun, present: &[ToldKey]) {
        let all = present.len() as u64;
        let present: HashSet<&ToldKey> = present.iter().collect();
        if run.is_complete() {
            for result in self.untold.iter_mut().filter_map(|(_, results)| results.get_mut(&outcome.check)) {
                result.new.retain(|one| present.contains(&told_key(one)));
                result.more = result.more.min(all.saturating_sub(result.new.len() as u64));
                result.known = all.saturating_sub(result.new.len() as u64 + result.more);
                if result.new.is_empty() && result.more == 0 {
                    (result.status, result.message) = (outcome.status, outcome.message.clone());
                }
            }
        }
        for session in &ran.sessions {
            let at = self.untold.iter().position(|(name, _)| name == session);
            let results = at.and_then(|at| self.untold.remove(at)).map(|(_, results)| results);
            let mut results = results.unwrap_or_default();
            let merged = match results.remove(&outcome.check) {
                Some(earlier) => merged(earlier, outcome, all),
                None => outcome.clone(),
            };
            results.insert(outcome.check.clone(), merged);
            self.untold.push_back((session.clone(), results));
        }
        while self.untold.len() > CHECK_SESSIONS {
            self.untold.pop_front();
        }
    }

    /// Returns the checks of a job; `None` if it had none, or is too long ago.
    pub fn of_job(&self, job: JobId) -> Option<Vec<CheckOutcome>> {
        let (_, checks) = self.jobs.iter().rev().find(|(id, _)| *id == job)?;
        let outcome = |(name, result): (&String, &Option<CheckOutcome>)| {
            result.clone().unwrap_or_else(|| running(name, vec![job]))
        };
        Some(checks.iter().map(outcome).collect())
    }

    /// Returns the last result of every check, and the checks that run.
    pub fn all(&self) -> Vec<CheckOutcome> {
        let outcome = |(name, state): (&String, &CheckState)| match state.active() {
            Some(jobs) => Some(running(name, jobs)),
            None => state.last.clone(),
        };
        self.checks.iter().filter_map(outcome).collect()
    }

    /// Returns the checks that run, or are due, for jobs of a session.
    pub fn running_for(&self, session: &str) -> Vec<CheckOutcome> {
        let of_session = |run: &&DueRun| run.sessions.contains(session);
        let outcome = |(name, state): (&String, &CheckState)| {
            let runs = state.running.iter().chain(&state.due).filter(of_session);
            let jobs: Vec<JobId> = runs.flat_map(|run| run.jobs.iter().copied()).collect();
            (!jobs.is_empty()).then(|| running(name, jobs))
        };
        self.checks.iter().filter_map(outcome).collect()
    }

    /// Takes the results that a session has not been told, and adds the checks of its job. Each check lists its share of
    /// `CHECK_NEW_TOLD` new problems, at least one, and counts the others.
    pub fn tell(&mut self, session: &str, job: Option<JobId>) -> Vec<CheckOutcome> {
        let at = self.untold.iter().position(|(name, _)| name == session);
        let mut told =
            at.and_then(|at| self.untold.remove(at)).map(|(_, results)| results).unwrap_or_default();
        let own = job.and_then(|job| self.of_job(job)).unwrap_or_default();
        let (running, ended): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|outcome| outcome.status == CheckStatus::Running);
        for outcome in ended {
            told.entry(outcome.check.clone()).or_insert(outcome);
        }
        // A check may have a result for earlier jobs and run for this one.
        let mut told: Vec<CheckOutcome> = told.into_values().chain(running).collect();
        let with_new = told.iter().filter(|outcome| !outcome.new.is_empty()).count();
        let share = (CHECK_NEW_TOLD / with_new.max(1)).max(1);
        for outcome in &mut told {
            if job.is_some_and(|job| outcome.jobs == [job]) {
                // The receipt has its number.
                outcome.jobs.clear();
            }
            shorten(outcome, share);
        }
        told
    }

    /// Returns true if a check of a job has not ended.
    pub fn is_running(&self, job: JobId, name: &str) -> bool {
        self.jobs.iter().any(|(id, checks)| *id == job && checks.get(name).is_some_and(Option::is_none))
    }
}

impl CheckState {
    /// Returns the jobs for which it runs or is due, newest last; `None` if it neither runs nor is due.
    fn active(&self) -> Option<Vec<JobId>> {
        let runs = self.running.iter().chain(&self.due);
        let jobs: Vec<JobId> = runs.flat_map(|run| run.jobs.iter().copied()).collect();
        (!jobs.is_empty()).then_some(jobs)
    }

    fn result(&mut self, ran: &DueRun, started: &StartedCheck, run: &FinishedRun) -> CheckOutcome {
        let (status, mut message) = match &run.end {
            RunEnd::Passed => (CheckStatus::Passed, None),
            RunEnd::Failed => (CheckStatus::Failed, None),
            RunEnd::Timeout => (CheckStatus::Timeout, Some(timed_out(&self.spec))),
            RunEnd::CouldNotRun(why) => (CheckStatus::CouldNotRun, Some(why.clone())),
        };
        let mut outcome = CheckOutcome {
            check: self.spec.name.clone(),
            status,
            jobs: newest(ran.jobs.iter().copied().collect()),
            ..CheckOutcome::default()
        };
        if run.is_complete() {
            let files = || started.changed.list().unwrap_or_default().into_iter().collect();
            let on = started.spec.names_files().then(files);
            // The definition may have changed while it ran.
            let mut other = KnownIssues::default();
            let known = if self.spec == started.spec { &mut self.known } else { &mut other };
            let compared = known.replace(on, &started.changed, run);
            if compared.cut {
                message = Some(format!(
                    "it reported more than {CHECK_KNOWN} problems; the others are not compared"
                ));
            }
            outcome.new = compared.new.into_iter().map(|found| found.told).collect();
            (outcome.known, outcome.first) = (compared.known, compared.first);
        }
        outcome.message = message;
        shorten(&mut outcome, ISSUES);
        self.last = Some(outcome.clone());
        outcome
    }
}

fn timed_out(spec: &CommandSpec) -> String {
    let seconds = spec.timeout.as_secs_f64();
    format!("it was ended after {seconds} s; raise its `timeout`, or check less")
}

fn running(name: &str, jobs: Vec<JobId>) -> CheckOutcome {
    CheckOutcome { check: name.to_owned(), jobs: newest(jobs), ..CheckOutcome::default() }
}

/// Returns the newest jobs.
fn newest(mut jobs: Vec<JobId>) -> Vec<JobId> {
    jobs.drain(..jobs.len().saturating_sub(CHECK_JOBS_TOLD));
    jobs
}

/// Counts the new problems beyond the first ones instead of listing them.
fn shorten(outcome: &mut CheckOutcome, most: usize) {
    outcome.more += outcome.new.len().saturating_sub(most) as u64;
    outcome.new.truncate(most);
}

/// Returns a result with the problems of an earlier one that is not told yet. `all` is the number of present problems.
fn merged(earlier: CheckOutcome, outcome: &CheckOutcome, all: u64) -> CheckOutcome {
    let earlier_is_over = earlier.new.is_empty() && earlier.more == 0;
    let (status, message) = (earlier.status, earlier.message);
    let jobs = earlier
        .jobs
        .into_iter()
        .filter(|job| !outcome.jobs.contains(job))
        .chain(outcome.jobs.iter().copied());
    let new = earlier.new.into_iter().chain(outcome.new.iter().cloned());
    let mut merged = CheckOutcome {
        jobs: newest(jobs.collect()),
        new: new.collect(),
        more: earlier.more + outcome.more,
        first: earlier.first || outcome.first,
        ..outcome.clone()
    };
    shorten(&mut merged, ISSUES);
    merged.more = merged.more.min(all.saturating_sub(merged.new.len() as u64));
    if outcome.status == CheckStatus::Passed && !earlier_is_over {
        // The last run said nothing about the files of the earlier problems.
        (merged.status, merged.message) = (status, message);
    }
    merged.known = all.saturating_sub(merged.new.len() as u64 + merged.more);
    merged
}
