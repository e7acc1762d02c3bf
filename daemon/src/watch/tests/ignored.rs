//! Git's rules: nested, negated, and overridden by a literal name.

use std::path::Path;

use crate::watch::ignored::GitIgnoreRules;
use crate::watch::subjects::SubscriptionTable;

fn rules() -> GitIgnoreRules {
    let mut ignored = GitIgnoreRules::default();
    ignored.set(Path::new(""), Some(b"/target\n*.log\n!keep.log\nlonely/\n# a comment\n[\n"));
    ignored.set(Path::new("src"), Some(b"*.tmp\n!*.log\n"));
    ignored.set_exclude(Some(b"*.swp\n"));
    ignored
}

fn covers(path: &str) -> bool {
    rules().covers(Path::new(path), false)
}

#[test]
fn rules_hold_from_their_folder_down_and_the_deepest_decides() {
    assert!(covers("target") && covers("target/debug/x") && !covers("src/target"));
    assert!(covers("a.log") && !covers("keep.log") && covers("x/a.log"));
    assert!(!covers("src/a.log"), "taken back in by the deeper file");
    assert!(covers("src/x/a.tmp") && !covers("a.tmp"));
    assert!(covers("a.swp") && !covers("a.rs"));
    assert!(covers("x/lonely/a") && !covers("lonely"), "a rule for folders alone");
}

#[test]
fn nothing_below_an_ignored_folder_is_taken_back_in() {
    let mut ignored = rules();
    ignored.set(Path::new("target"), Some(b"!*\n"));
    assert!(ignored.covers(Path::new("target/x"), false));
}

#[test]
fn gits_own_folder_and_the_staging_folder_are_never_in_sight() {
    assert!(covers(".git/HEAD") && covers("sub/.git/HEAD") && covers(".editd/1") && !covers(".gitignore"));
}

#[test]
fn rules_are_replaced_and_forgotten() {
    let mut ignored = rules();
    ignored.set(Path::new(""), None);
    assert!(!ignored.covers(Path::new("target/x"), false));
    assert!(ignored.covers(Path::new("src/a.tmp"), false));
    ignored.forget(Path::new("src"));
    assert!(!ignored.covers(Path::new("src/a.tmp"), false));
}

#[test]
fn a_glob_sees_what_is_ignored_where_it_names_it() {
    let mut subjects = SubscriptionTable::default();
    subjects.ignored = rules();
    for (id, glob) in
        [(1, "**"), (2, "target/**"), (3, "a.log"), (4, "*.log"), (5, ".git/HEAD"), (6, ".git/*")]
    {
        subjects.add(id, &[glob.into()]).unwrap();
    }
    let matching = |path: &str| subjects.matching(Path::new(path));
    assert_eq!(matching("target/debug/x"), [2]);
    assert_eq!(matching("a.log"), [3]);
    assert_eq!(matching("b.log"), [0; 0]);
    assert_eq!(matching("keep.log"), [1, 4]);
    assert_eq!(matching(".git/HEAD"), [5, 6]);
    assert!(subjects.reach(Path::new("target/debug")) && subjects.reach(Path::new(".git")));
    assert!(!subjects.reach(Path::new(".git/refs")) && !subjects.reach(Path::new("x/lonely")));
}
