//! Translates texts of blocks into file entries: each block becomes a replacement of whole lines, and all blocks of
//! one path become one entry.

use std::collections::HashMap;

use editd_types::{FileEdit, FileEntry, FilePath, RequestError};

use super::block::{Block, blocks, is_surely_path};
use super::fault::{BlockFault, FORM, FaultKind};
use super::forms::{self, Portion};
use super::machine::LinesBetween;
use super::reply::{FileBlocks, SearchReplaceReply};
use crate::Refusal;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation};

/// The dialect.
pub(in crate::dialect) struct SearchReplace;

impl Dialect for SearchReplace {
    fn name(&self) -> &'static str {
        "search-replace"
    }

    fn sentence(&self) -> &'static str {
        "`<<<<<<< SEARCH` blocks for one file or several, as text, JSON list or XML-like form."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        forms::recognises(payload)
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let mut gathered = BlockEntries::default();
        for portion in forms::portions(payload)? {
            gathered.take(&portion, setting)?;
        }
        Ok(Translation {
            dialect: self.name(),
            request: PayloadRequest::Job(PayloadJob { files: gathered.files, ..PayloadJob::default() }),
            reply: Box::new(SearchReplaceReply { files: gathered.file_blocks }),
        })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        let path = error.path.as_ref().map(ToString::to_string).filter(|path| !error.message.contains(path));
        let place = path.map(|path| format!("{path}: ")).unwrap_or_default();
        let form = if error.marker.is_some() || error.expected_marker.is_some() { FORM } else { "" };
        format!("Failed to apply any diffs.\n\n{place}{}\n\n{form}", error.message).trim_end().to_owned()
    }
}

/// The entries so far.
#[derive(Default)]
struct BlockEntries {
    files: Vec<FileEntry>,
    file_blocks: Vec<FileBlocks>,
    places: HashMap<FilePath, usize>,
}

impl BlockEntries {
    fn take(&mut self, portion: &Portion<'_>, setting: &PayloadContext<'_>) -> Result<(), Refusal> {
        let path = match (&portion.path, setting.path) {
            (None, None) => None,
            (given, _) => Some(setting.path_or(given.as_deref())?),
        };
        let fault = |fault: BlockFault| fault.refusal(&portion.place, path.as_ref());
        let between = if path.is_some() { LinesBetween::Nothing } else { LinesBetween::Names };
        for block in blocks(&portion.text, portion.first, between).map_err(fault)? {
            let (path, guessed) = match (&path, block.named) {
                (Some(path), Some(named))
                    if portion.path.is_none() && is_surely_path(named) && !is_end_of(named, path) =>
                {
                    (setting.path_or(Some(named))?, false)
                }
                (Some(path), _) => (path.clone(), false),
                (None, Some(named)) => (setting.inside(named)?, true),
                (None, None) => return Err(fault(BlockFault::of_block(FaultKind::NoFile, block.line))),
            };
            self.add((path, guessed), block, portion.start_line);
        }
        Ok(())
    }

    fn add(&mut self, (path, guessed): (FilePath, bool), block: Block<'_>, start_line: Option<u64>) {
        let near = block.near.or(start_line).filter(|line| *line > 0);
        let place = *self.places.entry(path.clone()).or_insert_with(|| {
            self.file_blocks.push(FileBlocks { path: path.clone(), guessed, near: Vec::new() });
            self.files.push(FileEntry { path, ..FileEntry::default() });
            self.files.len() - 1
        });
        if let (Some(file), Some(blocks)) = (self.files.get_mut(place), self.file_blocks.get_mut(place)) {
            blocks.near.push(near);
            file.edits.push(edit(block, near));
        }
    }
}

/// Returns true if a name is the end of a path, such as that of a file without its folders.
fn is_end_of(name: &str, path: &FilePath) -> bool {
    path.to_string().strip_suffix(name).is_some_and(|folders| folders.ends_with('/'))
}

/// Returns the edit of a block. Without SEARCH lines, it creates the file, or fills an empty one.
fn edit(block: Block<'_>, near: Option<u64>) -> FileEdit {
    if block.old.is_empty() {
        let op = "create".to_owned();
        return FileEdit { op, text: Some(block.new), if_empty: Some(true), ..FileEdit::default() };
    }
    FileEdit {
        op: "replace".to_owned(),
        old: Some(block.old),
        new: Some(block.new),
        near,
        whole_lines: Some(true),
        ..FileEdit::default()
    }
}
