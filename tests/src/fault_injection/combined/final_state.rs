//! The properties after any combination of events: the job is applied to all its files or to none, a reply holds, the
//! files that others touched show their changes, and no content is lost.

use editd_proto::message::{Durability, EntryKind, EntrySummary};

use super::run::CombinedRun;
use crate::fault_injection::content_log::{AT_START, ContentLog};
use crate::fault_injection::crash_image::ReplyState;
use crate::fault_injection::outside_writes::action::OutsideAction;
use crate::fault_injection::sim_scenario::KEY;
use crate::fault_injection::sim_workspace::SimWorkspace;
use crate::fault_injection::strict;
use crate::fault_injection::visible_files::VisibleFiles;
use crate::sim::SimMachine;

/// Parts of the labels of entries that keep contents.
const RESCUES: [&str; 3] = [
    "whose file was moved before it was flushed",
    "before a change whose old content could not be read",
    "written to a file after job",
];

/// A part of the labels of entries that keep what a path had before a job.
const ROLLED_BACK: &str = "which was rolled back";

/// One final state of a run.
pub(super) struct FinalState<'p, 'a> {
    pub(super) run: &'p CombinedRun<'a>,
    /// The reply that the client had received.
    pub(super) answer: ReplyState,
    /// The power was cut.
    pub(super) cut: bool,
    /// No cut could take what others did.
    pub(super) stable: bool,
    /// A cut may have taken seals, others did something, and the power was cut again before the next start.
    pub(super) untold: bool,
    /// A description of the events of this run.
    pub(super) when: String,
    pub(super) found: Vec<String>,
}

/// Returns true if the job is in the journal.
fn is_there(workspace: &SimWorkspace) -> Result<bool, String> {
    Ok(workspace.entries()?.iter().any(|entry| entry.key.as_deref() == Some(KEY)))
}

impl FinalState<'_, '_> {
    fn say(&mut self, what: &str) {
        self.found.push(format!("{}: {what}", self.when));
    }

    /// Checks a process that still runs, after all faults were removed.
    pub(super) fn running(
        &mut self,
        workspace: &SimWorkspace,
        content_log: &ContentLog,
    ) -> Result<(), String> {
        self.harmed(workspace);
        self.stands(workspace)?;
        self.nothing_is_lost(&workspace.machine, content_log)
    }

    /// Checks the next process, and the one after it.
    pub(super) fn started(&mut self, machine: &SimMachine, content_log: &ContentLog) -> Result<(), String> {
        let when = &self.when;
        let workspace =
            self.run.scenario.open(machine).map_err(|error| format!("{when}: cannot be opened: {error}"))?;
        if !workspace.settle() {
            self.say("it never settles");
        }
        self.harmed(&workspace);
        if self.may_be_rolled_back(&workspace.notes) {
            let lost = content_log.lost(&workspace.machine, true)?;
            self.found.extend(lost.into_iter().filter(|what| what.contains(AT_START)));
            return Ok(());
        }
        let there = self.stands(&workspace)?;
        self.nothing_is_lost(&workspace.machine, content_log)?;
        let mut staged_files = VisibleFiles::of(&workspace.machine).staged_files;
        // On another mount a staged file moves with its folder.
        staged_files.retain(|slot| strict() || !slot.contains(".moved/"));
        if !staged_files.is_empty() {
            self.say(&format!("settled, these staged_files are left: {staged_files:?}"));
        }
        drop(workspace);
        let machine = machine.kill();
        let when = &self.when;
        let again = self
            .run
            .scenario
            .open(&machine)
            .map_err(|error| format!("{when}: cannot be opened again: {error}"))?;
        if is_there(&again)? != there {
            self.say("opened again, it is on the other side");
        }
        if there {
            let receipt = again.send(&self.run.scenario.job, KEY);
            if !receipt.repeated {
                self.say(&format!("sent again, it was done again: {:?} {:?}", receipt.status, receipt.error));
            }
        }
        Ok(())
    }

    /// Returns true if an answered job may have been rolled back, and the daemon said so.
    ///
    /// A seal is not flushed before the reply: if it is lost, and the machine was started twice, nothing tells whether
    /// other programs came before the first cut, and what they changed takes the job back. A move that nobody flushed
    /// may be undone by the cut, without the job that came after it. A cut may undo the exchange and keep what was
    /// written through an old descriptor: then that looks like a write before the job. The same holds if it gives the
    /// file a further name back, which another program took.
    fn may_be_rolled_back(&self, notes: &[String]) -> bool {
        let linked = self.run.is_linked();
        let late = |action: OutsideAction| action.moves() || action.holds() || linked;
        let undone = self.cut && !self.run.events.flushed && self.run.action().is_some_and(late);
        let told = |note: &String| note.contains("was rolled back: another program changed");
        (self.untold || undone) && !strict() && notes.iter().any(told)
    }

    /// Applies the damage of a broken daemon, to test this test.
    fn harmed(&self, workspace: &SimWorkspace) {
        if let Some(harm) = self.run.plan.harm {
            harm(workspace, self.run.scenario);
        }
    }

    /// Checks that the journal and the files agree; returns true if the job is applied.
    fn stands(&mut self, workspace: &SimWorkspace) -> Result<bool, String> {
        let (scenario, baseline) = (self.run.scenario, self.run.baseline);
        let entries = workspace.entries()?;
        let there = entries.iter().any(|entry| entry.key.as_deref() == Some(KEY));
        for id in baseline.priors.iter().filter(|id| entries.iter().all(|entry| entry.id != **id)) {
            self.say(&format!("the earlier entry {id} is gone"));
        }
        let relaxed = scenario.durability() == Durability::Relaxed;
        let applied = matches!(self.answer, ReplyState::Applied | ReplyState::Sealed);
        if applied && !there && !(self.cut && relaxed) {
            self.say(&format!("the answered job is gone; notes: {:?}", workspace.notes));
        }
        if self.answer == ReplyState::Refused && there {
            self.say("the refused job is there");
        }
        let exempt: &[String] = match self.cut {
            true if relaxed => &baseline.paths,
            true => &scenario.young_paths,
            false => &[],
        };
        let reach = self.run.reach();
        let touched = |path: &str| reach.is_some_and(|reach| path.starts_with(reach));
        let linked = self.run.is_linked();
        // A recovery that could not see everything stores contents that may be the only copy. Nothing is lost by that.
        let faulty = self.run.events.fault.is_some() || self.run.events.in_recovery.is_some();
        let cut = self.cut;
        let rescued = |entry: &&EntrySummary| {
            let label = entry.label.as_deref().unwrap_or_default();
            // After a cut, the only copy of a moved content may be the file that is removed now.
            let of_the_job = entry.files.iter().all(|file| baseline.paths.contains(&file.path.display()));
            let moved = cut && of_the_job && label.contains(ROLLED_BACK);
            moved || (faulty && RESCUES.iter().any(|part| label.contains(part)))
        };
        let outside = |entry: &&EntrySummary| entry.kind == EntryKind::External || entry.diverged;
        for entry in entries.iter().filter(outside).filter(|entry| !rescued(entry)) {
            let may =
                |path: &String| touched(path) || exempt.contains(path) || baseline.others.contains(path);
            if !linked && !entry.files.iter().any(|file| may(&file.path.display())) {
                let what = if entry.diverged { "diverged" } else { "invented" };
                let paths: Vec<String> = entry.files.iter().map(|file| file.path.display()).collect();
                self.say(&format!("{what}: {:?} {} {:?} {paths:?}", entry.kind, entry.id, entry.label));
            }
        }
        let view = VisibleFiles::of(&workspace.machine);
        self.others(&view, there, if there { &[] } else { exempt });
        let told = self.stable && !self.tells_nothing(&entries);
        if let (Some(permitted), Some(reach), true) = (self.run.permitted, reach, told)
            && !permitted.shows(&view, reach, there)
            && !(self.run.events.fault.is_some()
                && permitted.each_shows(&view, (self.run.path, reach), there))
            && !(self.undecidable() && permitted.shows(&view, reach, false))
            && !(self.in_moved_folder(there) && permitted.rolled_back_except(&view, reach))
        {
            let alone = view.differences(&permitted.alone, &[]).join(", ");
            let on_top = view.differences(&permitted.on_top, &[]).join(", ");
            self.say(&format!(
                "the job is {}there, and what others touched shows neither order; the outside write alone would be: {alone}; \
                 the job on top of it: {on_top}; notes: {:?}",
                if there { "" } else { "not " },
                workspace.notes
            ));
        }
        Ok(there)
    }

    /// Returns true if a cut may have removed each sign that another program came before an unsealed job: without exchange
    /// the displaced file has the job's name for a moment, and the cut may keep any of its names.
    fn undecidable(&self) -> bool {
        self.cut && !self.run.scenario.features.exchange && !strict()
    }

    /// Returns true if recovery did not find files of a job that it rolled back, since their folder was moved meanwhile. They
    /// keep the content of the job, and the old one is in the journal.
    fn in_moved_folder(&self, there: bool) -> bool {
        !there && self.run.action() == Some(OutsideAction::MoveFolder) && !strict()
    }

    /// Returns true if the order of the job and the outside write cannot be determined.
    fn tells_nothing(&self, entries: &[EntrySummary]) -> bool {
        let scenario = self.run.scenario;
        // A name that is free may have been taken by the cut, or while the job was taken back: it is made again.
        let frees = self.run.action().is_some_and(OutsideAction::frees);
        // What was being rewritten in place while others wrote to it, a cut leaves to them.
        let torn = self.run.is_linked() || scenario.durability() == Durability::Relaxed;
        // A disk that leaves one file under both names takes the slot that would tell how far the job had come.
        let halved = scenario.features.half_exchanges && entries.iter().any(|entry| entry.diverged);
        let failed = self.run.events.fault.is_some();
        // A mode that was set on the file of a job is lost where the job is rolled back.
        let mode = self.run.action() == Some(OutsideAction::Chmod);
        frees && (self.cut || failed) || mode && failed || self.cut && (torn || halved)
    }

    /// Checks the files that no other process touched: all of them show the job, or none does.
    fn others(&mut self, view: &VisibleFiles, there: bool, exempt: &[String]) {
        let (baseline, reach) = (self.run.baseline, self.run.reach());
        let mut may = if there { vec![&baseline.after] } else { vec![&baseline.before] };
        if let Some(permitted) = self.run.permitted {
            // Of what others wrote, the job may have made something in another place.
            may.extend(if there { permitted.with_job().to_vec() } else { vec![&permitted.alone] });
        }
        let linked = self.run.is_linked();
        let theirs = |path: &str| match reach {
            // Every name of a file shows what is done to one.
            Some(reach) => path.starts_with(reach) || (linked && self.run.has_links(path)),
            None => false,
        };
        if reach.is_some() && self.run.scenario.is_entwined() {
            return;
        }
        let against = |should: &&VisibleFiles| {
            let mut differing = view.differing(should);
            differing.retain(|(path, _)| !theirs(path) && !exempt.contains(path));
            differing.into_iter().map(|(_, what)| what).collect::<Vec<_>>()
        };
        let all: Vec<Vec<String>> = may.iter().map(against).collect();
        if let Some(what) = all.first().filter(|_| all.iter().all(|what| !what.is_empty())) {
            self.say(&format!(
                "the job is {}there, but {}",
                if there { "" } else { "not " },
                what.join(", ")
            ));
        }
    }

    fn nothing_is_lost(&mut self, machine: &SimMachine, content_log: &ContentLog) -> Result<(), String> {
        for what in content_log.lost(machine, self.cut)? {
            self.say(&what);
        }
        Ok(())
    }
}
