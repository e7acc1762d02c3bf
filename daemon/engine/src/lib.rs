//! What an edit means: text, locating, splices. Pure: no file, clock or socket is touched here.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_proto::error::WireError;
use editd_proto::message::{FileEntry, FileOutcome, JobRequest};
use editd_proto::path::WirePath;
use serde::{Deserialize, Serialize};

/// Why an edit was refused. Boxed: it is large and rare.
pub type Refusal = Box<WireError>;

/// One changed range: at `at` in the content before, `old` gives way to `new`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Splice {
    /// Byte offset in the content before.
    pub at: u64,
    /// What stood there.
    #[serde(with = "serde_bytes")]
    pub old: Vec<u8>,
    /// What stands there now.
    #[serde(with = "serde_bytes")]
    pub new: Vec<u8>,
}

/// What is at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing.
    Absent,
    /// A regular file.
    File {
        /// Its content.
        bytes: Arc<[u8]>,
        /// Its permission bits.
        mode: u32,
    },
}

/// What a job sees: the files it names and the clipboards it reads, as they were when it was judged.
#[derive(Clone, Default, Debug)]
pub struct World {
    /// Every path that [`needs`] names.
    pub files: BTreeMap<WirePath, State>,
    /// Every clipboard that [`needs`] names and that holds something.
    pub clips: BTreeMap<String, Vec<u8>>,
}

/// What a job must be shown before it can be planned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Paths, each once, in order of appearance: of the entries and of `rename` and `copy` targets.
    pub paths: Vec<WirePath>,
    /// Clipboards that are read before an earlier edit of the job stored them.
    pub clips: Vec<String>,
}

/// What proves that a file entry knows the content it replaces, where its session has no receipt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// It replaces nothing: it only creates, copies from, or adds at start or end.
    NotNeeded,
    /// Every edit quotes what it replaces.
    Quoted,
    /// Some edit replaces content that it does not quote (`write`, `lines`, `substitute`, `delete`, …).
    Blind,
}

/// The net change of one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which.
    pub path: WirePath,
    /// What was there.
    pub before: State,
    /// What shall be there.
    pub after: State,
    /// What turns one into the other; with `Absent` as the empty content.
    pub splices: Vec<Splice>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// A clipboard that a job stores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClipWrite {
    /// Its name; with a leading `/` it is the workspace's.
    pub name: String,
    /// The matched bytes of the file.
    pub bytes: Vec<u8>,
    /// Where they stood.
    pub origin: WirePath,
}

/// What a job would do.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Net changes, each path once, none where before equals after. In the order of first mention.
    pub changes: Vec<Change>,
    /// Clipboards, the last store of each name.
    pub clips: Vec<ClipWrite>,
    /// What to report, one for each file entry of the job, diffs included if the job asks for them.
    pub files: Vec<FileOutcome>,
    /// With `partial`: the first error among the edits that were left out.
    pub error: Option<Refusal>,
}

/// What planning may cost and how text is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Encodings that the configuration names for paths, by label (`encoding_rs`), first match wins.
    pub encodings: Vec<(WirePath, String)>,
}

#[expect(clippy::unimplemented, unused_variables, reason = "signatures only, until the room is built")]
mod unbuilt {
    use super::*;
    /// What a job must be shown.
    pub fn needs(job: &JobRequest) -> Result<Needs, Refusal> {
        unimplemented!()
    }
    /// What proves an entry's knowledge.
    pub fn proof(entry: &FileEntry) -> Result<Proof, Refusal> {
        unimplemented!()
    }
    /// Plans a job; writes nothing.
    pub fn plan(job: &JobRequest, world: &World, options: &Options) -> Result<Plan, Refusal> {
        unimplemented!()
    }
    /// Applies splices; `None` where `old` is not what stands there, or they overlap or are unsorted.
    pub fn apply(content: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
        unimplemented!()
    }
    /// The splices that take these back: in the offsets of the content after.
    pub fn invert(splices: &[Splice]) -> Vec<Splice> {
        unimplemented!()
    }
    /// Splices that turn one content into another, by lines, trimmed; within a work budget.
    pub fn splices_between(before: &[u8], after: &[u8]) -> Vec<Splice> {
        unimplemented!()
    }
    /// A unified diff of two states, at most `limits::DIFF` bytes, and the hunks left out.
    pub fn unified_diff(path: &WirePath, before: &State, after: &State) -> (String, u64) {
        unimplemented!()
    }
    /// The splices themselves as a unified diff without context, and the hunks left out.
    pub fn splice_diff(path: &WirePath, splices: &[Splice]) -> (String, u64) {
        unimplemented!()
    }
    /// The text model of a file for a reply: lines, encoding, ending, BOM, and the decoded text of some lines.
    pub fn view(
        bytes: &[u8],
        lines: Option<(u64, u64)>,
        path: &WirePath,
        options: &Options,
    ) -> Result<View, Refusal> {
        unimplemented!()
    }
    /// A file as a reader sees it.
    #[derive(Clone, Debug)]
    pub struct View {
        /// Decoded, without BOM; `None` where it is not text that editd edits.
        pub text: Option<String>,
        /// The bytes where it is not text.
        pub bytes: Option<Vec<u8>>,
        /// Lines of the whole file.
        pub lines: u64,
        /// First line of `text`.
        pub first_line: u64,
        /// `utf-8`, `utf-16le`, `utf-16be`, a label, or `binary`.
        pub encoding: String,
        /// `lf`, `crlf`, `cr`, `mixed`, `none`.
        pub line_ending: String,
        /// Whether it has one.
        pub bom: bool,
    }
}
pub use unbuilt::*;
