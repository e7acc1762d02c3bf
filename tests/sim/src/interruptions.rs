//! Runs of one scenario on the simulated machine: ended at every effect, with every power cut after it, with every
//! fault. They run and count; the caller's check judges.

use std::fmt;
use std::sync::Arc;

use super::call::FaultDuration;
use super::machine::SimMachine;

/// The event that ended a run, printed if a check fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// The process was ended after so many effects.
    Kill {
        /// Counted from its start.
        after: u64,
    },
    /// The process was ended inside the write that would have been this effect.
    KillInside {
        /// Counted from 1.
        effect: u64,
    },
    /// The power was cut after so many effects; which of the states that it may leave.
    Cut {
        /// Counted from the start of the process.
        after: u64,
        /// Counted from 0.
        state: usize,
    },
    /// A call failed.
    Fault {
        /// Counted from 1.
        call: u64,
        /// Once, or from then on.
        lasting: FaultDuration,
        /// The system's number of the error.
        errno: i32,
    },
}

/// A machine after an interruption; the next process may start on it.
pub struct InterruptedRun {
    /// The event.
    pub interruption: Interruption,
    /// The machine, without faults or stops.
    pub machine: SimMachine,
    /// The calls that were made until then.
    pub trace: Vec<Arc<str>>,
}

impl fmt::Debug for InterruptedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?} after", self.interruption)?;
        let skipped = self.trace.len().saturating_sub(30);
        self.trace.iter().skip(skipped).try_for_each(|call| writeln!(f, "  {call}"))
    }
}

/// Runs the scenario once for each of its effects, ends it after that effect, and passes the states after a kill and
/// after power cuts to the check: at most `cuts` states each, chosen by `seed` if there are more. Returns the number
/// of effects.
///
/// Each run has a machine of its own, and must make the same calls.
pub fn crashes(
    base: &SimMachine,
    cuts: usize,
    seed: u64,
    mut scenario: impl FnMut(&SimMachine),
    mut check: impl FnMut(InterruptedRun),
) -> u64 {
    let mut after = 0;
    loop {
        let machine = base.fork();
        machine.stop_after(after);
        scenario(&machine);
        let (trace, reached) = (machine.trace(), machine.effects());
        for (state, cut) in machine.cuts(cuts, seed ^ after).into_iter().enumerate() {
            check(InterruptedRun {
                interruption: Interruption::Cut { after, state },
                machine: cut,
                trace: trace.clone(),
            });
        }
        check(InterruptedRun {
            interruption: Interruption::Kill { after },
            machine: machine.kill(),
            trace: trace.clone(),
        });
        if trace.last().is_some_and(|call| call.contains("WriteAt")) {
            let machine = base.fork();
            machine.stop_inside(after, 100);
            scenario(&machine);
            check(InterruptedRun {
                interruption: Interruption::KillInside { effect: after },
                machine: machine.kill(),
                trace,
            });
        }
        if reached < after {
            return reached;
        }
        after += 1;
    }
}

/// Runs the scenario once for each call and error with that call failing once, and once with all calls failing from
/// there; then removes the fault and passes the machine to the check. Returns the number of calls.
///
/// The process is not ended: the check may continue with it, or [`SimMachine::kill`] it.
pub fn faults(
    base: &SimMachine,
    errors: &[i32],
    mut scenario: impl FnMut(&SimMachine),
    mut check: impl FnMut(InterruptedRun),
) -> u64 {
    let whole = base.fork();
    scenario(&whole);
    for call in 1..=whole.calls() {
        for errno in errors.iter().copied() {
            for lasting in [FaultDuration::Once, FaultDuration::ForEver] {
                let machine = base.fork();
                machine.fail_call(call, errno, lasting);
                scenario(&machine);
                machine.remove_faults();
                let trace = machine.trace();
                check(InterruptedRun {
                    interruption: Interruption::Fault { call, lasting, errno },
                    machine,
                    trace,
                });
            }
        }
    }
    whole.calls()
}
