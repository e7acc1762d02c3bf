//! Finds the field of a JSON job that has the wrong type, and describes the expected one. Used only after decoding
//! failed.

use editd_proto::codec::plain_type_error;
use editd_proto::message::{FileEdit, FileEntry, JobRequest};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns the error of a whole job.
pub(super) fn in_job(map: &Map<String, Value>) -> Option<String> {
    let files = || match map.get("files") {
        None => None,
        Some(Value::Array(files)) => {
            files.iter().enumerate().find_map(|(number, file)| in_entry_at(file, &format!("files[{number}]")))
        }
        Some(file @ Value::Object(_)) => in_entry_at(file, "files"),
        Some(_) => Some("files: use a list of files, each with `path` and `edits`".to_owned()),
    };
    field::<JobRequest>(map, "", &[], &["files"]).or_else(files)
}

fn in_entry_at(file: &Value, place: &str) -> Option<String> {
    match file {
        Value::Object(map) => in_entry(map, place),
        _ => Some(format!("{place}: use an object with `path` and `edits`")),
    }
}

/// Returns the error of a file entry.
pub(super) fn in_entry(map: &Map<String, Value>, place: &str) -> Option<String> {
    let edits = || match map.get("edits") {
        None => None,
        Some(Value::Array(edits)) => edits
            .iter()
            .enumerate()
            .find_map(|(number, edit)| in_edit(edit, &format!("{place}.edits[{number}]"))),
        Some(edit @ Value::Object(_)) => in_edit(edit, &format!("{place}.edits")),
        Some(_) => Some(format!("{place}.edits: use a list of edits")),
    };
    let path = if map.contains_key("paths") { "paths" } else { "path" };
    let sample = if path == "paths" { Value::Array(Vec::new()) } else { Value::from("p") };
    let needed = [(path, sample), ("edits", Value::Array(Vec::new()))];
    field::<FileEntry>(map, &format!("{place}."), &needed, &["edits"]).or_else(edits)
}

/// Returns the error of an edit.
pub(super) fn in_edit(edit: &Value, place: &str) -> Option<String> {
    match edit {
        Value::Object(map) => field::<FileEdit>(map, &format!("{place}."), &[("op", Value::from("o"))], &[]),
        _ => Some(format!("{place}: use an object with `op`")),
    }
}

/// Returns the first field that is missing, or that cannot be decoded together with only the required fields.
fn field<T: DeserializeOwned>(
    map: &Map<String, Value>,
    place: &str,
    needed: &[(&str, Value)],
    apart: &[&str],
) -> Option<String> {
    if let Some((name, _)) = needed.iter().find(|(name, _)| !map.contains_key(*name)) {
        return Some(format!("{place}{name} is missing"));
    }
    map.iter().filter(|(name, _)| !apart.contains(&name.as_str())).find_map(|(name, value)| {
        let mut alone: Map<String, Value> =
            needed.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        alone.insert(name.clone(), value.clone());
        let error = T::deserialize(&Value::Object(alone)).err()?;
        Some(format!("{place}{name}: {}", plain_type_error(&error.to_string())))
    })
}
