//! Crash tests: the process is killed, or the power cut, after every effect of a scenario's job and of its settling,
//! and again after every effect of the recovery from that. It opens each distinct image once, and does not judge the
//! results.

use std::collections::HashSet;

use super::crash_check::{CheckDepth, check_image};
use super::crash_image::{CrashImage, CrashKind, CutSample, ImageRecorder, ReplyState};
use super::sim_scenario::{BaselineRun, KEY, SimScenario};
use crate::sim::{OsCall, SeededRandom, SystemFeatures};

/// The extent of a crash test.
#[derive(Clone, Copy, Debug)]
pub struct CrashPlan {
    /// True to test both disks; else one of them, chosen by the seed.
    pub both_disks: bool,
    /// The power cuts after each effect of the job and of its settling.
    pub cuts: CutSample,
    /// The number of images of one scenario on one disk that are opened at most.
    pub images: usize,
    /// One of this number of images is checked thoroughly.
    pub whole_one_in: usize,
    /// The number of images whose recovery is crashed, too.
    pub again: usize,
    /// The number of images of each of these recoveries.
    pub again_images: usize,
    /// Flushes that report success and do nothing, to test this test.
    pub lies: &'static [OsCall],
    /// The number of complaints after which the test stops.
    pub enough: usize,
}

/// The result of a test.
#[derive(Debug, Default)]
pub struct TestReport {
    /// Images that were opened.
    pub images: usize,
    /// Images that were not opened, since one with the same disk and the same reply had been.
    pub repeated: usize,
    /// The violations, one sentence each.
    pub found: Vec<String>,
}

/// The two disks of every scenario: one with a common order of names, one without.
#[must_use]
pub fn disks(features: SystemFeatures) -> [SystemFeatures; 2] {
    [features, SystemFeatures { ordered_names: false, half_exchanges: true, ..features }]
}

/// The images of one scenario on one disk that were opened: their disks, the replies that the client had, and true
/// for a kill.
type OpenedImages = HashSet<([u8; 32], ReplyState, bool)>;

impl TestReport {
    /// Checks an image unless an equal one was checked before.
    fn check_once(
        &mut self,
        (scenario, baseline): (&SimScenario, &BaselineRun),
        image: &CrashImage,
        whole_one_in: usize,
        opened: &mut OpenedImages,
    ) {
        if !opened.insert((image.machine.disk_hash(), image.answer, image.crash == CrashKind::Kill)) {
            self.repeated += 1;
            return;
        }
        let depth =
            if self.images.is_multiple_of(whole_one_in) { CheckDepth::Full } else { CheckDepth::Quick };
        self.images += 1;
        self.found.extend(check_image(scenario, baseline, image, depth));
    }
}

/// Tests a scenario and returns the violations.
#[must_use]
pub fn check(scenario: &SimScenario, plan: &CrashPlan) -> TestReport {
    let mut report = TestReport::default();
    let baseline = match scenario.baseline() {
        Ok(baseline) => baseline,
        Err(error) => {
            report.found.push(format!("{}: {error}", scenario.name));
            return report;
        }
    };
    let disks = disks(scenario.features).into_iter().zip(0..);
    for (features, _) in disks.filter(|(_, nth)| plan.both_disks || plan.cuts.seed % 2 == *nth) {
        let scenario = scenario.clone().on(features);
        match images(&scenario, plan.cuts, plan.lies) {
            Ok(images) => {
                kill_inside_writes(&scenario, &baseline, &images, &mut report);
                check_images(&scenario, &baseline, images, plan, &mut report);
            }
            Err(error) => report.found.push(format!("{}: {error}", scenario.name)),
        }
        if report.found.len() >= plan.enough {
            break;
        }
    }
    report
}

/// Returns the states that a kill or a power cut may leave after each effect of the job and of its settling. `lies` are
/// flushes that report success and do nothing.
pub(super) fn images(
    scenario: &SimScenario,
    cuts: CutSample,
    lies: &[OsCall],
) -> Result<Vec<CrashImage>, String> {
    let machine = scenario.machine();
    machine.lie_about(lies);
    let workspace = scenario.begin(&machine)?;
    let recorder = ImageRecorder::new(cuts);
    recorder.record(&machine);
    let receipt = workspace.send(&scenario.job, KEY);
    if receipt.error.is_some() {
        return Err(format!("played again, the job was refused: {:?}", receipt.error));
    }
    recorder.answered(&machine, ReplyState::Applied);
    workspace.settle();
    workspace.release();
    workspace.settle();
    Ok(recorder.finish(&machine))
}

fn check_images(
    scenario: &SimScenario,
    baseline: &BaselineRun,
    mut images: Vec<CrashImage>,
    plan: &CrashPlan,
    report: &mut TestReport,
) {
    thin(&mut images, plan.images, plan.cuts.seed);
    let mut opened = OpenedImages::new();
    let again_one_in = images.len().div_ceil(plan.again.max(1)).max(1);
    for (nth, image) in images.iter().enumerate() {
        if report.found.len() >= plan.enough {
            return;
        }
        if plan.again > 0 && nth % again_one_in == again_one_in - 1 {
            crash_recoveries((scenario, baseline), image, plan, (report, &mut opened));
        }
        report.check_once((scenario, baseline), image, plan.whole_one_in, &mut opened);
    }
}

/// A kill may also come in the middle of a write: each write of the job is cut short once.
fn kill_inside_writes(
    scenario: &SimScenario,
    baseline: &BaselineRun,
    images: &[CrashImage],
    report: &mut TestReport,
) {
    let writes = images.iter().filter(|image| {
        image.crash == CrashKind::Kill
            && image.answer == ReplyState::Waiting
            && image.call.split(' ').nth(1) == Some("WriteAt")
    });
    for image in writes {
        let machine = scenario.machine();
        let Ok(workspace) = scenario.begin(&machine) else { return };
        // Less than a sector of it; nothing of a shorter one may be whole by chance.
        machine.stop_inside(image.effects, 3);
        let _reply_that_nobody_gets = workspace.send(&scenario.job, KEY);
        drop(workspace);
        let call = format!("inside {}", image.call).into();
        let inside = CrashImage { machine: machine.kill(), call, ..image.clone() };
        report.images += 1;
        report.found.extend(check_image(scenario, baseline, &inside, CheckDepth::Full));
    }
}

/// Keeps so many, chosen at random, in their order.
fn thin(images: &mut Vec<CrashImage>, most: usize, seed: u64) {
    let mut dice = SeededRandom::new(seed);
    while images.len() > most {
        let at = usize::try_from(dice.next_number()).unwrap_or(usize::MAX) % images.len();
        images.remove(at);
    }
}

/// Crashes the recovery, too, at each of its effects.
fn crash_recoveries(
    (scenario, baseline): (&SimScenario, &BaselineRun),
    image: &CrashImage,
    plan: &CrashPlan,
    (report, opened): (&mut TestReport, &mut OpenedImages),
) {
    let machine = image.machine.fork();
    let seed = plan.cuts.seed ^ (report.images + report.repeated) as u64;
    let recorder = ImageRecorder::new(CutSample { limit: plan.cuts.limit.min(plan.again_images), seed });
    recorder.record(&machine);
    if let Ok(workspace) = scenario.open(&machine) {
        workspace.settle();
    }
    let mut images = recorder.finish(&machine);
    thin(&mut images, plan.again_images, seed);
    for second in images {
        let (first, then) = (image.crash, second.crash);
        let both = CrashImage {
            // One cut makes young bytes and relaxed jobs uncertain, whatever came before or after.
            crash: if first == CrashKind::Kill { then } else { first },
            answer: image.answer,
            machine: second.machine,
            effects: second.effects,
            call: format!("{} ({first:?}), then {then:?} in recovery after {}", image.call, second.call)
                .into(),
        };
        report.check_once((scenario, baseline), &both, 7, opened);
    }
}
