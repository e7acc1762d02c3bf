//! The simulated machine: the system calls of the process under test, and the functions with which a test controls
//! it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::call::{
    CallEffect, CallHook, CallOutcome, CallState, Fault, FaultDuration, HookTiming, HookTrigger, OsCall,
    StopPoint, dead,
};
use super::choose::{ChoicePoint, CutChooser, SeededRandom, StateEnumerator};
use super::outside::OutsideProcess;
use super::snapshot::{MachineSnapshot, disk_hash};
pub use super::system::SystemFeatures;
use super::system::{HandleOwner, SystemState};

pub(super) struct MachineState {
    pub(super) system: SystemState,
    pub(super) calls: CallState,
}

pub(super) type SharedState = Arc<Mutex<MachineState>>;

pub(super) fn lock(shared: &SharedState) -> MutexGuard<'_, MachineState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A machine, and one process on it. A clone is the same machine and the same process.
#[derive(Clone)]
pub struct SimMachine {
    pub(super) shared: SharedState,
    pub(super) process: u64,
}

impl Default for SimMachine {
    fn default() -> Self {
        Self::new()
    }
}

impl SimMachine {
    /// A machine with an empty root folder.
    pub fn new() -> Self {
        Self::of(SystemState::new(), 1)
    }

    fn of(system: SystemState, process: u64) -> Self {
        Self { shared: Arc::new(Mutex::new(MachineState { system, calls: CallState::of(process) })), process }
    }

    /// Returns the access of other processes to this machine. Their calls are not counted, and no injected fault hits
    /// them.
    pub fn outside(&self) -> OutsideProcess {
        OutsideProcess::new(Arc::clone(&self.shared))
    }

    /// Sets what the system can do.
    pub fn set_features(&self, features: SystemFeatures) {
        lock(&self.shared).system.features = features;
    }

    /// Makes every flush report success and do nothing, to test the tester.
    pub fn lie_about_sync(&self, lie: bool) {
        let all: &[OsCall] = if lie { &[OsCall::SyncData, OsCall::SyncAll, OsCall::SyncDir] } else { &[] };
        self.lie_about(all);
    }

    /// Makes only these flushes report success and do nothing.
    pub fn lie_about(&self, flushes: &[OsCall]) {
        lock(&self.shared).system.lies = flushes.iter().copied().collect();
    }

    /// Lets time pass in which nothing happens.
    pub fn pass(&self, time: Duration) {
        let passed = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        lock(&self.shared).system.pass(passed);
    }

    /// The machine's clock, nanoseconds since 1970: the one that its files' times come from.
    pub fn now(&self) -> i64 {
        lock(&self.shared).system.now()
    }

    /// Makes everything durable: the state at the start of a scenario.
    pub fn settle(&self) {
        lock(&self.shared).system.settle();
    }

    /// A copy of the machine in which the process has ended, and outside processes too. No hook or fault.
    pub fn fork(&self) -> SimMachine {
        let mut system = lock(&self.shared).system.clone();
        system.close_all(None);
        Self::of(system, self.process + 1)
    }

    /// Ends the process: what it has open is closed, and all its calls fail from now on. Returns the same
    /// machine for the next process, with counters at 0 and without faults, stops or hooks.
    pub fn kill(&self) -> SimMachine {
        let mut state = lock(&self.shared);
        let old = state.calls.process;
        state.system.close_all(Some(HandleOwner::Process(old)));
        state.calls = CallState::of(old + 1);
        SimMachine { shared: Arc::clone(&self.shared), process: old + 1 }
    }

    /// The machine as it may be found after its power was cut now: another boot, no process.
    pub fn power_cut(&self, chooser: &mut dyn CutChooser) -> SimMachine {
        let system = lock(&self.shared).system.cut(chooser);
        Self::of(system, self.process + 1)
    }

    /// Every state that a power cut may leave, or `None` where there are more than `limit`.
    pub fn all_cuts(&self, limit: usize) -> Option<Vec<SimMachine>> {
        let mut chooser = StateEnumerator::new();
        let mut found = Vec::new();
        loop {
            found.push(self.power_cut(&mut chooser));
            if !chooser.advance() {
                return Some(found);
            }
            if found.len() >= limit {
                return None;
            }
        }
    }

    /// Every state that a power cut may leave if they are at most `limit`; else that many: first nothing and
    /// everything of the files with the shortest and longest journals, then random ones.
    pub fn cuts(&self, limit: usize, seed: u64) -> Vec<SimMachine> {
        if let Some(all) = self.all_cuts(limit) {
            return all;
        }
        let journal = lock(&self.shared).system.unforced();
        let corners = [(journal, 0), (journal, 1), (0, 0), (0, 1)]
            .map(|(journal, files)| ExtremeChooser { journal, files });
        let mut found: Vec<SimMachine> =
            corners.into_iter().take(limit).map(|mut corner| self.power_cut(&mut corner)).collect();
        let mut chooser = SeededRandom::new(seed);
        while found.len() < limit {
            found.push(self.power_cut(&mut chooser));
        }
        found
    }

    /// Ends the process right after its `effects`-th effect from its start; that call itself succeeds.
    pub fn stop_after(&self, effects: u64) {
        lock(&self.shared).calls.stop = Some(StopPoint { after: effects, written: None });
    }

    /// As [`SimMachine::stop_after`], but if that effect is a write, only so many bytes of it are written.
    pub fn stop_inside(&self, effects: u64, written: usize) {
        lock(&self.shared).calls.stop = Some(StopPoint { after: effects, written: Some(written) });
    }

    /// Makes the `call`-th call fail (counted from 1), or it and every later one.
    pub fn fail_call(&self, call: u64, errno: i32, lasting: FaultDuration) {
        self.fail(Fault { at: call, lasting, only: Vec::new(), errno, written: 0 });
    }

    /// Orders a fault.
    pub fn fail(&self, fault: Fault) {
        lock(&self.shared).calls.faults.push(fault);
    }

    /// Takes all faults back.
    pub fn remove_faults(&self) {
        lock(&self.shared).calls.faults.clear();
    }

    /// Lets no read return more bytes at once.
    pub fn read_at_most(&self, bytes: usize) {
        lock(&self.shared).calls.read_at_most = Some(bytes.max(1));
    }

    /// Runs something at the `call`-th call (counted from 1), once.
    pub fn at_call(&self, call: u64, when: HookTiming, run: impl FnOnce(&OutsideProcess) + Send + 'static) {
        self.hook(HookTrigger::Call(call), when, Box::new(run));
    }

    /// Runs something at the next call of a kind after `skip` others of it, once.
    pub fn at_next(
        &self,
        op: OsCall,
        skip: u64,
        when: HookTiming,
        run: impl FnOnce(&OutsideProcess) + Send + 'static,
    ) {
        self.hook(HookTrigger::Next { op, skip }, when, Box::new(run));
    }

    fn hook(&self, trigger: HookTrigger, when: HookTiming, run: Box<dyn FnOnce(&OutsideProcess) + Send>) {
        lock(&self.shared).calls.hooks.push(CallHook { trigger, when, run });
    }

    /// Calls that the process has made.
    pub fn calls(&self) -> u64 {
        lock(&self.shared).calls.calls
    }

    /// Effects among them that happened.
    pub fn effects(&self) -> u64 {
        lock(&self.shared).calls.effects
    }

    /// Returns true if the process has reached the effect after which it was to stop.
    pub fn stopped(&self) -> bool {
        lock(&self.shared).calls.refuses(self.process)
    }

    /// The calls that the process has made, one line each.
    pub fn trace(&self) -> Vec<Arc<str>> {
        lock(&self.shared).calls.trace.clone()
    }

    /// The last of them; empty before the first.
    pub fn last_call(&self) -> Arc<str> {
        lock(&self.shared).calls.trace.last().cloned().unwrap_or_else(|| "".into())
    }

    /// Returns the contents of a folder and all folders below it, by path from there.
    ///
    /// # Errors
    /// `NotFound` and `NotADirectory` for the folder itself.
    pub fn snapshot(&self, path: &str) -> io::Result<MachineSnapshot> {
        MachineSnapshot::take(&lock(&self.shared).system, path.as_bytes())
    }

    /// Returns a hash of the whole disk, with times and inode numbers. It is the same for machines that differ only in
    /// their clocks and in the changes that another power cut could lose.
    pub fn disk_hash(&self) -> [u8; 32] {
        disk_hash(&lock(&self.shared).system)
    }

    /// Returns the first complaint of a check of the file system: a name without a file, a wrong count of links, or a
    /// folder that is below itself. For the simulator's own tests.
    pub fn inconsistency(&self) -> Option<String> {
        lock(&self.shared).system.tree().inconsistency()
    }

    /// The one way into the system for the process under test.
    pub(super) fn call<T>(
        &self,
        op: OsCall,
        names: &[&[u8]],
        run: impl FnOnce(&mut SystemState, CallEffect) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.alive()?;
        let (number, hooks) = state.calls.arrive(op, names);
        if !hooks.is_empty() {
            drop(state);
            self.run(hooks);
            state = self.alive()?;
        }
        let done = match state.calls.fate(number, op) {
            CallOutcome::Passes => run(&mut state.system, CallEffect::Whole),
            CallOutcome::Fails { errno, pass } => {
                if let Some(pass) = pass {
                    run(&mut state.system, pass)?;
                    state.calls.effects += 1;
                }
                return Err(io::Error::from_raw_os_error(errno));
            }
            CallOutcome::DiesInside(written) => {
                run(&mut state.system, CallEffect::Part(written))?;
                state.calls.dead = true;
                return Err(dead());
            }
        };
        if done.is_ok() && op.is_effect() {
            state.calls.effects += 1;
        }
        let hooks = state.calls.due(number, op, HookTiming::After);
        drop(state);
        self.run(hooks);
        done
    }

    fn alive(&self) -> io::Result<MutexGuard<'_, MachineState>> {
        let state = lock(&self.shared);
        if state.calls.refuses(self.process) { Err(dead()) } else { Ok(state) }
    }

    fn run(&self, hooks: Vec<CallHook>) {
        let outside = self.outside();
        for hook in hooks {
            (hook.run)(&outside);
        }
    }
}

/// Decides every file alike.
struct ExtremeChooser {
    journal: usize,
    files: usize,
}

impl CutChooser for ExtremeChooser {
    fn choose(&mut self, point: ChoicePoint, options: usize) -> usize {
        let wanted = match point {
            ChoicePoint::Journal | ChoicePoint::Step => self.journal,
            ChoicePoint::File => self.files,
            ChoicePoint::HalfExchange | ChoicePoint::Length | ChoicePoint::Pattern | ChoicePoint::Sector => 0,
        };
        wanted.min(options.saturating_sub(1))
    }
}
