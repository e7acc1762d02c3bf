//! Translates sections to file entries. Successive updates of one path are one entry. It reads no file.

use editd_types::{EditPosition, FileEdit, FilePath, RequestError};

use super::envelope::{PatchHunk, Section, SectionAction, sections};
use super::reply::{ApplyPatchReply, PatchedFile, Verb, refused};
use super::wrap;
use crate::Refusal;
use crate::dialect::entries::{Entries, edit};
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation};
use crate::limits;
use crate::refusal::on_line;

/// The dialect.
pub(in crate::dialect) struct ApplyPatch;

impl Dialect for ApplyPatch {
    fn name(&self) -> &'static str {
        "apply-patch"
    }

    fn sentence(&self) -> &'static str {
        "`*** Begin Patch` envelopes that add, delete, update and move files."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        match payload {
            PayloadSample::Json(fields) => wrap::fits_object(fields),
            PayloadSample::Text(text) => wrap::fits(text),
        }
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let wrapped = wrap::unwrapped(payload, setting)?;
        let mut gathered = PatchEntries::default();
        let (sections, mut warnings) = sections(&wrapped.text)?;
        if wrapped.call {
            warnings.insert(0, CALL.to_owned());
        }
        warnings.truncate(limits::BLOCKS_DETAILED);
        for section in sections {
            let line = section.line;
            gathered.take(section, setting).map_err(|refusal| on_line(line, refusal))?;
        }
        let request = PayloadRequest::Job(PayloadJob {
            files: gathered.entries.into_files(),
            warnings,
            ..PayloadJob::default()
        });
        let reply = Box::new(ApplyPatchReply { entries: gathered.patched_files });
        Ok(Translation { dialect: self.name(), request, reply })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        refused(error)
    }
}

/// The warning for a payload that is a call of the tool.
const CALL: &str = "the patch was taken out of a call of `apply_patch`; send the patch itself";

/// The entries so far, and the data for the reply.
#[derive(Default)]
struct PatchEntries {
    entries: Entries,
    patched_files: Vec<PatchedFile>,
}

impl PatchEntries {
    fn take(&mut self, section: Section<'_>, setting: &PayloadContext<'_>) -> Result<(), Refusal> {
        let path = setting.path_or(Some(section.path))?;
        match section.action {
            SectionAction::Add(text) => {
                self.patched_files.push(PatchedFile::new(Verb::Add, &path));
                self.entries.alone(path, vec![FileEdit { text: Some(text), ..edit("create") }]);
            }
            SectionAction::Delete => {
                self.patched_files.push(PatchedFile::new(Verb::Delete, &path));
                self.entries.alone(path, vec![edit("delete")]);
            }
            SectionAction::Update { to, hunks } => {
                let to = to.map(|to| setting.inside(to)).transpose()?;
                self.update(&path, to, hunks);
            }
        }
        Ok(())
    }

    fn update(&mut self, path: &FilePath, to: Option<FilePath>, hunks: Vec<PatchHunk<'_>>) {
        let entry = self.entries.shared(path);
        if self.patched_files.len() < self.entries.len() {
            self.patched_files.push(PatchedFile::new(Verb::Modify, path));
        }
        let Some(patched) = self.patched_files.get_mut(entry) else { return };
        for (index, hunk) in hunks.into_iter().enumerate() {
            patched.remember(&hunk);
            // The first hunk of another update of the path may stand above the hunks before it.
            let in_order = (index > 0).then_some(true);
            self.entries.add(entry, FileEdit { in_order, ..native(hunk) });
        }
        let Some(to) = to else { return };
        if to != *path {
            self.entries.close(path);
            self.entries.close(&to);
            patched.path = to.clone();
            self.entries.add(entry, FileEdit { to: Some(to), ..edit("rename") });
        } else if self.entries.is_empty(entry) {
            // A move to the same path changes nothing, but the file must exist.
            self.entries.add(entry, FileEdit { to: Some(to), overwrite: Some(true), ..edit("rename") });
        }
    }
}

fn native(hunk: PatchHunk<'_>) -> FileEdit {
    let quotes = hunk.text.lines().any(|line| line.is_empty() || line.starts_with([' ', '-']));
    FileEdit {
        at: (hunk.last || !quotes).then_some(EditPosition::End),
        before: (!hunk.headers.is_empty()).then(|| hunk.headers.join("\n")),
        near: hunk.near.filter(|line| *line > 0),
        text: Some(hunk.text),
        ..edit("hunk")
    }
}
