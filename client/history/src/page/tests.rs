//! Tests of the limits of a page, and of a whole page, which is in the file `page.html`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use editctl::journal::content::FileContent;
use editctl::journal::net::{FormerName, NetChange};
use editd_proto::message::EntrySummary;
use serde_json::{Value, json};

use super::{FileSection, ReportPage};

fn change(before: &str, after: &str) -> NetChange {
    let content = |text: &str| FileContent::Bytes(text.into());
    NetChange {
        path: "a".into(),
        former: None,
        before: content(before),
        after: content(after),
        executable_before: false,
        executable_after: false,
    }
}

#[test]
fn a_large_change_is_cut_and_closed() {
    let lines = |count: usize| "x\n".repeat(count);
    let section = FileSection::new(&change("", &lines(5001)), usize::MAX);
    assert!(section.html().contains("<p>1 more lines; <code>editctl diff a</code>"));
    assert!(section.html().starts_with("<details>") && section.added == 5001);
    let section = FileSection::new(&change("", &lines(1000)), usize::MAX);
    assert!(section.html().starts_with("<details open>") && !section.html().contains("more lines"));
    let long = "y".repeat(4001);
    let section = FileSection::new(&change(&long, "z\n"), usize::MAX);
    let shown = format!("{}{} <span class=\"quiet\">(the line is longer)", "<td class=\"text\">", &long[1..]);
    assert!(section.html().contains(&shown), "{}", section.html());
    let named = FileSection::new(&change("", &lines(9)), 10);
    assert!(named.html().contains("Not shown: the report would be too long.") && named.added == 9);
}

#[test]
fn a_page_without_entries_says_so() {
    let notes = ["a <note>".to_owned()];
    let page =
        ReportPage { workspace: "w".to_owned(), entries: &[], files: Vec::new(), notes: &notes, made: 0 };
    let page = page.html();
    for expected in [
        "Changes in w",
        "No file has another content",
        "There are none.",
        "Note: a &lt;note&gt;.",
        "1970-01-01",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

/// Returns entries of each kind.
fn entries() -> Vec<EntrySummary> {
    let version = |name: &str| if name == "-" { Value::Null } else { json!(name.repeat(12)) };
    let file = |path: &str, versions: [&str; 2], added: u64, removed: u64| {
        let [before, after] = versions.map(version);
        json!({ "path": path, "before": before, "after": after, "added": added, "removed": removed })
    };
    let entry = |id: u64, session: &str, kind: &str, files: Value| {
        json!({ "id": id, "key": null, "time": 1_763_632_800_000_u64 + id * 60_000, "session": session, "client": session,
            "label": null, "kind": kind, "undone": false, "files": files })
    };
    let with = |mut entry: Value, fields: Value| {
        entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        entry
    };
    let label = json!({ "label": "<b>tidy</b> \u{1b}[31m", "partly_undone": true });
    let files = json!([
        file("src/a.rs", ["a", "b"], 2, 2),
        file("new.txt", ["-", "c"], 2, 0),
        file("old/run.sh", ["d", "-"], 0, 1),
        file("bin/run.sh", ["-", "d"], 1, 0),
        file("logo.png", ["e", "f"], 0, 0),
    ]);
    let all = json!([
        with(entry(1, "alice", "edit", files), label),
        with(
            entry(2, "bob <x>", "edit", json!([file("gone.txt", ["a", "-"], 0, 1)])),
            json!({ "undone": true })
        ),
        with(entry(3, "bob <x>", "undo", json!([file("gone.txt", ["-", "a"], 1, 0)])), json!({ "of": [2] })),
        entry(4, "outside", "external", json!([file("src/a.rs", ["b", "c"], 1, 0)])),
        with(entry(5, "alice", "edit", json!([])), json!({ "omitted_files": 3, "forgotten": true })),
    ]);
    serde_json::from_value(all).unwrap()
}

/// Returns changes of each kind.
fn changes() -> Vec<NetChange> {
    let named = |path: &str, change: NetChange| NetChange { path: path.into(), ..change };
    let absent =
        |path: &str, change: NetChange| NetChange { before: FileContent::Absent, ..named(path, change) };
    let gone =
        |path: &str, change: NetChange| NetChange { after: FileContent::Absent, ..named(path, change) };
    let former = |path: &str, similarity| Some(FormerName { path: path.into(), similarity });
    let same = NetChange {
        before: FileContent::Same,
        after: FileContent::Same,
        former: former("old/run.sh", 100),
        executable_after: true,
        ..change("", "")
    };
    let lost =
        NetChange { before: FileContent::Gone("its content is no longer kept".to_owned()), ..change("", "") };
    let long = format!("{}\n", "a_very_long_word_without_a_blank_".repeat(20));
    vec![
        named("bin/run.sh", same),
        gone("gone <i>.txt", change("bye\n", "")),
        named("logo.png", change("\0", "\0\u{1}")),
        named("lost.txt", lost),
        absent("new.txt", change("", "fresh\n\u{202e}lines\twith a tab")),
        named("src/a.rs", change("fn a() {\n    one(1);\n}\n", "fn a() {\n    one(2);\n}\nfn b() {}\n")),
        NetChange {
            former: former("src/b.rs", 75),
            ..named("src/c.rs", change("1\n2\n3\n4\n", "1\n2\n3\n&\n"))
        },
        absent("wide.txt", change("", &long)),
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the page is compared with a file")]
fn the_page_of_fixed_changes_is_the_stored_one() {
    let (entries, notes) =
        (entries(), ["there are too many entries: those before 1 are left out".to_owned()]);
    let page = ReportPage {
        workspace: "shop & <co>".to_owned(),
        entries: &entries,
        files: changes().iter().map(|change| FileSection::new(change, usize::MAX)).collect(),
        notes: &notes,
        made: 1_763_640_000_000,
    };
    let page = page.html();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/page.html");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&file).unwrap();
    let line = page.lines().zip(stored.lines()).position(|(now, then)| now != then);
    assert!(
        page == stored,
        "line {line:?} differs; read the diff after BLESS=1 cargo test -p editctl-history page"
    );
}
