//! A plan for an older content that is moved to the current one: its changes and its outcomes. It reads no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{
    ContentHash, FileState, Job, Plan, PlanOptions, Refusal, StaleFiles, WorkspaceSnapshot, apply, merge,
    plan_input as plan, rebase, splices_between,
};
use editd_proto::error::ErrorCode;
use editd_proto::message::{EditStatus, FileEdit, FileEntry, FileMode, JobRequest, JobStatus};
use editd_proto::path::FilePath;
use proptest::prelude::*;

fn file(text: &str, mode: u32) -> FileState {
    FileState::File { bytes: Arc::from(text.as_bytes()), mode }
}

fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit { op: "replace".into(), old: Some(old.into()), new: Some(new.into()), ..FileEdit::default() }
}

fn lines(first: u64, last: u64, text: &str) -> FileEdit {
    FileEdit {
        op: "lines".into(),
        start: Some(first),
        end: Some(last),
        text: Some(text.into()),
        ..FileEdit::default()
    }
}

/// Plans stages of `a` on a base, and moves the plan to the current content.
fn rebased(stages: &[&[FileEdit]], base: &FileState, current: &FileState) -> (Plan, Vec<Refusal>) {
    let path = FilePath::from("a");
    let entry = |edits: &&[FileEdit]| FileEntry {
        path: path.clone(),
        base: None,
        edits: edits.to_vec(),
        ..FileEntry::default()
    };
    let job = JobRequest { files: stages.iter().map(entry).collect(), ..JobRequest::default() };
    let world = WorkspaceSnapshot {
        files: BTreeMap::from([(path.clone(), base.clone())]),
        ..WorkspaceSnapshot::default()
    };
    let mut plan = plan(&job, &world, &PlanOptions::default()).unwrap();
    let current = BTreeMap::from([(path, current.clone())]);
    let job = Job::parse(&job).unwrap();
    let stale = StaleFiles { job: &job, clips: &world.clips, current: &current };
    let refusals = rebase(&mut plan, stale, true, &PlanOptions::default());
    for change in &plan.changes {
        let hash = ContentHash::from_bytes(*blake3::hash(change.after.bytes()).as_bytes());
        assert!(change.hash.is_none_or(|known| known == hash), "the hash is that of the present content");
    }
    (plan, refusals)
}

fn text(state: &FileState) -> &str {
    let FileState::File { bytes, .. } = state else { return "" };
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_change_and_its_outcome_are_those_of_what_is_there_now() {
    let (base, now) = (file("a\nb\nc\nd\n", 0o644), file("new\na\nb\nc\nD\n", 0o755));
    let (plan, refusals) = rebased(&[&[replace("b", "B\nb")]], &base, &now);
    assert_eq!(refusals, []);
    let change = &plan.changes[0];
    assert_eq!((&change.before, &change.after), (&now, &file("new\na\nB\nb\nc\nD\n", 0o755)));
    assert_eq!(apply(b"new\na\nb\nc\nD\n", &change.splices).unwrap(), b"new\na\nB\nb\nc\nD\n");
    assert_eq!((change.added, change.removed), (1, 0));
    let outcome = &plan.files[0];
    assert_eq!((outcome.status, outcome.edits[0].lines), (JobStatus::Applied, Some((3, 3))));
    assert!(outcome.diff.as_deref().unwrap().contains("@@ -1,5 +1,6 @@\n new\n a\n+B\n b\n"), "{outcome:?}");
    assert!(outcome.before.is_some() && outcome.after.is_some() && outcome.before != outcome.after);
}

#[test]
fn a_new_text_is_not_joined_to_a_line_of_others() {
    for (base, now, old, new, result) in [
        ("i\n\nx = 1\ny\n", "i\n\nz  # count\nx = 1\ny\n", "\nx = 1\n", "x = 5\n", None),
        (
            "a\n\ndef f():\n    b\n",
            "a\n\n# note\ndef f():\n    b\n",
            "\ndef f():\n    b\n",
            "def f():\n    b\n",
            None,
        ),
        ("i\n\nx = 1\n", "i\n\nj\nx = 1\n", "\nx = 1\n", "", None),
        ("a\n\nb\nz\n", "a\n\nX\nb\nz\n", "\nb", "c", None),
        ("a\nb = 1\nc\nd\n", "a\nb = 2  # two\nc\nd\n", "\nc", " + 5\nc", None),
        ("a\nx\nb\nc\n", "a\nx\nEXT\nb\nc\n", "x\n", "new", None),
        ("a\nx\nb\nc\n", "a\nx\nB\nc\n", "x\n", "new", None),
        ("a\r\nb\r\nc\r\n", "a\r\nX\r\nb\r\nc\r\n", "\nb", "c", None),
        // The breaks stay, nothing is left to join, or the line is as it was.
        ("i\n\nx = 1\ny\n", "i\n\nz\nx = 1\ny\n", "\nx = 1\n", "\nx = 5\n", Some("i\n\nz\nx = 5\ny\n")),
        ("a\nx = 1\ny\nz\n", "a\nEXT\nx = 1\ny\nz\n", "\nx = 1", "", Some("a\nEXT\ny\nz\n")),
        ("a\nx\nb\nc\n", "a\nx\nEXT\nb\nc\n", "x\n", "", Some("a\nEXT\nb\nc\n")),
        ("a\nx\nb\nc\n", "EXT\na\nx\nb\nC\n", "\nx\n", "+", Some("EXT\na+b\nC\n")),
    ] {
        let (plan, refusals) = rebased(&[&[replace(old, new)]], &file(base, 0o644), &file(now, 0o644));
        let codes: Vec<_> = refusals.iter().map(|refusal| refusal.code).collect();
        match result {
            Some(result) => assert_eq!((codes, text(&plan.changes[0].after)), (vec![], result), "{base:?}"),
            None => assert_eq!(codes, [ErrorCode::Conflict], "{now:?}, {:?}", text(&plan.changes[0].after)),
        }
    }
}

#[test]
fn two_stages_of_a_file_are_one_change_told_at_its_ends() {
    let (base, now) = (file("a\nb\nc\n", 0o644), file("a\nb\nc\nd\n", 0o644));
    let (plan, refusals) = rebased(&[&[lines(1, 1, "x\ny")], &[replace("y", "z")]], &base, &now);
    assert_eq!(refusals, []);
    assert_eq!((plan.changes.len(), text(&plan.changes[0].after)), (1, "x\nz\nb\nc\nd\n"));
    let told: Vec<_> = plan
        .files
        .iter()
        .map(|file| (file.before.is_some(), file.after.is_some(), file.diff.is_some()))
        .collect();
    assert_eq!(told, [(true, false, false), (false, true, true)]);
}

#[test]
fn edits_that_others_made_already_are_unchanged() {
    let (base, now) = (file("a\nb\n", 0o644), file("A\nb\n", 0o644));
    let (plan, refusals) = rebased(&[&[replace("a", "A")]], &base, &now);
    assert_eq!((refusals, plan.changes), (vec![], vec![]));
    assert_eq!(
        (plan.files[0].status, plan.files[0].edits[0].status),
        (JobStatus::Unchanged, EditStatus::Unchanged)
    );
    assert_eq!((&plan.files[0].before, &plan.files[0].diff), (&plan.files[0].after, &None));
}

#[test]
fn a_conflict_names_the_file_and_an_absent_one_cannot_be_merged() {
    let base = file("a\nb\n", 0o644);
    for now in [file("x\nb\n", 0o644), FileState::Absent] {
        let (_, refusals) = rebased(&[&[replace("a", "A")]], &base, &now);
        assert_eq!((refusals.len(), refusals[0].code), (1, ErrorCode::Conflict));
        assert_eq!(refusals[0].path, Some(FilePath::from("a")));
    }
}

#[test]
fn a_mode_is_given_to_what_is_there_now() {
    let chmod = [FileEdit { op: "chmod".into(), mode: Some(FileMode::Bits(0o600)), ..FileEdit::default() }];
    let (base, now) = (file("a\nb\n", 0o644), file("a\nb\nc\n", 0o644));
    let (plan, refusals) = rebased(&[&chmod], &base, &now);
    assert_eq!(refusals, []);
    assert_eq!((&plan.changes[0].after, &*plan.changes[0].splices), (&file("a\nb\nc\n", 0o600), &[][..]));
    let (plan, refusals) = rebased(&[&chmod], &file("\0a", 0o644), &file("\0b", 0o755));
    assert_eq!((refusals, &plan.changes[0].after), (vec![], &file("\0b", 0o600)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// A moved plan has the same outcomes as a plan for the merged content, as far as both are possible.
    #[test]
    fn moving_a_plan_is_planning_where_others_only_added_lines_around(above in 0_u64..5, below in 0_usize..5, line in 0_u64..8) {
        let base: String = (0..8).map(|i| format!("line {i}\n")).collect();
        let more = |n: u64, name: &str| (0..n).map(|i| format!("{name} {i}\n")).collect::<String>();
        let now = format!("{}{base}{}", more(above, "above"), more(below as u64, "below"));
        let edit = [replace(&format!("line {line}\n"), "one\ntwo\n")];
        let (moved, refusals) = rebased(&[&edit], &file(&base, 0o644), &file(&now, 0o644));
        // Also at the edges, beside a line that others added: the quotation occurs once.
        prop_assert_eq!(refusals, []);
        let (planned, _) = rebased(&[&edit], &file(&now, 0o644), &file(&now, 0o644));
        prop_assert_eq!(moved, planned);
    }
}

/// Lines of which one is the session's.
fn replaced(lines: &[String], at: usize) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines[at] = "MINE".to_owned();
    lines
}

/// Lines of which some are equal, and what others made of them.
fn both_contents() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let line = prop_oneof![3 => "[a-c]".prop_map(|text| text), 4 => "[d-z]{6}".prop_map(|text| text)];
    let action = prop_oneof![6 => Just(0_u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    proptest::collection::vec((line, action), 1..14).prop_map(|lines| {
        let theirs = |(line, action): &(String, u8)| match action {
            0 => vec![line.clone()],
            1 => Vec::new(),
            2 => vec![format!("{line} theirs")],
            _ => vec!["new".to_owned(), line.clone()],
        };
        let current = lines.iter().flat_map(theirs).collect();
        (lines.into_iter().map(|(line, _)| line).collect(), current)
    })
}

proptest! {
    #[test]
    fn edits_are_located_again_at_the_meant_lines((base, current) in both_contents(), at in 0_usize..14, quoted in any::<bool>()) {
        let at = at % base.len();
        let joined = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let edit = if quoted {
            FileEdit { op: "replace".into(), old: Some(base[at].clone()), new: Some("MINE".into()), near: Some(at as u64 + 1), whole_lines: Some(true), ..FileEdit::default() }
        } else {
            let line = Some(at as u64 + 1);
            FileEdit { op: "lines".into(), start: line, end: line, text: Some("MINE".into()), ..FileEdit::default() }
        };
        let (then, now) = (joined(&base), joined(&current));
        let entry = FileEntry { path: "a".into(), edits: vec![edit.clone()], ..FileEntry::default() };
        let job = JobRequest { files: vec![entry], ..JobRequest::default() };
        let world = WorkspaceSnapshot { files: BTreeMap::from([("a".into(), file(&then, 0o644))]), ..WorkspaceSnapshot::default() };
        prop_assume!(plan(&job, &world, &PlanOptions::default()).is_ok());
        let (made, refusals) = rebased(&[&[edit]], &file(&then, 0o644), &file(&now, 0o644));
        if refusals.is_empty() && !made.changes.is_empty() {
            let after: Vec<String> = text(&made.changes[0].after).lines().map(str::to_owned).collect();
            let place = after.iter().position(|line| line == "MINE").unwrap();
            let mut wanted = current.clone();
            prop_assert_eq!(&wanted[place], &base[at]);
            let splices = splices_between(then.as_bytes(), joined(&replaced(&base, at)).as_bytes());
            if quoted && merge(then.as_bytes(), &splices, now.as_bytes(), None).is_err() {
                prop_assert_eq!(base.iter().filter(|line| **line == base[at]).count(), 1);
                prop_assert_eq!(current.iter().filter(|line| **line == base[at]).count(), 1);
            }
            wanted[place] = "MINE".into();
            prop_assert_eq!(after, wanted);
        }
    }

    /// A quotation and a pattern in one file in which others changed lines beside them: each changes only its line,
    /// and its outcome gives the place.
    #[test]
    fn edits_that_go_different_ways_change_their_lines_alone((base, current) in both_contents(), at in 0_usize..14, other in 0_usize..14, more in any::<bool>()) {
        let (at, other) = (at % base.len(), other % base.len());
        let once = |lines: &[String], text: &str| lines.iter().filter(|line| line.contains(text)).count() == 1;
        prop_assume!(at != other && once(&base, &base[at]) && once(&base, &base[other]));
        let joined = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mine = if more { "MINE\nmore" } else { "MINE" };
        let whole = FileEdit { whole_lines: Some(true), ..replace(&base[at], mine) };
        let pattern = FileEdit { op: "substitute".into(), pattern: Some(base[other].clone()), replacement: Some("YOURS".into()), ..FileEdit::default() };
        let (then, now) = (joined(&base), joined(&current));
        let (made, refusals) = rebased(&[&[pattern, whole]], &file(&then, 0o644), &file(&now, 0o644));
        if refusals.is_empty() {
            let after: Vec<&str> = text(&made.changes[0].after).lines().collect();
            let left: Vec<&str> = after.iter().filter(|line| !more || **line != "more").copied().collect();
            let mut wanted: Vec<&str> = current.iter().map(String::as_str).collect();
            for (name, line, outcome) in [("YOURS", &base[other], 0), ("MINE", &base[at], 1)] {
                let place = left.iter().position(|line| *line == name).unwrap();
                prop_assert_eq!(wanted[place], line);
                wanted[place] = name;
                let told = made.files[0].edits[outcome].now.map(|(first, _)| first as usize);
                prop_assert_eq!(told, after.iter().position(|line| *line == name).map(|at| at + 1));
            }
            prop_assert_eq!(left, wanted);
        }
    }
}
