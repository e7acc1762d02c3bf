//! Tests of the limits of a page.

use editctl::journal::content::FileContent;
use editctl::journal::net::NetChange;

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
