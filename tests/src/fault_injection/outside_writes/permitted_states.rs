//! The permitted final states after a job and an outside write, in either order, recorded from runs without a crash.

use std::io;

use super::action::OutsideAction;
use super::exempt_calls::ExemptCalls;
use super::{exempt_calls, tag};
use crate::fault_injection::sim_scenario::{BaselineRun, KEY, SimScenario};
use crate::fault_injection::sim_workspace::{ROOT, SimWorkspace};
use crate::fault_injection::visible_files::VisibleFiles;
use crate::sim::{SimMachine, SnapshotNode};

/// The permitted final states.
pub struct PermittedStates {
    /// The state before both.
    pub before: VisibleFiles,
    /// The outside write alone: the job was refused.
    pub alone: VisibleFiles,
    /// The job after the outside write.
    pub on_top: VisibleFiles,
    /// The outside write after the job.
    pub below: VisibleFiles,
    /// The outside write after the job, and then the job once more: a call failed, the job was rolled back, and it
    /// applies to what the outside write made of it.
    pub again: VisibleFiles,
    /// The job alone; the outside bytes are in the journal.
    pub journaled: VisibleFiles,
    /// The job in place of the outside file, and the files that the outside write moved away: the state after a power
    /// cut that came before the job had checked the displaced file.
    pub over: VisibleFiles,
    /// The calls of the process when the job begins, when it is answered, and when all is settled.
    pub calls: [u64; 3],
    /// The calls before which an outside write may be lost.
    pub exempt_calls: ExemptCalls,
}

impl PermittedStates {
    /// Records the final states of a job and an outside write; `None` if the outside write is impossible.
    ///
    /// # Errors
    /// If the scenario cannot be played.
    pub fn of(scenario: &SimScenario, path: &str, action: OutsideAction) -> Result<Option<Self>, String> {
        let word = tag(0);
        let baseline = scenario.baseline()?;
        let first = scenario.machine();
        let workspace = scenario.begin(&first)?;
        let mut held = action.prepare(&first.outside(), path);
        if action.run(&first.outside(), held.as_ref(), path, &word).is_err() {
            return Ok(None);
        }
        let alone = VisibleFiles::of(&first);
        let _receipt = workspace.send(&scenario.job, KEY);
        held.take();
        workspace.release();
        workspace.settle();
        let on_top = VisibleFiles::of(&first);

        let last = scenario.machine();
        let workspace = scenario.begin(&last)?;
        let mut held = action.prepare(&last.outside(), path);
        let _receipt = workspace.send(&scenario.job, KEY);
        // An undo takes the folders with it that its job had made: others may have come before that.
        if let Some((folder, _)) = path.rsplit_once('/') {
            last.outside().mkdir(&format!("{ROOT}/{folder}")).map_err(|error| error.to_string())?;
        }
        // If the file is gone by then, the action does nothing or creates it.
        let _done = action.run(&last.outside(), held.as_ref(), path, &word);
        held.take();
        workspace.release();
        workspace.settle();
        let below = VisibleFiles::of(&last);
        // If something else is in the way, the state is another one that never comes about.
        let _done = take_back_the_rest(&last, &baseline, action.reach(path));
        let receipt = workspace.send(&scenario.job, "once more");
        if receipt.error.is_some() {
            // The first job gave its session receipts, which are stale now. A job that is rolled back gives none.
            let session = "without receipts".to_owned();
            let _receipt = SimWorkspace { session, ..workspace.clone() }.send(&scenario.job, "once more");
        }
        workspace.settle();
        let again = VisibleFiles::of(&last);
        let (calls, exempt_calls) = (baseline.calls, exempt_calls(&baseline));
        let mut over = baseline.after.clone();
        let left = alone.files.iter().filter(|(name, _)| name.starts_with(action.reach(path)));
        for (name, seen) in left {
            over.files.entry(name.clone()).or_insert_with(|| seen.clone());
        }
        let (before, journaled) = (baseline.before, baseline.after);
        Ok(Some(Self { before, alone, on_top, below, again, journaled, over, calls, exempt_calls }))
    }

    /// Returns true if the files are those of a permitted order.
    #[must_use]
    pub fn contain(&self, view: &VisibleFiles) -> bool {
        [&self.alone, &self.on_top, &self.below, &self.journaled].iter().any(|end| view.files == end.files)
    }

    /// Unsealed, and others changed a file that was put: the rest of the job is taken back, and theirs (every name that
    /// begins with `reach`) stays, made of what they found there. If the file at `reach` had further names, these keep
    /// its content where the others found no file and made a new one.
    #[must_use]
    pub fn rolled_back_around(&self, view: &VisibleFiles, reach: &str) -> bool {
        let others = |path: &str| !path.starts_with(reach);
        let kept = self.before.has_links(reach) && same(view, &self.before, others);
        same(view, &self.below, |path| path.starts_with(reach)) && (kept || same(view, &self.alone, others))
    }

    /// The job is rolled back, but each name that begins with `reach` may show it or not.
    #[must_use]
    pub fn rolled_back_except(&self, view: &VisibleFiles, reach: &str) -> bool {
        let names = [view, &self.alone, &self.below].into_iter().flat_map(|end| end.files.keys());
        let mut touched = names.filter(|name| name.starts_with(reach));
        let shown = |end: &VisibleFiles, name: &str| end.files.get(name) == view.files.get(name);
        same(view, &self.alone, |path| !path.starts_with(reach))
            && touched.all(|name| shown(&self.alone, name) || shown(&self.below, name))
    }

    /// The job is rolled back, and a file that another program gave a second name has only that name.
    #[must_use]
    pub fn rolled_back_without(&self, view: &VisibleFiles, path: &str) -> bool {
        !view.files.contains_key(path) && same(view, &self.alone, |name| name != path)
    }

    /// Returns true if the names that the outside write touched show it, with or without the job.
    #[must_use]
    pub fn shows(&self, view: &VisibleFiles, reach: &str, applied: bool) -> bool {
        // Changes that others made to the file of the job stay when the rest is rolled back.
        let taken_back = [&self.alone, &self.below];
        let permitted = if applied { self.with_job().to_vec() } else { taken_back.to_vec() };
        permitted.iter().any(|end| same(view, end, |path| path.starts_with(reach)))
    }

    /// Returns true if the path of the outside write shows it, with or without the job, and each further name that it
    /// touched shows a state of any order. After a failed call the job is rolled back, and perhaps applied again: a
    /// further name that others made meanwhile keeps what it was made of.
    #[must_use]
    pub fn each_shows(&self, view: &VisibleFiles, (path, reach): (&str, &str), applied: bool) -> bool {
        let permitted = if applied {
            [&self.with_job()[..], &[&self.again]].concat()
        } else {
            vec![&self.alone, &self.below]
        };
        let all = [&self.alone, &self.on_top, &self.below, &self.again, &self.journaled, &self.over];
        let names = all.iter().chain([&view]).flat_map(|end| end.files.keys());
        let mut touched = names.filter(|name| name.starts_with(reach));
        touched.all(|name| {
            let ends = if name == path { &permitted[..] } else { &all[..] };
            ends.iter().any(|end| end.files.get(name) == view.files.get(name))
        })
    }

    /// Returns the permitted states if the job was applied.
    #[must_use]
    pub fn with_job(&self) -> [&VisibleFiles; 4] {
        [&self.journaled, &self.on_top, &self.below, &self.over]
    }
}

/// Takes the job's bytes back in all files but those that the outside write touched.
fn take_back_the_rest(machine: &SimMachine, baseline: &BaselineRun, reach: &str) -> io::Result<()> {
    let outside = machine.outside();
    for path in baseline.paths.iter().filter(|path| !path.starts_with(reach)) {
        let name = format!("{ROOT}/{path}");
        match baseline.before.files.get(path) {
            Some(SnapshotNode::File { bytes, .. }) => {
                if let Some((folder, _)) = name.rsplit_once('/') {
                    outside.mkdir(folder)?;
                }
                outside.write(&name, bytes)?;
            }
            None if outside.stat(&name).is_ok() => outside.remove_all(&name)?,
            _ => {}
        }
    }
    Ok(())
}

fn same(view: &VisibleFiles, end: &VisibleFiles, of: impl Fn(&str) -> bool) -> bool {
    let here = view.files.iter().filter(|(path, _)| of(path));
    here.eq(end.files.iter().filter(|(path, _)| of(path)))
}
