//! Parses a job in JSON and applies the flags of the command line to it. Reads no file.

mod faulty;
mod fields;
mod once;
#[cfg(test)]
mod tests;

use editd_proto::FilePath;
use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobMode, JobRequest, Payload, UndoRequest};
use editd_proto::operation::{NESTED, operation};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::JobFlags;
use editctl::failure::Failure;

/// Information about a job or payload that is not in its text.
#[derive(Debug, Default)]
pub(crate) struct PayloadContext {
    /// The file, as a path in the workspace.
    pub(crate) path: Option<FilePath>,
    /// The dialect, if it was given.
    pub(crate) dialect: Option<String>,
}

/// Parses a text: a native job, or the edits of a file if the path was given. Any other text is a payload, whose
/// dialect the daemon recognises if it was not given.
pub(crate) fn read(text: &[u8], beside: PayloadContext) -> Result<JobRequest, Failure> {
    let text = std::str::from_utf8(text)
        .map_err(|error| Failure::Usage(format!("the job is not UTF-8 at byte {}", error.valid_up_to())))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Failure::Usage("the job is empty; see `editctl edit --help`".into()));
    }
    if beside.dialect.is_some() {
        return Ok(payload(text, beside));
    }
    let parsed = serde_json::from_str(text).and_then(|value: Value| {
        serde_json::from_str::<once::UniqueFields>(text)?;
        Ok(value)
    });
    match (parsed, beside.path) {
        (Ok(Value::Object(map)), path) => object(in_lists(map), path, text),
        (Ok(Value::Array(edits)), path) if is_native(&edits) => listed(edits, path),
        (Ok(Value::Array(_)), path) => Ok(payload(text, PayloadContext { path, dialect: None })),
        (Ok(_), _) => Err(Failure::Usage("a job is a JSON object; see `editctl edit --help`".into())),
        (Err(error), _) if text.trim_start().starts_with(['{', '[']) => {
            Err(Failure::Usage(format!("the job cannot be read: {error}; see `editctl edit --help`")))
        }
        (Err(_), path) => Ok(payload(text, PayloadContext { path, dialect: None })),
    }
}

fn object(mut map: Map<String, Value>, path: Option<FilePath>, text: &str) -> Result<JobRequest, Failure> {
    let has = |name: &str| map.contains_key(name);
    match path {
        path if has("edits") && is_of_a_tool(&map) => {
            Ok(payload(text, PayloadContext { path, dialect: None }))
        }
        None if has("files") || has("payload") => whole_job(map),
        None if has("edits") && (has("path") || has("paths")) => one_file(entry(map)?),
        path if has("op") && !has("edits") => lone(map, path),
        None if has("edits") => {
            Err(Failure::Usage("the job names no file: add --path, or \"path\" beside \"edits\"".into()))
        }
        Some(_) if has("files") || has("payload") || (has("edits") && (has("path") || has("paths"))) => {
            Err(Failure::Usage("the job names its files itself: leave out --path".into()))
        }
        Some(path) if has("edits") => {
            map.insert("path".into(), Value::String(String::new()));
            one_file(FileEntry { path, ..entry(map)? })
        }
        path => Ok(payload(text, PayloadContext { path, dialect: None })),
    }
}

/// Puts a single file or edit into a list.
fn in_lists(mut map: Map<String, Value>) -> Map<String, Value> {
    for (name, known_by) in [("files", ["path", "paths"]), ("edits", ["op", "op"])] {
        let Some(value) = map.get_mut(name) else { continue };
        if known_by.iter().any(|field| value.get(field).is_some()) {
            *value = Value::Array(vec![value.take()]);
        }
        if name == "files" {
            for file in value.as_array_mut().into_iter().flatten() {
                if let Value::Object(entry) = file {
                    *entry = in_lists(std::mem::take(entry));
                }
            }
        }
    }
    map
}

/// Parses a single edit that is not in a list. The path or paths were given, or are in the edit.
fn lone(mut map: Map<String, Value>, path: Option<FilePath>) -> Result<JobRequest, Failure> {
    if path.is_none() && map.contains_key("paths") {
        let mut file: Map<String, Value> =
            ["path", "paths", "base"].into_iter().filter_map(|name| map.remove_entry(name)).collect();
        file.insert("edits".into(), Value::Array(vec![Value::Object(map)]));
        return one_file(entry(file)?);
    }
    let path = match (path, map.remove("path")) {
        (Some(_), Some(_)) => {
            return Err(Failure::Usage("the edit names its file itself: leave out --path".into()));
        }
        (None, Some(Value::String(path))) => Some(path.as_str().into()),
        (path, _) => path,
    };
    listed(vec![Value::Object(map)], path)
}

/// Returns true if a list contains native edits, or nothing.
fn is_native(edits: &[Value]) -> bool {
    edits.is_empty() || edits.iter().any(|edit| edit.get("op").is_some())
}

/// Returns true if the edits of an object are those of another tool and none is native.
fn is_of_a_tool(map: &Map<String, Value>) -> bool {
    let edits = map.get("edits").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let foreign = |edit: &Value| {
        edit.get("op").is_none() && ["oldText", "old_string"].iter().any(|name| edit.get(name).is_some())
    };
    !edits.is_empty() && edits.iter().all(foreign)
}

fn listed(edits: Vec<Value>, path: Option<FilePath>) -> Result<JobRequest, Failure> {
    let Some(path) = path else {
        return Err(Failure::Usage("the edits name no file: add --path".into()));
    };
    let mut stray = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        if let Value::Object(edit) = edit {
            known_edit(edit, &format!("edits[{number}]"), &mut stray)?;
        }
    }
    all_known(stray)?;
    let edits = edits.into_iter().map(edit).collect::<Result<_, _>>()?;
    one_file(FileEntry { path, base: None, edits, ..FileEntry::default() })
}

fn payload(text: &str, beside: PayloadContext) -> JobRequest {
    let PayloadContext { path, dialect } = beside;
    let payload = Payload { dialect, text: text.to_owned(), path, base: None };
    JobRequest { payload: Some(payload), ..JobRequest::default() }
}

fn one_file(entry: FileEntry) -> Result<JobRequest, Failure> {
    Ok(JobRequest { files: vec![entry], ..JobRequest::default() })
}

fn whole_job(map: Map<String, Value>) -> Result<JobRequest, Failure> {
    let mut stray = Vec::new();
    fields::check::<JobRequest>(&map, "job", &mut stray);
    if let Some(Value::Object(payload)) = map.get("payload") {
        fields::check::<Payload>(payload, "payload", &mut stray);
    }
    for (file, place) in objects(map.get("files"), "files") {
        known_entry(file, &place, &mut stray)?;
    }
    all_known(stray)?;
    typed(Value::Object(map), |value| faulty::in_job(value.as_object()?))
}

fn entry(map: Map<String, Value>) -> Result<FileEntry, Failure> {
    let mut stray = Vec::new();
    known_entry(&map, "file", &mut stray)?;
    all_known(stray)?;
    typed(Value::Object(map), |value| faulty::in_entry(value.as_object()?, "file"))
}

fn edit(value: Value) -> Result<FileEdit, Failure> {
    typed(value, |value| faulty::in_edit(value, "edit"))
}

/// Returns the objects of a list, or the object that stands in place of one, each with its place.
fn objects<'v>(value: Option<&'v Value>, place: &str) -> Vec<(&'v Map<String, Value>, String)> {
    match value {
        Some(Value::Array(list)) => {
            let numbered = list.iter().enumerate();
            numbered
                .filter_map(|(number, one)| Some((one.as_object()?, format!("{place}[{number}]"))))
                .collect()
        }
        one => one.and_then(Value::as_object).map(|one| (one, place.to_owned())).into_iter().collect(),
    }
}

/// Checks the field names of an entry and of its edits, and records the unknown ones.
fn known_entry(map: &Map<String, Value>, place: &str, stray: &mut Vec<String>) -> Result<(), Failure> {
    fields::check::<FileEntry>(map, place, stray);
    if stray.is_empty() && !map.contains_key("path") && !map.contains_key("paths") {
        return Err(Failure::Usage(format!("the job is malformed: {place}.path is missing")));
    }
    let edits = objects(map.get("edits"), &format!("{place}.edits"));
    edits.into_iter().try_for_each(|(edit, place)| known_edit(edit, &place, stray))
}

/// Returns an error that lists all unknown fields.
fn all_known(stray: Vec<String>) -> Result<(), Failure> {
    /// Maximum number of objects whose unknown fields are listed.
    const TOLD: usize = 10;
    if stray.is_empty() {
        return Ok(());
    }
    let more = stray.len().saturating_sub(TOLD);
    let mut told: Vec<String> = stray.into_iter().take(TOLD).collect();
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    Err(Failure::Usage(told.join("; ")))
}

fn known_edit(map: &Map<String, Value>, place: &str, stray: &mut Vec<String>) -> Result<(), Failure> {
    match map.get("op").and_then(Value::as_str).and_then(operation) {
        Some(operation) => {
            let inside = unknown_inside(map);
            let own = map.keys().map(String::as_str).filter(|name| *name != "op");
            let given: Vec<&str> = own.chain(inside.iter().map(String::as_str)).collect();
            if let Some(told) = operation.unknown_fields_error(&given) {
                stray.push(format!("{place}: {told}"));
                return Ok(());
            }
        }
        // The operation is unknown; the daemon's error lists the operations.
        None => fields::check::<FileEdit>(map, place, stray),
    }
    match map.get("at") {
        Some(Value::Object(at)) if at.len() != 1 => Err(wrong_position(place)),
        Some(at) => {
            serde_json::from_value::<EditPosition>(at.clone()).map(drop).map_err(|_| wrong_position(place))
        }
        None => Ok(()),
    }
}

/// Returns the unknown nested fields of an edit, such as `reindent.stirp`.
fn unknown_inside(edit: &Map<String, Value>) -> Vec<String> {
    let mut unknown = Vec::new();
    for (holder, fields) in NESTED {
        let (first, rest) =
            holder.split_once('.').map_or((*holder, None), |(first, rest)| (first, Some(rest)));
        let value = edit.get(first).and_then(|value| rest.map_or(Some(value), |rest| value.get(rest)));
        let Some(Value::Object(inside)) = value else { continue };
        let stray = inside.keys().filter(|name| !fields.contains(&name.as_str()));
        unknown.extend(stray.map(|name| format!("{holder}.{name}")));
    }
    unknown
}

fn wrong_position(place: &str) -> Failure {
    Failure::Usage(format!(
        "{place}.at: use \"start\", \"end\", {{\"line\": N}}, {{\"before\": TEXT}} or {{\"after\": TEXT}}"
    ))
}

/// Decodes a value. `faulty` returns the invalid field, if it can be determined.
fn typed<T: DeserializeOwned>(
    value: Value,
    faulty: impl FnOnce(&Value) -> Option<String>,
) -> Result<T, Failure> {
    T::deserialize(&value).map_err(|error| {
        let place = faulty(&value).unwrap_or_else(|| error.to_string());
        Failure::Usage(format!("the job is malformed: {place}"))
    })
}

/// Applies the flags to a job. Flags take precedence; `--base` is used for files without a base.
pub(crate) fn lay_over(flags: &JobFlags, job: &mut JobRequest) {
    job.key = flags.key.clone().or(job.key.take());
    job.label = flags.label.clone().or(job.label.take());
    job.mode = flags.mode.unwrap_or(job.mode);
    job.verified = flags.verified.clone().or(job.verified.take());
    job.on_stale = flags.on_stale.or(job.on_stale);
    job.durability = flags.durability.or(job.durability);
    job.threshold = flags.threshold.or(job.threshold);
    job.partial |= flags.partial;
    job.detach |= flags.detach;
    job.diff = shown(flags).or(job.diff);
    job.budget = flags.budget.or(job.budget);
    if let Some(base) = &flags.base {
        for file in &mut job.files {
            file.base.get_or_insert_with(|| base.clone());
        }
        if let Some(payload) = &mut job.payload {
            payload.base.get_or_insert_with(|| base.clone());
        }
    }
}

/// Applies the flags to an undo or redo.
pub(crate) fn lay_over_undo(flags: &JobFlags, undo: &mut UndoRequest) {
    undo.key = flags.key.clone();
    undo.label = flags.label.clone();
    // `--dry-run` writes nothing, whatever the mode.
    if undo.mode != JobMode::VerifyOnly {
        undo.mode = flags.mode.unwrap_or(undo.mode);
    }
    undo.on_stale = flags.on_stale.unwrap_or_default();
    undo.durability = flags.durability;
    undo.diff = shown(flags);
    undo.budget = flags.budget;
}

/// Returns the request for diffs: all, none, or nothing if neither flag was given.
fn shown(flags: &JobFlags) -> Option<bool> {
    flags.diff.then_some(true).or(flags.no_diff.then_some(false))
}
