//! Undos and redos of undos and redos, of which parts are in force or not: the marks in the journal are those of the files.

use std::fs;

use super::{done, editctl, text, with_job};
use editd_tests::process;
use editd_tests::test_daemon::TestDaemon;

/// Returns the words of `log` about an entry.
fn logged(daemon: &TestDaemon, id: &str) -> String {
    let (log, _) = editctl(daemon, "s", &["log"]);
    log.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap_or_default().to_owned()
}

/// Runs a command that must be refused. Returns its message.
fn refused(daemon: &TestDaemon, command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    let (told, status) = editctl(daemon, "s", &words);
    assert_ne!(status, 0, "{command}: {told}");
    told
}

/// Returns the last lines that the job of [`with_job`] wrote, or those before.
fn state(daemon: &TestDaemon) -> [bool; 2] {
    [text(daemon, "a.txt").contains("nineteen"), text(daemon, "b.txt") == "B\n"]
}

#[test]
fn an_undo_that_was_redone_is_not_undone_again() {
    for before in
        [&["undo", "redo"][..], &["undo 1 --path b.txt", "redo"], &["undo 1 --path b.txt", "redo 1"]]
    {
        let (daemon, _) = with_job();
        done(&daemon, before);
        assert_eq!(state(&daemon), [true, true]);
        for again in ["undo 2", "undo 2 --on-stale rebase"] {
            let told = refused(&daemon, again);
            assert!(told.contains("was redone already") && told.contains("(1)"), "{told}");
        }
        assert!(!logged(&daemon, "1").contains("undone"));
        done(&daemon, &["undo 1"]);
        assert_eq!(state(&daemon), [false, false], "{before:?}");
    }
}

#[test]
fn a_redo_of_which_a_part_was_undone_is_not_undone() {
    let (daemon, _) = with_job();
    done(&daemon, &["undo", "redo", "undo 1 --path b.txt"]);
    let told = refused(&daemon, "undo 3");
    assert!(told.contains("was undone again") && told.contains("(1)"), "{told}");
    done(&daemon, &["undo 1"]);
    assert_eq!(state(&daemon), [false, false]);
}

#[test]
fn a_redo_of_a_part_that_was_undone_and_redone_leaves_the_other_part() {
    let (daemon, _) = with_job();
    done(&daemon, &["undo", "redo 1 --path b.txt", "undo"]);
    assert_eq!(state(&daemon), [false, false]);
    done(&daemon, &["redo"]);
    assert_eq!(state(&daemon), [false, true]);
    assert!(logged(&daemon, "1").contains("partly undone"), "{}", logged(&daemon, "1"));
    done(&daemon, &["redo 1"]);
    assert_eq!(state(&daemon), [true, true]);
    assert!(!logged(&daemon, "1").contains("undone"));
}

#[test]
fn a_redo_that_was_undone_is_redone_by_its_number_and_in_parts() {
    let (daemon, _) = with_job();
    done(&daemon, &["undo", "redo", "undo 3"]);
    assert_eq!(state(&daemon), [false, false]);
    let told = refused(&daemon, "undo 3");
    assert!(told.contains("`editctl redo 3` restores it"), "{told}");
    done(&daemon, &["redo 3"]);
    assert_eq!(state(&daemon), [true, true]);
    let told = refused(&daemon, "redo 3");
    assert!(told.contains("is not undone"), "{told}");

    done(&daemon, &["undo", "redo 6 --path a.txt"]);
    assert_eq!(state(&daemon), [true, false]);
    assert!(logged(&daemon, "1").contains("partly undone"), "{}", logged(&daemon, "1"));
    done(&daemon, &["redo"]);
    assert_eq!(state(&daemon), [true, true]);
    assert!(!logged(&daemon, "1").contains("undone"));
}

#[test]
fn a_file_that_is_already_as_before_does_not_hinder_an_undo() {
    if process::skips_under_wine("a file that the daemon has open cannot be removed") {
        return;
    }
    let daemon = TestDaemon::started();
    daemon.put("g.txt", "one\n");
    done(&daemon, &["read g.txt", "replace g.txt one two", "create f.txt new"]);
    fs::remove_file(daemon.workspace().join("f.txt")).unwrap();
    done(&daemon, &["undo", "undo"]);
    assert_eq!(text(&daemon, "g.txt"), "one\n");
    // A redo restores what was there before the undo: no file.
    done(&daemon, &["redo", "redo 2"]);
    assert_eq!(text(&daemon, "g.txt"), "two\n");
    assert!(!daemon.workspace().join("f.txt").exists());
}

#[test]
fn an_undo_since_an_entry_undoes_a_change_that_it_has_just_found() {
    let daemon = TestDaemon::started();
    daemon.put("f.txt", "one\ntwo\n");
    done(&daemon, &["read f.txt", "replace f.txt one ONE", "stop"]);
    daemon.put("f.txt", "ONE\nTWO\n");
    done(&daemon, &["undo --since 1"]);
    assert_eq!(text(&daemon, "f.txt"), "one\ntwo\n");
}

#[test]
fn a_large_change_by_another_program_is_undone_if_the_content_before_is_kept() {
    let daemon = TestDaemon::started();
    daemon.put("f.txt", "one\n");
    done(&daemon, &["read f.txt", "replace f.txt one two", "mark m"]);
    daemon.put("f.txt", "x".repeat(17 << 20));
    done(&daemon, &["undo --to m"]);
    assert_eq!(text(&daemon, "f.txt"), "two\n");
}
