//! The files that a glob matches, the folders it reaches, and the globs that are refused.

use std::path::Path;

use crate::limits;
use crate::watch::globs::PathGlob;
use crate::watch::subjects::{SubscribeError, SubscriptionTable};

fn glob(text: &str) -> PathGlob {
    PathGlob::parse(text).unwrap()
}

#[test]
fn stars_stay_within_a_name_and_double_stars_do_not() {
    for (pattern, yes, no) in [
        ("**", &["a", "a/b/c", ".hidden"][..], &[][..]),
        ("*.rs", &["a.rs"], &["src/a.rs", "a.rsx"]),
        ("**/*.rs", &["a.rs", "src/x/a.rs"], &["a.py"]),
        ("src/**", &["src/a", "src/x/y"], &["srcs/a", "x/src/a"]),
        ("src/*/mod.rs", &["src/a/mod.rs"], &["src/mod.rs", "src/a/b/mod.rs"]),
        ("src/a?.rs", &["src/ab.rs"], &["src/a/.rs"]),
        ("{src,tests/data}/*.rs", &["src/a.rs", "tests/data/a.rs"], &["tests/a.rs"]),
        ("./README.md", &["README.md"], &["x/README.md"]),
        ("a[0-9]", &["a1"], &["ab"]),
    ] {
        for path in yes {
            assert!(glob(pattern).matches(Path::new(path)), "{pattern} {path}");
        }
        for path in no {
            assert!(!glob(pattern).matches(Path::new(path)), "{pattern} {path}");
        }
    }
}

#[test]
fn only_folders_that_can_hold_a_match_are_reached() {
    for (pattern, yes, no) in [
        ("**", &["", "a", "a/b"][..], &[][..]),
        ("*.rs", &[""], &["src"]),
        ("src/*.rs", &["src"], &["", "src/a", "tests"]),
        ("src/a/b.rs", &["src/a"], &["", "src", "src/a/b"]),
        ("src/*/mod.rs", &["src", "src/a"], &["", "src/a/b"]),
        ("src/**/x", &["src", "src/a", "src/a/b"], &["", "srcs"]),
        ("{a,b/c}/*.rs", &["", "a", "b/c"], &[]),
    ] {
        for folder in yes {
            assert!(glob(pattern).reaches(Path::new(folder)), "{pattern} {folder:?}");
        }
        for folder in no {
            assert!(!glob(pattern).reaches(Path::new(folder)), "{pattern} {folder:?}");
        }
    }
}

#[test]
fn globs_that_leave_or_mean_nothing_are_refused() {
    for bad in ["", "./", "/etc/*", "../*", "a/../../b", "[", "{a", "a\\", &"x".repeat(limits::GLOB + 1)] {
        assert!(matches!(PathGlob::parse(bad), Err(SubscribeError::BadGlob { .. })), "{bad:?}");
    }
}

#[test]
fn subscriptions_are_bounded_and_told_apart() {
    let mut subjects = SubscriptionTable::default();
    subjects.add(1, &[]).unwrap();
    subjects.add(2, &["src/*.rs".into()]).unwrap();
    assert_eq!(subjects.matching(Path::new("src/a.rs")), [1, 2]);
    assert_eq!(subjects.matching(Path::new("a.rs")), [1]);
    assert_eq!(subjects.add(2, &[]), Err(SubscribeError::Exists));
    assert_eq!(subjects.add(3, &vec!["*".into(); limits::GLOBS + 1]), Err(SubscribeError::TooManyGlobs));
    let long = vec!["x".repeat(limits::GLOB); limits::GLOBS_BYTES / limits::GLOB];
    subjects.add(3, &long).unwrap();
    subjects.remove(3);
    let longer = [long, vec!["x".into()]].concat();
    assert_eq!(subjects.add(3, &longer), Err(SubscribeError::TooLongGlobs));
    assert!(subjects.add(3, &["ok".into(), "[".into()]).is_err());
    assert!(subjects.matching(Path::new("ok")) == [1], "a refused subscription leaves nothing");
    subjects.remove(1);
    assert_eq!(subjects.matching(Path::new("a.rs")), [0; 0]);
    for id in 3..2 + limits::SUBSCRIPTIONS as u64 {
        subjects.add(id, &["x".into()]).unwrap();
    }
    assert_eq!(subjects.add(9999, &["x".into()]), Err(SubscribeError::TooMany));
}
