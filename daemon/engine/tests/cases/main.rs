//! Runs every file in `cases/KIND/`. One file is one rule, and its name is the rule as a sentence. The kind is that
//! of the job's edits (`jobs` if they have several), or the dialect of a payload (`dialects` if it is of none or of
//! several). `BLESS=1` rewrites the expectations: a case without a `reply` gets the usual fields, any other keeps the
//! fields that it names. An empty object fits any object, so it tests nothing.
//!
//! A case has `job` (JSON), or the `payload` of a `dialect` (with `payload_path`, the file beside it). The reply to a
//! payload has the `text` in the terms of that dialect, and shows a request other than a job as `asked`. A case has
//! `before` (path to text) or `before_hex`, `modes`, `clips`, `encodings`; and in `expect`: `reply` (JSON; the named
//! fields must be equal), `after`, `after_hex`, `gone`, `clips`, `modes`. A file that `expect` does not name must be
//! unchanged.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use editd_engine::{
    ContentHash, FileState, Plan, PlanOptions, WorkspaceSnapshot, apply, invert, needs_of_input as needs,
    plan_input as plan,
};
use editd_proto::message::JobRequest;
use editd_proto::path::FilePath;
use serde::Deserialize;
use serde_json::{Value, json};

mod bless;
mod payload;

use bless::bless;
use payload::translated;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Case {
    job: String,
    dialect: Option<String>,
    payload: Option<String>,
    payload_path: Option<String>,
    /// Bytes that a payload may have.
    payload_limit: Option<usize>,
    /// The option `partial` of the request beside the payload.
    payload_partial: Option<bool>,
    payload_threshold: Option<f64>,
    before: BTreeMap<String, String>,
    before_hex: BTreeMap<String, String>,
    modes: BTreeMap<String, u32>,
    clips: BTreeMap<String, String>,
    encodings: BTreeMap<String, String>,
    expect: Expect,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    reply: String,
    gone: Vec<String>,
    after: BTreeMap<String, String>,
    after_hex: BTreeMap<String, String>,
    modes: BTreeMap<String, u32>,
    clips: BTreeMap<String, String>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases")
}

fn name_of(path: &FilePath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn world(case: &Case, job: &JobRequest) -> WorkspaceSnapshot {
    let mut world = WorkspaceSnapshot::default();
    let files = case.before.iter().map(|(path, text)| (path, text.clone().into_bytes()));
    let files = files.chain(case.before_hex.iter().map(|(path, text)| (path, unhex(text))));
    for (path, bytes) in files {
        let mode = case.modes.get(path).copied().unwrap_or(0o644);
        world.files.insert(FilePath::from(path.as_str()), FileState::File { bytes: Arc::from(bytes), mode });
    }
    if let Ok(needs) = needs(job) {
        for path in needs.paths {
            world.files.entry(path).or_insert(FileState::Absent);
        }
        for name in needs.clips {
            if let Some(text) = case.clips.get(&name) {
                world.clips.insert(name, text.clone().into_bytes());
            }
        }
    }
    world
}

/// Checks the invariants of every plan: the splices produce the state after, and their inverse the state before.
fn look_through_every_lens(world: &WorkspaceSnapshot, plan: &Plan) {
    let bytes = |state: &FileState| match state {
        FileState::Absent => Vec::new(),
        FileState::File { bytes, .. } => bytes.to_vec(),
    };
    for change in &plan.changes {
        assert_eq!(world.files.get(&change.path), Some(&change.before), "{}", change.path);
        assert_ne!(change.before, change.after, "{} is listed without a change", change.path);
        let (before, after) = (bytes(&change.before), bytes(&change.after));
        let hash = ContentHash::from_bytes(*blake3::hash(&after).as_bytes());
        let is_file = change.after != FileState::Absent;
        assert!(change.hash.is_none_or(|known| is_file && known == hash), "{} has another hash", change.path);
        assert_eq!(apply(&before, &change.splices).as_deref(), Some(&*after), "{}", change.path);
        assert_eq!(apply(&after, &invert(&change.splices)), Some(before), "{}", change.path);
        for pair in change.splices.windows(2) {
            assert!(pair[0].at + (pair[0].old.len() as u64) < pair[1].at, "splices meet");
        }
    }
}

/// Returns true if `found` has every field of `wanted` with the same value; it may have more.
fn covers(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), found) => wanted
            .iter()
            .all(|(key, value)| found.get(key).map_or(value.is_null(), |found| covers(value, found))),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(a, b)| covers(a, b))
        }
        _ => wanted == found,
    }
}

/// Returns a reply with the defaults that it leaves out: the status `applied`, and empty lists.
fn with_statuses(mut reply: Value) -> Value {
    let said = |value: &mut Value| {
        let map = value.as_object_mut().unwrap();
        map.entry("status").or_insert_with(|| json!("applied"));
    };
    for file in reply["files"].as_array_mut().into_iter().flatten() {
        said(file);
        for list in ["issues", "warnings"] {
            file.as_object_mut().unwrap().entry(list).or_insert_with(|| json!([]));
        }
        file["edits"].as_array_mut().into_iter().flatten().for_each(said);
    }
    reply
}

struct Outcome {
    reply: Value,
    after: BTreeMap<String, FileState>,
    clips: BTreeMap<String, String>,
}

fn outcome(case: &Case, world: &WorkspaceSnapshot, job: &JobRequest) -> Outcome {
    // Diffs are looked at in every case.
    let job = &JobRequest { diff: job.diff.or(Some(true)), ..job.clone() };
    let encodings = case.encodings.iter().map(|(path, label)| (FilePath::from(path.as_str()), label.clone()));
    let planned = plan(job, world, &PlanOptions { encodings: encodings.collect(), ..PlanOptions::default() });
    let again = plan(
        job,
        world,
        &PlanOptions {
            encodings: case.encodings.iter().map(|(p, l)| (FilePath::from(p.as_str()), l.clone())).collect(),
            ..PlanOptions::default()
        },
    );
    assert_eq!(planned, again, "the same job in the same world gave another plan");
    let mut after: BTreeMap<String, FileState> =
        world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
    match planned {
        Ok(plan) => {
            look_through_every_lens(world, &plan);
            for change in &plan.changes {
                after.insert(name_of(&change.path), change.after.clone());
            }
            let clips = plan
                .clips
                .iter()
                .map(|clip| (clip.name.clone(), String::from_utf8(clip.bytes.clone()).unwrap()));
            let mut reply = with_statuses(json!({"files": plan.files}));
            if let Some(error) = &plan.error {
                reply["error"] = serde_json::to_value(error).unwrap();
            }
            Outcome { reply, clips: clips.collect(), after }
        }
        Err(error) => Outcome { reply: json!({"error": error}), clips: BTreeMap::new(), after },
    }
}

fn expected_after(case: &Case, world: &WorkspaceSnapshot) -> BTreeMap<String, FileState> {
    let mut after: BTreeMap<String, FileState> =
        world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
    let mode = |path: &String, after: &BTreeMap<String, FileState>| match after.get(path) {
        Some(FileState::File { mode, .. }) => *mode,
        _ => 0o644,
    };
    let texts = case.expect.after.iter().map(|(path, text)| (path, text.clone().into_bytes()));
    for (path, bytes) in texts.chain(case.expect.after_hex.iter().map(|(path, text)| (path, unhex(text)))) {
        let mode = mode(path, &after);
        after.insert(path.clone(), FileState::File { bytes: Arc::from(bytes), mode });
    }
    for path in &case.expect.gone {
        after.insert(path.clone(), FileState::Absent);
    }
    for (path, bits) in &case.expect.modes {
        if let Some(FileState::File { mode, .. }) = after.get_mut(path) {
            *mode = *bits;
        }
    }
    after
}

fn run(name: &str) {
    let file = folder().join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&file).unwrap();
    let case: Case = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (world, outcome) = match &case.payload {
        Some(payload) => translated(&case, payload),
        None => {
            let job: JobRequest =
                serde_json::from_str(&case.job).unwrap_or_else(|error| panic!("{name}: {error}"));
            let world = world(&case, &job);
            let outcome = outcome(&case, &world, &job);
            (world, outcome)
        }
    };
    if std::env::var_os("BLESS").is_some() {
        bless(&file, &text, &case, &world, &outcome);
        return;
    }
    let wanted: Value = serde_json::from_str(&case.expect.reply).expect("expect.reply is JSON");
    let reply = serde_json::to_string_pretty(&outcome.reply).unwrap();
    assert!(covers(&wanted, &outcome.reply), "{name}: expected {wanted:#}\nfound {reply}");
    let after = expected_after(&case, &world);
    assert_eq!(shown(&outcome.after), shown(&after), "{name}: {reply}");
    assert_eq!(outcome.clips, case.expect.clips, "{name}: clipboards");
}

fn shown(files: &BTreeMap<String, FileState>) -> BTreeMap<String, (String, Option<u32>)> {
    let show = |state: &FileState| match state {
        FileState::Absent => ("absent".to_owned(), None),
        FileState::File { bytes, mode } => (bytes.escape_ascii().to_string(), Some(*mode)),
    };
    files.iter().map(|(path, state)| (path.clone(), show(state))).collect()
}

#[test]
fn no_case_is_forgotten() {
    let list = |folder: PathBuf| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    };
    let named = |kind: String| -> Vec<String> {
        let names = list(folder().join(&kind)).into_iter();
        names.map(|name| format!("{kind}/{}", name.trim_end_matches(".toml"))).collect()
    };
    let (mut files, mut cases): (Vec<String>, Vec<&str>) =
        (list(folder()).into_iter().flat_map(named).collect(), CASES.to_vec());
    files.sort();
    cases.sort_unstable();
    assert_eq!(files, cases);
}
