//! Random diffs and patches: a diff printed from two contents makes the second of the first. They touch no file.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::sync::Arc;

use editd_engine::dialect::{PayloadContext, PayloadJob, PayloadRequest, translate};
use editd_engine::{
    FileState, PlanOptions, Refusal, WorkspaceSnapshot, needs_of_input as needs, plan_input as plan,
    unified_diff,
};
use editd_proto::error::ErrorCode;
use editd_proto::message::JobRequest;
use editd_proto::path::FilePath;
use proptest::prelude::*;

const SETTING: PayloadContext<'_> = PayloadContext { path: None, roots: &[], limit: 1024 * 1024 };

fn file(text: &str) -> FileState {
    FileState::File { bytes: Arc::from(text.as_bytes()), mode: 0o644 }
}

/// Applies a payload to the file `f`, and returns its state.
fn done(dialect: &str, payload: &str, before: &FileState) -> Result<FileState, Refusal> {
    let translation = translate(Some(dialect), payload, &SETTING)?;
    let PayloadRequest::Job(PayloadJob { files, .. }) = translation.request else {
        panic!("it asks for no job")
    };
    let job = JobRequest { files, ..JobRequest::default() };
    let mut world = WorkspaceSnapshot::default();
    for path in needs(&job)?.paths {
        world.files.insert(path, FileState::Absent);
    }
    world.files.insert(FilePath::from("f"), before.clone());
    let plan = plan(&job, &world, &PlanOptions::default())?;
    Ok(plan.changes.into_iter().next().map_or(before.clone(), |change| change.after))
}

/// Lines of few kinds, so that many are equal.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        Just(String::new()),
        Just("-- a".to_owned()),
        Just("++ a".to_owned()),
        Just("\\ No newline".to_owned()),
        Just("  }".to_owned()),
        Just("@@ -1 +1 @@".to_owned()),
        "[ab]{1,2}",
    ];
    prop::collection::vec(line, 0..30)
}

/// A content, and what became of it: some lines went, others came.
fn contents() -> impl Strategy<Value = (String, String)> {
    let text = |lines: &[String], open: bool, end: &str| {
        let mut text: String = lines.iter().flat_map(|line| [line.as_str(), end]).collect();
        if open && lines.last().is_some_and(|line| !line.is_empty()) {
            text.truncate(text.len() - end.len());
        }
        text
    };
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, lines()), 0..5);
    (lines(), edits, any::<[bool; 2]>(), any::<bool>()).prop_map(move |(old, edits, open, crlf)| {
        let mut new = old.clone();
        for (at, gone, come) in edits {
            let at = at.index(new.len() + 1);
            let end = (at + gone).min(new.len());
            new.splice(at..end, come.into_iter().take(4));
        }
        let end = if crlf { "\r\n" } else { "\n" };
        (text(&old, open[0], end), text(&new, open[1], end))
    })
}

/// Lines that are all different, and for each whether it stays, goes or is replaced, and whether one comes behind it.
fn steps() -> impl Strategy<Value = Vec<(u8, bool)>> {
    prop::collection::vec(
        (prop_oneof![6 => Just(0u8), 1 => Just(1), 1 => Just(2)], prop::bool::weighted(0.1)),
        1..40,
    )
}

/// The content before and after, and the hunks with so many lines of context: first line and lines.
fn printed(steps: &[(u8, bool)], context: usize) -> (String, String, Vec<(usize, Vec<String>)>) {
    let (mut old, mut new) = (String::new(), String::new());
    let mut all: Vec<(bool, Vec<String>)> = Vec::new();
    for (n, (action, more)) in steps.iter().enumerate() {
        let mut shown = Vec::new();
        writeln!(old, "line {n}").unwrap();
        match action {
            0 => shown.push(format!(" line {n}")),
            _ => shown.push(format!("-line {n}")),
        }
        if *action != 1 {
            let line = if *action == 0 { format!("line {n}") } else { format!("LINE {n}") };
            writeln!(new, "{line}").unwrap();
            if *action == 2 {
                shown.push(format!("+{line}"));
            }
        }
        if *more {
            writeln!(new, "more {n}").unwrap();
            shown.push(format!("+more {n}"));
        }
        all.push((*action != 0 || *more, shown));
    }
    let near = |at: usize| {
        let from = at.saturating_sub(context);
        all.iter().skip(from).take(at + context + 1 - from).any(|(changed, _)| *changed)
    };
    let mut hunks: Vec<(usize, Vec<String>)> = Vec::new();
    let mut open = false;
    for (at, (_, shown)) in all.iter().enumerate() {
        if near(at) {
            if !open {
                hunks.push((at + 1, Vec::new()));
            }
            hunks.last_mut().unwrap().1.extend(shown.iter().cloned());
        }
        open = near(at);
    }
    (old, new, hunks)
}

/// A content of 30,000 lines, and 10,000 hunks that each change one of them.
fn large() -> (String, String, Vec<String>) {
    let (mut old, mut new, mut hunks) = (String::new(), String::new(), Vec::new());
    for n in 0..10_000 {
        write!(old, "fn {n}\n  same\n  end {n}\n").unwrap();
        write!(new, "fn {n}\n  other\n  end {n}\n").unwrap();
        hunks.push(format!("-  same\n+  other\n   end {n}\n"));
    }
    (old, new, hunks)
}

#[test]
fn ten_thousand_hunks_are_located_without_reading_the_file_for_each() {
    let (old, new, hunks) = large();
    let mut diff = "--- a/f\n+++ b/f\n".to_owned();
    for (n, hunk) in hunks.iter().enumerate() {
        write!(diff, "@@ -{} +{} @@\n{hunk}", n * 3 + 2, n * 3 + 2).unwrap();
    }
    assert_eq!(done("unified-diff", &diff, &file(&old)), Ok(file(&new)));
    let patch = format!("*** Begin Patch\n*** Update File: f\n@@\n{}*** End Patch\n", hunks.join("@@\n"));
    assert_eq!(done("apply-patch", &patch, &file(&old)), Ok(file(&new)));
}

#[test]
fn one_hunk_may_have_ten_thousand_changes() {
    let (old, new, hunks) = large();
    let all: String = (0..).zip(&hunks).map(|(n, hunk)| format!(" fn {n}\n{hunk}")).collect();
    let patch = format!("*** Begin Patch\n*** Update File: f\n@@\n{all}*** End Patch\n");
    assert_eq!(done("apply-patch", &patch, &file(&old)), Ok(file(&new)));
    let folded = old.replace("same", "same  ");
    assert_eq!(done("apply-patch", &patch, &file(&folded)), Ok(file(&new)));
}

proptest! {
    #[test]
    fn a_diff_of_two_contents_makes_one_of_the_other((old, new) in contents()) {
        let path = FilePath::from("f");
        for (before, after) in [
            (file(&old), file(&new)),
            (FileState::Absent, file(&new)),
            (file(&old), FileState::Absent),
        ] {
            let (diff, omitted) = unified_diff(&path, &before, &after);
            prop_assert_eq!(omitted, 0);
            if !diff.is_empty() {
                prop_assert_eq!(done("unified-diff", &diff, &before), Ok(after), "{}", diff);
            }
        }
    }

    #[test]
    fn a_diff_with_wrong_numbers_does_the_same(
        steps in steps(),
        context in 1usize..4,
        shift in -20i64..60,
        wrong in 0usize..4,
        bare in any::<bool>(),
    ) {
        let (old, new, hunks) = printed(&steps, context);
        let mut diff = "--- a/f\n+++ b/f\n".to_owned();
        for (first, lines) in &hunks {
            let line = (*first as i64 + shift).max(0);
            let count = lines.len() + wrong;
            let header = if bare { "@@".to_owned() } else { format!("@@ -{line},{count} +{line},{count} @@") };
            writeln!(diff, "{header}\n{}", lines.join("\n")).unwrap();
        }
        if !hunks.is_empty() {
            prop_assert_eq!(done("unified-diff", &diff, &file(&old)), Ok(file(&new)), "{}", diff);
        }
    }

    #[test]
    fn a_patch_printed_from_edits_makes_them(
        steps in steps(),
        context in 1usize..4,
        turned in any::<bool>(),
        headed in any::<bool>(),
    ) {
        let (old, new, mut hunks) = printed(&steps, context);
        if turned {
            hunks.reverse();
        }
        let mut patch = "*** Begin Patch\n*** Update File: f\n".to_owned();
        for (first, lines) in &hunks {
            let header = if headed && *first > 1 { format!("@@ line {}", first - 2) } else { "@@".to_owned() };
            writeln!(patch, "{header}\n{}", lines.join("\n")).unwrap();
        }
        patch.push_str("*** End Patch\n");
        if !hunks.is_empty() {
            prop_assert_eq!(done("apply-patch", &patch, &file(&old)), Ok(file(&new)), "{}", patch);
        }
    }

    #[test]
    fn no_text_panics(
        lines in prop::collection::vec(
            prop_oneof![
                Just("diff --git a/f b/f".to_owned()),
                Just("diff --git \"a/\\303".to_owned()),
                Just("--- a/f".to_owned()),
                Just("--- /dev/null".to_owned()),
                Just("+++ b/f".to_owned()),
                Just("@@ -1,2 +1,2 @@".to_owned()),
                Just("@@ -18446744073709551615,18446744073709551615 +0,0 @@".to_owned()),
                Just("@@".to_owned()),
                Just("\\ No newline at end of file".to_owned()),
                Just("rename from f".to_owned()),
                Just("rename to g".to_owned()),
                Just("copy to g".to_owned()),
                Just("new file mode 100755".to_owned()),
                Just("-- ".to_owned()),
                Just("```".to_owned()),
                "[ +\\-]?[a-c\\x00é“]{0,3}\r?",
            ],
            0..16,
        ),
        content in "[a-c\n\r]{0,12}",
    ) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let path = FilePath::from("f");
        let _ = done("unified-diff", &text, &file(&content));
        for dialect in [None, Some("unified-diff")] {
            let _ = translate(dialect, &text, &PayloadContext { path: Some(&path), ..SETTING });
        }
    }
}

/// Returns the code of the refusal of a payload.
fn refused(dialect: &str, payload: &str, before: &str) -> ErrorCode {
    done(dialect, payload, &file(before)).unwrap_err().code
}

#[test]
fn a_diff_of_a_link_does_not_write_to_the_file_that_it_leads_to() {
    let diff = "diff --git a/f b/f\nindex 8d5738a..fcea0a3 120000\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n\
                \\ No newline at end of file\n+new\n\\ No newline at end of file\n";
    assert_eq!(refused("unified-diff", diff, "old"), ErrorCode::Unsupported);
    let plain = diff.replace(" 120000", " 100755");
    assert_eq!(done("unified-diff", &plain, &file("old")).unwrap(), file("new"));
}

#[test]
fn a_hunk_without_context_below_its_changes_is_not_placed_above_the_same_lines_at_the_end() {
    let diff = "--- a/f\n+++ b/f\n@@ -3,2 +3,3 @@\n x\n y\n+NEW\n";
    assert_eq!(refused("unified-diff", diff, "1\n2\nx\ny\nm\nx\ny\n"), ErrorCode::Ambiguous);
    assert_eq!(done("unified-diff", diff, &file("1\n2\nm\nx\ny\n")).unwrap(), file("1\n2\nm\nx\ny\nNEW\n"));
    // Models leave out context.
    assert_eq!(done("unified-diff", diff, &file("1\n2\nx\ny\nm\n")).unwrap(), file("1\n2\nx\ny\nNEW\nm\n"));
}

#[test]
fn a_hunk_is_not_placed_far_from_its_line_if_the_line_has_other_white_space() {
    let functions: String = (0..3).map(|at| format!("\n#[test]\nfn t{at}() {{\n1\n2\n3\n4\n}}\n")).collect();
    let now = format!("head{}", functions).replacen("#[test]\nfn t1", "#[test]  \nfn t1", 1);
    let line = now.lines().position(|line| line == "#[test]  ").unwrap();
    let diff = format!("--- a/f\n+++ b/f\n@@ -{line},2 +{line},3 @@\n \n+// NEW\n #[test]\n");
    assert_eq!(refused("unified-diff", &diff, &now), ErrorCode::Ambiguous);
}

#[test]
fn the_lines_of_an_added_file_keep_their_breaks() {
    let patch = "*** Begin Patch\n*** Add File: f\n+one\n+two\r\n+three\n*** End Patch\n";
    assert_eq!(done("apply-patch", patch, &FileState::Absent).unwrap(), file("one\ntwo\r\nthree\n"));
    let sent = patch.replace("\r\n", "\n").replace('\n', "\r\n");
    assert_eq!(done("apply-patch", &sent, &FileState::Absent).unwrap(), file("one\ntwo\nthree\n"));
}
