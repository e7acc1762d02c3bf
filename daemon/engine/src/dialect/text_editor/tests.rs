//! Tests of the wording of views and undos, and of random payloads. They touch no file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FileOutcome, FilePath, JobStatus, Receipt, RequestError};
use proptest::prelude::*;
use serde_json::json;

use crate::dialect::{PayloadContext, PayloadOutcome, PayloadRequest, ShownFile, Translation, translate};

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };

fn understood(payload: &serde_json::Value) -> Translation {
    translate(None, &payload.to_string(), &SETTING).ok().unwrap()
}

#[test]
fn a_view_is_numbered_from_its_first_line() {
    let translation = understood(&json!({"command": "view", "path": "a", "view_range": [9, -1]}));
    let path = FilePath::from("a");
    assert_eq!(translation.request, PayloadRequest::View { path: path.clone(), lines: Some((9, u64::MAX)) });
    let read = ShownFile {
        path: &path,
        text: Some("x\r\n\r\ny"),
        bytes: None,
        first_line: 9,
        line_ending: "crlf",
        size: 6,
    };
    assert_eq!(
        translation.reply.format(&PayloadOutcome::Read(read)),
        "Here's the result of running `cat -n` on a:\n     9\tx\n    10\t\n    11\ty\n"
    );
    let binary = ShownFile { text: None, ..read };
    assert_eq!(translation.reply.format(&PayloadOutcome::Read(binary)), "a is not text; it has 6 bytes");
    let foreign = ShownFile { bytes: Some(b"\x82\xa0 sj\n"), ..binary };
    let said = translation.reply.format(&PayloadOutcome::Read(foreign));
    assert!(said.contains("6 bytes; if it is, name its encoding under `[[encodings]]`"), "{said}");
}

#[test]
fn an_undo_is_said_with_what_is_there_again() {
    let translation = understood(&json!({"command": "undo_edit", "path": "a"}));
    let path = FilePath::from("a");
    assert_eq!(translation.request, PayloadRequest::Undo { path: path.clone() });
    let file = FileOutcome {
        diff: Some("--- a/a\n+++ b/a\n@@ -3,2 +3,2 @@ f\n x\n-y\n+z\n@@ -9 +9 @@\n+w\n".to_owned()),
        ..FileOutcome::new(path, JobStatus::Applied)
    };
    let applied = Receipt { files: vec![file], ..Receipt::new(None, JobStatus::Applied) };
    assert_eq!(
        translation.reply.format(&PayloadOutcome::Receipt(&applied)),
        "Last edit to a undone successfully. Here's the result of running `cat -n` on a snippet of a:\n     3\tx\n     4\tz\n...\n     9\tw\n"
    );
    let refused = Receipt::refused(RequestError::new(ErrorCode::NotFound, "nothing to undo"));
    assert_eq!(translation.reply.format(&PayloadOutcome::Receipt(&refused)), "No edit history found for a.");
}

proptest! {
    #[test]
    fn no_payload_panics(
        command in prop::sample::select(vec!["view", "create", "str_replace", "insert", "undo_edit", "x"]),
        line in prop::option::of(any::<i64>()),
        range in prop::option::of(any::<(i64, i64)>()),
        text in prop::option::of("[a\n]{0,3}"),
        other in prop::option::of("[a\n]{0,3}"),
    ) {
        let payload = json!({
            "command": command, "path": "f", "view_range": range, "insert_line": line,
            "old_str": text, "new_str": other, "insert_text": text, "file_text": other,
        });
        if let Err(error) = translate(Some("text-editor"), &payload.to_string(), &SETTING) {
            prop_assert_eq!(error.code, ErrorCode::Malformed);
        }
    }
}
