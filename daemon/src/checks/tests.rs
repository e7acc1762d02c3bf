//! The comparison of runs, and the order and results of runs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::ids::JobId;
use editd_proto::message::{CheckOutcome, CheckStatus, Diagnostic};

use super::*;
use crate::limits;

/// A file with numbered lines, each `NAME-NUMBER`.
type Tree<'t> = &'t [(&'t str, &'t [&'t str])];

fn hash(text: &str) -> u64 {
    text.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// A run that reports `path:line message` for each line, in a tree of these files; `gone` files do not exist.
fn run(issues: &str, tree: Tree<'_>, gone: &[&str], end: RunEnd) -> FinishedRun {
    let text = |path: &str, line: usize| {
        let (_, lines) = tree.iter().find(|(name, _)| *name == path)?;
        lines.get(line - 1).map(|text| hash(text))
    };
    let issue = |issue: &str| {
        let (place, message) = issue.split_once(' ').unwrap();
        let (path, line) = place.split_once(':').unwrap();
        let line: usize = line.parse().unwrap();
        let told = Diagnostic {
            path: Some(path.into()),
            line: Some(line as u64),
            column: None,
            message: message.to_owned(),
        };
        FoundIssue { told, text: text(path, line) }
    };
    let present = tree
        .iter()
        .map(|(name, lines)| (FilePath::from(*name), Some(lines.iter().map(|line| hash(line)).collect())));
    let lines = present.chain(gone.iter().map(|name| (FilePath::from(*name), None))).collect();
    FinishedRun { end, issues: issues.lines().map(issue).collect(), lines }
}

fn spec(name: &str, command: &str) -> CommandSpec {
    let text = format!("[[check]]\nname = \"{name}\"\nfiles = [\"**\"]\ncommand = {command}\n");
    crate::config::read_commands(text.as_bytes()).unwrap().list.remove(0)
}

fn due(name: &str, files: &[&str]) -> DueCheck {
    DueCheck { spec: spec(name, "[\"true\"]"), files: files.iter().map(|file| (*file).into()).collect() }
}

fn on_files(files: &[&str]) -> DueCheck {
    DueCheck { spec: spec("c", "[\"true\", \"{files}\"]"), ..due("c", files) }
}

fn told(outcome: &CheckOutcome) -> Vec<String> {
    outcome.new.iter().map(ToString::to_string).collect()
}

/// Runs the check of a job at once.
fn once(board: &mut CheckBoard, job: u64, check: DueCheck, result: &FinishedRun) -> CheckOutcome {
    board.add(JobId(job), "s", vec![check]);
    let started = board.next().unwrap();
    board.finish(&started, result).unwrap()
}

#[test]
fn a_check_that_is_no_longer_configured_is_forgotten() {
    let mut board = CheckBoard::default();
    assert!(board.is_empty());
    let found = run("a:1 wrong", &[("a", &["a-1"])], &[], RunEnd::Failed);
    once(&mut board, 1, due("c", &["a"]), &found);
    once(&mut board, 2, due("d", &["a"]), &found);
    board.add(JobId(3), "s", vec![due("e", &["a"])]);
    board.keep_only(&["d".to_owned()].into());
    // `e` is still due.
    let names: Vec<String> = board.all().into_iter().map(|one| one.check).collect();
    assert_eq!(names, ["d", "e"]);
    assert_eq!(board.of_job(JobId(1)).unwrap().first().unwrap().check, "c");
    let told: Vec<String> = board.tell("s", None).into_iter().map(|one| one.check).collect();
    assert_eq!(told, ["d"]);
    // It begins anew, after the one that is due.
    let next = board.next().unwrap();
    board.finish(&next, &found).unwrap();
    assert!(once(&mut board, 4, due("c", &["a"]), &found).first);
}

#[test]
fn problems_are_the_same_as_long_as_file_message_and_line_are() {
    let before: Tree<'_> = &[("a", &["x", "bad", "y"]), ("b", &["bad"])];
    let first = run("a:2 see line 2\nb:1 old", before, &[], RunEnd::Failed);
    for (case, tree, gone, after, new) in [
        ("unchanged", before, &[][..], "a:2 see line 2\nb:1 old", &[][..]),
        ("moved", &[("a", &["0", "x", "bad"][..]), ("b", &["bad"])], &[], "a:3 see line 3\nb:1 old", &[]),
        ("its line was edited", &[("a", &["x", "still bad"][..])], &[], "a:2 see line 2", &[]),
        ("another place", before, &[], "a:2 see line 2\na:3 see line 2", &["a:3: see line 2"]),
        // The old one was repaired without a change of its line, so the other is new.
        ("another line instead", before, &[], "a:3 see line 2", &["a:3: see line 2"]),
        ("another message", before, &[], "a:2 else", &["a:2: else"]),
        ("renamed", &[("c", &["bad"][..])], &["b"], "c:1 old", &[]),
        ("copied", &[("b", &["bad"][..]), ("c", &["bad"])], &[], "b:1 old\nc:1 old", &["c:1: old"]),
    ] {
        let mut board = CheckBoard::default();
        once(&mut board, 1, due("c", &["a"]), &first);
        let outcome = once(&mut board, 2, due("c", &["a"]), &run(after, tree, gone, RunEnd::Failed));
        assert_eq!(
            (told(&outcome), outcome.first),
            (new.iter().map(|one| (*one).to_owned()).collect(), false),
            "{case}"
        );
        assert_eq!(outcome.known as usize + outcome.new.len(), after.lines().count(), "{case}");
    }
}

#[test]
fn the_first_run_tells_only_of_files_of_the_job() {
    let tree: Tree<'_> = &[("a", &["1"]), ("b", &["1"])];
    let outcome = once(
        &mut CheckBoard::default(),
        1,
        due("c", &["a"]),
        &run("a:1 x\nb:1 y", tree, &[], RunEnd::Failed),
    );
    assert_eq!((told(&outcome), outcome.known, outcome.first), (vec!["a:1: x".to_owned()], 1, true));
}

#[test]
fn a_failed_run_that_says_nothing_of_a_file_does_not_clear_it() {
    let tree: Tree<'_> = &[("a", &["1"]), ("b", &["1"])];
    let mut board = CheckBoard::default();
    let mut next =
        |job, issues, end| told(&once(&mut board, job, due("c", &["a"]), &run(issues, tree, &[], end)));
    next(1, "b:1 warning", RunEnd::Passed);
    // The compiler stops at `a`.
    assert_eq!(next(2, "a:1 error", RunEnd::Failed), ["a:1: error"]);
    assert_eq!(next(3, "b:1 warning", RunEnd::Passed), Vec::<String>::new());
    // A successful run has examined everything.
    assert_eq!(next(4, "", RunEnd::Passed), Vec::<String>::new());
    assert_eq!(next(5, "b:1 warning", RunEnd::Passed), ["b:1: warning"]);
}

#[test]
fn warnings_outlast_a_run_that_did_not_get_to_them_but_errors_do_not() {
    let tree: Tree<'_> = &[("a", &["1", "2"])];
    let mut board = CheckBoard::default();
    let mut next =
        |job, issues, end| told(&once(&mut board, job, due("c", &["a"]), &run(issues, tree, &[], end)));
    next(1, "a:1 warning", RunEnd::Passed);
    assert_eq!(next(2, "a:2 error", RunEnd::Failed), ["a:2: error"]);
    assert_eq!(next(3, "a:1 warning", RunEnd::Passed), Vec::<String>::new());
    assert_eq!(next(4, "a:2 error", RunEnd::Failed), ["a:2: error"]);
    assert_eq!(next(5, "a:1 other", RunEnd::Failed), ["a:1: other"]);
    assert_eq!(next(6, "a:2 error", RunEnd::Failed), ["a:2: error"], "it was gone");
}

#[test]
fn a_run_that_did_not_end_by_itself_changes_nothing_that_is_known() {
    let tree: Tree<'_> = &[("a", &["1", "2"])];
    let mut board = CheckBoard::default();
    let mut next = |job, issues, end| once(&mut board, job, due("c", &["a"]), &run(issues, tree, &[], end));
    next(1, "a:1 x", RunEnd::Failed);
    let late = next(2, "", RunEnd::Timeout);
    assert_eq!((late.status, late.new.len()), (CheckStatus::Timeout, 0));
    assert!(late.message.unwrap().contains("120 s"));
    assert_eq!(next(3, "", RunEnd::CouldNotRun("why".into())).message.as_deref(), Some("why"));
    let after = next(4, "a:1 x\na:2 y", RunEnd::Failed);
    assert_eq!((told(&after), after.known), (vec!["a:2: y".to_owned()], 1));
}

#[test]
fn runs_on_some_files_leave_the_others_alone() {
    let tree: Tree<'_> = &[("a", &["1"]), ("b", &["1"]), ("lib", &["1"])];
    let mut board = CheckBoard::default();
    let mut next = |job, files: &[&str], issues: &str| {
        let end = if issues.is_empty() { RunEnd::Passed } else { RunEnd::Failed };
        let outcome = once(&mut board, job, on_files(files), &run(issues, tree, &[], end));
        (told(&outcome), outcome.first)
    };
    let none = Vec::<String>::new;
    assert_eq!(next(1, &["a"], "a:1 x\nlib:1 z"), (vec!["a:1: x".to_owned()], true));
    assert_eq!(next(2, &["b"], "b:1 y"), (vec!["b:1: y".to_owned()], true));
    assert_eq!(next(3, &["a"], "a:1 x\nlib:1 z"), (none(), false));
    assert_eq!(next(4, &["b"], ""), (none(), false));
    assert_eq!(next(5, &["a"], "a:1 x\nlib:1 z"), (none(), false));
    // A run on the files that had reported it no longer does.
    assert_eq!(next(6, &["a", "b"], ""), (none(), false));
    assert_eq!(next(7, &["a"], "lib:1 z"), (vec!["lib:1: z".to_owned()], false));
}

#[test]
fn jobs_during_a_run_share_the_next_one() {
    let mut board = CheckBoard::default();
    let tree: Tree<'_> = &[("a", &["1"])];
    board.add(JobId(1), "s", vec![due("c", &["a"]), due("d", &["a"])]);
    let (first, other) = (board.next().unwrap(), board.next().unwrap());
    assert_eq!((first.spec.name.as_str(), other.spec.name.as_str()), ("c", "d"));
    assert!(board.next().is_none());
    board.add(JobId(2), "s", vec![due("c", &["a"])]);
    board.add(JobId(3), "t", vec![due("c", &["b"])]);
    assert!(board.next().is_none(), "it runs once at a time");
    assert_eq!(board.finish(&first, &run("", tree, &[], RunEnd::Passed)).unwrap().jobs, [JobId(1)]);
    assert!(
        !board.is_running(JobId(1), "c")
            && board.is_running(JobId(1), "d")
            && board.is_running(JobId(3), "c")
    );
    let second = board.next().unwrap();
    assert_eq!(second.changed.list().unwrap(), [FilePath::from("a"), FilePath::from("b")]);
    let outcome = board.finish(&second, &run("a:1 x", tree, &[], RunEnd::Failed)).unwrap();
    assert_eq!((&*outcome.jobs, told(&outcome)), (&[JobId(2), JobId(3)][..], vec!["a:1: x".to_owned()]));
    assert!(board.next().is_none());
}

#[test]
fn a_session_is_told_each_result_once_as_far_as_it_is_still_true() {
    let mut board = CheckBoard::default();
    let tree: Tree<'_> = &[("a", &["1", "2", "3"])];
    once(&mut board, 1, due("c", &["a"]), &run("", tree, &[], RunEnd::Passed));
    assert_eq!(board.tell("s", Some(JobId(1))).len(), 1);
    assert_eq!(board.tell("s", None), []);
    once(&mut board, 2, due("c", &["a"]), &run("a:1 x\na:2 y", tree, &[], RunEnd::Failed));
    // Another session repairs one of the two and makes a third one.
    board.add(JobId(3), "t", vec![due("c", &["a"])]);
    let started = board.next().unwrap();
    board.finish(&started, &run("a:2 y\na:3 z", tree, &[], RunEnd::Failed));
    let to_s = board.tell("s", None).remove(0);
    assert_eq!((told(&to_s), to_s.known, &*to_s.jobs), (vec!["a:2: y".to_owned()], 1, &[JobId(2)][..]));
    let to_t = board.tell("t", Some(JobId(3))).remove(0);
    assert_eq!((told(&to_t), to_t.known, &*to_t.jobs), (vec!["a:3: z".to_owned()], 1, &[][..]));
    // A job whose check still runs says so, beside the result for an earlier one.
    once(&mut board, 5, due("c", &["a"]), &run("a:1 w", tree, &[], RunEnd::Failed));
    board.add(JobId(4), "s", vec![due("c", &["a"])]);
    let both = board.tell("s", Some(JobId(4)));
    let shown: Vec<_> = both.iter().map(|one| (one.status, &*one.jobs)).collect();
    assert_eq!(shown, [(CheckStatus::Failed, &[JobId(5)][..]), (CheckStatus::Running, &[][..])]);
    assert_eq!((board.running_for("s").len(), board.running_for("t").len()), (1, 0));
}

#[test]
fn the_issues_that_a_board_keeps_and_tells_are_bounded() {
    let lines: Vec<String> =
        (0..limits::CHECK_KNOWN + 1).map(|n| format!("a:{} x{}", n + 1, "y".repeat(n))).collect();
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let tree: Tree<'_> = &[("a", &texts)];
    let mut board = CheckBoard::default();
    let outcome = once(&mut board, 1, due("c", &["a"]), &run(&lines.join("\n"), tree, &[], RunEnd::Failed));
    assert_eq!(outcome.new.len() + outcome.more as usize, limits::CHECK_KNOWN);
    assert!(outcome.message.unwrap().contains("2000"));
    let told = board.tell("s", Some(JobId(1))).remove(0);
    assert_eq!(told.new.len() + told.more as usize, limits::CHECK_KNOWN);
    assert_eq!(told.new.len(), limits::CHECK_NEW_TOLD);
    for job in 2..limits::CHECK_JOBS as u64 + 50 {
        board.add(JobId(job), &format!("s{job}"), vec![due("c", &["a"])]);
    }
    assert!(board.of_job(JobId(1)).is_none() && board.of_job(JobId(200)).is_some());
    let started = board.next().unwrap();
    let outcome = board.finish(&started, &run("", tree, &[], RunEnd::Passed)).unwrap();
    assert_eq!(outcome.jobs.len(), limits::CHECK_JOBS_TOLD);
    let mut many = ChangedFiles::default();
    many.add((0..limits::CHECK_FILES).map(|n| FilePath::from(n.to_string().as_str())));
    assert!(many.list().is_some() && !many.has(&"x".into()));
    many.add(["0".into(), "x".into()]);
    assert!(many.list().is_none() && many.has(&"y".into()));
}

#[test]
fn another_definition_starts_anew() {
    let tree: Tree<'_> = &[("a", &["1"]), ("b", &["1"])];
    let mut board = CheckBoard::default();
    let found = run("a:1 x\nb:1 x", tree, &[], RunEnd::Failed);
    once(&mut board, 1, due("c", &["a"]), &found);
    assert!(!once(&mut board, 2, due("c", &["a"]), &found).first);
    let changed = DueCheck { spec: spec("c", "[\"false\"]"), ..due("c", &["a"]) };
    assert!(once(&mut board, 3, changed, &found).first);
}

#[test]
fn a_run_on_other_files_does_not_hide_problems_that_were_not_told() {
    let tree: Tree<'_> = &[("a", &["bad"]), ("b", &["x"])];
    let mut board = CheckBoard::default();
    once(&mut board, 1, on_files(&["a"]), &run("a:1 wrong", tree, &[], RunEnd::Failed));
    once(&mut board, 2, on_files(&["b"]), &run("", tree, &[], RunEnd::Passed));
    let kept = board.tell("s", None).remove(0);
    assert_eq!((told(&kept), kept.status), (vec!["a:1: wrong".to_owned()], CheckStatus::Failed));
    once(&mut board, 3, on_files(&["a"]), &run("a:1 wrong", tree, &[], RunEnd::Failed));
    once(&mut board, 4, on_files(&["a"]), &run("", &[("a", &["good"])], &[], RunEnd::Passed));
    let repaired = board.tell("s", None).remove(0);
    assert_eq!((told(&repaired), repaired.more, repaired.status), (Vec::new(), 0, CheckStatus::Passed));
}
