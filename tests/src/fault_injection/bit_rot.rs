//! Tests of bit rot: after a kill or a power cut in a job, one bit of the stored state has flipped when the next process
//! starts. It serves whole jobs and loses nothing, or it reports damage, or it does not start and says what to do.
//!
//! *Limitations*: a flipped bit in a record behind which nothing proves its flush cannot be told from a power cut.

use editd_proto::message::Durability;

use super::content_log::{AT_START, ContentLog};
use super::crash::{TestReport, disks, images};
use super::crash_image::{CrashImage, CrashKind, CutSample};
use super::sim_scenario::{BaselineRun, SimScenario};
use super::sim_workspace::{STATE, SimWorkspace};
use super::visible_files::VisibleFiles;
use crate::sim::{SeededRandom, SimMachine, SnapshotNode};

/// The extent of a test.
#[derive(Clone, Copy, Debug)]
pub struct RotPlan {
    /// The seed of the random choices.
    pub seed: u64,
    /// The number of flipped bits on each disk.
    pub flips: usize,
    /// The damage that a daemon would do without a report, to test this test.
    pub harm: Option<fn(&SimWorkspace)>,
}

/// Words of which a refused start has one: they lead to the next step.
const STEPS: [&str; 3] = ["editctl salvage", "repair", "move it back"];

/// Tests a scenario and returns the violations.
#[must_use]
pub fn check(scenario: &SimScenario, plan: &RotPlan) -> TestReport {
    let mut report = TestReport::default();
    for features in disks(scenario.features) {
        let scenario = scenario.clone().on(features);
        if let Err(error) = check_on_disk(&scenario, plan, &mut report) {
            report.found.push(format!("{}: {error}", scenario.name));
        }
    }
    report
}

fn check_on_disk(scenario: &SimScenario, plan: &RotPlan, report: &mut TestReport) -> Result<(), String> {
    let baseline = scenario.baseline()?;
    let mut dice = SeededRandom::new(plan.seed);
    let images = images(scenario, CutSample { limit: 2, seed: plan.seed }, &[])?;
    for _ in 0..plan.flips {
        let Some(image) = below(&mut dice, images.len()).and_then(|at| images.get(at)) else { break };
        let machine = image.machine.fork();
        let Some(rot) = flip(&machine, &mut dice)? else { continue };
        report.images += 1;
        let mut rotten =
            RottenImage { scenario, baseline: &baseline, image, machine, rot, found: Vec::new() };
        rotten.check(plan)?;
        let rot = &rotten.rot;
        let line = |what: String| {
            format!("{}: {image:?}, byte {} of {} flipped: {what}", scenario.name, rot.byte, rot.path)
        };
        report.found.extend(rotten.found.into_iter().map(line));
    }
    Ok(())
}

/// A flipped bit.
struct FlippedBit {
    path: String,
    byte: u64,
    /// Set if nothing proves that the record with this bit had been flushed.
    is_unproven: bool,
}

/// Flips a bit of a stored file; `None` if there is no byte.
fn flip(machine: &SimMachine, dice: &mut SeededRandom) -> Result<Option<FlippedBit>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let snapshot = machine.snapshot(STATE).map_err(failed)?;
    let stored = snapshot.0.iter().filter_map(|(path, node)| match node {
        SnapshotNode::File { bytes, .. } if !bytes.is_empty() => Some((path, bytes)),
        _ => None,
    });
    let stored: Vec<_> = stored.collect();
    let Some((path, bytes)) = below(dice, stored.len()).and_then(|at| stored.get(at)) else {
        return Ok(None);
    };
    // Most of a segment is not written yet.
    let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
    let Some(at) = below(dice, written) else { return Ok(None) };
    let path = String::from_utf8_lossy(path).into_owned();
    let byte = bytes.get(at).copied().unwrap_or(0) ^ (1 << (dice.next_number() % 8));
    let file = machine.outside().open(&format!("{STATE}/{path}")).map_err(failed)?;
    file.write_at(&[byte], at as u64).map_err(failed)?;
    let is_unproven = path.ends_with(".log") && is_unproven(bytes, at as u64);
    Ok(Some(FlippedBit { path, byte: at as u64, is_unproven }))
}

fn below(dice: &mut SeededRandom, limit: usize) -> Option<usize> {
    usize::try_from(dice.next_number().checked_rem(limit as u64)?).ok()
}

/// Returns true if no record behind a byte of a log file proves that the record with this byte had been flushed.
#[must_use]
pub fn is_unproven(log: &[u8], byte: u64) -> bool {
    let frames = log.chunks_exact(8).enumerate().filter(|(_, eight)| eight.starts_with(b"rec1"));
    let mut flushes =
        frames.filter_map(|(nth, _)| Some((nth as u64 * 8, *log.get(nth * 8 + 32..)?.first_chunk()?)));
    !flushes.any(|(at, flushed)| {
        // The lower bits of a position are the offset in the segment.
        let flushed = u64::from_le_bytes(flushed) & ((1 << 36) - 1);
        // A flush ends at the end of a block. Only the first record behind it has the number from which the number of
        // records in that block follows; without it, the block may end with what an earlier cut interrupted.
        flushed > byte.next_multiple_of(4096) || (flushed > byte && flushed == at)
    })
}

/// An image with a flipped bit.
struct RottenImage<'a> {
    scenario: &'a SimScenario,
    baseline: &'a BaselineRun,
    image: &'a CrashImage,
    machine: SimMachine,
    rot: FlippedBit,
    found: Vec<String>,
}

impl RottenImage<'_> {
    fn check(&mut self, plan: &RotPlan) -> Result<(), String> {
        let workspace = match self.scenario.open(&self.machine) {
            Ok(workspace) => workspace,
            Err(said) => {
                if !STEPS.iter().any(|step| said.contains(step)) {
                    self.found.push(format!("it does not start, and does not say what to do: {said}"));
                }
                return Ok(());
            }
        };
        workspace.settle();
        let is_reported = match plan.harm {
            Some(harm) => {
                harm(&workspace);
                false
            }
            None => is_reported(&workspace),
        };
        if is_reported || self.rot.is_unproven {
            return Ok(());
        }
        self.files();
        self.entries(&workspace);
        drop(workspace);
        self.contents()
    }

    /// The files show the job as a whole, or not at all.
    fn files(&mut self) {
        let view = VisibleFiles::of(&self.machine);
        let relaxed = self.scenario.durability() == Durability::Relaxed;
        let is_cut = self.image.crash != CrashKind::Kill;
        let exempt: &[String] = match is_cut {
            true if relaxed => &self.baseline.paths,
            true => &self.scenario.young_paths,
            false => &[],
        };
        let differing = [&self.baseline.before, &self.baseline.after].map(|it| view.differences(it, exempt));
        if differing.iter().all(|what| !what.is_empty()) {
            self.found.push(format!("nothing is reported, but {}", differing.concat().join(", ")));
        }
    }

    fn entries(&mut self, workspace: &SimWorkspace) {
        let listed = workspace.entries();
        let ids: Vec<_> = listed.iter().flatten().map(|entry| entry.id).collect();
        if listed.is_err() || self.baseline.priors.iter().any(|id| !ids.contains(id)) {
            self.found.push(format!("nothing is reported, but earlier entries are gone: {listed:?}"));
        }
    }

    fn contents(&mut self) -> Result<(), String> {
        let mut log = ContentLog::default();
        let young = &self.scenario.young_paths;
        log.add_files(AT_START, &self.baseline.before, |path, _| !young.iter().any(|other| other == path));
        let is_cut = self.image.crash != CrashKind::Kill;
        if is_cut && self.scenario.durability() == Durability::Relaxed {
            return Ok(());
        }
        let lost = log.lost(&self.machine, is_cut)?;
        self.found.extend(lost.into_iter().map(|what| format!("nothing is reported, but {what}")));
        Ok(())
    }
}

/// Returns true if the workspace reports damage: when it was opened, or when the whole log is checked.
fn is_reported(workspace: &SimWorkspace) -> bool {
    let segments = workspace.inner.log_segments();
    let damaged = segments.into_iter().any(|id| !matches!(workspace.inner.check_log_segment(id), Ok(None)));
    let findings = workspace.inner.check().findings;
    damaged
        || !workspace.inner.found_damage().is_empty()
        || findings.iter().any(|finding| {
            finding.subject == "losses" || (finding.subject == "log" && finding.severity != "ok")
        })
}
