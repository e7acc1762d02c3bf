//! Tests of the parser alone: a printed text parses back, no text causes a panic, and none is read too often.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::error::{ErrorCode, NearMiss, RequestError};
use editd_types::{FilePath, JobInput, JobStatus, Receipt};
use proptest::prelude::*;

use super::block::{Block, blocks};
use super::fault::FaultKind;
use super::machine::LinesBetween;
use super::marker::{Marker, escape_at};
use super::progress;
use super::reply::{FileBlocks, SearchReplaceReply};
use crate::dialect::{PayloadContext, PayloadOutcome, PayloadRequest, ReplyFormat, translate};
use crate::{FileState, PlanOptions, WorkspaceSnapshot, apply, plan_input as plan};

/// A block as its users write it, with every line escaped that needs it.
fn print(block: &Block<'_>, wide: bool, dashes: bool, named: bool) -> String {
    let extra = |sign: &str| if wide { sign.to_owned() } else { String::new() };
    let path = block.named.filter(|_| named).map(|path| format!("{path}\n")).unwrap_or_default();
    let near = block.near.map(|line| format!(":start_line:{line}\n")).unwrap_or_default();
    // Without a number before them they would be refused.
    let dashes = if dashes && block.near.is_some() { "-------\n" } else { "" };
    format!(
        "{path}{}<<<<<<< SEARCH\n{near}{dashes}{}{}=======\n{}{}>>>>>>> REPLACE\n",
        extra("<"),
        escaped(&block.old),
        extra("="),
        escaped(&block.new),
        extra(">")
    )
}

fn escaped(part: &str) -> String {
    let escape = |line: &str| {
        let bare = format!("\\{line}");
        if escape_at(&bare).is_some() { bare } else { line.to_owned() }
    };
    part.split_inclusive('\n').map(escape).collect()
}

fn line() -> impl Strategy<Value = String> {
    let sign = prop_oneof![
        Just("<<<<<<<"),
        Just("<<<<<<< SEARCH"),
        Just("<<<<<<< HEAD"),
        Just("======="),
        Just("========"),
        Just(">>>>>>> REPLACE"),
        Just(">>>>>>>> x"),
        Just("-------"),
        Just(":start_line:3"),
        Just(":end_line:"),
        Just(" <<<<<<< SEARCH"),
        Just("\t======="),
        Just("  >>>>>>> REPLACE"),
        Just(" :start_line:3"),
        Just(" \\-------"),
        Just("]]></content>"),
        Just("```"),
        Just(""),
        Just("let x = 1;"),
    ];
    (
        prop_oneof![3 => Just(""), 1 => Just("\\"), 1 => Just("\\\\")],
        sign,
        prop_oneof![Just("\n"), Just(" \r\n")],
    )
        .prop_map(|(lead, sign, end)| format!("{lead}{sign}{end}"))
}

fn part(least: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(line(), least..5).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn printed_blocks_parse_back(
        parts in prop::collection::vec((part(1), part(0), prop::option::of(1u64..9), any::<bool>()), 1..5),
        dashes in any::<bool>(),
        named in any::<bool>(),
    ) {
        let named_as = named.then_some("src/a b.rs");
        let mut text = String::new();
        let mut payload_job = Vec::new();
        for (old, new, near, wide) in parts {
            let line = text.matches('\n').count() as u64 + 1 + u64::from(named);
            let block = Block { named: named_as, line, near, old, new };
            text.push_str(&print(&block, wide, dashes, named));
            payload_job.push(block);
        }
        prop_assert_eq!(progress(&text), payload_job.len());
        prop_assert_eq!(blocks(&text, 1, LinesBetween::Names).unwrap(), payload_job);
    }

    /// Each line of the file is another, some are markers, and each block takes the place of the lines it quotes.
    #[test]
    fn blocks_do_to_a_file_what_their_parts_say(
        parts in prop::collection::vec((any::<bool>(), part(0), any::<bool>()), 1..8),
        shuffled in any::<u64>(),
        crlf in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let (mut before, mut after, mut texts) = (String::new(), String::new(), Vec::new());
        for (n, (change, new, wide)) in parts.into_iter().enumerate() {
            let old = format!("<<<<<<< {n}\nline {n}\n\\======= {n}\n");
            before.push_str(&old);
            if change {
                let new = new.replace(" \r\n", "\n");
                after.push_str(&new);
                let block = Block { named: None, line: 0, near: None, old, new };
                texts.insert(shuffled as usize % (texts.len() + 1), print(&block, wide, true, false));
            } else {
                after.push_str(&old);
            }
        }
        if !texts.is_empty() {
            let path = FilePath::from("f");
            let setting = PayloadContext { path: Some(&path), roots: &[], limit: usize::MAX };
            let request = translate(None, &texts.concat(), &setting).unwrap().request;
            let PayloadRequest::Job(payload_job) = request else { unreachable!() };
            let job = JobInput { files: &payload_job.files, ..JobInput::default() };
            let bytes = before.replace('\n', end).into_bytes();
            let state = FileState::File { bytes: bytes.clone().into(), mode: 0o644 };
            let snapshot = WorkspaceSnapshot { files: [(path, state)].into(), ..WorkspaceSnapshot::default() };
            let plan = plan(job, &snapshot, &PlanOptions::default()).unwrap();
            let splices = plan.changes.first().map_or(&[][..], |change| &change.splices);
            prop_assert_eq!(apply(&bytes, splices).unwrap(), after.replace('\n', end).into_bytes());
        }
    }

    #[test]
    fn lines_in_any_order_are_understood_or_refused_at_a_line(lines in prop::collection::vec(line(), 0..12)) {
        let text = lines.concat();
        let count = text.split_inclusive('\n').count() as u64;
        match blocks(&text, 1, LinesBetween::Names) {
            Ok(found) => {
                prop_assert_eq!(found.len(), progress(&text));
                prop_assert!(found.iter().all(|block| !block.old.is_empty() || !block.new.is_empty()));
            }
            Err(fault) => prop_assert!((1..=count.max(1)).contains(&fault.line)),
        }
    }

    #[test]
    fn no_payload_panics(
        pieces in prop::collection::vec(
            prop_oneof![
                line(),
                "[\\x00-\\x7fé“]{0,6}",
                Just("<args>".to_owned()),
                Just("<file>".to_owned()),
                Just("</file>".to_owned()),
                Just("<path>a</path>".to_owned()),
                Just("<diff>".to_owned()),
                Just("</diff>".to_owned()),
                Just("<content><![CDATA[\n".to_owned()),
                Just("]]></content>".to_owned()),
                Just("<start_line>1</start_line>".to_owned()),
                Just("[{\"path\": \"a\", \"diff\": [".to_owned()),
                Just("{\"content\": \"<<<<<<< SEARCH\"}]}]".to_owned()),
            ],
            0..12,
        ),
    ) {
        let payload = pieces.concat();
        let path = FilePath::from("f");
        for path in [None, Some(&path)] {
            let setting = PayloadContext { path, roots: &[], limit: usize::MAX };
            if let Err(error) = translate(Some("search-replace"), &payload, &setting) {
                prop_assert!([ErrorCode::Malformed, ErrorCode::Outside].contains(&error.code), "{:?}", error.code);
            }
            let _ = translate(None, &payload, &setting);
        }
    }
}

#[test]
fn large_texts_are_read_a_bounded_number_of_times() {
    const SIZE: usize = 2 * 1024 * 1024;
    let path = FilePath::from("f");
    let setting = PayloadContext { path: Some(&path), roots: &[], limit: usize::MAX };
    for unit in [
        "<",
        "\\",
        " ",
        "=======\n",
        "<<<<<<< SEARCH\n",
        "\\<<<<<<< SEARCH\n",
        "```\n",
        "<args>",
        "<args>\n<file>\n<path>",
        "<args><file><diff><content><![CDATA[\n",
        "<args><file><diff><content>\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n",
        "[{\"path\": \"",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    ] {
        let payload = unit.repeat(SIZE / unit.len());
        let _ = translate(Some("search-replace"), &payload, &setting);
        let _ = translate(None, &payload, &setting);
        let block = format!("<<<<<<< SEARCH\n{}\n=======\n{payload}", "x".repeat(SIZE));
        progress(&block);
    }
    let args = format!("<args><file><path>f</path>{}</file></args>", {
        let block = "<<<<<<< SEARCH\na\n=======\n</diff></content>\n>>>>>>> REPLACE\n";
        format!("<diff><content>{block}</content></diff>").repeat(SIZE / 100)
    });
    assert!(translate(None, &args, &setting).is_ok());
}

#[test]
fn every_fault_is_told_apart() {
    let kind = |text: &str| {
        blocks(text, 1, LinesBetween::Names).map_err(|fault| (fault.kind, fault.line)).unwrap_err()
    };
    for (text, payload_job) in [
        ("a\n=======\n", (FaultKind::Order, 2)),
        (">>>>>>> REPLACE", (FaultKind::Order, 1)),
        ("<<<<<<< HEAD\n", (FaultKind::Slip, 1)),
        ("a.rs\n  <<<<<<< SEARCH\n  =======\n  b\n  >>>>>>> REPLACE\n", (FaultKind::Indented, 2)),
        ("<<<<<<< SEARCH\na\n  <<<<<<< SEARCH\n", (FaultKind::Order, 3)),
        ("<<<<<<< SEARCH\na\n\t>>>>>>> REPLACE\n", (FaultKind::Order, 3)),
        ("<<<<<<< SEARCH\na\n  <<<<<<< HEAD\n", (FaultKind::Conflict, 3)),
        ("<<<<<<< SEARCH\na\n=======\nb\n    =======\n", (FaultKind::Conflict, 5)),
        ("<<<<<<< SEARCH\na\n    =======\nb\n=======\n", (FaultKind::Conflict, 5)),
        ("<<<<<<< SEARCH\na\n=======\n    :start_line:3\n", (FaultKind::LineMarker, 4)),
        ("<<<<<<< SEARCH\na\n=======\n\t:end_line:3\n", (FaultKind::LineMarker, 4)),
        ("<<<<<<< SEARCH\n  :start_line:x\n", (FaultKind::Number, 2)),
        ("<<<<<<< SEARCH\n:start_line:1\n  -------\na\n=======\nb\n", (FaultKind::Dashes, 3)),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", (FaultKind::Order, 3)),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", (FaultKind::Order, 3)),
        ("<<<<<<< SEARCH\na\n=======\n<<<<<<< SEARCH\n", (FaultKind::Order, 4)),
        ("<<<<<<< SEARCH\n<<<<<<< HEAD\n", (FaultKind::Conflict, 2)),
        ("<<<<<<< SEARCH\na\n>>>>>>> branch\n", (FaultKind::Conflict, 3)),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\n", (FaultKind::Conflict, 5)),
        ("<<<<<<<< SEARCH\na\n=======\nb\n========\n", (FaultKind::Conflict, 5)),
        ("<<<<<<< SEARCH\na\n=======\n:start_line:3\n", (FaultKind::LineMarker, 4)),
        ("<<<<<<< SEARCH\na\n=======\n:end_line:3\n", (FaultKind::LineMarker, 4)),
        ("<<<<<<< SEARCH\n:start_line:x\n", (FaultKind::Number, 2)),
        ("<<<<<<< SEARCH\n-------\na\n=======\n-------\nb\n", (FaultKind::Dashes, 2)),
        ("<<<<<<< SEARCH\n-------\na\n=======\nb\n", (FaultKind::Dashes, 2)),
        ("<<<<<<< SEARCH\n:start_line:+1\n", (FaultKind::Number, 2)),
        ("<<<<<<< SEARCH\n:start_line:1\n:start_line:1\n", (FaultKind::Number, 3)),
        ("<<<<<<< SEARCH\n:end_line:1\n:end_line:1\n", (FaultKind::Number, 3)),
        ("x.rs\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", (FaultKind::Empty, 2)),
        ("Here it is:\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n", (FaultKind::NoFile, 2)),
        ("<<<<<<< SEARCH\na\n", (FaultKind::End, 2)),
        ("<<<<<<< SEARCH\na\n=======\nb", (FaultKind::End, 4)),
        ("only\nwords\n", (FaultKind::NoBlock, 2)),
        ("", (FaultKind::NoBlock, 1)),
    ] {
        assert_eq!(kind(text), payload_job, "{text}");
    }
}

#[test]
fn a_marker_bears_a_slip_but_not_another_length() {
    for search in [
        "<<<<<<< SEARCH",
        "  <<<<<<< SEARCH",
        "<<<<<<< SEARCH>",
        "<<<<<<<< SEARCH \t\r\n",
        "<<<<<<< SEARCH> \r",
    ] {
        assert!(matches!(Marker::of(search), Marker::Search(_)), "{search}");
    }
    for replace in [">>>>>>> REPLACE", ">>>>>>> REPLACE<", ">>>>>>>> REPLACE\r", ">>>>>>> REPLACE< \n"] {
        assert_eq!(Marker::of(replace), Marker::Replace, "{replace}");
    }
    for conflict in ["<<<<<<<SEARCH", "<<<<<<<<< SEARCH", ">>>>>>> REPLACED", ">>>>>>>", "<<<<<<< SEARCH<"] {
        assert_eq!(Marker::of(conflict), Marker::Conflict, "{conflict}");
    }
    for content in ["<<<<<< SEARCH", "x =======", "=========", "======= x", ">>>>>> REPLACE", "start_line:"] {
        assert_eq!(Marker::of(content), Marker::Content, "{content}");
    }
}

#[test]
fn progress_counts_the_blocks_that_are_whole() {
    let text =
        "a.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE";
    let counts: Vec<usize> = (0..=text.len()).map(|end| progress(text.get(..end).unwrap())).collect();
    assert!(counts.is_sorted());
    assert_eq!(counts.last(), Some(&2));
    assert_eq!(counts.iter().position(|count| *count == 1), text.find(" REPLACE\n").map(|at| at + 8));
    assert_eq!(progress("<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n=======\n"), 1);
}

/// Returns the message for a block that no rung found.
fn said(error: RequestError, near: Option<u64>) -> String {
    let path = FilePath::from("a.py");
    let words = SearchReplaceReply {
        files: vec![FileBlocks { path: path.clone(), guessed: false, near: vec![None, near] }],
    };
    let receipt = Receipt {
        queued: None,
        job: None,
        status: JobStatus::Refused,
        files: Vec::new(),
        omitted_files: 0,
        hooks: Vec::new(),
        checks: Vec::new(),
        error: Some(RequestError { edit: Some(2), ..error.at(&path) }),
        verified: None,
        rebased: false,
        repeated: false,
        dialect: None,
        text: None,
    };
    words.format(&PayloadOutcome::Receipt(&receipt))
}

#[test]
fn a_block_that_is_nowhere_is_said_with_score_threshold_range_and_nearest_text() {
    let mut error = RequestError::new(ErrorCode::NotFound, "it is not there");
    error.near_misses = vec![NearMiss {
        line: 7,
        text: "7 | def f():\n8 |     pass\n".to_owned(),
        score: 0.879,
        differs: None,
        quoted: None,
    }];
    error.needed = Some(0.9);
    error.searched = Some((1, 80));
    error.tried = vec!["exact".to_owned(), "fuzzy".to_owned()];
    assert_eq!(
        said(error, Some(42)),
        "Failed to apply any diffs.\n\n\
         a.py, block 2: No sufficiently similar match found at line: 42 (87% similar, needs 90%)\n\n\
         Debug Info:\n\
         - Similarity Score: 87%\n\
         - Required Threshold: 90%\n\
         - Search Range: lines 1 to 80, starting at line 42\n\
         - Tip: read the file again and quote the present text\n\n\
         Best Match Found:\n\
         7 | def f():\n\
         8 |     pass"
    );
}

#[test]
fn another_refusal_is_said_in_its_own_sentence() {
    let stale = RequestError::new(ErrorCode::Stale, "the file changed since it was read; send it again");
    assert_eq!(
        said(stale, None),
        "Failed to apply any diffs.\n\na.py, block 2: the file changed since it was read; send it again"
    );
}

#[test]
fn many_files_and_blocks_are_gathered_by_path() {
    let block = |path: usize| format!("d/{path}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n");
    let payload: String = (0..40_000).map(|n| block(n % 10_000)).collect();
    let setting = PayloadContext { path: None, roots: &[], limit: usize::MAX };
    let PayloadRequest::Job(payload_job) = translate(None, &payload, &setting).unwrap().request else {
        unreachable!()
    };
    assert_eq!(payload_job.files.len(), 10_000);
    assert!(payload_job.files.iter().all(|file| file.edits.len() == 4));
}
