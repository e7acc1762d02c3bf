//! Sections as file entries: the updates of one path together, as long as nothing else happens to it. It never looks
//! at a file.

use std::collections::HashMap;

use editd_proto::error::WireError;
use editd_proto::message::{Edit, FileEntry, Position};
use editd_proto::path::WirePath;
use serde_json::Value;

use super::envelope::{Deed, Hunk, Section, begins, sections};
use super::words::{PatchWords, Said, Verb, refused};
use crate::Refusal;
use crate::dialect::{Asked, Dialect, Sample, Setting, Translation, Wanted, json};

/// The dialect.
pub(in crate::dialect) struct ApplyPatch;

/// The object that a tool call is wrapped in.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `input`")]
struct Input {
    input: String,
}

impl Dialect for ApplyPatch {
    fn name(&self) -> &'static str {
        "apply-patch"
    }

    fn sentence(&self) -> &'static str {
        "`*** Begin Patch` envelopes that add, delete, update and move files."
    }

    fn recognises(&self, payload: &Sample<'_>) -> bool {
        match payload {
            Sample::Json(fields) => {
                matches!(fields.get("input"), Some(Value::String(text)) if begins(text))
            }
            Sample::Text(text) => begins(text),
        }
    }

    fn translate(&self, payload: &str, setting: &Setting<'_>) -> Result<Translation, Refusal> {
        let wrapped: Option<Input> =
            if payload.trim_start().starts_with('{') { Some(json::read(payload)?) } else { None };
        let text = wrapped.as_ref().map_or(payload, |wrapped| &wrapped.input);
        let mut gathered = Gathered::default();
        for section in sections(text)? {
            let line = section.line;
            gathered.take(section, setting).map_err(|mut refusal| {
                refusal.line = Some(line);
                refusal
            })?;
        }
        let asked = Asked::Job(Wanted { files: gathered.files, ..Wanted::default() });
        let words = Box::new(PatchWords { entries: gathered.said });
        Ok(Translation { dialect: self.name(), asked, words })
    }

    fn say_refusal(&self, error: &WireError) -> String {
        refused(error)
    }
}

/// The entries so far.
#[derive(Default)]
struct Gathered {
    files: Vec<FileEntry>,
    said: Vec<Said>,
    /// The entries that may take more hunks.
    open: HashMap<WirePath, usize>,
}

impl Gathered {
    fn take(&mut self, section: Section<'_>, setting: &Setting<'_>) -> Result<(), Refusal> {
        let path = setting.path_or(Some(section.path))?;
        match section.deed {
            Deed::Add(text) => {
                self.alone(
                    path,
                    Edit { op: "create".to_owned(), text: Some(text), ..Edit::default() },
                    Verb::Add,
                );
            }
            Deed::Delete => {
                self.alone(path, Edit { op: "delete".to_owned(), ..Edit::default() }, Verb::Delete);
            }
            Deed::Update { to, hunks } => {
                let to = to.map(|to| setting.inside(to)).transpose()?.filter(|to| *to != path);
                self.update(path, to, hunks);
            }
        }
        Ok(())
    }

    /// A step that what follows for the path comes after.
    fn alone(&mut self, path: WirePath, edit: Edit, verb: Verb) {
        self.open.remove(&path);
        self.said.push(Said { verb, from: path.clone(), path: path.clone(), hunks: Vec::new() });
        self.files.push(FileEntry { path, edits: vec![edit], ..FileEntry::default() });
    }

    fn update(&mut self, path: WirePath, to: Option<WirePath>, hunks: Vec<Hunk<'_>>) {
        let place = *self.open.entry(path.clone()).or_insert_with(|| {
            self.said.push(Said {
                verb: Verb::Modify,
                from: path.clone(),
                path: path.clone(),
                hunks: Vec::new(),
            });
            self.files.push(FileEntry { path: path.clone(), ..FileEntry::default() });
            self.files.len() - 1
        });
        let (Some(file), Some(said)) = (self.files.get_mut(place), self.said.get_mut(place)) else { return };
        for hunk in hunks {
            said.remember(&hunk);
            file.edits.push(native(hunk));
        }
        if let Some(to) = to {
            self.open.remove(&path);
            self.open.remove(&to);
            said.path = to.clone();
            file.edits.push(Edit { op: "rename".to_owned(), to: Some(to), ..Edit::default() });
        }
        if file.edits.is_empty() {
            // A move to where the file is: nothing to do, but the file must be there.
            file.edits.push(Edit {
                op: "rename".to_owned(),
                to: Some(path),
                overwrite: Some(true),
                ..Edit::default()
            });
        }
    }
}

fn native(hunk: Hunk<'_>) -> Edit {
    let quotes = hunk.text.lines().any(|line| line.is_empty() || line.starts_with([' ', '-']));
    Edit {
        op: "hunk".to_owned(),
        at: (hunk.last || !quotes).then_some(Position::End),
        before: (!hunk.headers.is_empty()).then(|| hunk.headers.join("\n")),
        near: hunk.near.filter(|line| *line > 0),
        text: Some(hunk.text),
        ..Edit::default()
    }
}
