//! Edits source files of published crates at random, and compares the errors and outlines that a cache of trees gives with
//! those of whole parses. Uses a bounded sample; the example `incremental` covers whole folders.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::format_collect,
    reason = "a test fails by panicking, reads its sources and makes texts"
)]

use editd_syntax::{Language, ParseBudget, ParseError, TextChange, TreeCache, introduced_errors, outline};

#[path = "kit/edited.rs"]
mod edited;
#[path = "kit/sources.rs"]
mod sources;

/// Maximum number of files per language.
const FILES: usize = 8;

/// Maximum size of a file in bytes.
const BYTES: u64 = 16 * 1024;

/// Maximum size of a long text in bytes. A part may have 6 KB of it.
const LONG: usize = 300_000;

/// Number of edits of each file.
const EDITS: usize = 12;

#[test]
fn a_kept_tree_changes_no_result() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut edits, mut broken) = (0, 0);
    for (language, files) in sources::sources(BYTES) {
        let step = files.len().div_ceil(FILES).max(1);
        let read = |path: &std::path::PathBuf| Some((path.clone(), std::fs::read_to_string(path).ok()?));
        let texts: Vec<_> = files.iter().step_by(step).filter_map(read).collect();
        for (path, text) in &texts {
            let (_, other) = random.choice(&texts).unwrap();
            let path = path.to_str().unwrap();
            let counts = edited::compare(language, path, (text, other), EDITS, &mut random);
            assert!(counts.different.is_empty(), "{path}: {:#?}", counts.different);
            edits += counts.edits;
            broken += counts.broken;
        }
    }
    assert!(edits == 0 || broken > edits / 20 && broken < edits, "{broken} of {edits} edits broke something");
}

/// An edit of a long text is mostly decided by the part around it.
#[test]
fn a_part_of_a_text_decides_as_the_whole_does() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut edits, mut broken) = (0, 0);
    for (language, files) in sources::sources(BYTES) {
        let mut texts: Vec<String> = Vec::new();
        let budget = ParseBudget::default();
        for path in files.iter().step_by(files.len().div_ceil(200).max(1)) {
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let name = path.to_str().unwrap();
            let is_correct = editd_syntax::errors(language, name.as_bytes(), &text, &budget);
            if text.ends_with('\n') && is_correct.is_ok_and(|errors| errors.is_empty()) {
                texts.push(text);
            }
        }
        // Some files, such as `.bashrc`, have a name without an extension.
        let name =
            |path: &std::path::PathBuf| Some(path.with_file_name("a").with_extension(path.extension()?));
        let (Some(path), Some(other)) = (files.iter().find_map(name), texts.first()) else { continue };
        let mut text = String::new();
        for part in &texts {
            if text.len() + part.len() <= LONG {
                text.push_str(part);
            }
        }
        let counts = edited::compare(language, path.to_str().unwrap(), (&text, other), EDITS, &mut random);
        assert!(counts.different.is_empty(), "{path:?}: {:#?}", counts.different);
        edits += counts.edits;
        broken += counts.broken;
    }
    assert!(edits == 0 || broken > edits / 20 && broken < edits, "{broken} of {edits} edits broke something");
}

/// Returns the errors that an edit added, by a cache, and checks that they are those of whole parses.
fn added(trees: &TreeCache, path: &str, old: &str, new: &str) -> usize {
    let (language, budget) = (Language::of(path.as_bytes(), new).unwrap(), ParseBudget::default());
    let change = TextChange { old: Some(old), new, ..TextChange::default() };
    let kept = trees.introduced_errors(language, path.as_bytes(), change, &budget).unwrap();
    assert_eq!(kept, introduced_errors(language, path.as_bytes(), Some(old), new, &budget).unwrap());
    assert_eq!(trees.outline(language, new, &budget), outline(language, new, &budget));
    kept.len()
}

#[test]
#[cfg(all(feature = "python", feature = "ruby"))]
fn errors_that_a_tree_does_not_show_are_found_beside_a_change() {
    let python: String = (0..50).map(|n| format!("def f{n}(a):\n    # c\n    b = 1\n\n")).collect();
    for (from, to, is_wrong) in [
        ("f20(a):\n    # c\n    b = 1", "f20(a):\n    # c", true),
        ("f20(a):\n    # c\n    b = 1\n", "f20(a):\n    # c\n    b =\n", true),
        ("f20(a):\n    # c\n    b = 1\n", "f20(a):\n    # c\n    b = (\n 1)\n", false),
        ("f20(a)", "f20(a,\n  b)", false),
    ] {
        let trees = TreeCache::new(usize::MAX);
        assert_eq!(added(&trees, "a.py", "", &python), 0);
        let new = python.replace(from, to);
        assert_ne!(new, python);
        assert_eq!(added(&trees, "a.py", &python, &new) > 0, is_wrong, "{to}");
        // Further edits start from what is in the file, whether it is right or wrong.
        let more = new.replace("f40(a)", "f40(b)");
        assert_eq!(added(&trees, "a.py", &new, &more), 0);
        assert!(added(&trees, "a.py", &more, &more.replace("f41(a):", "f41(a:")) > 0);
        assert_eq!(added(&trees, "a.py", &more, &python), 0);
    }
    let ruby: String = (0..50).map(|n| format!("def f{n}\n  b\nend\n")).collect();
    let trees = TreeCache::new(usize::MAX);
    assert_eq!(added(&trees, "a.rb", "", &ruby), 0);
    assert!(added(&trees, "a.rb", &ruby, &ruby.replace("f20\n  b\n", "f20\n  b\nend\n")) > 0);
}

#[test]
#[cfg(feature = "rust")]
fn trees_take_no_more_than_the_cache_may() {
    let text = |n: usize| format!("fn f{n}() {{}}\n{}", "fn g() { h(); }\n".repeat(200));
    let one = TreeCache::new(usize::MAX);
    assert_eq!(added(&one, "a.rs", "", &text(0)), 0);
    let most = 5 * one.bytes();
    let trees = TreeCache::new(most);
    for n in 0..40 {
        assert_eq!(added(&trees, "a.rs", "", &text(n)), 0);
        assert!(trees.bytes() <= most && trees.bytes() > 0, "{n}");
    }
    for n in 0..40 {
        assert_eq!(added(&trees, "a.rs", &text(n), &text(n + 1)), 0);
        assert!(trees.bytes() <= most, "{n}");
    }
    let large = text(0).repeat(10);
    let before = trees.bytes();
    assert_eq!(added(&trees, "a.rs", &text(0), &large), 0);
    assert!(trees.bytes() <= before, "a tree that does not fit is not kept");
    trees.clear();
    assert_eq!(trees.bytes(), 0);
    assert_eq!(added(&trees, "a.rs", &text(0), &text(1)), 0);
}

#[test]
#[cfg(feature = "python")]
fn a_text_that_is_no_program_is_parsed_once_and_again_after_many_changes() {
    let prose =
        "The reader of this text finds no program in it, and nobody else will, either; so it goes on. ";
    let old: String = (0..200).map(|n| format!("{n}. {prose}\n")).collect();
    let (trees, budget) = (TreeCache::new(1 << 20), ParseBudget::default());
    let check = |old: &str, new: &str| {
        let change = TextChange { old: Some(old), new, ..TextChange::default() };
        trees.introduced_errors(Language::Python, b"a.py", change, &budget)
    };
    let word = |text: &str, n: usize| text.replace(&format!("\n{n}. The"), &format!("\n{n}. A"));
    let first = word(&old, 10);
    assert_eq!(
        check(&old, &first),
        introduced_errors(Language::Python, b"a.py", Some(&old), &first, &budget)
    );
    let refused = |result| matches!(result, Err(ParseError::Foreign { errors: 100.., language: "python" }));
    assert!(refused(check(&first, &word(&first, 20))), "the next edit is not checked");
    assert!(trees.bytes() < 10_000, "and takes no memory");
    // Edits add up.
    let (mut text, mut parsed) = (first, None);
    for n in 30..60 {
        let new = text.replace(&format!("\n{n}. {prose}"), &format!("\n{n}. {}", prose.to_uppercase()));
        if !refused(check(&text, &new)) {
            parsed = Some(n);
            break;
        }
        text = new;
    }
    assert!(parsed.is_some_and(|n| n > 40), "{parsed:?}");
    assert_eq!(check(&text, "a = 1\n"), Ok(Vec::new()));
    assert_eq!(check("a = 1\n", "a = (\n").map(|errors| errors.len()), Ok(1));
}
