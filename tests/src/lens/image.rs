//! Images of a running machine: after every effect of the process, what a kill would leave and what power cuts would.
//! One run gives all of them; the run itself goes on undisturbed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sim::{SimMachine, When};

/// What ended the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blow {
    /// It was killed.
    Kill,
    /// The power was cut: which of the states that it may leave.
    Cut(usize),
}

/// A machine on which the next process may start.
#[derive(Clone)]
pub struct Image {
    /// What ended the process.
    pub blow: Blow,
    /// Whether the client had its answer by then.
    pub answered: bool,
    /// The machine.
    pub machine: SimMachine,
    /// The last call that was made.
    pub call: Arc<str>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered = if self.answered { ", answered" } else { "" };
        write!(f, "{:?} after call {}{answered}", self.blow, self.call)
    }
}

/// How many power cuts to look at after each effect, and which.
#[derive(Clone, Copy, Debug)]
pub struct Cuts {
    /// At most so many; all where there are no more.
    pub limit: usize,
    /// Chooses among more.
    pub seed: u64,
}

struct Taken {
    images: Vec<Image>,
    effects: Option<u64>,
    answered: bool,
}

/// Collects images.
#[derive(Clone)]
pub struct Album {
    cuts: Cuts,
    taken: Arc<Mutex<Taken>>,
}

impl Album {
    /// An empty one.
    #[must_use]
    pub fn new(cuts: Cuts) -> Self {
        let taken = Taken { images: Vec::new(), effects: None, answered: false };
        Self { cuts, taken: Arc::new(Mutex::new(taken)) }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes images from now on: of what stands now, and after every effect.
    pub fn watch(&self, machine: &SimMachine) {
        self.take(machine);
        self.follow(machine, machine.calls() + 1);
    }

    fn follow(&self, machine: &SimMachine, call: u64) {
        let (album, same) = (self.clone(), machine.clone());
        machine.at_call(call, When::After, move |_| {
            album.take(&same);
            album.follow(&same, call + 1);
        });
    }

    /// The client has its answer.
    pub fn answered(&self, machine: &SimMachine) {
        let mut taken = self.lock();
        taken.answered = true;
        // The same state once more: now it is owed.
        taken.effects = None;
        drop(taken);
        self.take(machine);
    }

    fn take(&self, machine: &SimMachine) {
        let effects = machine.effects();
        let mut taken = self.lock();
        if taken.effects == Some(effects) {
            return;
        }
        taken.effects = Some(effects);
        let call = machine.last_call();
        let answered = taken.answered;
        let image = |blow, machine| Image { blow, answered, machine, call: Arc::clone(&call) };
        taken.images.push(image(Blow::Kill, machine.fork()));
        let cuts = machine.cuts(self.cuts.limit, self.cuts.seed ^ effects);
        let cuts = cuts.into_iter().enumerate().map(|(state, machine)| image(Blow::Cut(state), machine));
        taken.images.extend(cuts);
    }

    /// What was taken. The machine's process is ended, so that it takes no more.
    #[must_use]
    pub fn close(self, machine: &SimMachine) -> Vec<Image> {
        machine.kill();
        std::mem::take(&mut self.lock().images)
    }
}
