//! The files of an entry for people: a deleted and a created file with the same content, or with similar ones, are one that
//! was renamed. Uses only the reply of the daemon.

use std::collections::BTreeMap;
use std::convert::Infallible;

use editd_proto::FilePath;
use editd_proto::message::{EntryDetail, EntryFile, EntrySide, EntrySummary, HistoryReply, ShowReply};
use serde::Serialize;

use super::diff::with_headers;
use crate::journal::content::FileContent;
use crate::journal::lines::LineDiff;
use crate::journal::net::{FormerName, NetChange};
use crate::journal::patch;
use crate::journal::renames::{RenamePair, RenameSide, pairs};
use crate::journal::similarity::TextPieces;

/// The indices of files, by their paths.
type IndexByPath<'p> = BTreeMap<&'p FilePath, usize>;

/// The changes of an entry, if it has them.
struct EntryChanges<'r> {
    changes: &'r [EntryDetail],
    index: IndexByPath<'r>,
}

impl<'r> EntryChanges<'r> {
    fn of(changes: &'r [EntryDetail]) -> Self {
        Self { changes, index: index(changes.iter().map(|change| &change.path)) }
    }

    fn get(&self, path: &FilePath) -> Option<&'r EntryDetail> {
        self.changes.get(*self.index.get(path)?)
    }
}

fn index<'p>(paths: impl Iterator<Item = &'p FilePath>) -> IndexByPath<'p> {
    let mut index = BTreeMap::new();
    // `collect` would sort the paths, which the daemon has done: code that `editctl` need not carry.
    for (at, path) in paths.enumerate() {
        index.insert(path, at);
    }
    index
}

/// A file of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFile<'e> {
    /// The file; of a rename the created one.
    pub file: &'e EntryFile,
    /// The rename.
    pub rename: Option<EntryRename>,
}

/// A rename within an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EntryRename {
    /// The path before.
    pub from: FilePath,
    /// The path after.
    pub to: FilePath,
    /// The part of the larger content that both have, in percent.
    pub similarity: u64,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// The rename as a diff with the headers of git. An entry of a list has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

impl ListedFile<'_> {
    /// Returns the path, or both paths of a rename.
    #[must_use]
    pub fn name(&self) -> String {
        let path = self.file.path.display();
        self.rename
            .as_ref()
            .map_or(path.clone(), |rename| format!("{} \u{2192} {path}", rename.from.display()))
    }

    /// Returns true for a rename that changed no line.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.rename.as_ref().is_some_and(|it| (it.added, it.removed) == (0, 0))
    }

    /// Returns the numbers of added and removed lines.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        self.rename.as_ref().map_or((self.file.added, self.file.removed), |it| (it.added, it.removed))
    }
}

/// Returns the files of an entry. Renames are found by equal contents, since a list has no others.
#[must_use]
pub fn listed(entry: &EntrySummary) -> Vec<ListedFile<'_>> {
    of(&entry.files, &[])
}

/// Returns the files of an entry with its changes.
#[must_use]
pub fn shown(reply: &ShowReply) -> Vec<ListedFile<'_>> {
    of(&reply.entry.files, &reply.changes)
}

/// Adds to `paths` the other path of each rename of an entry of which they have one. An undo of the created file alone
/// would remove the only file that has the content, and an undo of the deleted one would leave both.
///
/// # Errors
/// With `hunks`, a sentence about a rename: its hunks are not numbered.
pub fn complete(reply: &ShowReply, paths: &mut Vec<FilePath>, hunks: bool) -> Result<(), String> {
    for rename in shown(reply).into_iter().filter_map(|file| file.rename) {
        let (from, to) = (paths.contains(&rename.from), paths.contains(&rename.to));
        if hunks && (from || to) {
            return Err(format!(
                "entry {} renamed {} to {}: undo that as a whole, without hunks",
                reply.entry.id,
                rename.from.display(),
                rename.to.display()
            ));
        }
        match (from, to) {
            (true, false) => paths.push(rename.to),
            (false, true) => paths.push(rename.from),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the changes of an entry, each rename once, at the place of the created file.
#[must_use]
pub fn changes<'r>(
    reply: &'r ShowReply,
    files: &'r [ListedFile<'_>],
) -> Vec<(&'r EntryDetail, Option<&'r EntryRename>)> {
    let renames: Vec<&EntryRename> = files.iter().filter_map(|file| file.rename.as_ref()).collect();
    let from = index(renames.iter().map(|rename| &rename.from));
    let to = index(renames.iter().map(|rename| &rename.to));
    let left = reply.changes.iter().filter(|change| !from.contains_key(&change.path));
    left.map(|change| (change, to.get(&change.path).and_then(|at| renames.get(*at).copied()))).collect()
}

fn of<'e>(files: &'e [EntryFile], changes: &[EntryDetail]) -> Vec<ListedFile<'e>> {
    let changes = EntryChanges::of(changes);
    let mut listed: Vec<Option<ListedFile<'e>>> =
        files.iter().map(|file| Some(ListedFile { file, rename: None })).collect();
    // A rename of which only one side was undone is none any more.
    for undone in [false, true] {
        let is_whole = |file: &EntryFile| {
            let is_forgotten = changes.get(&file.path).is_some_and(|change| change.forgotten);
            file.undone == undone && file.undone_hunks.is_empty() && !is_forgotten
        };
        for (from, to, rename) in renamed(files, is_whole, &changes) {
            if let Some(Some(file)) = listed.get_mut(to) {
                file.rename = Some(rename);
            }
            listed.get_mut(from).map(Option::take);
        }
    }
    listed.into_iter().flatten().collect()
}

/// Returns the renames among the files that `is_whole` returns true for, with the indices of their deleted and created files.
fn renamed(
    files: &[EntryFile],
    is_whole: impl Fn(&EntryFile) -> bool,
    changes: &EntryChanges<'_>,
) -> Vec<(usize, usize, EntryRename)> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for (at, file) in files.iter().enumerate().filter(|file| is_whole(file.1)) {
        match (&file.before, &file.after) {
            (Some(version), None) => old.push(RenameSide { index: at, path: &file.path, version }),
            (None, Some(version)) => new.push(RenameSide { index: at, path: &file.path, version }),
            _ => {}
        }
    }
    let text = |path: &FilePath, side| changes.get(path).and_then(|change| content(change, side));
    let Ok::<_, Infallible>(found) = pairs(&old, &new, |side, at| {
        let file = if side == EntrySide::Before { old.get(at) } else { new.get(at) };
        Ok(file.and_then(|file| TextPieces::of(&text(file.path, side)?)))
    });
    let rename = |pair: &RenamePair| {
        let (old, new) = (old.get(pair.old)?, new.get(pair.new)?);
        let (from, to) = (old.path, new.path);
        let (before, after) = if pair.is_same {
            (FileContent::Same, FileContent::Same)
        } else {
            let side = |path, side| text(path, side).map(FileContent::Bytes);
            (side(from, EntrySide::Before)?, side(to, EntrySide::After)?)
        };
        // A diff of a created or deleted file has its mode if the file is executable.
        let is_set = |path, name| changes.get(path).and_then(|change| mode(&change.diff, name)) == Some(true);
        let executable_before = is_set(from, "deleted file mode ");
        let executable_after = is_set(to, "new file mode ");
        let former = Some(FormerName { path: from.clone(), similarity: pair.score.percent() });
        let change =
            NetChange { path: to.clone(), former, before, after, executable_before, executable_after };
        Some((old.index, new.index, shown_rename(&change, !changes.changes.is_empty())?))
    };
    found.iter().filter_map(rename).collect()
}

/// Returns a rename, with its diff if `with_diff` is set.
fn shown_rename(change: &NetChange, with_diff: bool) -> Option<EntryRename> {
    let former = change.former.as_ref()?;
    let (old, new) = patch::texts(change).ok()?;
    let lines = LineDiff::between(old, new);
    let (added, removed) = lines.counts();
    let diff = if with_diff { patch::formatted(change, &lines) } else { Vec::new() };
    let diff = String::from_utf8_lossy(&diff).into_owned();
    let (from, to, similarity) = (former.path.clone(), change.path.clone(), former.similarity);
    Some(EntryRename { from, to, similarity, added, removed, diff })
}

/// Returns true if a header of a diff names a mode that makes the file executable.
fn mode(diff: &str, name: &str) -> Option<bool> {
    let mut header = diff.lines().take_while(|line| !line.starts_with("@@"));
    let digits = header.find_map(|line| line.strip_prefix(name))?;
    Some(u32::from_str_radix(digits, 8).ok()? & 0o100 != 0)
}

/// Returns the content of a deleted file (`Before`) or a created one (`After`), if its diff has all of it byte for byte.
fn content(change: &EntryDetail, side: EntrySide) -> Option<Vec<u8>> {
    let sign = if side == EntrySide::Before { "-" } else { "+" };
    let is_exact = !change.partial && change.omitted_hunks == 0 && !change.diff.contains('\u{fffd}');
    if !is_exact || change.hunks.len() != 1 {
        return None;
    }
    let (mut out, mut within) = (Vec::new(), false);
    for (line, is_header) in with_headers(&change.diff) {
        if is_header {
            within = true;
        } else if within && line.starts_with('\\') {
            out.pop();
        } else if within {
            out.extend_from_slice(line.strip_prefix(sign)?.as_bytes());
        }
    }
    Some(out)
}

/// A page of the journal in JSON: the reply, and the renames of its entries.
#[derive(Serialize)]
struct HistoryInJson<'r> {
    entries: Vec<EntryInJson<'r>>,
    more: bool,
}

/// An entry in JSON.
#[derive(Serialize)]
struct EntryInJson<'r> {
    #[serde(flatten)]
    entry: &'r EntrySummary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    renames: Vec<EntryRename>,
}

/// An entry with its changes in JSON: the reply, and the renames among these changes.
#[derive(Serialize)]
struct ShownInJson<'r> {
    #[serde(flatten)]
    reply: &'r ShowReply,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    renames: Vec<EntryRename>,
}

fn renames(files: Vec<ListedFile<'_>>) -> Vec<EntryRename> {
    files.into_iter().filter_map(|file| file.rename).collect()
}

/// Returns a page of the journal for JSON. Each entry with renames has them as `renames`, beside its `files`.
pub fn list_in_json(reply: &HistoryReply) -> impl Serialize + '_ {
    let entries = reply.entries.iter().map(|entry| EntryInJson { entry, renames: renames(listed(entry)) });
    HistoryInJson { entries: entries.collect(), more: reply.more }
}

/// Returns an entry for JSON. Its renames are in `renames`, beside `changes`.
pub fn one_in_json(reply: &ShowReply) -> impl Serialize + '_ {
    ShownInJson { reply, renames: renames(shown(reply)) }
}
