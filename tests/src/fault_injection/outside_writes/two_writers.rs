//! Two programs that write one after the other while a job rolls back its swap: the first has truncated the file and
//! still writes the content that it had read; the second appends to what it finds then. The bytes of both are
//! afterwards at their path or in the journal. The test covers the time between the second program's read and its
//! write, in which the daemon may move the file.

use std::sync::{Arc, Mutex};

use super::{is_held, lock, tag};
use crate::fault_injection::crash::TestReport;
use crate::fault_injection::exhaustive;
use crate::fault_injection::sim_scenario::{KEY, SimScenario};
use crate::fault_injection::sim_workspace::ROOT;
use crate::fault_injection::visible_files::VisibleFiles;
use crate::sim::{HookTiming, OutsideFile, OutsideProcess, SimMachine};

/// Calls behind a swap before which the first program ends: more than those in which the daemon waits for its end.
const REACH: u64 = 140;
/// Of them, those that are always tried; of the others, every fourth is.
const EACH: u64 = 40;

/// Plays a scenario with both programs at every call after the swap of its first file, with each of these numbers of
/// calls between the second program's read and its write.
#[must_use]
pub fn check(scenario: &SimScenario, gaps: &[u64]) -> TestReport {
    let mut report = TestReport::default();
    let swap = match first_swap(scenario) {
        Ok(Some(swap)) => swap,
        Ok(None) => return report,
        Err(error) => {
            report.found.push(format!("{}: {error}", scenario.name));
            return report;
        }
    };
    let chosen = |after: &u64| exhaustive() || *after <= EACH || after.is_multiple_of(4);
    for ended in (1..=REACH).filter(chosen).map(|after| swap.call + after) {
        for gap in gaps {
            report.images += 1;
            let writers =
                TwoWriters { path: swap.path.clone(), begun: swap.call, ended, written: ended + gap };
            if let Err(error) = writers.play(scenario) {
                report.found.push(format!("{}: {writers:?}: {error}", scenario.name));
            }
        }
    }
    report
}

/// A call that puts a file in place by exchanging it.
struct SwapCall {
    call: u64,
    path: String,
}

fn first_swap(scenario: &SimScenario) -> Result<Option<SwapCall>, String> {
    let baseline = scenario.baseline()?;
    let path = |line: &str| {
        let name = line.strip_prefix("Exchange ")?.split(' ').nth(1)?;
        baseline.paths.iter().find(|path| path.rsplit('/').next() == Some(name))
    };
    let lines = baseline.trace.iter().filter_map(|line| line.split_once(' '));
    let mut swaps = lines.filter_map(|(call, line)| {
        let call = call.parse().ok().filter(|call| *call > baseline.calls[0])?;
        Some(SwapCall { call, path: path(line)?.clone() })
    });
    Ok(swaps.next())
}

/// The steps of the programs, each before a call.
#[derive(Debug)]
struct TwoWriters {
    path: String,
    /// The first opens the file and cuts it.
    begun: u64,
    /// The first writes and closes it; the second reads it.
    ended: u64,
    /// The second cuts and writes it.
    written: u64,
}

impl TwoWriters {
    fn play(&self, scenario: &SimScenario) -> Result<(), String> {
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine)?;
        let path = format!("{ROOT}/{}", self.path);
        let had = machine.outside().read(&path).map_err(|error| error.to_string())?;
        let first: Arc<Mutex<Option<OutsideFile>>> = Arc::default();
        let (open, at) = (Arc::clone(&first), path.clone());
        machine.at_call(self.begun, HookTiming::Before, move |outside| {
            let file = outside.open(&at).expect("it is there");
            file.set_len(0).expect("a file can be cut");
            *lock(&open) = Some(file);
        });
        let (at, same, written) = (path, machine.clone(), self.written);
        machine.at_call(self.ended, HookTiming::Before, move |outside| {
            let file = lock(&first).take().expect("it was opened");
            file.append(&[&had, tag(1).as_bytes(), b"\n"].concat()).expect("a file can be written");
            drop(file);
            let more = outside.read(&at).unwrap_or_default();
            let more = [&more, tag(2).as_bytes(), b"\n"].concat();
            same.at_call(written, HookTiming::Before, write_when_free(same.clone(), written, at, more));
        });
        let _receipt = workspace.send(&scenario.job, KEY);
        if machine.calls() < self.written || at_the_exchange(&machine, self) {
            return Ok(());
        }
        workspace.settle();
        let view = VisibleFiles::of(&machine);
        for nth in [1, 2] {
            if !is_held(&workspace, &view, &tag(nth))? {
                return Err(format!("what program {nth} wrote is lost"));
            }
        }
        Ok(())
    }
}

/// The window that is named under *Limitations*: the first one ended before the very exchange, and the second one
/// writes before the very next call.
fn at_the_exchange(machine: &SimMachine, writers: &TwoWriters) -> bool {
    let trace = machine.trace();
    let line = usize::try_from(writers.ended - 1).ok().and_then(|at| trace.get(at));
    let op = line.and_then(|line| line.split(' ').nth(1));
    op == Some("Exchange") && writers.written == writers.ended + 1
}

/// Writes to a file. A process that opens a leased file for writing waits until the lease is given back.
fn write_when_free(
    machine: SimMachine,
    call: u64,
    path: String,
    bytes: Vec<u8>,
) -> impl FnOnce(&OutsideProcess) + Send + 'static {
    move |outside| {
        if outside.is_leased(&path) {
            let again: Box<dyn FnOnce(&OutsideProcess) + Send> =
                Box::new(write_when_free(machine.clone(), call + 1, path, bytes));
            machine.at_call(call + 1, HookTiming::Before, again);
        } else {
            outside.write(&path, &bytes).expect("a file can be written");
        }
    }
}
