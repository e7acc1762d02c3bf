//! Case files: one file, one story, told as data. This is what a story may say and how it is played; what it
//! must say about the daemon stands in `tests/cases/*.toml`, and adding one touches no Rust.
//!
//! # A story
//!
//! Its file's name is its sentence. It holds, in this order:
//!
//! * `why`: a line or two, where the name does not say it all.
//! * `[settings]`: what `.editd.toml` would say (`unread`, `on_stale`, `encodings`, `generated`).
//! * `[before."path"]`: the world before; see [`PathState`]. `%NN` in a path is that byte.
//! * `[[step]]`: what happens, one after the other; see [`ScenarioStep`]. A request is a table, or JSON as text.
//! * `[after."path"]`: the world after. What is not named must be as it was before.
//!
//! A reply must hold what `expect` names, and may hold more: tables by their keys, lists of the same length
//! item by item. `"~text"` fits text that contains it, `"<any>"` whatever is there, `"<absent>"` nothing.
//! `save = { v = "version" }` keeps a field of the reply; `"$v"` stands for it from then on. `"$t2"` is the
//! time at which step 2 began, in milliseconds.
//!
//! `BLESS=1` writes what really happened into `expect` (the fields that it names; `expect = {}` names the
//! usual ones) and `after`. Read what it wrote: it is a claim about the product.

pub mod bless;
pub mod desk;
pub mod lenses;
pub mod matching;
pub mod play;
pub mod story;
pub mod workspace;
pub mod world;

pub use desk::{Opening, ScenarioTarget, StepHook, StepName};
pub use play::run;
pub use story::{PathState, Scenario, ScenarioStep};
