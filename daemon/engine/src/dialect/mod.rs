//! The languages of other edit tools, each translated into this one: a payload in, file entries out; and the
//! reply in the words that the tool's users know. Nothing here finds a place in a file or changes a byte.
//!
//! *Calling sequence*: [`translate`] makes an [`Asked`] of a payload, with the [`Words`] in which its answer
//! is to be said; whoever carried it out calls [`Words::say`]. [`say_refusal`] is for a payload that was refused.
//!
//! *Invariants*: all blocks of a payload for one path are one file entry, so that they are located in the
//! same content; a payload that is not understood whole is refused whole, with what to mend; no payload panics.
//!
//! *To add a dialect*: one folder with a `Dialect`, and one line in the table in `registry`.

mod apply_patch;
mod call;
mod chunks;
mod entries;
mod explain;
mod json;
mod patch;
mod ranges;
mod recognise;
mod registry;
mod safe_edit;
mod search_replace;
mod setting;
mod summary;
mod text_editor;
mod tools;
mod unified_diff;

use editd_proto::error::WireError;
use editd_proto::message::{FileEntry, JobMode, ReadReply, Receipt};
use editd_proto::path::WirePath;

use crate::Refusal;

pub use registry::{list, say_refusal, translate};
pub use search_replace::progress;
pub use setting::Setting;

/// One dialect.
pub(crate) trait Dialect: Sync {
    /// Its name, as `--dialect` takes it.
    fn name(&self) -> &'static str;

    /// What it is, in one sentence for people.
    fn sentence(&self) -> &'static str;

    /// Whether a payload is surely of this dialect: by its fields, or by its first marker. Two dialects that
    /// both say so make it uncertain.
    fn recognises(&self, payload: &Sample<'_>) -> bool;

    /// Returns true if it reads the call of a tool around a payload itself; the others get what is in the call.
    fn reads_calls(&self) -> bool {
        false
    }

    /// What a payload asks for.
    ///
    /// # Errors
    /// `malformed`, `too_large` or `outside`, naming what to mend.
    fn translate(&self, payload: &str, setting: &Setting<'_>) -> Result<Translation, Refusal>;

    /// A refused payload in the words of the dialect.
    fn say_refusal(&self, error: &WireError) -> String {
        error.message.clone()
    }
}

/// A payload whose dialect nobody named.
#[derive(Debug)]
pub(crate) enum Sample<'p> {
    /// A JSON object.
    Json(&'p serde_json::Map<String, serde_json::Value>),
    /// Text that is no JSON object.
    Text(&'p str),
}

/// A payload, understood.
pub struct Translation {
    /// The dialect's name.
    pub dialect: &'static str,
    /// What it asks for.
    pub asked: Asked,
    /// How the answer is said.
    pub words: Box<dyn Words>,
}

/// What a payload asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Asked {
    /// An edit job.
    Job(Wanted),
    /// To be shown a file.
    View {
        /// Which.
        path: WirePath,
        /// First and last line, 1-based, inclusive; a last line past the end means the end.
        lines: Option<(u64, u64)>,
    },
    /// To take back the last entry of this session that changed a file.
    Undo {
        /// Which.
        path: WirePath,
    },
}

/// The edits of a payload, with what it says about the whole job; what it leaves open the request decides.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wanted {
    /// The files.
    pub files: Vec<FileEntry>,
    /// What to do with what validators say.
    pub mode: Option<JobMode>,
    /// Whether the reply shows diffs.
    pub diff: Option<bool>,
    /// Similarity that fuzzy matching accepts.
    pub threshold: Option<f64>,
    /// Apply what resolves.
    pub partial: Option<bool>,
    /// What to tell the user beside the reply.
    pub warnings: Vec<String>,
}

/// What became of what was asked for.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// Of an edit or an undo: also where it was refused.
    Receipt(&'a Receipt),
    /// Of a view.
    Read(&'a ReadReply),
}

/// How an answer is said in a dialect.
pub trait Words: Send + Sync {
    /// The answer as the tool's users know it. Bounded: it repeats no more than the answer holds.
    fn say(&self, answer: &Answer<'_>) -> String;
}

#[cfg(test)]
mod tests;
