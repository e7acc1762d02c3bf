//! Images of a running machine: after every effect of the process, the states that a kill and power cuts leave. One
//! run gives all of them and is not disturbed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sim::{HookTiming, SeededRandom, SimMachine};

/// The event that ended the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrashKind {
    /// It was killed.
    Kill,
    /// The power was cut; the number of the state that it left.
    Cut(usize),
}

/// The reply that the client had received for the job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReplyState {
    /// Nothing yet.
    Waiting,
    /// It was applied: it must be there.
    Applied,
    /// The same, and its seal has been flushed since.
    Sealed,
    /// It was refused: nothing of it may be there.
    Refused,
    /// It failed, and only a later read or the next start shows its result.
    Unsure,
}

/// A machine on which the next process may start.
#[derive(Clone)]
pub struct CrashImage {
    /// The event that ended the process.
    pub crash: CrashKind,
    /// The reply that the client had received by then.
    pub answer: ReplyState,
    /// The machine.
    pub machine: SimMachine,
    /// Effects that had happened.
    pub effects: u64,
    /// The last call that was made.
    pub call: Arc<str>,
}

impl fmt::Debug for CrashImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} after call {}, {:?}", self.crash, self.call, self.answer)
    }
}

/// The power cuts to test after each effect.
#[derive(Clone, Copy, Debug)]
pub struct CutSample {
    /// The largest number; all of them are tested if there are no more.
    pub limit: usize,
    /// The seed that chooses some of a larger number.
    pub seed: u64,
}

struct RecordedImages {
    images: Vec<CrashImage>,
    effects: Option<u64>,
    answer: ReplyState,
    recording: bool,
}

/// Records crash images of a machine while its process runs.
#[derive(Clone)]
pub struct ImageRecorder {
    cuts: CutSample,
    /// One of this number of effects is recorded.
    one_in: u64,
    taken: Arc<Mutex<RecordedImages>>,
}

impl ImageRecorder {
    /// Returns a recorder without images.
    #[must_use]
    pub fn new(cuts: CutSample) -> Self {
        let taken = RecordedImages {
            images: Vec::new(),
            effects: None,
            answer: ReplyState::Waiting,
            recording: false,
        };
        Self { cuts, one_in: 1, taken: Arc::new(Mutex::new(taken)) }
    }

    /// Records only one of this number of effects, chosen by the seed.
    #[must_use]
    pub fn one_in(self, one_in: u64) -> Self {
        Self { one_in: one_in.max(1), ..self }
    }

    fn lock(&self) -> MutexGuard<'_, RecordedImages> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records images from now on: of the present state, and after every effect.
    pub fn record(&self, machine: &SimMachine) {
        self.lock().recording = true;
        self.take(machine);
        self.follow(machine, machine.calls() + 1);
    }

    /// As [`Self::record`], during a call that has begun: its effect is the first.
    pub fn record_from_this_call(&self, machine: &SimMachine) {
        self.lock().recording = true;
        self.take(machine);
        self.follow(machine, machine.calls());
    }

    fn follow(&self, machine: &SimMachine, call: u64) {
        let (recorder, same) = (self.clone(), machine.clone());
        machine.at_call(call, HookTiming::After, move |_| {
            recorder.take(&same);
            recorder.follow(&same, call + 1);
        });
    }

    /// Notes the reply that the client has received, and records the present state again.
    pub fn answered(&self, machine: &SimMachine, answer: ReplyState) {
        let mut taken = self.lock();
        taken.answer = answer;
        // The state is recorded again, as the reply holds for it from now on.
        taken.effects = None;
        drop(taken);
        self.take(machine);
    }

    fn take(&self, machine: &SimMachine) {
        let effects = machine.effects();
        let mut taken = self.lock();
        if !taken.recording || taken.effects == Some(effects) {
            return;
        }
        taken.effects = Some(effects);
        let dice = SeededRandom::new(self.cuts.seed ^ effects.rotate_left(17)).next_number();
        if !dice.is_multiple_of(self.one_in) {
            return;
        }
        let call = machine.last_call();
        let answer = taken.answer;
        let image = |crash, machine| CrashImage { crash, answer, machine, effects, call: Arc::clone(&call) };
        taken.images.push(image(CrashKind::Kill, machine.fork()));
        let cuts = machine.cuts(self.cuts.limit, self.cuts.seed ^ effects);
        let cuts = cuts.into_iter().enumerate().map(|(state, machine)| image(CrashKind::Cut(state), machine));
        taken.images.extend(cuts);
    }

    /// Returns the images and ends the machine's process, so that no more are taken.
    #[must_use]
    pub fn finish(self, machine: &SimMachine) -> Vec<CrashImage> {
        machine.kill();
        std::mem::take(&mut self.lock().images)
    }
}
