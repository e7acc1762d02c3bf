//! Runs every file in `cases/`: one file, one rule, its name the rule as a sentence. `BLESS=1` rewrites what
//! they expect; it never adds a field that a case does not name.
//!
//! A case has `job` (JSON), or the `payload` of a `dialect` (with `payload_path`, the file beside it); then the
//! reply has the `text` in that dialect's words, and what is no job is shown as `asked`. It has `before` (path to text) or `before_hex`, `modes`, `clips`, `encodings`; and in
//! `expect`: `reply` (JSON; fields that are named must be so), `after`, `after_hex`, `gone`, `clips`, `modes`.
//! A file that `expect` does not name must be unchanged.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use editd_engine::{Options, Plan, State, World, apply, dialect, invert, needs, plan};
use editd_proto::error::WireError;
use editd_proto::message::{FileOutcome, JobRequest, Receipt, Status};
use editd_proto::path::WirePath;
use serde::Deserialize;
use serde_json::{Value, json};

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
    /// What the request says beside the payload.
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

fn name_of(path: &WirePath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn world(case: &Case, job: &JobRequest) -> World {
    let mut world = World::default();
    let files = case.before.iter().map(|(path, text)| (path, text.clone().into_bytes()));
    let files = files.chain(case.before_hex.iter().map(|(path, text)| (path, unhex(text))));
    for (path, bytes) in files {
        let mode = case.modes.get(path).copied().unwrap_or(0o644);
        world.files.insert(WirePath::from(path.as_str()), State::File { bytes: Arc::from(bytes), mode });
    }
    if let Ok(needs) = needs(job) {
        for path in needs.paths {
            world.files.entry(path).or_insert(State::Absent);
        }
        for name in needs.clips {
            if let Some(text) = case.clips.get(&name) {
                world.clips.insert(name, text.clone().into_bytes());
            }
        }
    }
    world
}

/// What holds for every plan: splices give the state after and, taken back, the state before.
fn look_through_every_lens(world: &World, plan: &Plan) {
    let bytes = |state: &State| match state {
        State::Absent => Vec::new(),
        State::File { bytes, .. } => bytes.to_vec(),
    };
    for change in &plan.changes {
        assert_eq!(world.files.get(&change.path), Some(&change.before), "{}", change.path);
        assert_ne!(change.before, change.after, "{} is listed without a change", change.path);
        let (before, after) = (bytes(&change.before), bytes(&change.after));
        assert_eq!(apply(&before, &change.splices).as_deref(), Some(&*after), "{}", change.path);
        assert_eq!(apply(&after, &invert(&change.splices)), Some(before), "{}", change.path);
        for pair in change.splices.windows(2) {
            assert!(pair[0].at + (pair[0].old.len() as u64) < pair[1].at, "splices meet");
        }
    }
}

/// Whether every field that `wanted` names is so; `found` may have more.
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

/// The found values of the fields that `wanted` names.
fn like(wanted: &Value, found: &Value) -> Value {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => wanted
            .iter()
            .map(|(key, value)| (key.clone(), like(value, found.get(key).unwrap_or(&Value::Null))))
            .collect(),
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            wanted.iter().zip(found).map(|(a, b)| like(a, b)).collect()
        }
        _ => found.clone(),
    }
}

/// What a case without a reply is given: how each edit ended, or why the job was refused.
fn summary(reply: &Value) -> Value {
    let pick = |value: &Value, keys: &[&str]| -> Value {
        keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone()))).collect()
    };
    let error_keys = [
        "code",
        "path",
        "edit",
        "other_edit",
        "found",
        "expected",
        "lines",
        "line",
        "candidates",
        "cause",
        "tried",
        "searched",
        "check",
        "fallen",
        "marker",
        "expected_marker",
        "limit",
    ];
    if reply.get("asked").is_some() {
        return reply.clone();
    }
    if reply.get("files").is_none() {
        return with_text(reply, json!({"error": pick(&reply["error"], &error_keys)}));
    }
    let edit_keys = ["status", "match", "lines", "moved", "replacements", "converted_breaks"];
    let files = reply["files"].as_array().unwrap().iter().map(|file| {
        let edits = file["edits"].as_array().unwrap().iter().map(|edit| {
            let mut shown = pick(edit, &edit_keys);
            if let Some(error) = edit.get("error") {
                shown["error"] = pick(error, &["code", "edit", "other_edit"]);
            }
            shown
        });
        json!({"status": file["status"], "edits": edits.collect::<Vec<_>>()})
    });
    with_text(reply, json!({"files": files.collect::<Vec<_>>()}))
}

fn with_text(reply: &Value, mut shown: Value) -> Value {
    for key in ["text", "asked", "warnings"] {
        if let Some(value) = reply.get(key) {
            shown[key] = value.clone();
        }
    }
    shown
}

struct Outcome {
    reply: Value,
    after: BTreeMap<String, State>,
    clips: BTreeMap<String, String>,
}

fn outcome(case: &Case, world: &World, job: &JobRequest) -> Outcome {
    let encodings = case.encodings.iter().map(|(path, label)| (WirePath::from(path.as_str()), label.clone()));
    let planned = plan(job, world, &Options { encodings: encodings.collect() });
    let again = plan(
        job,
        world,
        &Options {
            encodings: case.encodings.iter().map(|(p, l)| (WirePath::from(p.as_str()), l.clone())).collect(),
        },
    );
    assert_eq!(planned, again, "the same job in the same world gave another plan");
    let mut after: BTreeMap<String, State> =
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
            let mut reply = json!({"files": plan.files});
            if let Some(error) = &plan.error {
                reply["error"] = serde_json::to_value(error).unwrap();
            }
            Outcome { reply, clips: clips.collect(), after }
        }
        Err(error) => Outcome { reply: json!({"error": error}), clips: BTreeMap::new(), after },
    }
}

/// The folder in which a case's workspace would lie.
const ROOT: &[u8] = b"/workspace";

/// What a payload comes to, and what its dialect says of it.
fn translated(case: &Case, payload: &str) -> (World, Outcome) {
    let path = case.payload_path.as_deref().map(WirePath::from);
    let roots = [ROOT.to_vec()];
    let limit = case.payload_limit.unwrap_or(1024 * 1024);
    let setting = dialect::Setting { path: path.as_ref(), roots: &roots, limit };
    let translation = match dialect::translate(case.dialect.as_deref(), payload, &setting) {
        Ok(translation) => translation,
        Err(error) => {
            let text = dialect::say_refusal(case.dialect.as_deref(), payload, &error);
            let world = world(case, &JobRequest::default());
            let after = world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
            let reply = json!({"error": error, "text": text});
            return (world, Outcome { reply, after, clips: BTreeMap::new() });
        }
    };
    let wanted = match translation.asked {
        dialect::Asked::Job(wanted) => wanted,
        dialect::Asked::View { path, lines } => {
            return asked(case, json!({"view": {"path": path, "lines": lines}}));
        }
        dialect::Asked::Undo { path } => return asked(case, json!({"undo": {"path": path}})),
    };
    let job = JobRequest {
        files: wanted.files,
        mode: wanted.mode.unwrap_or_default(),
        diff: wanted.diff,
        threshold: wanted.threshold.or(case.payload_threshold),
        partial: wanted.partial.or(case.payload_partial).unwrap_or(false),
        ..JobRequest::default()
    };
    let world = world(case, &job);
    let mut outcome = outcome(case, &world, &job);
    let error: Option<WireError> = serde_json::from_value(outcome.reply["error"].clone()).ok();
    let files: Vec<FileOutcome> = serde_json::from_value(outcome.reply["files"].clone()).unwrap_or_default();
    let changed = files.iter().any(|file| matches!(file.status, Status::Applied | Status::Partial));
    let status = match (&error, changed) {
        (None, true) => Status::Applied,
        (None, false) => Status::Unchanged,
        (Some(_), true) => Status::Partial,
        (Some(_), false) => Status::Refused,
    };
    let receipt = Receipt {
        job: None,
        status,
        files,
        error,
        verified: None,
        rebased: false,
        repeated: false,
        dialect: Some(translation.dialect.to_owned()),
        text: None,
    };
    outcome.reply["text"] = translation.words.say(&dialect::Answer::Receipt(&receipt)).into();
    if !wanted.warnings.is_empty() {
        outcome.reply["warnings"] = json!(wanted.warnings);
    }
    (world, outcome)
}

fn asked(case: &Case, asked: Value) -> (World, Outcome) {
    let world = world(case, &JobRequest::default());
    let after = world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
    (world, Outcome { reply: json!({"asked": asked}), after, clips: BTreeMap::new() })
}

fn expected_after(case: &Case, world: &World) -> BTreeMap<String, State> {
    let mut after: BTreeMap<String, State> =
        world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
    let mode = |path: &String, after: &BTreeMap<String, State>| match after.get(path) {
        Some(State::File { mode, .. }) => *mode,
        _ => 0o644,
    };
    let texts = case.expect.after.iter().map(|(path, text)| (path, text.clone().into_bytes()));
    for (path, bytes) in texts.chain(case.expect.after_hex.iter().map(|(path, text)| (path, unhex(text)))) {
        let mode = mode(path, &after);
        after.insert(path.clone(), State::File { bytes: Arc::from(bytes), mode });
    }
    for path in &case.expect.gone {
        after.insert(path.clone(), State::Absent);
    }
    for (path, bits) in &case.expect.modes {
        if let Some(State::File { mode, .. }) = after.get_mut(path) {
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

fn shown(files: &BTreeMap<String, State>) -> BTreeMap<String, (String, Option<u32>)> {
    let show = |state: &State| match state {
        State::Absent => ("absent".to_owned(), None),
        State::File { bytes, mode } => (bytes.escape_ascii().to_string(), Some(*mode)),
    };
    files.iter().map(|(path, state)| (path.clone(), show(state))).collect()
}

fn bless(file: &PathBuf, text: &str, case: &Case, world: &World, outcome: &Outcome) {
    let wanted: Option<Value> = serde_json::from_str(&case.expect.reply).ok();
    let fields = wanted.filter(|_| !case.expect.reply.trim().is_empty());
    let reply = fields.map_or_else(|| summary(&outcome.reply), |wanted| like(&wanted, &outcome.reply));
    let head = text.split("[expect]").next().unwrap().trim_end();
    let mut out =
        format!("{head}\n\n[expect]\nreply = '''\n{}\n'''\n", serde_json::to_string_pretty(&reply).unwrap());
    let (mut after, mut after_hex, mut gone, mut modes) =
        (String::new(), String::new(), Vec::new(), String::new());
    for (path, state) in &outcome.after {
        let old = world.files.iter().find(|(known, _)| name_of(known) == *path).map(|(_, state)| state);
        match state {
            _ if old == Some(state) => {}
            State::Absent => gone.push(path.clone()),
            State::File { bytes, mode } => {
                if !matches!(old, Some(State::File { mode: old, .. }) if old == mode) && *mode != 0o644 {
                    writeln!(modes, "{} = 0o{mode:o}", quoted(path)).unwrap();
                }
                if matches!(old, Some(State::File { bytes: old, .. }) if old == bytes) {
                    continue;
                }
                match std::str::from_utf8(bytes) {
                    Ok(text) if !text.contains('\0') => {
                        writeln!(after, "{} = {}", quoted(path), quoted(text)).unwrap()
                    }
                    _ => writeln!(after_hex, "{} = {}", quoted(path), quoted(&hex(bytes))).unwrap(),
                }
            }
        }
    }
    if !gone.is_empty() {
        writeln!(out, "gone = [{}]", gone.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", "))
            .unwrap();
    }
    let mut clips = String::new();
    for (name, text) in &outcome.clips {
        writeln!(clips, "{} = {}", quoted(name), quoted(text)).unwrap();
    }
    for (table, body) in [("after", after), ("after_hex", after_hex), ("modes", modes), ("clips", clips)] {
        if !body.is_empty() {
            write!(out, "\n[expect.{table}]\n{body}").unwrap();
        }
    }
    std::fs::write(file, out).unwrap();
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control()
                || ('\u{2000}'..='\u{20ff}').contains(&c)
                || matches!(c, '\u{a0}' | '\u{feff}') =>
            {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap();
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[test]
fn no_case_is_forgotten() {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".toml").to_owned())
        .collect();
    files.sort();
    assert_eq!(files, CASES);
}
