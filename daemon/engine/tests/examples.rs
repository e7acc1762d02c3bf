//! The worked examples of the manual: each is read as a job, and changes a file as the manual describes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_engine::{FileState, PlanOptions, WorkspaceSnapshot, needs_of_input as needs, plan_input as plan};
use editd_proto::message::JobRequest;
use editd_proto::operation::OPERATIONS;
use editd_proto::path::FilePath;
use serde_json::{Value, json};

fn file(text: Option<&str>) -> FileState {
    match text {
        Some(text) => FileState::File { bytes: Arc::from(text.as_bytes()), mode: 0o644 },
        None => FileState::Absent,
    }
}

#[test]
fn every_example_applies() {
    let path = FilePath::from("greet.py");
    for operation in OPERATIONS {
        assert!(!operation.examples.is_empty(), "{} has no example", operation.name);
        for example in operation.examples {
            let edit: Value = serde_json::from_str(example.edit).unwrap();
            assert_eq!(edit.get("op").unwrap(), operation.name);
            // As an agent sends it: one edit, without a list.
            let job: JobRequest =
                serde_json::from_value(json!({"files": {"path": "greet.py", "edits": edit}})).unwrap();
            let mut world = WorkspaceSnapshot::default();
            for needed in needs(&job).unwrap().paths {
                world.files.insert(needed, FileState::Absent);
            }
            world.files.insert(path.clone(), file(example.before));
            let plan = plan(&job, &world, &PlanOptions::default())
                .unwrap_or_else(|error| panic!("{}: {error}", example.edit));
            let change = plan.changes.iter().find(|change| change.path == path);
            let after = change.map_or_else(|| file(example.before), |change| change.after.clone());
            let text = match &after {
                FileState::File { bytes, .. } => Some(std::str::from_utf8(bytes).unwrap()),
                FileState::Absent => None,
            };
            assert_eq!(text, example.after, "{}", example.edit);
            assert!(!plan.changes.is_empty(), "{} changes nothing", example.edit);
        }
    }
}

#[test]
fn every_field_with_a_question_mark_may_be_left_out_and_no_other() {
    for operation in OPERATIONS {
        for field in operation.fields.iter().filter(|field| !field.takes.ends_with('?')) {
            // A symbol may be named by `within`, and a text may come from a clipboard.
            let named = operation
                .examples
                .iter()
                .filter(|example| example.edit.contains(&format!("\"{}\":", field.name)));
            assert_eq!(named.count(), operation.examples.len(), "{} {}", operation.name, field.name);
        }
    }
}
