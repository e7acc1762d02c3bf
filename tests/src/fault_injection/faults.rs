//! Fault injection: every call of a job, and of its settling, fails once or from then on. The job is refused and
//! changes nothing, or it is applied; after a restart without faults it is applied to all its files or to none. A fault
//! may leave files of a `partial` job out: then the part that was applied is all of the job from then on.

use std::collections::BTreeMap;

use editd_proto::error::ErrorCode;
use editd_proto::ids::ContentHash;
use editd_proto::message::{Durability, JobStatus, Receipt};

use super::crash::TestReport;
use super::crash_check::{CheckDepth, LINKS_DIFFER, check_image};
use super::crash_image::{CrashImage, CrashKind, ReplyState};
use super::sim_scenario::{BaselineRun, KEY, SimScenario};
use super::sim_workspace::SimWorkspace;
use super::visible_files::VisibleFiles;
use crate::sim::{EACCES, EIO, ENOSPC, FaultDuration, SeededRandom, SnapshotNode};

/// The extent of a fault injection.
#[derive(Clone, Copy, Debug)]
pub struct FaultPlan {
    /// Chooses.
    pub seed: u64,
    /// Of so many faults one is looked at, on average.
    pub one_in: u64,
    /// Power cuts that are looked at behind the reply, what settled then, and what settled when the disk was mended.
    pub cuts: usize,
    /// Complaints after which it is enough.
    pub enough: usize,
}

/// A call that fails.
#[derive(Clone, Copy, Debug)]
pub struct InjectedFault {
    /// The number of the call, counted from 1.
    pub call: u64,
    /// The system's number of the error.
    pub errno: i32,
    /// The number of times that it fails.
    pub lasting: FaultDuration,
}

/// Plays a scenario with every fault.
#[must_use]
pub fn check(scenario: &SimScenario, plan: &FaultPlan) -> TestReport {
    let mut report = TestReport::default();
    let baseline = match scenario.baseline() {
        Ok(baseline) => baseline,
        Err(error) => {
            report.found.push(format!("{}: {error}", scenario.name));
            return report;
        }
    };
    let [first, _, last] = baseline.calls;
    let mut dice = SeededRandom::new(plan.seed);
    for call in first + 1..=last {
        for errno in [EIO, ENOSPC, EACCES] {
            for lasting in [FaultDuration::Once, FaultDuration::ForEver] {
                if report.found.len() >= plan.enough {
                    return report;
                }
                if !dice.next_number().is_multiple_of(plan.one_in) {
                    continue;
                }
                let fault = InjectedFault { call, errno, lasting };
                report.images += 1;
                let found = fault.all(scenario, &baseline, plan).unwrap_or_else(|error| vec![error]);
                let what = baseline.trace.get(usize::try_from(call).unwrap_or(0).saturating_sub(1));
                let line = |found| {
                    format!("{}: {fault:?} ({}): {found}", scenario.name, what.map_or("", |what| what))
                };
                report.found.extend(found.into_iter().map(line));
            }
        }
    }
    report
}

impl InjectedFault {
    fn all(
        self,
        scenario: &SimScenario,
        baseline: &BaselineRun,
        plan: &FaultPlan,
    ) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine)?;
        machine.fail_call(self.call, self.errno, self.lasting);
        let receipt = workspace.send(&scenario.job, KEY);
        let error = receipt.error.as_ref();
        let mistake = error.filter(|error| error.code == ErrorCode::Internal);
        found.extend(mistake.map(|error| format!("a mistake of the daemon: {error:?}")));
        let view = VisibleFiles::of(&machine);
        // Globs leave out files and folders that may not be read, and the reply names them.
        let partial = receipt.status == JobStatus::Partial || warns(&receipt, UNSEARCHED);
        let applied = partial || receipt.status == JobStatus::Applied;
        // What cannot be taken back while every call fails waits for better times, and the reply says so.
        let left = error.is_some_and(|error| error.message.contains("could not be rolled back yet"));
        // Its files may not be flushed, and its reply says that: but it stands.
        let unflushed = scenario.durability() == Durability::Full
            && error.is_some_and(|error| error.message.contains("was applied"));
        let rest = partial.then(|| BaselineRun { after: view.clone(), ..baseline.clone() });
        let baseline = rest.as_ref().unwrap_or(baseline);
        found.extend(partial.then(|| wrong_versions(&receipt, &view)).into_iter().flatten());
        if applied || unflushed {
            found.extend(told("applied", &view, &baseline.after));
        } else if !left {
            found.extend(told("refused", &view, &baseline.before));
        }
        found.extend(self.failed_log(&workspace, scenario, applied || left));
        // A refusal is owed nothing; what was applied must be there.
        let answer = if applied || unflushed { ReplyState::Applied } else { ReplyState::Unsure };
        let mut cut = |when: &str| {
            for (nth, machine) in machine.cuts(plan.cuts, plan.seed ^ self.call).into_iter().enumerate() {
                let call = format!("{when}: {:?} {error:?}", receipt.status).into();
                let image = CrashImage { answer, crash: CrashKind::Cut(nth), effects: 0, call, machine };
                let complaints = check_image(scenario, baseline, &image, CheckDepth::Quick);
                found.extend(complaints.into_iter().filter(|what| !is_torn_one_rescued(what)));
            }
        };
        cut("answered");
        workspace.settle();
        cut("settled while calls fail");
        machine.remove_faults();
        workspace.settle();
        cut("settled");
        if left && workspace.inner.failed().is_none() {
            // Where every file had been put it is finished instead: then its entry says so.
            let stands = workspace.entries()?.iter().any(|entry| entry.key.as_deref() == Some(KEY));
            let should = if stands { &baseline.after } else { &baseline.before };
            found.extend(told("the disk is mended", &VisibleFiles::of(&machine), should));
        }
        drop(workspace);
        let machine = machine.kill();
        let image = CrashImage {
            answer,
            crash: CrashKind::Kill,
            effects: 0,
            call: format!("{:?} {error:?}", receipt.status).into(),
            machine,
        };
        // After a failed flush of the log the reply could not tell; the next start does.
        let complaints = check_image(scenario, baseline, &image, CheckDepth::Full);
        // The system refused another name of the file, and the reply says so.
        let parted = warns(&receipt, PARTED);
        found.extend(complaints.into_iter().filter(|what| !(parted && what.contains(LINKS_DIFFER))));
        Ok(found)
    }

    /// A flush of the log that failed ends all acknowledgements, with a reason. `stands`: the files may show the job.
    fn failed_log(self, workspace: &SimWorkspace, scenario: &SimScenario, stands: bool) -> Option<String> {
        let failed = workspace.inner.failed()?;
        workspace.machine.remove_faults();
        let again = workspace.send(&scenario.job, "another key");
        let answer = again.error.as_ref().map(|error| (error.code, error.message.clone()));
        let reasons = ["accepts no more changes", "locked until a failed job"];
        match answer {
            Some((_, message)) if reasons.iter().any(|reason| message.contains(reason)) => None,
            // What changes nothing needs no log.
            _ if stands && again.status == JobStatus::Unchanged => None,
            // The files are no longer what the job expects: it never comes to the log.
            Some((code, _)) if stands && code != ErrorCode::Internal => None,
            answer => {
                let status = again.status;
                Some(format!("the log failed ({failed}), and then a job was answered {status:?} {answer:?}"))
            }
        }
    }
}

/// Returns true if a file of a receipt has a warning with this text.
fn warns(receipt: &Receipt, text: &str) -> bool {
    receipt.files.iter().any(|file| file.warnings.iter().any(|told| told.contains(text)))
}

/// Returns a complaint for each applied file of a receipt that does not have the content of which its last entry gives
/// the version.
fn wrong_versions(receipt: &Receipt, view: &VisibleFiles) -> Vec<String> {
    let last: BTreeMap<_, _> = receipt.files.iter().map(|file| (file.path.display(), file)).collect();
    let applied = last.into_iter().filter(|(_, file)| file.status == JobStatus::Applied);
    let wrong = applied.filter(|(path, file)| {
        let shown = match view.files.get(path) {
            Some(SnapshotNode::File { bytes, .. }) => {
                Some(ContentHash::from_bytes(*blake3::hash(bytes).as_bytes()).version())
            }
            _ => None,
        };
        file.after.is_some() && shown != file.after
    });
    wrong.map(|(path, file)| format!("{path} is not {:?}, which the reply names", file.after)).collect()
}

/// A part of the warning about files and folders that a glob leads to and that may not be read.
const UNSEARCHED: &str = "leaves out files and folders that editd may not read";

/// A part of the warning about a file that could not become a further name of another one.
const PARTED: &str = "the system refused to link it";

/// A displaced file that a cut tore, of a chain whose other entries were settled, cannot be told from one that others
/// wrote late: it is taken into the journal.
fn is_torn_one_rescued(complaint: &str) -> bool {
    complaint.contains("invented: External") && complaint.contains("written to a file after job")
}

fn told(what: &str, view: &VisibleFiles, should: &VisibleFiles) -> Option<String> {
    let differences = view.differences(should, &[]);
    (!differences.is_empty()).then(|| format!("{what}, but {}", differences.join(", ")))
}
