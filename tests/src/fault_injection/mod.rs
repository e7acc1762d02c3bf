//! Fault injection on the simulated machine: the process is ended at every effect of a job, other processes write at
//! every call, every call fails, and stored bits flip. The tests examine files, replies and the journal, and nothing inside the daemon.
//!
//! *Calling sequence*: a [`SimScenario`](sim_scenario::SimScenario) has the initial state and the requests.
//! [`SimWorkspace`](sim_workspace::SimWorkspace) sends them to a workspace on the machine. A test ([`crash`],
//! [`outside_writes`], [`faults`], [`combined`], [`bit_rot`]) plays the scenario many times and returns one sentence for each
//! violation.

pub mod bit_rot;
pub mod combined;
pub mod content_log;
pub mod crash;
pub mod crash_check;
pub mod crash_image;
pub mod faults;
pub mod outside_writes;
pub mod requests;
pub mod sim_scenario;
pub mod sim_workspace;
pub mod visible_files;

/// Returns true if `EXHAUSTIVE=1` is set: then the tests play a hundred times as many crashes, faults and outside
/// writes.
#[must_use]
pub fn exhaustive() -> bool {
    std::env::var_os("EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// Returns true if `STRICT` is set: then the tests also check the known limitations of recovery, see [`combined`].
#[must_use]
pub fn strict() -> bool {
    std::env::var_os("STRICT").is_some()
}

/// Returns the scenarios whose names begin with the value of `SCENARIO`; all of them if it is not set.
#[must_use]
pub fn chosen(scenarios: Vec<sim_scenario::SimScenario>) -> Vec<sim_scenario::SimScenario> {
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    scenarios.into_iter().filter(|scenario| scenario.name.starts_with(&wanted)).collect()
}
