//! Tests of the tester: what is wrong is not taken for right, and every printer says what it was given.

use editd_engine::dialect::{PayloadContext, PayloadRequest, translate};
use editd_proto::error::ErrorCode;
use editd_proto::message::{EditPosition, FileEdit};
use editd_proto::path::FilePath;
use fastrand::Rng;

use super::change::{self, ChangeSite};
use super::corpus::Language;
use super::disturb::Disturbance;
use super::expected::{ExpectedContents, IntendedEdit};
use super::oracle::{PermittedResult, right};
use super::printers::{PRINTERS, PrintTask, PrintedRequest};
use super::quoting::{QuoteCount, QuotedEdit, quote};
use super::source::{SourceFile, SourceLine};

/// Lines that parsers could take for their own, and some that stand twice.
const LINES: [&str; 24] = [
    "fn first() {",
    "    let a = \"one\";",
    "    <<<<<<< HEAD",
    "=======",
    "\\=======",
    ">>>>>>> theirs",
    "-------",
    ":start_line:3",
    "}",
    "",
    "+ added",
    "- removed",
    "@@ -1 +1 @@",
    "*** End Patch",
    "    let a = \"one\";",
    "    let b = '2' - 1...",
    "\ttab",
    "}",
    "",
    "12 | numbered",
    "--- a/file",
    "\\ No newline at end of file",
    "<![CDATA[ x",
    "last",
];

fn source(lines: &[&str]) -> SourceFile {
    let lines = lines.iter().map(|text| SourceLine { text: (*text).to_owned(), ending: "\n" }).collect();
    SourceFile::made("src/a.rs".to_owned(), String::new(), Language::Rust, false, lines)
}

fn site(first: usize, removed: usize, new: &[&str]) -> ChangeSite {
    ChangeSite { first, removed, new: new.iter().map(|line| (*line).to_owned()).collect(), phrase: None }
}

fn way(name: &str) -> usize {
    PRINTERS.iter().position(|(printer, _)| printer.ways().name == name).expect("a way has this name")
}

#[test]
fn a_step_of_two_is_known_though_most_lines_stand_at_four() {
    let list =
        ["{", "  \"a\": [", "    1,", "    2,", "    3,", "    4,", "    5,", "    6,", "    7", "  ]", "}"];
    assert_eq!(source(&list).unit(), "  ");
    let blocks = ["fn a() {", "    if b {", "        c(d,", "          e);", "    }", "}"];
    assert_eq!(source(&blocks).unit(), "    ");
}

#[test]
fn only_the_intended_content_is_right() {
    let source = source(&["a", "  b", "c", "  b", "d"]);
    let ways = PRINTERS[way("replace, whole lines")].0.ways();
    let site = site(1, 1, &["  x"]);
    let mut rng = Rng::with_seed(1);
    let truth =
        quote(&source, &site, &ways, QuoteCount::Once, &(0..5), &mut rng).expect("context makes it unique");
    let said = truth.clone();
    let meant = IntendedEdit { site, how: Disturbance::None, truth, said, right: PermittedResult::Placed };
    let expected = ExpectedContents::after(&source, &[meant], &ways);
    assert!(expected.accepts(b"a\n  x\nc\n  b\nd\n"));
    let wrong = [
        "a\n  b\nc\n  x\nd\n",
        "a\n x\nc\n  b\nd\n",
        "a\n  x\nc\n  b\nd",
        "a\r\n  x\nc\n  b\nd\n",
        "a\n  x \nc\n  b\nd\n",
        "a\n  x\nc\n  b\nd\n\n",
        "a\n  b\nc\n  b\nd\n",
        "a\n  x\n  b\nc\n  b\nd\n",
    ];
    for content in wrong {
        assert!(!expected.accepts(content.as_bytes()), "{content:?} was taken for right");
    }
}

#[test]
fn a_text_that_stands_twice_must_be_refused() {
    let source = source(&["a", "  b", "c", "  b", "d"]);
    let ways = PRINTERS[way("replace, whole lines")].0.ways();
    let mut rng = Rng::with_seed(1);
    let site = site(1, 1, &["  x"]);
    let mut said = quote(&source, &site, &ways, QuoteCount::Any, &(0..5), &mut rng).expect("it is quoted");
    let judged = |said: &QuotedEdit| right(&source, said, said, &ways, Disturbance::Twice);
    assert_eq!(judged(&said), Some(PermittedResult::Refused));
    said.hint = Some(2);
    assert_eq!(judged(&said), Some(PermittedResult::Placed));
    said.hint = Some(4);
    assert_eq!(judged(&said), None, "it names the other place");
}

/// The lines that an edit quotes, and those that stand there then.
fn told(edit: &FileEdit) -> (String, String) {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let anchor = match &edit.at {
        Some(EditPosition::Before(anchor) | EditPosition::After(anchor)) => anchor.clone(),
        _ => String::new(),
    };
    if edit.op == "hunk" {
        let marked = |mark: char| -> String {
            let hunk = edit.text.as_deref().unwrap_or_default().split_inclusive('\n');
            hunk.filter_map(|line| line.strip_prefix([' ', mark])).collect()
        };
        return (marked('-'), marked('+'));
    }
    let closed = |field: &Option<String>| match text(field) {
        lines if lines.is_empty() || lines.ends_with('\n') => lines,
        lines => lines + "\n",
    };
    let old = [&edit.before, &edit.old, &edit.after, &edit.pattern].map(closed).concat();
    (old + &anchor, [&edit.new, &edit.text, &edit.replacement].map(text).concat())
}

#[test]
fn every_printer_prints_its_edits() {
    let source = source(&LINES);
    let path = FilePath::from(source.path.as_str());
    let mut rng = Rng::with_seed(3);
    let mut compared = [0; PRINTERS.len()];
    for _ in 0..4_000 {
        let at = rng.usize(0..PRINTERS.len());
        let printer = PRINTERS[at].0;
        let ways = printer.ways();
        let first = rng.usize(0..LINES.len());
        let removed = if ways.insertions { 0 } else { rng.usize(0..4).min(LINES.len() - first) };
        let new: Vec<&str> = (0..rng.usize(0..4)).map(|_| LINES[rng.usize(0..LINES.len())]).collect();
        let site = site(first, removed, &new);
        let Some(said) = quote(&source, &site, &ways, QuoteCount::Once, &(0..LINES.len()), &mut rng) else {
            continue;
        };
        let edits = [said];
        let lines = [(first, removed)];
        let ask = PrintTask { source: &source, edits: &edits, lines: &lines, eol: "\n", threshold: None };
        let Some(PrintedRequest::Payload { dialect, text, beside }) = printer.print(&ask, &mut rng) else {
            continue;
        };
        let setting = PayloadContext { path: beside.then_some(&path), roots: &[], limit: 1 << 20 };
        let translation = match translate(Some(dialect), &text, &setting) {
            Err(error) if error.code == ErrorCode::Unsupported => continue,
            translation => translation.unwrap_or_else(|error| panic!("{dialect} refuses {error:?}\n{text}")),
        };
        let PayloadRequest::Job(wanted) = translation.request else { panic!("{text}\nis no job") };
        assert_eq!(wanted.files.len(), 1, "{text}");
        let [edit] = wanted.files[0].edits.as_slice() else { panic!("{text}\nis not one edit") };
        let [said] = &edits;
        let (old, new) = told(edit);
        if ways.quotes {
            assert_eq!(old.trim_end_matches('\n'), said.quoted().join("\n").trim_end_matches('\n'), "{text}");
        }
        let bare = [&said.new.join("\n"), &said.with_context().join("\n")];
        assert!(
            bare.iter().any(|bare| bare.trim_end_matches('\n') == new.trim_end_matches('\n')),
            "{text}\n{edit:?}"
        );
        compared[at] += 1;
    }
    for (name, count) in [("patch", 20), ("chunks", 20), ("search-replace", 20), ("safe-edit, lines", 20)] {
        assert!(compared[way(name)] > count, "{name}: {compared:?}");
    }
}

/// The edits of one payload: changes of whole lines far enough from each other, in the order of the file.
fn several(source: &SourceFile, rng: &mut Rng) -> Vec<ChangeSite> {
    let mut sites: Vec<ChangeSite> = Vec::new();
    for _ in 0..rng.usize(1..=4) {
        let Some(site) = change::lines(source, rng) else { continue };
        let apart = |other: &ChangeSite| {
            other.range().end + 20 < site.first || site.first + site.removed + 20 < other.first
        };
        if sites.iter().all(apart) && (site.removed > 0 || !site.new.is_empty()) {
            sites.push(site);
        }
    }
    sites.sort_by_key(|site| site.first);
    sites
}

#[test]
fn ranges_cost_the_fewest_bytes() {
    let texts = [
        include_str!("../../../daemon/engine/src/plan/entry.rs"),
        include_str!("../../../daemon/engine/src/merge/plan.rs"),
        include_str!("judge.rs"),
    ];
    let sources: Vec<SourceFile> = texts.map(|text| source(&text.lines().collect::<Vec<_>>())).into();
    let mut rng = Rng::with_seed(5);
    let mut bytes = [0; PRINTERS.len()];
    let mut counted = 0;
    for _ in 0..600 {
        let source = &sources[rng.usize(0..sources.len())];
        let sites = several(source, &mut rng);
        let lines: Vec<(usize, usize)> = sites.iter().map(|site| (site.first, site.removed)).collect();
        let mut printed = [0; PRINTERS.len()];
        for (at, (printer, _)) in PRINTERS.iter().enumerate() {
            let ways = printer.ways();
            let room = 0..source.lines.len();
            let quoted =
                sites.iter().map(|site| quote(source, site, &ways, QuoteCount::Once, &room, &mut rng));
            let Some(edits) = quoted.collect::<Option<Vec<QuotedEdit>>>() else { continue };
            if edits.is_empty() || (!ways.many && edits.len() > 1) {
                continue;
            }
            let ask = PrintTask { source, edits: &edits, lines: &lines, eol: "\n", threshold: None };
            if let Some(PrintedRequest::Payload { text, .. }) = printer.print(&ask, &mut rng) {
                printed[at] = text.len();
            }
        }
        // Only what is said in every one of these is compared.
        let compared =
            ["ranges", "patch", "search-replace", "apply-patch", "unified-diff", "chunks", "mcp-filesystem"];
        if compared.iter().all(|name| printed[way(name)] > 0) {
            counted += 1;
            compared.iter().for_each(|name| bytes[way(name)] += printed[way(name)]);
        }
    }
    assert!(counted > 200, "{counted}");
    let of = |name: &str| bytes[way(name)] as f64 / f64::from(counted);
    let others = ["patch", "search-replace", "apply-patch", "unified-diff", "chunks", "mcp-filesystem"];
    for name in others {
        println!("{name}: {:.0} bytes, ranges: {:.0}", of(name), of("ranges"));
        assert!(of("ranges") < 0.7 * of(name), "{name}: {:.0}, ranges: {:.0}", of(name), of("ranges"));
    }
}
