//! Formats a receipt as short JSON: `files` maps each whole path to a short text, and details that do not fit into it are in
//! `details`, as in the protocol. If a diff or a budget is requested, the whole receipt is printed instead.

use editd_proto::error::RequestError;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{CheckOutcome, FileOutcome, HookOutcome, JobStatus, LineRanges, Receipt};
use serde::Serialize;
use serde_json::{Map, Value};

use super::letters::word;
use super::short::{self, FileWords, ShortenedParts};

/// A short receipt. Its fields have the same meaning as those of the receipt. `status` is absent if it is `applied`.
#[derive(Serialize)]
struct ShortReceipt<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobId>,
    /// The version of each file that has no version of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<JobId>,
    #[serde(skip_serializing_if = "is_default")]
    status: JobStatus,
    #[serde(skip_serializing_if = "Map::is_empty")]
    files: Map<String, Value>,
    #[serde(skip_serializing_if = "is_default")]
    omitted_files: u64,
    /// The files with further details, with their exact paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<FileOutcome>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<ShortHook<'r>>,
    #[serde(skip_serializing_if = "<[CheckOutcome]>::is_empty")]
    checks: &'r [CheckOutcome],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: &'r Option<RequestError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: &'r Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    rebased: bool,
    #[serde(skip_serializing_if = "is_default")]
    repeated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: &'r Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: &'r Option<String>,
}

/// A command that ran after writing.
#[derive(Serialize)]
struct ShortHook<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobId>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    files: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<FileOutcome>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'r [String],
}

/// Returns the short form of a receipt.
pub fn short(receipt: &Receipt) -> impl Serialize + '_ {
    with(receipt, ShortenedParts::Places)
}

/// Returns the short form of a receipt in which `files` has all places.
pub fn short_with_places(receipt: &Receipt) -> impl Serialize + '_ {
    with(receipt, ShortenedParts::Nothing)
}

fn with(receipt: &Receipt, shortened: ShortenedParts) -> ShortReceipt<'_> {
    let Receipt {
        job,
        queued,
        status,
        files,
        omitted_files,
        hooks,
        checks,
        error,
        verified,
        rebased,
        repeated,
        dialect,
        text,
    } = receipt;
    ShortReceipt {
        job: *job,
        version: short::version(receipt),
        queued: *queued,
        status: *status,
        files: map(files, short::files(receipt, shortened), *status),
        omitted_files: *omitted_files,
        details: details(files),
        hooks: hooks.iter().map(hook).collect(),
        checks,
        error,
        verified,
        rebased: *rebased,
        repeated: *repeated,
        dialect,
        text,
    }
}

fn hook(hook: &HookOutcome) -> ShortHook<'_> {
    let told = hook
        .files
        .iter()
        .map(|file| FileWords { name: short::name(file), words: short::words(file, "", usize::MAX) });
    ShortHook {
        name: &hook.name,
        job: hook.job,
        files: map(&hook.files, told.collect(), JobStatus::Applied),
        details: details(&hook.files),
        warnings: &hook.warnings,
    }
}

/// Returns the text for each path. If a path is listed again, its texts are joined by a semicolon. Refused files of a
/// refused job are left out, since the error names them.
fn map(files: &[FileOutcome], told: Vec<FileWords>, job: JobStatus) -> Map<String, Value> {
    let mut map = Map::new();
    for (file, FileWords { name, mut words }) in files.iter().zip(told) {
        if job == JobStatus::Refused && file.status == JobStatus::Refused {
            continue;
        }
        if file.status != job {
            let gap = if words.is_empty() { "" } else { " " };
            words = format!("{}{gap}{words}", word(file.status));
        }
        match map.get_mut(&name) {
            Some(Value::String(known)) => known.push_str(&format!("; {words}")),
            _ => drop(map.insert(name, words.into())),
        }
    }
    map
}

/// Returns the details of files that the short form leaves out.
fn details(files: &[FileOutcome]) -> Vec<FileOutcome> {
    // The short form has a new path, but only as text.
    let odd_target =
        |file: &FileOutcome| file.to.clone().filter(|to| std::str::from_utf8(to.as_bytes()).is_err());
    let rest = files.iter().map(|file| FileOutcome {
        to: odd_target(file),
        status: JobStatus::Applied,
        before: None,
        after: None,
        lines: LineRanges::default(),
        places: None,
        added: 0,
        removed: 0,
        ..file.clone()
    });
    // A path that is not UTF-8 cannot be a key of a JSON object.
    let odd = |file: &FileOutcome| std::str::from_utf8(file.path.as_bytes()).is_err();
    let says =
        |file: &FileOutcome| odd(file) || *file != FileOutcome::new(file.path.clone(), JobStatus::Applied);
    rest.filter(says).collect()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
