//! The lenses: the whole journey of a job on the simulated machine, ended at every effect, shared with other
//! writers, struck by every fault. They look from outside only: at files, replies and the journal, never at how
//! the daemon came to them.
//!
//! *Calling sequence*: a [`story::SimScenario`] says what was there and what is done; [`desk::SimWorkspace`] does it through a
//! workspace on the machine; a lens ([`crash`], [`foreign`], [`fault`]) plays it again and again and returns one
//! sentence for each thing that is not so.

pub mod crash;
pub mod desk;
pub mod fault;
pub mod foreign;
pub mod image;
pub mod kept;
pub mod mixed;
pub mod requests;
pub mod stories;
pub mod story;
pub mod verdict;
pub mod view;

/// Returns true if `LENS=long`, which tests a hundred times as much as a run of the suite.
#[must_use]
pub fn long() -> bool {
    std::env::var_os("LENS").is_some_and(|value| value == "long")
}

/// Returns true if `STRICT` is set: then the tests also check the known limitations of recovery, see [`mixed`].
#[must_use]
pub fn strict() -> bool {
    std::env::var_os("STRICT").is_some()
}

/// The stories whose names begin with what `STORY` says; all of them where it says nothing.
#[must_use]
pub fn chosen(stories: Vec<story::SimScenario>) -> Vec<story::SimScenario> {
    let wanted = std::env::var("STORY").unwrap_or_default();
    stories.into_iter().filter(|story| story.name.starts_with(&wanted)).collect()
}
