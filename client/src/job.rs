//! A job as it is written in JSON, and the flags laid over it. Pure; it reads no file.

mod fields;
#[cfg(test)]
mod tests;

use editd_proto::message::{Edit, FileEntry, JobRequest, Position, Reindent, UndoRequest};
use editd_proto::{Code, WirePath};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::JobFlags;
use crate::failure::Failure;

/// Reads a payload: a job, or, where a file is named beside it, the edits of that file.
pub(crate) fn read(payload: &[u8], path: Option<WirePath>) -> Result<JobRequest, Failure> {
    let text = std::str::from_utf8(payload)
        .map_err(|error| Failure::Usage(format!("the job is not UTF-8 from byte {}", error.valid_up_to())))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(marker) = foreign_marker(text) {
        return Err(Failure::refused(
            Code::Unsupported,
            format!("the payload begins with `{marker}`: this version takes native jobs in JSON only"),
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Failure::Usage(format!("the job is not JSON: {error}; see `editctl edit --help`"))
    })?;
    match (value, path) {
        (Value::Object(map), None) if map.contains_key("files") => whole_job(map),
        (Value::Object(map), None) if map.contains_key("path") && map.contains_key("edits") => {
            one_file(entry(map)?)
        }
        (Value::Object(map), None) if map.contains_key("edits") => {
            Err(Failure::Usage("the job names no file: add --path, or \"path\" beside \"edits\"".into()))
        }
        (Value::Object(map), Some(_)) if map.contains_key("files") => {
            Err(Failure::Usage("the job names its files itself: leave out --path".into()))
        }
        (Value::Object(mut map), Some(path)) if map.contains_key("edits") => {
            if map.contains_key("path") {
                return Err(Failure::Usage("the job names its file itself: leave out --path".into()));
            }
            map.insert("path".into(), Value::String(String::new()));
            one_file(FileEntry { path, ..entry(map)? })
        }
        (Value::Array(edits), Some(path)) => {
            let edits = edits.into_iter().map(edit).collect::<Result<_, _>>()?;
            one_file(FileEntry { path, base: None, edits })
        }
        (Value::Array(_), None) => {
            Err(Failure::Usage("a list of edits belongs to a file: name it with --path".into()))
        }
        (Value::Object(_), _) => Err(Failure::refused(
            Code::Unsupported,
            "no native job, which has \"files\" or, with --path, \"edits\"; other forms are not taken by \
             this version",
        )),
        _ => Err(Failure::Usage("a job is a JSON object; see `editctl edit --help`".into())),
    }
}

/// The first marker of a payload that some other dialect would understand.
fn foreign_marker(text: &str) -> Option<&'static str> {
    const MARKERS: [&str; 6] = ["<<<<<<<", "*** Begin Patch", "--- ", "diff --git", "<args", "```"];
    let text = text.trim_start();
    MARKERS.into_iter().find(|marker| text.starts_with(marker))
}

fn one_file(entry: FileEntry) -> Result<JobRequest, Failure> {
    Ok(JobRequest { files: vec![entry], ..JobRequest::default() })
}

fn whole_job(map: Map<String, Value>) -> Result<JobRequest, Failure> {
    fields::known::<JobRequest>(&map, "job")?;
    let files = map.get("files").and_then(Value::as_array).into_iter().flatten();
    for (number, file) in files.enumerate() {
        if let Value::Object(file) = file {
            known_entry(file, &format!("files[{number}]"))?;
        }
    }
    typed(Value::Object(map))
}

fn entry(map: Map<String, Value>) -> Result<FileEntry, Failure> {
    known_entry(&map, "file")?;
    typed(Value::Object(map))
}

fn edit(value: Value) -> Result<Edit, Failure> {
    if let Value::Object(map) = &value {
        known_edit(map, "edit")?;
    }
    typed(value)
}

fn known_entry(map: &Map<String, Value>, place: &str) -> Result<(), Failure> {
    fields::known::<FileEntry>(map, place)?;
    let edits = map.get("edits").and_then(Value::as_array).into_iter().flatten();
    for (number, edit) in edits.enumerate() {
        if let Value::Object(edit) = edit {
            known_edit(edit, &format!("{place}.edits[{number}]"))?;
        }
    }
    Ok(())
}

fn known_edit(map: &Map<String, Value>, place: &str) -> Result<(), Failure> {
    fields::known::<Edit>(map, place)?;
    if let Some(Value::Object(reindent)) = map.get("reindent") {
        fields::known::<Reindent>(reindent, &format!("{place}.reindent"))?;
    }
    match map.get("at") {
        Some(Value::Object(at)) if at.len() != 1 => Err(wrong_position(place)),
        Some(at) => {
            serde_json::from_value::<Position>(at.clone()).map(drop).map_err(|_| wrong_position(place))
        }
        None => Ok(()),
    }
}

fn wrong_position(place: &str) -> Failure {
    Failure::Usage(format!(
        "{place}.at: use \"start\", \"end\", {{\"line\": N}}, {{\"before\": TEXT}} or {{\"after\": TEXT}}"
    ))
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::Usage(format!("the job is malformed: {error}")))
}

/// Lays the flags over a job: what was said on the command line wins; `--base` is for the files of the job
/// that name none.
pub(crate) fn lay_over(flags: &JobFlags, job: &mut JobRequest) {
    job.key = flags.key.clone().or(job.key.take());
    job.label = flags.label.clone().or(job.label.take());
    job.mode = flags.mode.unwrap_or(job.mode);
    job.on_stale = flags.on_stale.unwrap_or(job.on_stale);
    job.durability = flags.durability.or(job.durability);
    job.threshold = flags.threshold.or(job.threshold);
    job.partial |= flags.partial;
    job.detach |= flags.detach;
    if flags.no_diff {
        job.diff = Some(false);
    }
    if let Some(base) = &flags.base {
        for file in &mut job.files {
            file.base.get_or_insert_with(|| base.clone());
        }
    }
}

/// Lays the flags over an undo or redo.
pub(crate) fn lay_over_undo(flags: &JobFlags, undo: &mut UndoRequest) {
    undo.key = flags.key.clone();
    undo.label = flags.label.clone();
    undo.on_stale = flags.on_stale.unwrap_or_default();
    undo.durability = flags.durability;
    undo.diff = flags.no_diff.then_some(false);
}
