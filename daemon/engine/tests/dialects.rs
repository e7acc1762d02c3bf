//! Random payloads of the JSON dialects: invalid ones, valid ones, and their results compared with naive models. They
//! touch no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_engine::dialect::{
    PayloadContext, PayloadJob, PayloadOutcome, PayloadRequest, Translation, format_refusal, translate,
};
use editd_engine::{
    FileState, PlanOptions, Refusal, WorkspaceSnapshot, needs_of_input as needs, plan_input as plan,
};
use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobRequest, JobStatus, Receipt, Reindent};
use editd_proto::path::FilePath;
use proptest::prelude::*;
use serde_json::{Value, json};

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };

fn job_of(translation: &Translation) -> JobRequest {
    let PayloadRequest::Job(PayloadJob { files, .. }) = translation.request.clone() else {
        panic!("it asks for no job")
    };
    JobRequest { files, ..JobRequest::default() }
}

fn translated(dialect: &str, payload: &Value) -> Result<JobRequest, Refusal> {
    translate(Some(dialect), &payload.to_string(), &SETTING).map(|translation| job_of(&translation))
}

/// Applies a job to the file `f`, and returns its content.
fn outcome(job: &JobRequest, content: &str) -> Result<String, Refusal> {
    let mut world = WorkspaceSnapshot::default();
    for path in needs(job)?.paths {
        world.files.insert(path, FileState::Absent);
    }
    let bytes: Arc<[u8]> = Arc::from(content.as_bytes());
    world.files.insert(FilePath::from("f"), FileState::File { bytes, mode: 0o644 });
    let plan = plan(job, &world, &PlanOptions::default())?;
    Ok(match plan.changes.first().map(|change| &change.after) {
        Some(FileState::File { bytes, .. }) => String::from_utf8(bytes.to_vec()).unwrap(),
        Some(FileState::Absent) => panic!("the file went away"),
        None => content.to_owned(),
    })
}

fn done(dialect: &str, payload: &Value, content: &str) -> Result<String, Refusal> {
    outcome(&translated(dialect, payload)?, content)
}

/// The names and words that payloads are made of, and others.
const WORDS: [&str; 42] = [
    "path",
    "patches",
    "operation",
    "oldText",
    "newText",
    "toClipboard",
    "fromClipboard",
    "reindent",
    "replaceAll",
    "strip",
    "add",
    "replace",
    "append_eof",
    "prepend_bof",
    "overwrite",
    "insert_before",
    "insert_after",
    "mode",
    "show_diff",
    "content",
    "line_edits",
    "search_replace",
    "insert_lines",
    "start_line",
    "end_line",
    "new_content",
    "at_line",
    "search",
    "regex",
    "count",
    "flags",
    "search_count",
    "search_flags",
    "strict",
    "interactive",
    "verify_only",
    "f",
    "",
    "a\n",
    "[(\\",
    "(a*)*\\1{",
    "é",
];

fn word() -> impl Strategy<Value = String> {
    (0..WORDS.len()).prop_map(|at| WORDS[at].to_owned())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => word().prop_map(Value::from),
        2 => (-3i64..70).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(1.5)),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::vec((word(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// JSON that is a payload but for some of its values.
fn nearly() -> impl Strategy<Value = Value> {
    let patches = prop::collection::vec((word(), word(), word(), any_json()), 0..3).prop_map(|patches| {
        let patch = |(operation, old, new, odd): (String, String, String, Value)| {
            json!({"operation": operation, "oldText": old, "newText": new, "reindent": odd})
        };
        json!({"path": "f", "patches": patches.into_iter().map(patch).collect::<Vec<_>>()})
    });
    let search = (word(), word(), any_json(), any_json(), any::<bool>()).prop_map(
        |(search, replace, count, flags, regex)| {
            json!({"path": "f", "search_replace":
                {"search": search, "replace": replace, "count": count, "flags": flags, "regex": regex}})
        },
    );
    prop_oneof![patches, search, any_json()]
}

/// A native edit that `patch` can express.
fn patch_edit() -> impl Strategy<Value = FileEdit> {
    let text = || "[a-c\n ]{0,4}";
    let quoted = || "[a-c\n]{1,4}";
    let clip = || prop::option::of("[cd/]{1,2}");
    let indent = (prop::option::of("[ ]{0,2}"), prop::option::of("[ ]{0,2}"))
        .prop_map(|(strip, add)| Reindent { strip, add });
    let shared = (text(), clip(), prop::option::of(indent));
    (0..6u8, quoted(), shared, clip(), any::<bool>()).prop_map(|(kind, old, shared, to_clipboard, all)| {
        let (text, from_clipboard, reindent) = shared;
        let clips = from_clipboard.is_some() || to_clipboard.is_some();
        let base = FileEdit { from_clipboard, reindent, ..FileEdit::default() };
        let insert =
            |at, base| FileEdit { op: "insert".to_owned(), at: Some(at), text: Some(text.clone()), ..base };
        match kind {
            0 => FileEdit {
                op: "replace".to_owned(),
                old: Some(old),
                new: Some(text),
                to_clipboard,
                all: all.then_some(true),
                loosest: (!clips && !all).then(|| "edge".to_owned()),
                ..base
            },
            1 => insert(EditPosition::End, base),
            2 => insert(EditPosition::Start, base),
            3 => FileEdit { own_line: Some(false), ..insert(EditPosition::Before(old), base) },
            4 => FileEdit { own_line: Some(false), ..insert(EditPosition::After(old), base) },
            _ => FileEdit { op: "write".to_owned(), text: Some(text), ..base },
        }
    })
}

/// The patch that asks for an edit.
fn printed(edit: &FileEdit) -> Value {
    let (operation, old) = match &edit.at {
        Some(EditPosition::End) => ("append_eof", None),
        Some(EditPosition::Start) => ("prepend_bof", None),
        Some(EditPosition::Before(old)) => ("insert_before", Some(old)),
        Some(EditPosition::After(old)) => ("insert_after", Some(old)),
        _ if edit.op == "write" => ("overwrite", None),
        _ => ("replace", edit.old.as_ref()),
    };
    let mut patch = json!({"operation": operation, "newText": edit.new.as_ref().or(edit.text.as_ref())});
    let fields = [
        ("oldText", json!(old)),
        ("toClipboard", json!(edit.to_clipboard)),
        ("fromClipboard", json!(edit.from_clipboard)),
        ("reindent", json!(edit.reindent)),
        ("replaceAll", json!(edit.all)),
    ];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
        patch[name] = value;
    }
    patch
}

/// Returns a file of unique pieces in a row, with none at either end, where insertions would meet.
fn pieces(count: usize, gap: &str) -> String {
    let pieces: String = (0..count).map(|number| format!("<{number}>{gap}")).collect();
    format!("{gap}{pieces}")
}

/// Pattern, flags, template, text, count, and the result of CPython 3.11.
type Sample = (String, u32, String, String, Option<u64>, String);

#[test]
fn substitutions_come_out_as_python_has_them() {
    let samples: Vec<Sample> =
        serde_json::from_str(include_str!("samples/python-substitutions.json")).unwrap();
    for (search, flags, replace, text, count, wanted) in samples {
        let search =
            json!({"search": search, "replace": replace, "regex": true, "flags": flags, "count": count});
        let payload = json!({"path": "f", "search_replace": search});
        assert_eq!(done("safe-edit", &payload, &text).unwrap(), wanted, "{payload} in {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every payload is either planned or refused, and the result can be formatted.
    #[test]
    fn no_json_is_too_odd(payload in nearly(), text in "[ab(\\n]{0,8}") {
        let payload = payload.to_string();
        for dialect in [Some("patch"), Some("safe-edit"), None] {
            let translation = match translate(dialect, &payload, &SETTING) {
                Ok(translation) => translation,
                Err(error) => {
                    assert!(format_refusal(dialect, &payload, &error).contains(&error.message));
                    continue;
                }
            };
            let (status, error) = match outcome(&job_of(&translation), &text) {
                Ok(after) if after == text => (JobStatus::Unchanged, None),
                Ok(_) => (JobStatus::Applied, None),
                Err(error) => (JobStatus::Refused, Some(*error)),
            };
            let receipt = Receipt {
                omitted_files: 0,
                queued: None,
                job: None, status, files: Vec::new(), hooks: Vec::new(), checks: Vec::new(), error, verified: None, rebased: false, repeated: false,
                dialect: None, text: None,
            };
            let said = translation.reply.format(&PayloadOutcome::Receipt(&receipt));
            let success = said.contains('✅') || said.contains("<patches_applied>all<");
            assert_eq!(success, status != JobStatus::Refused, "{said}");
        }
    }

    /// A printed patch is read back as the same edits.
    #[test]
    fn a_printed_patch_is_read_back(edits in prop::collection::vec(patch_edit(), 1..5)) {
        let payload = json!({"path": "d/f", "patches": edits.iter().map(printed).collect::<Vec<_>>()});
        let job = translated("patch", &payload).unwrap();
        assert_eq!(job.files, [FileEntry { path: FilePath::from("d/f"), base: None, edits, ..FileEntry::default() }]);
    }

    /// The same for line edits and inserted lines.
    #[test]
    fn printed_lines_are_read_back(items in prop::collection::vec((0u64..9, 0u64..9, "[a\n]{0,3}"), 1..5), insert in any::<bool>()) {
        let text = |text: &String| Some(text.clone());
        let edits: Vec<FileEdit> = items.iter().map(|(start, more, new)| if insert {
            FileEdit { op: "insert".to_owned(), at: Some(EditPosition::Line(*start)), text: text(new), ..FileEdit::default() }
        } else {
            FileEdit { op: "lines".to_owned(), start: Some(*start), end: Some(start + more), text: text(new), ..FileEdit::default() }
        }).collect();
        let list: Vec<Value> = items.iter().map(|(start, more, new)| if insert {
            json!({"at_line": start, "content": new})
        } else {
            json!({"start_line": start, "end_line": start + more, "new_content": new})
        }).collect();
        let name = if insert { "insert_lines" } else { "line_edits" };
        let job = translated("safe-edit", &json!({"path": "f", name: list})).unwrap();
        assert_eq!(job.files, [FileEntry { path: FilePath::from("f"), base: None, edits, ..FileEntry::default() }]);
    }

    /// Patches of exact, unique texts against a model that edits a string, one patch after the other.
    #[test]
    fn patches_are_those_of_a_naive_model(
        gap in "[ \n]{1,2}", kinds in prop::collection::vec((0..6u8, "[a-c\n]{0,3}"), 1..8), seed in any::<u64>(),
    ) {
        let content = pieces(kinds.len(), &gap);
        let (mut model, mut head) = (content.clone(), String::new());
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        let mut seed = seed;
        for i in (1..order.len()).rev() {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            order.swap(i, (seed >> 33) as usize % (i + 1));
        }
        let mut patches = Vec::new();
        for at in order {
            let (kind, new) = &kinds[at];
            let old = format!("<{at}>");
            let (operation, wanted) = match kind {
                0 | 1 => ("replace", Some(new.clone())),
                2 => ("insert_before", Some(format!("{new}{old}"))),
                3 => ("insert_after", Some(format!("{old}{new}"))),
                4 => ("append_eof", None),
                _ => ("prepend_bof", None),
            };
            match (wanted, operation) {
                (Some(wanted), _) => model = model.replacen(&old, &wanted, 1),
                (None, "append_eof") => model.push_str(new),
                (None, _) => head.push_str(new),
            }
            patches.push(json!({"operation": operation, "oldText": old, "newText": new}));
        }
        let found = done("patch", &json!({"path": "f", "patches": patches}), &content).unwrap();
        assert_eq!(found, format!("{head}{model}"));
    }

    /// Line edits against a model that holds a list of lines.
    #[test]
    fn line_edits_are_those_of_a_naive_model(
        steps in prop::collection::vec((0usize..3, 1usize..3, prop::collection::vec("[xy]{0,2}", 0..3), any::<bool>()), 1..4),
        rest in 0usize..3, open in any::<bool>(),
    ) {
        let count = steps.iter().map(|(skip, take, ..)| skip + take).sum::<usize>() + rest;
        let mut model: Vec<String> = (1..=count).map(|line| format!("line {line}")).collect();
        let mut content = model.iter().map(|line| format!("{line}\n")).collect::<String>();
        if open { content.pop(); }
        let (mut edits, mut from, mut last_goes) = (Vec::new(), 0, false);
        for (skip, take, new, ended) in &steps {
            let (start, end) = (from + skip + 1, from + skip + take);
            let mut text = new.join("\n");
            // A final break is optional, so a blank line at the end needs a separate one.
            if *ended || new.last().is_some_and(String::is_empty) { text.push('\n'); }
            if new.is_empty() { text.clear(); }
            edits.push((start, end, new.clone(), text));
            from = end;
            last_goes = end == count && new.is_empty();
        }
        for (start, end, new, _) in edits.iter().rev() {
            model.splice(start - 1..*end, new.iter().cloned());
        }
        let mut wanted: String = model.iter().map(|line| format!("{line}\n")).collect();
        if open && !last_goes { wanted.pop(); }
        let list: Vec<Value> = edits.iter().rev()
            .map(|(start, end, _, text)| json!({"start_line": start, "end_line": end, "new_content": text}))
            .collect();
        assert_eq!(done("safe-edit", &json!({"path": "f", "line_edits": list}), &content).unwrap(), wanted);
    }

    /// A literal search is the standard library's.
    #[test]
    fn a_literal_search_replaces_as_the_library_does(
        content in "[ab.\n]{0,20}", search in "[ab.\n]{1,2}", replace in "[ab$\\\\]{0,3}", count in prop::option::of(1usize..4),
    ) {
        let payload = json!({"path": "f", "mode": "interactive",
            "search_replace": {"search": search, "replace": replace, "count": count}});
        let wanted = content.replacen(&search, &replace, count.unwrap_or(usize::MAX));
        assert_eq!(done("safe-edit", &payload, &content).unwrap(), wanted);
    }
}
