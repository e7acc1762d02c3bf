//! The simulated machine: the system calls of the process under test, and the functions with which a test controls
//! it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::call::{CallHook, Fate, Fault, Gate, Lasting, Op, Pass, Stop, Trigger, When, dead};
use super::choose::{Chooser, Enumerated, Point, Seeded};
use super::outside::Outside;
use super::snapshot::Snapshot;
pub use super::world::Abilities;
use super::world::{Owner, World};

pub(super) struct State {
    pub(super) world: World,
    pub(super) gate: Gate,
}

pub(super) type SharedState = Arc<Mutex<State>>;

pub(super) fn lock(shared: &SharedState) -> MutexGuard<'_, State> {
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
        Self::of(World::new(), 1)
    }

    fn of(world: World, process: u64) -> Self {
        Self { shared: Arc::new(Mutex::new(State { world, gate: Gate::of(process) })), process }
    }

    /// Returns the access of other processes to this machine. Their calls are not counted, and no injected fault hits
    /// them.
    pub fn outside(&self) -> Outside {
        Outside::new(Arc::clone(&self.shared))
    }

    /// Sets what the system can do.
    pub fn set_abilities(&self, abilities: Abilities) {
        lock(&self.shared).world.abilities = abilities;
    }

    /// Makes every flush report success and do nothing, to test the tester.
    pub fn lie_about_sync(&self, lie: bool) {
        let all: &[Op] = if lie { &[Op::SyncData, Op::SyncAll, Op::SyncDir] } else { &[] };
        self.lie_about(all);
    }

    /// Makes only these flushes report success and do nothing.
    pub fn lie_about(&self, flushes: &[Op]) {
        lock(&self.shared).world.lies = flushes.iter().copied().collect();
    }

    /// Lets time pass in which nothing happens.
    pub fn pass(&self, time: Duration) {
        let passed = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        lock(&self.shared).world.pass(passed);
    }

    /// The machine's clock, nanoseconds since 1970: the one that its files' times come from.
    pub fn now(&self) -> i64 {
        lock(&self.shared).world.now()
    }

    /// Makes everything durable: the state at the start of a scenario.
    pub fn settle(&self) {
        lock(&self.shared).world.settle();
    }

    /// A copy of the machine in which the process has ended, and outside processes too. No hook or fault.
    pub fn fork(&self) -> SimMachine {
        let mut world = lock(&self.shared).world.clone();
        world.close_all(None);
        Self::of(world, self.process + 1)
    }

    /// Ends the process: what it has open is closed, and all its calls fail from now on. Returns the same
    /// machine for the next process, with counters at 0 and without faults, stops or hooks.
    pub fn kill(&self) -> SimMachine {
        let mut state = lock(&self.shared);
        let old = state.gate.process;
        state.world.close_all(Some(Owner::Process(old)));
        state.gate = Gate::of(old + 1);
        SimMachine { shared: Arc::clone(&self.shared), process: old + 1 }
    }

    /// The machine as it may be found after its power was cut now: another boot, no process.
    pub fn power_cut(&self, chooser: &mut dyn Chooser) -> SimMachine {
        let world = lock(&self.shared).world.cut(chooser);
        Self::of(world, self.process + 1)
    }

    /// Every state that a power cut may leave, or `None` where there are more than `limit`.
    pub fn all_cuts(&self, limit: usize) -> Option<Vec<SimMachine>> {
        let mut chooser = Enumerated::new();
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
        let journal = lock(&self.shared).world.unforced();
        let corners =
            [(journal, 0), (journal, 1), (0, 0), (0, 1)].map(|(journal, files)| Corner { journal, files });
        let mut found: Vec<SimMachine> =
            corners.into_iter().take(limit).map(|mut corner| self.power_cut(&mut corner)).collect();
        let mut chooser = Seeded::new(seed);
        while found.len() < limit {
            found.push(self.power_cut(&mut chooser));
        }
        found
    }

    /// Ends the process right after its `effects`-th effect from its start; that call itself succeeds.
    pub fn stop_after(&self, effects: u64) {
        lock(&self.shared).gate.stop = Some(Stop { after: effects, written: None });
    }

    /// As [`SimMachine::stop_after`], but if that effect is a write, only so many bytes of it are written.
    pub fn stop_inside(&self, effects: u64, written: usize) {
        lock(&self.shared).gate.stop = Some(Stop { after: effects, written: Some(written) });
    }

    /// Makes the `call`-th call fail (counted from 1), or it and every later one.
    pub fn fail_call(&self, call: u64, errno: i32, lasting: Lasting) {
        self.fail(Fault { at: call, lasting, only: Vec::new(), errno, written: 0 });
    }

    /// Orders a fault.
    pub fn fail(&self, fault: Fault) {
        lock(&self.shared).gate.faults.push(fault);
    }

    /// Takes all faults back.
    pub fn mend(&self) {
        lock(&self.shared).gate.faults.clear();
    }

    /// Lets no read return more bytes at once.
    pub fn read_at_most(&self, bytes: usize) {
        lock(&self.shared).gate.read_at_most = Some(bytes.max(1));
    }

    /// Runs something at the `call`-th call (counted from 1), once.
    pub fn at_call(&self, call: u64, when: When, run: impl FnOnce(&Outside) + Send + 'static) {
        self.hook(Trigger::Call(call), when, Box::new(run));
    }

    /// Runs something at the next call of a kind after `skip` others of it, once.
    pub fn at_next(&self, op: Op, skip: u64, when: When, run: impl FnOnce(&Outside) + Send + 'static) {
        self.hook(Trigger::Next { op, skip }, when, Box::new(run));
    }

    fn hook(&self, trigger: Trigger, when: When, run: Box<dyn FnOnce(&Outside) + Send>) {
        lock(&self.shared).gate.hooks.push(CallHook { trigger, when, run });
    }

    /// Calls that the process has made.
    pub fn calls(&self) -> u64 {
        lock(&self.shared).gate.calls
    }

    /// Effects among them that happened.
    pub fn effects(&self) -> u64 {
        lock(&self.shared).gate.effects
    }

    /// Returns true if the process has reached the effect after which it was to stop.
    pub fn stopped(&self) -> bool {
        lock(&self.shared).gate.refuses(self.process)
    }

    /// The calls that the process has made, one line each.
    pub fn trace(&self) -> Vec<Arc<str>> {
        lock(&self.shared).gate.trace.clone()
    }

    /// The last of them; empty before the first.
    pub fn last_call(&self) -> Arc<str> {
        lock(&self.shared).gate.trace.last().cloned().unwrap_or_else(|| "".into())
    }

    /// Returns the contents of a folder and all folders below it, by path from there.
    ///
    /// # Errors
    /// `NotFound` and `NotADirectory` for the folder itself.
    pub fn snapshot(&self, path: &str) -> io::Result<Snapshot> {
        Snapshot::take(&lock(&self.shared).world, path.as_bytes())
    }

    /// Returns the first complaint of a check of the file system: a name without a file, a wrong count of links, or a
    /// folder that is below itself. For the simulator's own tests.
    pub fn inconsistency(&self) -> Option<String> {
        lock(&self.shared).world.tree().inconsistency()
    }

    /// The one way into the world for the process under test.
    pub(super) fn call<T>(
        &self,
        op: Op,
        names: &[&[u8]],
        run: impl FnOnce(&mut World, Pass) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.alive()?;
        let (number, hooks) = state.gate.arrive(op, names);
        if !hooks.is_empty() {
            drop(state);
            self.run(hooks);
            state = self.alive()?;
        }
        let done = match state.gate.fate(number, op) {
            Fate::Passes => run(&mut state.world, Pass::Whole),
            Fate::Fails { errno, pass } => {
                if let Some(pass) = pass {
                    run(&mut state.world, pass)?;
                    state.gate.effects += 1;
                }
                return Err(io::Error::from_raw_os_error(errno));
            }
            Fate::DiesInside(written) => {
                run(&mut state.world, Pass::Part(written))?;
                state.gate.dead = true;
                return Err(dead());
            }
        };
        if done.is_ok() && op.is_effect() {
            state.gate.effects += 1;
        }
        let hooks = state.gate.due(number, op, When::After);
        drop(state);
        self.run(hooks);
        done
    }

    fn alive(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = lock(&self.shared);
        if state.gate.refuses(self.process) { Err(dead()) } else { Ok(state) }
    }

    fn run(&self, hooks: Vec<CallHook>) {
        let outside = self.outside();
        for hook in hooks {
            (hook.run)(&outside);
        }
    }
}

/// Decides every file alike.
struct Corner {
    journal: usize,
    files: usize,
}

impl Chooser for Corner {
    fn choose(&mut self, point: Point, options: usize) -> usize {
        let wanted = match point {
            Point::Journal | Point::Step => self.journal,
            Point::File => self.files,
            Point::HalfExchange | Point::Length | Point::Pattern | Point::Sector => 0,
        };
        wanted.min(options.saturating_sub(1))
    }
}
