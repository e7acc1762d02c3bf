//! Tests of diffs: applied as a patch program would, they give the content after.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_types::FilePath;
use proptest::prelude::*;

use super::name::{header, quoted};
use super::*;
use crate::{FileState, Splice, splices_between};

fn state(bytes: &[u8]) -> FileState {
    FileState::File { bytes: Arc::from(bytes), mode: 0o644 }
}

fn header_numbers(line: &str) -> [usize; 4] {
    let side = |word: &str| {
        let (start, count) = word[1..].split_once(',').unwrap_or((&word[1..], "1"));
        [start.parse().unwrap(), count.parse().unwrap()]
    };
    let words: Vec<&str> = line.split(' ').collect();
    let ([a, b], [c, d]) = (side(words[1]), side(words[2]));
    [a, b, c, d]
}

/// Applies a unified diff, checking every line that it quotes and every count.
fn patch(before: &str, diff: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        assert!(line.starts_with("@@ "), "{line:?}");
        let [start, count, new_start, new_count] = header_numbers(line);
        let first = if count == 0 { start } else { start - 1 };
        out.extend(old[at..first].iter().map(|line| (*line).to_owned()));
        assert_eq!(out.len(), if new_count == 0 { new_start } else { new_start - 1 });
        at = first;
        let made = out.len();
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@ ")) {
            let open = lines.next_if(|next| next.starts_with('\\')).is_some();
            let text = if open { &line[1..line.len() - 1] } else { &line[1..] };
            match &line[..1] {
                " " => {
                    assert_eq!(old[at], text);
                    out.push(text.to_owned());
                    at += 1;
                }
                "-" => {
                    assert_eq!(old[at], text);
                    at += 1;
                }
                _ => out.push(text.to_owned()),
            }
        }
        assert_eq!((at - first, out.len() - made), (count, new_count));
    }
    out.extend(old[at..].iter().map(|line| (*line).to_owned()));
    out.concat()
}

fn content() -> impl Strategy<Value = String> {
    prop::collection::vec("[abc]?", 0..30).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_applies_as_a_patch(before in content(), after in content()) {
        let path = FilePath::from("f");
        let (diff, omitted) = unified_diff(&path, &state(before.as_bytes()), &state(after.as_bytes()));
        assert_eq!(omitted, 0);
        if before != after {
            assert_eq!(patch(&before, &diff), after, "{diff}");
        }
    }

    #[test]
    fn a_diff_of_splices_applies_as_a_patch(before in content(), cuts in prop::collection::vec((0usize..60, 0usize..4, "[a\\n]{0,2}"), 0..5)) {
        let mut splices: Vec<Splice> = Vec::new();
        let mut from = 0;
        for (skip, width, new) in cuts {
            let at = (from + skip).min(before.len());
            let end = (at + width).min(before.len());
            if splices.last().is_some_and(|last| last.at as usize + last.old.len() == at) { continue; }
            if before[at..end] == new { continue; }
            splices.push(Splice { at: at as u64, old: before.as_bytes()[at..end].to_vec(), new: new.into_bytes() });
            from = end + 1;
            if from > before.len() { break; }
        }
        let after = crate::apply(before.as_bytes(), &splices).unwrap();
        let after = String::from_utf8(after).unwrap();
        // Planning drops splices that cancel out.
        if before == after { return Ok(()); }
        let known = splices.first().map(|first| {
            let at = first.at as usize;
            (at, before[..at].matches('\n').count())
        });
        let delta = Delta::of_splices(before.as_bytes(), after.as_bytes(), &splices, known);
        let path = FilePath::from("f");
        let (diff, _) = entry_diff(&path, &state(before.as_bytes()), &state(after.as_bytes()), None, Some(&delta));
        assert_eq!(patch(&before, &diff), after, "{diff}");
        let count = |sign: &str| diff.lines().skip(2).filter(|line| line.starts_with(sign)).count() as u64;
        assert_eq!(delta.totals(), (count("+"), count("-")));
    }
}

/// Cuts a diff into its hunks, without the headers of the file.
fn cut_hunks(diff: &str) -> Vec<String> {
    let mut hunks: Vec<String> = Vec::new();
    for line in diff.split_inclusive('\n').skip(2) {
        if line.starts_with("@@ ") {
            hunks.push(String::new());
        }
        hunks.last_mut().unwrap().push_str(line);
    }
    hunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn hunks_taken_back_are_the_hunks_that_the_diff_shows(before in content(), after in content(), mask in any::<u64>()) {
        let (old, new) = (state(before.as_bytes()), state(after.as_bytes()));
        let splices = splices_between(before.as_bytes(), after.as_bytes());
        let change = LineChange::new(&old, &new, &splices);
        let (diff, _) = change.diff(&FilePath::from("f"));
        let shown = cut_hunks(&diff);
        let hunks = change.hunks();
        assert_eq!(hunks.len(), shown.len());
        for (hunk, text) in hunks.iter().zip(&shown) {
            let count = |sign: &str| text.lines().filter(|line| line.starts_with(sign)).count() as u64;
            assert_eq!((hunk.added, hunk.removed), (count("+"), count("-")), "{text}");
        }
        assert_eq!(change.totals(), hunks.iter().fold((0, 0), |(a, b), hunk| (a + hunk.added, b + hunk.removed)));
        let back = |number: u64| mask & (1 << number) != 0;
        // The hunks that stay, applied as a patch program would. Their lines in the new file are not checked.
        let kept: String = shown.iter().zip(1..).filter(|(_, number)| !back(*number)).map(|(text, _)| text.as_str()).collect();
        let left = change.without(&back);
        assert_eq!(patch_old(&before, &kept), String::from_utf8(left).unwrap(), "{diff}");
        assert_eq!(change.without(&|_| true), before.as_bytes());
        assert_eq!(change.without(&|_| false), after.as_bytes());
    }
}

/// Applies hunks by the line numbers of the old file alone.
fn patch_old(before: &str, hunks: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    let mut lines = hunks.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        match &line[..1] {
            "@" => {
                let [start, count, ..] = header_numbers(line);
                let first = if count == 0 { start } else { start - 1 };
                out.extend(old[at..first].iter().copied());
                at = first;
                continue;
            }
            "\\" => continue,
            _ => {}
        }
        let open = lines.peek().is_some_and(|next| next.starts_with('\\'));
        let text = if open { &line[1..line.len() - 1] } else { &line[1..] };
        match &line[..1] {
            "-" => at += 1,
            "+" => out.push_str(text),
            _ => {
                out.push_str(text);
                at += 1;
            }
        }
    }
    out.extend(old[at..].iter().copied());
    out
}

#[test]
fn names_are_quoted_as_git_quotes_them() {
    let name = |bytes: &[u8]| quoted('a', &FilePath::new(bytes));
    assert_eq!(name(b"src/a.rs"), "a/src/a.rs");
    assert_eq!(name("é".as_bytes()), "a/é");
    assert_eq!(name(b"a\nb"), "\"a/a\\nb\"");
    assert_eq!(name(b"a\"\\"), "\"a/a\\\"\\\\\"");
    assert_eq!(name(b"\xff\x01"), "\"a/\\377\\001\"");
    assert_eq!(header('b', &FilePath::from("a b")), "b/a b\t");
}

#[test]
fn a_small_change_of_a_large_file_has_a_small_diff() {
    let before: String = (0..100_000).map(|i| format!("{i}\n")).collect();
    let after = before.replace("\n50000\n", "\nfifty thousand\n");
    let (diff, omitted) =
        unified_diff(&FilePath::from("f"), &state(before.as_bytes()), &state(after.as_bytes()));
    assert_eq!(omitted, 0);
    assert_eq!(
        diff,
        "--- a/f\n+++ b/f\n@@ -49998,7 +49998,7 @@\n 49997\n 49998\n 49999\n-50000\n+fifty thousand\n 50001\n 50002\n 50003\n"
    );
}

#[test]
fn binary_contents_are_only_said_to_differ() {
    let (diff, _) = unified_diff(&FilePath::from("f"), &state(b"\0a"), &FileState::Absent);
    assert_eq!(
        diff,
        "--- a/f\n+++ /dev/null\n"
            .replace("--- a/f\n+++ /dev/null\n", "Binary files a/f and /dev/null differ\n")
    );
}

#[test]
fn the_mode_of_a_file_that_comes_or_goes_is_told_if_it_is_executable() {
    let path = FilePath::from("f");
    let plain = state(b"a\n");
    let executable = FileState::File { bytes: Arc::from(&b"a\n"[..]), mode: 0o755 };
    let diff = |before, after| unified_diff(&path, before, after).0;
    let (comes, goes) =
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(diff(&FileState::Absent, &plain), comes);
    assert_eq!(diff(&plain, &FileState::Absent), goes);
    let header = "diff --git a/f b/f\n";
    let made = diff(&FileState::Absent, &executable);
    assert_eq!(made, format!("{header}new file mode 100755\n{comes}"));
    let deleted = diff(&executable, &FileState::Absent);
    assert_eq!(deleted, format!("{header}deleted file mode 100755\n{goes}"));
}

#[test]
fn splices_alone_show_what_they_change() {
    let splices = splices_between(b"a\nb\nc\n", b"a\nB\nc\n");
    let path = FilePath::from("f");
    let (diff, omitted) = splice_diff(&path, [Some(0o644); 2], &splices);
    assert_eq!(omitted, 0);
    assert!(diff.starts_with("--- a/f\n+++ b/f\n@@ -?,1 +?,1 @@ at byte 2\n-b"), "{diff}");
    // It is not known whether a part ends its line, or begins it.
    let part = [Splice { at: 7, old: b"x".to_vec(), new: b"y\nz".to_vec() }];
    assert_eq!(
        splice_diff(&path, [Some(0o644), Some(0o755)], &part).0,
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -?,1 +?,2 @@ at byte 7\n\
         -x\n\\ the line may continue\n+y\n+z\n\\ the line may continue\n"
    );
    let removed = splice_diff(&path, [Some(0o644), None], &part[..0]).0;
    assert_eq!(removed, "diff --git a/f b/f\ndeleted file mode 100644\n");
    let large =
        [Splice { at: 0, old: vec![b'x'; editd_types::limits::DIFF], new: Vec::new() }, part[0].clone()];
    assert_eq!(splice_diff(&path, [Some(0o644); 2], &large), ("--- a/f\n+++ b/f\n".to_owned(), 2));
}
