//! Finds the entry that wrote each line of a file: goes from the present content back through the entries of the path,
//! and follows each line until an entry that added it.
//!
//! A line that an undo or a redo brought back is followed from the entry that was undone or redone. A file that a job
//! renamed, also onto another file, is followed under its former name.
//!
//! *Limitations*: copies are not followed. A move of lines within a file counts as writing them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::{Duration, Instant};

use editctl::journal::content::{FileContent, content};
use editctl::journal::lines::{LineDiff, is_text, split};
use editctl::{CallError, machine};
use editd_proto::FilePath;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{ContentRequest, EntryKind, EntrySide};
use similar::DiffTag;

use crate::inverse;
use crate::past::{PastEntry, PastStep, PathHistory};

/// Maximum number of bytes of a content that is compared.
pub(crate) const FILE: u64 = 16 << 20;

/// The time limit of a walk. Lines whose origin is not found by then are marked.
const PATIENCE: Duration = Duration::from_secs(60);

/// Maximum number of files of an entry that are compared with one, to find its former name.
const FORMER: usize = 16;

/// Maximum number of entries of an undo or a redo that are searched for the one whose content it brought back.
const RESTORED: usize = 64;

/// The origin of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineOrigin {
    /// An entry wrote it.
    Entry(JobId),
    /// It is older than the first entry of the path.
    BeforeJournal,
    /// It was written past the daemon, and the journal does not have the change.
    NotInJournal,
    /// The journal no longer has the content in which it appeared.
    NotKept,
    /// There are too many entries to find it.
    NotExamined,
}

/// Maximum number of files of an entry whose changes are asked for to get that of one.
const SHOWN: u64 = 20;

/// A line that is followed.
#[derive(Clone, Copy, Debug)]
struct FollowedLine {
    /// Its index in the content at this point.
    at: usize,
    /// Its index in the present file.
    shown: usize,
}

/// A content of a path just before an entry, and the lines that are followed in it.
struct PointContent {
    content: Rc<Vec<u8>>,
    /// Its version; `None` if it is not known.
    version: Option<Version>,
    lines: Vec<FollowedLine>,
}

/// Lines that are in another content, too, and those that are not.
type SplitLines = (Vec<FollowedLine>, Vec<FollowedLine>);

/// A content that an undo or redo brought back.
struct RestoredContent {
    entry: JobId,
    side: EntrySide,
    version: Option<Version>,
}

impl RestoredContent {
    /// Returns the number of the entry before which the file had the content.
    fn bound(&self) -> JobId {
        match self.side {
            EntrySide::Before => self.entry,
            EntrySide::After => JobId(self.entry.0.saturating_add(1)),
        }
    }
}

/// A file before an entry: its path, version and content.
type FormerFile = (FilePath, Option<Version>, Rc<Vec<u8>>);

/// The walk through the entries of a path.
pub(crate) struct LineWalk<'a, E> {
    history: PathHistory<'a, E>,
    /// The contents just before an entry, by the entry, the path and the version.
    points: BTreeMap<(JobId, FilePath, String), PointContent>,
    origins: Vec<LineOrigin>,
    /// The entries that wrote lines, with the name that the file had.
    pub(crate) authors: BTreeMap<JobId, (PastEntry, FilePath)>,
}

impl<'a, E: From<CallError>> LineWalk<'a, E> {
    /// Begins at the present content of a path. Follows the lines with these numbers, from 1.
    pub(crate) fn new(
        history: PathHistory<'a, E>,
        path: &FilePath,
        present: Vec<u8>,
        numbers: &RangeInclusive<u64>,
    ) -> Self {
        let count = split(&present).len();
        let is_followed = |at: &usize| numbers.contains(&(*at as u64 + 1));
        let lines = (0..count).filter(is_followed).map(|at| FollowedLine { at, shown: at }).collect();
        let point = PointContent { content: Rc::new(present), version: None, lines };
        Self {
            history,
            points: BTreeMap::from([((JobId(u64::MAX), path.clone(), String::new()), point)]),
            origins: vec![LineOrigin::NotExamined; count],
            authors: BTreeMap::new(),
        }
    }

    /// Returns the origin of each line.
    ///
    /// # Errors
    /// The daemon cannot be reached, or refuses a request.
    pub(crate) fn run(&mut self) -> Result<Vec<LineOrigin>, E> {
        let end: Option<Instant> = machine::tick().checked_add(PATIENCE);
        while end.is_some_and(|end| machine::tick() < end)
            && let Some(((bound, path, _), point)) = self.points.pop_last()
        {
            match self.history.below(&path, bound)? {
                PastStep::Start => self.found(&point.lines, LineOrigin::BeforeJournal),
                PastStep::TooMany => {}
                PastStep::Entry(entry) => self.step(&path, *entry, point)?,
            }
        }
        Ok(std::mem::take(&mut self.origins))
    }

    /// Follows lines through an entry.
    fn step(&mut self, path: &FilePath, entry: PastEntry, point: PointContent) -> Result<(), E> {
        let (after, lines) = if entry.after.is_some() && entry.after == point.version {
            (point.content, point.lines)
        } else {
            let Some(after) = self.content(entry.id, path, entry.after.as_ref(), EntrySide::After)? else {
                self.found(&point.lines, LineOrigin::NotKept);
                return Ok(());
            };
            let (same, new) = divide(&after, &point.content, &point.lines);
            self.found(&new, LineOrigin::NotInJournal);
            (after, same)
        };
        let lines = self.follow_back(path, &entry, &after, lines)?;
        self.wrote(path, entry, &lines);
        Ok(())
    }

    /// Adds the points from which lines are followed further. Returns the lines that the entry wrote.
    fn follow_back(
        &mut self,
        path: &FilePath,
        entry: &PastEntry,
        after: &Rc<Vec<u8>>,
        lines: Vec<FollowedLine>,
    ) -> Result<Vec<FollowedLine>, E> {
        if lines.is_empty() {
            return Ok(lines);
        }
        let restored = self.restored(path, entry)?;
        if let Some(old) = restored.as_ref().filter(|old| old.version == entry.after) {
            self.add(old.bound(), path, after, old.version.as_ref(), lines);
            return Ok(Vec::new());
        }
        let mut lines = lines;
        if entry.before.is_some() {
            let Some(before) = self.before(path, entry, after)? else {
                self.found(&lines, LineOrigin::NotKept);
                return Ok(Vec::new());
            };
            lines = self.pass(entry.id, path, entry.before.as_ref(), &before, after, &lines);
        }
        // A file may have been moved onto the one before.
        if !lines.is_empty()
            && let Some((former, version, before)) = self.former(entry, after)?
        {
            lines = self.pass(entry.id, &former, version.as_ref(), &before, after, &lines);
        }
        if let Some(old) = restored.filter(|old| old.version.is_some() && !lines.is_empty())
            && let Some(content) = self.content(old.entry, path, old.version.as_ref(), old.side)?
        {
            lines = self.pass(old.bound(), path, old.version.as_ref(), &content, after, &lines);
        }
        Ok(lines)
    }

    /// Returns the content that an undo or redo brought back: that before an entry that it undid, or after one that it redid, if
    /// it is the present one; else that of the oldest or of the newest.
    fn restored(&mut self, path: &FilePath, entry: &PastEntry) -> Result<Option<RestoredContent>, E> {
        let mut of: Vec<JobId> = entry.of.iter().copied().filter(|of| *of < entry.id).collect();
        of.sort_unstable();
        let side = match entry.kind {
            EntryKind::Undo => EntrySide::Before,
            EntryKind::Redo => EntrySide::After,
            _ => return Ok(None),
        };
        if side == EntrySide::After {
            of.reverse();
        }
        let mut first = None;
        for (tried, id) in of.iter().enumerate() {
            if tried >= RESTORED && first.is_some() {
                break;
            }
            let Some(found) = self.history.entry(path, *id)? else { continue };
            // A redo that names an undo restores what was there before it.
            let side = if found.kind == EntryKind::Undo { EntrySide::Before } else { side };
            let version = if side == EntrySide::After { found.after } else { found.before };
            let restored = RestoredContent { entry: found.id, side, version };
            if restored.version == entry.after {
                return Ok(Some(restored));
            }
            first = first.or(Some(restored));
        }
        Ok(first)
    }

    /// Returns the file that an entry renamed to the path: the one with the same content, else the one with the most equal
    /// lines, if these are half of all.
    fn former(&mut self, entry: &PastEntry, after: &Rc<Vec<u8>>) -> Result<Option<FormerFile>, E> {
        let (mut best, mut most) = (None, 0);
        let is_moved = |version: &Option<Version>| *version == entry.after;
        let exact = entry.sources.iter().filter(|(_, version)| is_moved(version));
        let others = entry.sources.iter().filter(|(_, version)| !is_moved(version));
        for (path, version) in exact.chain(others).take(FORMER) {
            // The content of a former name may have been forgotten; the same content is here.
            let content = if is_moved(version) {
                Some(Rc::clone(after))
            } else {
                self.content(entry.id, path, version.as_ref(), EntrySide::Before)?
            };
            let Some(before) = content else { continue };
            let diff = LineDiff::between(&before, after);
            let all = diff.old.len().max(diff.new.len());
            let same = diff.new.len() - usize::try_from(diff.counts().0).unwrap_or(diff.new.len());
            if same * 2 >= all && (same > most || best.is_none()) {
                (best, most) = (Some((path.clone(), version.clone(), before)), same);
            }
            if same == all {
                break;
            }
        }
        Ok(best)
    }

    /// Follows the lines that a content before an entry has. Returns the others.
    fn pass(
        &mut self,
        bound: JobId,
        path: &FilePath,
        version: Option<&Version>,
        before: &Rc<Vec<u8>>,
        after: &[u8],
        lines: &[FollowedLine],
    ) -> Vec<FollowedLine> {
        let (same, new) = divide(before, after, lines);
        self.add(bound, path, before, version, same);
        new
    }

    fn add(
        &mut self,
        bound: JobId,
        path: &FilePath,
        content: &Rc<Vec<u8>>,
        version: Option<&Version>,
        lines: Vec<FollowedLine>,
    ) {
        if lines.is_empty() {
            return;
        }
        let point = self
            .points
            .entry((bound, path.clone(), version.map(|it| it.0.clone()).unwrap_or_default()))
            .or_insert_with(|| PointContent {
                content: Rc::clone(content),
                version: version.cloned(),
                lines: Vec::new(),
            });
        point.lines.extend(lines);
    }

    /// Returns the content before an entry: made from the one after it if the daemon shows the change exactly, since that
    /// takes it less time, and it has older changes than contents.
    fn before(&self, path: &FilePath, entry: &PastEntry, after: &[u8]) -> Result<Option<Rc<Vec<u8>>>, E> {
        let mut made = None;
        if entry.files <= SHOWN {
            let shown = self.history.caller().ask(true, |it| match it.show(entry.id, None) {
                Err(CallError::Refused(_)) => Ok(None),
                other => other.map(Some),
            })?;
            let changes = shown.map(|shown| shown.changes).unwrap_or_default();
            let change = changes.iter().find(|change| change.path == *path && change.omitted_hunks == 0);
            made = change.and_then(|change| inverse::before(after, &change.diff));
        }
        let is_right = |made: &Vec<u8>| {
            let hash = blake3::hash(made).to_hex();
            is_text(made) && entry.before.as_ref().is_some_and(|version| hash.starts_with(&version.0))
        };
        match made.filter(is_right) {
            Some(made) => Ok(Some(Rc::new(made))),
            None => self.content(entry.id, path, entry.before.as_ref(), EntrySide::Before),
        }
    }

    /// Returns a content as text: nothing for a missing file or for one that is no text, `None` if it is not known.
    fn content(
        &self,
        job: JobId,
        path: &FilePath,
        version: Option<&Version>,
        side: EntrySide,
    ) -> Result<Option<Rc<Vec<u8>>>, E> {
        if version.is_none() {
            return Ok(Some(Rc::default()));
        }
        let request = ContentRequest { job, path: path.clone(), side, from: 0 };
        Ok(match content(self.history.caller(), &request, FILE)? {
            FileContent::Bytes(bytes) if is_text(&bytes) => Some(Rc::new(bytes)),
            FileContent::Absent | FileContent::Bytes(_) => Some(Rc::default()),
            FileContent::Same | FileContent::Long(_) | FileContent::Gone(_) => None,
        })
    }

    fn wrote(&mut self, path: &FilePath, entry: PastEntry, lines: &[FollowedLine]) {
        self.found(lines, LineOrigin::Entry(entry.id));
        if !lines.is_empty() {
            self.authors.entry(entry.id).or_insert_with(|| (entry, path.clone()));
        }
    }

    fn found(&mut self, lines: &[FollowedLine], origin: LineOrigin) {
        for line in lines {
            if let Some(known) = self.origins.get_mut(line.shown) {
                *known = origin;
            }
        }
    }
}

/// Divides followed lines of a content into those that an older content has, with their places there, and the others.
fn divide(old: &[u8], new: &[u8], lines: &[FollowedLine]) -> SplitLines {
    let diff = LineDiff::between(old, new);
    let mut places: Vec<Option<usize>> = vec![None; diff.new.len()];
    for step in diff.steps.iter().filter(|step| step.tag() == DiffTag::Equal) {
        for (old, new) in step.old_range().zip(step.new_range()) {
            if let Some(place) = places.get_mut(new) {
                *place = Some(old);
            }
        }
    }
    let (mut same, mut others) = (Vec::new(), Vec::new());
    for line in lines {
        match places.get(line.at).copied().flatten() {
            Some(at) => same.push(FollowedLine { at, ..*line }),
            None => others.push(*line),
        }
    }
    (same, others)
}
