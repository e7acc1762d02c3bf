//! Tests of spans, diffs and names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use editd_proto::FilePath;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{EntryFile, EntryKind, EntrySummary};

use super::content::FileContent;
use super::entries::EntryList;
use super::net::{FormerName, NetChange, PathSpan, changed_mode, spans};
use super::patch::{self, NoPatch, quoted};

fn text(content: &str) -> FileContent {
    FileContent::Bytes(content.into())
}

fn change(path: &str, before: FileContent, after: FileContent) -> NetChange {
    let (executable_before, executable_after) = (false, false);
    NetChange { path: path.into(), former: None, before, after, executable_before, executable_after }
}

fn shown(change: &NetChange) -> String {
    String::from_utf8(patch::of(change).unwrap()).unwrap()
}

#[test]
fn a_change_is_shown_as_git_shows_it() {
    let edited = shown(&change("a b", text("one\ntwo\n"), text("one\n2")));
    let hunk = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n";
    assert_eq!(edited, format!("diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n{hunk}"));
    let made = shown(&change("new", FileContent::Absent, text("x\n")));
    assert_eq!(
        made,
        "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
    );
    let empty = shown(&change("empty", text(""), FileContent::Absent));
    assert_eq!(empty, "diff --git a/empty b/empty\ndeleted file mode 100644\nindex e69de29..0000000\n");
    let executable = NetChange { executable_after: true, ..change("x", text("x"), text("x")) };
    assert_eq!(shown(&executable), "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
    assert_eq!(shown(&change("same", text("x"), text("x"))), "");
}

#[test]
fn a_rename_is_shown_as_git_shows_it() {
    let former = |path: &str, similarity| Some(FormerName { path: path.into(), similarity });
    let moved = NetChange { former: former("a", 100), ..change("d/b", FileContent::Same, FileContent::Same) };
    let header = "similarity index 100%\nrename from a\nrename to d/b\n";
    assert_eq!(shown(&moved), format!("diff --git a/a b/d/b\n{header}"));
    let executable = NetChange { executable_after: true, ..moved };
    let modes = "old mode 100644\nnew mode 100755\n";
    assert_eq!(shown(&executable), format!("diff --git a/a b/d/b\n{modes}{header}"));
    let edited = NetChange { former: former("\"", 66), ..change("b c", text("x\ny\n"), text("x\nz\n")) };
    let header = "similarity index 66%\nrename from \"\\\"\"\nrename to b c\n--- \"a/\\\"\"\n+++ b/b c\t\n";
    let hunk = "@@ -1,2 +1,2 @@\n x\n-y\n+z\n";
    assert_eq!(shown(&edited), format!("diff --git \"a/\\\"\" b/b c\n{header}{hunk}"));
}

#[test]
fn a_name_with_a_blank_is_quoted_where_no_other_line_has_it() {
    let empty = shown(&change("a b", FileContent::Absent, text("")));
    assert_eq!(empty, "diff --git \"a/a b\" \"b/a b\"\nnew file mode 100644\n");
}

#[test]
fn a_carriage_return_is_a_part_of_its_line() {
    let mixed = shown(&change("a", text("one\rtwo\r\n"), text("one\r2\r\n")));
    assert!(mixed.ends_with("@@ -1 +1 @@\n-one\rtwo\r\n+one\r2\r\n"), "{mixed:?}");
}

#[test]
fn contents_that_are_no_lines_have_a_reason() {
    let gone = FileContent::Gone("forgotten".to_owned());
    for (content, why) in [
        (text("\0"), NoPatch::Binary),
        (FileContent::Long(9), NoPatch::Long(9)),
        (gone, NoPatch::Gone("forgotten".to_owned())),
    ] {
        assert_eq!(patch::of(&change("x", text("x"), content.clone())), Err(why.clone()));
        assert_eq!(patch::of(&change("x", content, text("x"))), Err(why));
    }
    // Other encodings are lines, too.
    let latin = FileContent::Bytes(b"\xe9\n".to_vec());
    assert!(patch::of(&change("x", text(""), latin)).unwrap().ends_with(b"+\xe9\n"));
}

#[test]
fn names_are_quoted_as_git_does() {
    for (name, expected) in [
        (&b"a b"[..], "a/a b"),
        ("é".as_bytes(), "a/é"),
        (b"a\"\\b", "\"a/a\\\"\\\\b\""),
        (b"a\nb", "\"a/a\\012b\""),
        (b"\xff", "\"a/\\377\""),
    ] {
        assert_eq!(quoted("a/", &FilePath::new(name)), expected);
    }
}

#[test]
fn modes_are_read_from_the_header_only() {
    let header = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    assert_eq!(changed_mode(header), Some((0o100_644, 0o100_755)));
    assert_eq!(changed_mode(&format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{header}")), None);
    let deleted = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    assert_eq!(changed_mode(deleted), Some((0o100_644, 0o100_644)));
    let header = "diff --git a/x b/x\ndeleted file mode 100755\n";
    assert_eq!(changed_mode(&format!("{header}{deleted}")), Some((0o100_755, 0o100_755)));
    assert_eq!(changed_mode("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"), None);
}

/// An entry that changed the file `x` from one version to another.
fn entry(id: u64, kind: EntryKind, of: &[u64], undone: bool, versions: [&str; 2]) -> EntrySummary {
    let version = |name: &str| (name != "-").then(|| Version(name.to_owned()));
    let [before, after] = versions.map(version);
    let file = EntryFile {
        path: "x".into(),
        before,
        after,
        added: 0,
        removed: 0,
        undone: false,
        undone_hunks: Vec::new(),
    };
    EntrySummary {
        id: JobId(id),
        queued: None,
        key: None,
        time: id,
        session: "s".to_owned(),
        client: "c".to_owned(),
        label: None,
        kind,
        undone,
        partly_undone: false,
        diverged: false,
        forgotten: false,
        of: of.iter().copied().map(JobId).collect(),
        omitted_of: 0,
        files: vec![file],
        omitted_files: 0,
    }
}

fn list(entries: &[EntrySummary], of_session: bool) -> EntryList {
    EntryList { entries: entries.to_vec(), of_session, cut: false }
}

fn span(entries: &[EntrySummary]) -> Option<PathSpan> {
    let none = |_: &EntrySummary| Ok::<_, ()>(BTreeMap::new());
    spans(&list(entries, true), none).unwrap().into_iter().next()
}

#[test]
fn a_span_has_the_first_and_the_last_entry() {
    use EntryKind::{Edit, External, Undo};
    let one = entry(1, Edit, &[], false, ["a", "b"]);
    let two = entry(2, Edit, &[], false, ["b", "c"]);
    let both = span(&[one.clone(), two.clone()]).unwrap();
    let at = |id, name: &str| (JobId(id), Some(Version(name.to_owned())));
    assert_eq!((both.first, both.last), (at(1, "a"), at(2, "c")));
    // Work that was undone leaves no trace, and what others did before the next entry does not count.
    let undone = entry(1, Edit, &[], true, ["a", "b"]);
    let undo = entry(3, Undo, &[1], false, ["b", "a"]);
    assert_eq!(span(&[undone.clone(), undo.clone()]), None);
    let later = entry(5, Edit, &[], false, ["d", "e"]);
    let left = span(&[undone.clone(), undo, later]).unwrap();
    assert_eq!(left.first, at(5, "d"));
    // The undo kept what another session had changed meanwhile.
    let merged = entry(3, Undo, &[1], false, ["d", "e"]);
    assert_eq!(span(&[undone.clone(), merged.clone()]), None);
    let none = |_: &EntrySummary| Ok::<_, ()>(BTreeMap::new());
    assert_eq!(spans(&list(&[undone, merged], false), none).unwrap().len(), 1);
    // The undo of a deletion brings back what was created.
    let made = entry(1, Edit, &[], false, ["-", "a"]);
    let deleted = entry(2, Edit, &[], true, ["a", "-"]);
    let back = entry(3, Undo, &[2], false, ["-", "a"]);
    assert!(span(&[made, deleted, back]).is_some());
    // The undo of an entry before the first one is work.
    let older = entry(3, Undo, &[1], false, ["b", "a"]);
    assert!(span(&[older]).is_some());
    // Rescued bytes were never in the file at that time.
    let label = Some("content before".into());
    let of_tool = EntrySummary { label, ..entry(2, External, &[], false, ["-", "q"]) };
    let rescued = EntrySummary { session: "outside".into(), ..of_tool.clone() };
    assert_eq!(span(&[one.clone(), rescued]), span(std::slice::from_ref(&one)));
    // A change with another tool has a label, too.
    assert_ne!(span(&[one.clone(), of_tool]), span(&[one]));
}

#[test]
fn a_mode_that_was_changed_and_changed_back_is_no_change() {
    let modes = |entry: &EntrySummary| {
        let modes = if entry.id == JobId(1) { (0o644, 0o755) } else { (0o755, 0o644) };
        Ok::<_, ()>(BTreeMap::from([("x".into(), modes)]))
    };
    let one = entry(1, EntryKind::Edit, &[], false, ["a", "a"]);
    let back = entry(2, EntryKind::Edit, &[], false, ["a", "a"]);
    assert_eq!(spans(&list(std::slice::from_ref(&one), true), modes).unwrap().len(), 1);
    assert_eq!(spans(&list(&[one, back], true), modes).unwrap().len(), 0);
}

#[test]
fn two_texts_are_compared_under_the_names_of_their_headers() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
    let new = old.replace('9', "nine\n");
    let diff =
        "--- a file\n+++ /dev/null\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+nine\n";
    assert_eq!(patch::between(("a file", old), ("/dev/null", &new)), diff);
    assert_eq!(patch::between(("a", old), ("b", old)), "");
}
