//! The crash lens: a story's job, and what settles it, is ended after every effect by a kill and by power cuts; then
//! again at every effect of the recovery from that. It judges nothing itself.

use super::desk::Desk;
use super::image::{Album, Cuts, Image};
use super::story::{Course, KEY, Story};
use super::verdict::{Depth, judge};
use crate::sim::{Abilities, Op};

/// What is looked at, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Power cuts while the job runs and settles.
    pub cuts: Cuts,
    /// Power cuts while it is recovered; nothing of the kind where absent.
    pub again: Option<Cuts>,
    /// Of so many images one is looked at thoroughly.
    pub whole_one_in: usize,
    /// Of so many images one is recovered under blows.
    pub again_one_in: usize,
    /// Flushes that lie: to test this lens.
    pub lies: &'static [Op],
    /// Complaints after which it is enough.
    pub enough: usize,
}

/// What a lens saw.
#[derive(Debug, Default)]
pub struct Report {
    /// Images that were opened.
    pub images: usize,
    /// What was not as it must be.
    pub found: Vec<String>,
}

/// The two disks on which every story is played: one with a common order of names, one without.
#[must_use]
pub fn disks(abilities: Abilities) -> [Abilities; 2] {
    [abilities, Abilities { ordered_names: false, half_exchanges: true, ..abilities }]
}

/// Looks at a story.
#[must_use]
pub fn look(story: &Story, plan: &Plan) -> Report {
    let mut report = Report::default();
    let course = match story.course() {
        Ok(course) => course,
        Err(error) => {
            report.found.push(format!("{}: {error}", story.name));
            return report;
        }
    };
    for abilities in disks(story.abilities) {
        let story = Story { abilities, ..story.clone() };
        match images(&story, plan) {
            Ok(images) => judge_all(&story, &course, &images, plan, &mut report),
            Err(error) => report.found.push(format!("{}: {error}", story.name)),
        }
        if report.found.len() >= plan.enough {
            break;
        }
    }
    report
}

/// Every state that the job and its settling may leave.
fn images(story: &Story, plan: &Plan) -> Result<Vec<Image>, String> {
    let machine = story.machine();
    machine.lie_about(plan.lies);
    let desk = story.begin(&machine)?;
    let album = Album::new(plan.cuts);
    album.watch(&machine);
    let receipt = desk.act(&story.job, KEY).ok_or("the job is no job")?;
    if receipt.error.is_some() {
        return Err(format!("played again, the job was refused: {:?}", receipt.error));
    }
    album.answered(&machine);
    desk.settle();
    Ok(album.close(&machine))
}

fn judge_all(story: &Story, course: &Course, images: &[Image], plan: &Plan, report: &mut Report) {
    for (nth, image) in images.iter().enumerate() {
        if report.found.len() >= plan.enough {
            return;
        }
        if let Some(cuts) = plan.again.filter(|_| nth.is_multiple_of(plan.again_one_in)) {
            recover_under_blows(story, course, image, cuts, report);
        }
        let depth = if nth.is_multiple_of(plan.whole_one_in) { Depth::Whole } else { Depth::Quick };
        report.images += 1;
        report.found.extend(judge(story, course, image, depth));
    }
}

/// Ends the recovery, too, at each of its effects.
fn recover_under_blows(story: &Story, course: &Course, image: &Image, cuts: Cuts, report: &mut Report) {
    let machine = image.machine.fork();
    let album = Album::new(cuts);
    album.watch(&machine);
    let opened = Desk::open(&machine);
    if let Ok(desk) = &opened {
        desk.settle();
    }
    for (nth, second) in album.close(&machine).into_iter().enumerate() {
        let both = Image {
            // One cut makes young bytes and relaxed jobs uncertain, whatever came before or after.
            blow: if image.blow == super::image::Blow::Kill { second.blow } else { image.blow },
            answered: image.answered,
            machine: second.machine,
            call: format!(
                "{} ({:?}), then {:?} in recovery after {}",
                image.call, image.blow, second.blow, second.call
            )
            .into(),
        };
        let depth = if nth.is_multiple_of(7) { Depth::Whole } else { Depth::Quick };
        report.images += 1;
        report.found.extend(judge(story, course, &both, depth));
    }
}
