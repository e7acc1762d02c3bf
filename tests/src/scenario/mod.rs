//! Case files: each file is one scenario, as data. This page describes the form and the player. The scenarios are in
//! `tests/cases/*.toml`; adding one needs no Rust code. Each is played on real files and on the simulated machine.
//!
//! # A scenario
//!
//! The name of the file is a sentence about the daemon. The file has, in this order:
//!
//! * `why`: a line or two, if the name does not say it all.
//! * `skip.MODE`: the reason why the scenario does not run in a mode; see [`TestMode`].
//! * `thorough`: a larger sample of the calls at which something can happen.
//! * `without`: features that the simulated machine lacks; see [`format::OptionalFeature`].
//! * `[settings]`: settings as in `.editd.toml` (`unread`, `on_stale`, `encodings`, `generated`, `git_folder`).
//! * `[before."path"]`: the initial state; see [`PathState`]. `%NN` in a path is that byte.
//! * `[[step]]`: the steps, one after the other; see [`ScenarioStep`]. A request is a table, or JSON as text.
//! * `[after."path"]`: the final state. A path that is not named must be as it was before.
//!
//! A reply must have the fields in `expect`, and may have more: tables are compared by their keys, lists of the same
//! length item by item. `"~text"` matches text that contains it, `"<any>"` any value, `"<absent>"` no value.
//! `save = { v = "version" }` keeps a field of the reply; `"$v"` stands for it in later steps. `"$t2"` is the time at
//! which step 2 began, in milliseconds.
//!
//! `BLESS=1` writes the results into `expect` (the fields that it names; `expect = {}` names the usual ones) and
//! `after`. Read what it wrote: each result is a claim about the product.

pub mod bless;
pub mod format;
pub mod lines;
pub mod machine;
pub mod matching;
pub mod player;
pub mod real;
pub mod simulated;
pub mod target;
pub mod variants;
pub mod workspace;

pub use editd::testing::JobStep;
pub use format::{PathState, Scenario, ScenarioStep, TestMode};
pub use target::{ScenarioTarget, StepHook};
