//! Short functions for the JSON of jobs and replies. They send nothing.

use serde_json::{Value, json};

/// A job with one edit in one file, which takes the file as it is.
pub fn one(path: &str, edit: Value) -> Value {
    json!({ "files": [{ "path": path, "base": "any", "edits": [edit] }] })
}

/// Adds a text at the end of a file, whatever the file holds.
pub fn append(path: &str, text: &str) -> Value {
    one(path, json!({ "op": "insert", "at": "end", "text": text }))
}

/// Writes a whole file, whatever it holds.
pub fn write(path: &str, text: &str) -> Value {
    one(path, json!({ "op": "write", "text": text }))
}

/// The same job with one field more, such as `key` or `detach`.
#[must_use]
pub fn with(mut job: Value, field: &str, value: Value) -> Value {
    job[field] = value;
    job
}

/// The code of the error in a reply, if it is one.
pub fn code(reply: &Value) -> Option<&str> {
    reply["error"]["code"].as_str()
}

/// The status that a receipt shows; the error's code where there is none.
pub fn status(reply: &Value) -> &str {
    reply["status"].as_str().or_else(|| code(reply)).unwrap_or("nothing")
}

/// The job's number in a receipt.
///
/// # Panics
/// Where there is none.
#[track_caller]
pub fn number(reply: &Value) -> u64 {
    reply["job"].as_u64().unwrap_or_else(|| panic!("no job in {reply}"))
}

/// Makes sure that a job was applied.
///
/// # Panics
/// Where it was not, with what was said.
#[track_caller]
pub fn applied(reply: &Value) {
    assert_eq!(status(reply), "applied", "{reply}");
}

/// Makes sure that something was refused with this code.
///
/// # Panics
/// Where it was not, with what was said.
#[track_caller]
pub fn refused(reply: &Value, with: &str) {
    assert_eq!(code(reply), Some(with), "{reply}");
    let message = reply["error"]["message"].as_str().unwrap_or("");
    assert!(message.len() > 10, "a refusal says what to do: {reply}");
}
