//! Plans of random jobs on random files, checked against invariants and naive models. They touch no file.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_engine::{
    FileState, Plan, PlanOptions, Refusal, Splice, WorkspaceSnapshot, apply, invert, needs_of_input as needs,
    plan_input as plan, splices_between, unified_diff, view,
};
use editd_proto::error::ErrorCode;
use editd_proto::message::{EditPosition, EditStatus, FileEdit, FileEntry, FileMode, JobRequest, Reindent};
use editd_proto::path::FilePath;
use proptest::prelude::*;

fn file(path: &str, bytes: &[u8]) -> (FilePath, FileState) {
    (FilePath::from(path), FileState::File { bytes: Arc::from(bytes), mode: 0o644 })
}

fn world(files: Vec<(FilePath, FileState)>, job: &JobRequest) -> WorkspaceSnapshot {
    let mut world = WorkspaceSnapshot { files: files.into_iter().collect(), ..WorkspaceSnapshot::default() };
    if let Ok(needs) = needs(job) {
        for path in needs.paths {
            world.files.entry(path).or_insert(FileState::Absent);
        }
    }
    world.clips.insert("c".to_owned(), b"clip\n  board".to_vec());
    world
}

fn one(bytes: &[u8], edits: Vec<FileEdit>) -> Result<Vec<u8>, Refusal> {
    let job = JobRequest {
        files: vec![FileEntry { path: FilePath::from("f"), edits, ..FileEntry::default() }],
        ..JobRequest::default()
    };
    let plan = plan(&job, &world(vec![file("f", bytes)], &job), &PlanOptions::default())?;
    check(&plan);
    Ok(plan.changes.first().map_or_else(|| bytes.to_vec(), |change| bytes_of(&change.after)))
}

fn bytes_of(state: &FileState) -> Vec<u8> {
    match state {
        FileState::Absent => Vec::new(),
        FileState::File { bytes, .. } => bytes.to_vec(),
    }
}

/// Checks the invariants of every plan.
fn check(plan: &Plan) {
    for change in &plan.changes {
        let (before, after) = (bytes_of(&change.before), bytes_of(&change.after));
        assert_ne!(change.before, change.after);
        assert_eq!(apply(&before, &change.splices).as_ref(), Some(&after));
        assert_eq!(apply(&after, &invert(&change.splices)).as_ref(), Some(&before));
        assert_eq!(invert(&invert(&change.splices)), change.splices);
        for pair in change.splices.windows(2) {
            assert!(pair[0].at + (pair[0].old.len() as u64) < pair[1].at, "splices meet");
        }
    }
}

fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit {
        op: "replace".to_owned(),
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        ..FileEdit::default()
    }
}

fn lines(start: u64, end: u64, text: &str) -> FileEdit {
    let text = Some(text.to_owned());
    FileEdit { op: "lines".to_owned(), start: Some(start), end: Some(end), text, ..FileEdit::default() }
}

/// Text in which everything that matters is frequent.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab]", 2 => Just("\n".to_owned()), 2 => Just("\r\n".to_owned()), 1 => Just("\r".to_owned()),
        1 => Just("é".to_owned()), 1 => Just(" ".to_owned()), 1 => Just("😀".to_owned()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn short() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => "[ab]", 2 => Just("\n".to_owned()), 1 => Just("\r\n".to_owned()), 1 => Just("é".to_owned())];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn maybe<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.15, value)
}

/// Any edit, mostly with fields that belong together.
fn edit() -> impl Strategy<Value = FileEdit> {
    let at = prop_oneof![
        Just(EditPosition::Start),
        Just(EditPosition::End),
        (0u64..8).prop_map(EditPosition::Line),
        short().prop_map(EditPosition::Before),
        short().prop_map(EditPosition::After),
    ];
    let eol = maybe(prop_oneof![Just("literal".to_owned()), Just("file".to_owned())]);
    let clip = || maybe(prop_oneof![Just("c".to_owned()), Just("d".to_owned())]);
    let indent = maybe(
        (prop::option::of("[ a]?"), prop::option::of("[ b]?"))
            .prop_map(|(strip, add)| Reindent { strip, add }),
    );
    let common = (short(), short(), maybe(0u64..8), maybe(any::<bool>()), eol, clip(), clip(), indent);
    let quoted = (common, maybe(any::<bool>()), at, 0u64..8, 0u64..8);
    (quoted, 0..9u8, maybe(1u64..3), any::<bool>()).prop_map(
        |((common, all, at, start, end), kind, count, regex)| {
            let (old, new, near, whole_lines, eol, to_clipboard, from_clipboard, reindent) = common;
            let base = FileEdit { eol, from_clipboard, reindent, ..FileEdit::default() };
            let op = |op: &str| FileEdit { op: op.to_owned(), ..FileEdit::default() };
            match kind {
                0..=2 => FileEdit {
                    op: "replace".to_owned(),
                    old: Some(old),
                    new: Some(new),
                    near,
                    whole_lines,
                    all,
                    to_clipboard,
                    ..base
                },
                3 => FileEdit { op: "insert".to_owned(), text: Some(new), at: Some(at), ..base },
                4 => FileEdit {
                    op: "lines".to_owned(),
                    start: Some(start),
                    end: Some(end),
                    text: Some(new),
                    to_clipboard,
                    ..base
                },
                5 => FileEdit {
                    op: "write".to_owned(),
                    text: Some(new),
                    from_clipboard: base.from_clipboard,
                    ..FileEdit::default()
                },
                6 => FileEdit {
                    pattern: Some(old),
                    replacement: Some(new),
                    regex: Some(regex),
                    count,
                    ..op("substitute")
                },
                7 => FileEdit {
                    to: Some(FilePath::from(if regex { "f" } else { "g" })),
                    overwrite: all,
                    ..op(if start < 4 { "rename" } else { "copy" })
                },
                _ => match start % 3 {
                    0 => op("delete"),
                    1 => FileEdit { mode: Some(FileMode::Bits(end as u32 * 99)), ..op("chmod") },
                    _ => FileEdit { text: Some(new), ..op("create") },
                },
            }
        },
    )
}

/// The bytes of a text in one of the encodings that are found by their mark.
fn encoded(text: &str, kind: u8) -> Vec<u8> {
    match kind % 4 {
        0 => text.as_bytes().to_vec(),
        1 => [&[0xef, 0xbb, 0xbf], text.as_bytes()].concat(),
        2 => [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
        _ => [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any job on any file is planned or refused. A plan can be applied and undone.
    #[test]
    fn every_plan_applies_and_inverts(
        content in text(), other in text(), kind in 0u8..4, partial in any::<bool>(),
        entries in prop::collection::vec((any::<bool>(), prop::collection::vec(edit(), 1..4)), 1..4),
    ) {
        let entries = entries.into_iter().map(|(first, edits)| {
            FileEntry { path: FilePath::from(if first { "f" } else { "g" }), edits, ..FileEntry::default() }
        });
        let job = JobRequest { partial, files: entries.collect(), ..JobRequest::default() };
        for entry in editd_engine::Job::parse(&job).unwrap().entries {
            let _ = entry.proof();
        }
        let files = vec![file("f", &encoded(&content, kind)), file("g", other.as_bytes())];
        let world = world(files, &job);
        let planned = plan(&job, &world, &PlanOptions::default());
        if let Ok(plan) = &planned {
            check(plan);
            assert_eq!(plan.files.len(), job.files.len());
            for (outcome, entry) in plan.files.iter().zip(&job.files) {
                assert_eq!(outcome.edits.len(), entry.edits.len());
            }
            let refused = plan.files.iter().flat_map(|f| &f.edits).any(|e| e.status == EditStatus::Refused);
            assert_eq!(refused, plan.error.is_some());
            assert!(partial || !refused);
        }
        if let Err(error) = &planned {
            assert!(error.code != ErrorCode::Internal, "{}", error.message);
            assert!(!error.message.is_empty());
        }
    }

    /// A quotation replaces exactly the place that a naive search finds, in every encoding.
    #[test]
    fn a_replacement_is_that_of_a_naive_model(content in text(), old in short(), new in short(), kind in 0u8..4) {
        let edit = FileEdit { eol: Some("literal".to_owned()), loosest: Some("exact".to_owned()), ..replace(&old, &new) };
        let splits = |at: usize| content[..at].ends_with('\r') && content[at..].starts_with('\n');
        let places: Vec<usize> = (0..content.len())
            .filter(|at| content.is_char_boundary(*at) && !old.is_empty() && content[*at..].starts_with(&old))
            .filter(|at| !splits(*at) && !splits(at + old.len()))
            .collect();
        let found = one(&encoded(&content, kind), vec![edit]);
        match places[..] {
            [at] => {
                let after = [&content[..at], &new, &content[at + old.len()..]].concat();
                assert_eq!(found.unwrap(), encoded(&after, kind));
            }
            [] => assert!(matches!(found.unwrap_err().code, ErrorCode::NotFound | ErrorCode::Malformed)),
            _ => assert_eq!(found.unwrap_err().code, ErrorCode::Ambiguous),
        }
    }

    /// At the second rung a place equals the quotation once breaks are folded, and it is the only one.
    #[test]
    fn the_eol_rung_finds_what_is_equal_after_folding(content in text(), old in short()) {
        if !content.contains('\n') || old.is_empty() {
            return Ok(());
        }
        let fold = |text: &str| text.replace("\r\n", "\n");
        let (folded, wanted) = (fold(&content), fold(&old));
        let count = (0..folded.len()).filter(|at| folded.is_char_boundary(*at) && folded[*at..].starts_with(&wanted)).count();
        let edit = FileEdit { loosest: Some("eol".to_owned()), ..replace(&old, "#") };
        match one(content.as_bytes(), vec![edit]) {
            Ok(after) => {
                // An exact place may be the only one of its rung although others are equal after folding.
                assert!(count >= 1);
                assert!(fold(&String::from_utf8(after).unwrap()).contains('#'));
            }
            Err(error) if error.code == ErrorCode::NotFound => assert_eq!(count, 0),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Ambiguous);
                assert!(count > 1);
            }
        }
    }

    /// Lines before and after the place in the reply are unchanged, including their line ends.
    #[test]
    fn lines_outside_the_place_are_untouched(content in text(), edit in edit()) {
        let files = vec![FileEntry { path: FilePath::from("f"), edits: vec![edit], ..FileEntry::default() }];
        let job = JobRequest { files, ..JobRequest::default() };
        let Ok(plan) = plan(&job, &world(vec![file("f", content.as_bytes())], &job), &PlanOptions::default()) else {
            return Ok(());
        };
        let (Some(change), Some((first, last))) = (plan.changes.first(), plan.files[0].edits[0].lines) else {
            return Ok(());
        };
        let after = bytes_of(&change.after);
        let stop = if content.contains('\n') { '\n' } else { '\r' };
        let all: Vec<&str> = content.split_inclusive(stop).collect();
        let (before, behind) = (first as usize - 1, (last as usize).min(all.len()));
        let head = all[..before.min(all.len())].concat();
        // Text that is appended to an open last line completes that line first.
        prop_assert!(after.starts_with(head.as_bytes()), "{head:?} {:?}", String::from_utf8_lossy(&after));
        prop_assert!(after.ends_with(all[behind..].concat().as_bytes()), "{:?}", String::from_utf8_lossy(&after));
    }

    /// Line edits against a model that holds a list of lines.
    #[test]
    fn line_edits_are_those_of_a_naive_model(
        content in prop::collection::vec("[ab]{0,3}", 0..6), open in any::<bool>(),
        start in 1u64..8, count in 0u64..4, new in prop::collection::vec("[xy]{1,2}", 0..4), ended in any::<bool>(),
    ) {
        let mut whole: String = content.iter().map(|line| format!("{line}\n")).collect();
        let open = open && content.last().is_some_and(|line| !line.is_empty());
        if open { whole.pop(); }
        let mut text = new.join("\n");
        if ended && !text.is_empty() { text.push('\n'); }
        let (n, end) = (content.len() as u64, start + count - 1);
        let found = one(whole.as_bytes(), vec![lines(start, end, &text)]);
        let appends = start == n + 1 && count <= 1;
        if start > n + 1 || (end > n && !appends) {
            assert_eq!(found.unwrap_err().code, ErrorCode::OutOfRange);
            return Ok(());
        }
        let (from, to) = (start as usize - 1, (end.min(n) as usize).max(start as usize - 1));
        let model: Vec<String> = content[..from].iter().chain(&new).chain(&content[to..]).cloned().collect();
        let mut wanted: String = model.iter().map(|line| format!("{line}\n")).collect();
        // The last line is open where it was kept open, or where it was appended open to an open end.
        let last_is_new = to == content.len() && !new.is_empty();
        let stays_open = if last_is_new {
            if appends { !ended && (open || n == 0) } else { open && from < to }
        } else {
            open && to < content.len()
        };
        if stays_open || (open && new.is_empty() && to == content.len() && from == to) { wanted.pop(); }
        assert_eq!(String::from_utf8(found.unwrap()).unwrap(), wanted);
    }

    /// The order of edits that quote or number their lines does not matter.
    #[test]
    fn the_order_of_edits_is_irrelevant(
        content in text(), olds in prop::collection::vec((short(), short()), 1..5), start in 1u64..5, seed in any::<u64>(),
    ) {
        let mut edits: Vec<FileEdit> = olds.iter().map(|(old, new)| replace(old, new)).collect();
        edits.push(lines(start, start, "L"));
        let first = one(content.as_bytes(), edits.clone());
        let n = edits.len();
        let mut seed = seed;
        for i in (1..n).rev() {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            edits.swap(i, (seed >> 33) as usize % (i + 1));
        }
        let second = one(content.as_bytes(), edits);
        match (first, second) {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            (Err(_), Err(_)) => {}
            (a, b) => panic!("{a:?} but {b:?} in another order"),
        }
    }

    /// An overlap does not depend on the order of the edits, and the error names both. An edit that takes the text of a
    /// clipboard has another text if an edit before it fills that clipboard.
    #[test]
    fn overlap_is_symmetric(content in text(), a in edit(), b in edit()) {
        let fills = |one: &FileEdit, other: &FileEdit| {
            one.to_clipboard.is_some() && one.to_clipboard == other.from_clipboard
        };
        prop_assume!(!fills(&a, &b) && !fills(&b, &a));
        let (ab, ba) = (one(content.as_bytes(), vec![a.clone(), b.clone()]), one(content.as_bytes(), vec![b, a]));
        let overlap = |result: &Result<Vec<u8>, Refusal>| matches!(result, Err(error) if error.code == ErrorCode::Overlap);
        let other = |result: &Result<Vec<u8>, Refusal>| matches!(result, Err(error) if error.code != ErrorCode::Overlap);
        if !other(&ab) && !other(&ba) {
            assert_eq!(overlap(&ab), overlap(&ba), "{ab:?} {ba:?}");
        }
        for error in [ab, ba].into_iter().filter_map(Result::err).filter(|error| error.code == ErrorCode::Overlap) {
            let mut named = [error.edit.unwrap(), error.other_edit.unwrap()];
            named.sort_unstable();
            assert_eq!(named, [1, 2]);
        }
    }

    /// Two stages are planned as one net change.
    #[test]
    fn stages_compose(content in text(), first in prop::collection::vec(edit(), 1..4), second in prop::collection::vec(edit(), 1..4)) {
        let entry = |edits: Vec<FileEdit>| FileEntry { path: FilePath::from("f"), edits, ..FileEntry::default() };
        let job = |files: Vec<FileEntry>| JobRequest { files, ..JobRequest::default() };
        let both = job(vec![entry(first.clone()), entry(second.clone())]);
        let world = world(vec![file("f", content.as_bytes())], &both);
        if let Ok(both) = plan(&both, &world, &PlanOptions::default()) {
            check(&both);
            let after = |world: &WorkspaceSnapshot, plan: &Plan| {
                let mut world = world.clone();
                for change in &plan.changes { world.files.insert(change.path.clone(), change.after.clone()); }
                for clip in &plan.clips { world.clips.insert(clip.name.clone(), clip.bytes.clone()); }
                world
            };
            let middle = after(&world, &plan(&job(vec![entry(first)]), &world, &PlanOptions::default()).unwrap());
            let last = after(&middle, &plan(&job(vec![entry(second)]), &middle, &PlanOptions::default()).unwrap());
            assert_eq!(after(&world, &both).files, last.files);
        }
    }

    /// Any two contents: the splices between them, their diff and their views never fail.
    #[test]
    fn contents_compare(a in prop::collection::vec(0u8..4, 0..40), b in prop::collection::vec(0u8..4, 0..40), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let letters = [b'a', b'\n', b'\r', 0xc3];
        let content = |list: &[u8]| list.iter().map(|i| letters[*i as usize]).collect::<Vec<u8>>();
        for (before, after) in [(content(&a), content(&b)), (content(&a), bytes.clone()), (bytes, content(&b))] {
            let splices = splices_between(&before, &after);
            assert_eq!(apply(&before, &splices).as_ref(), Some(&after));
            assert_eq!(apply(&after, &invert(&splices)).as_ref(), Some(&before));
            let path = FilePath::from("f");
            let (diff, omitted) = unified_diff(&path, &file("f", &before).1, &file("f", &after).1);
            assert_eq!(diff.is_empty(), before == after);
            assert_eq!(omitted, 0);
            let seen = view(&before, None, &path, &PlanOptions::default()).unwrap();
            assert_eq!(seen.text.is_some(), seen.bytes.is_none());
        }
    }

    /// `apply` trusts nothing.
    #[test]
    fn wrong_splices_are_refused(content in prop::collection::vec(any::<u8>(), 0..8), at in 0u64..12, old in prop::collection::vec(any::<u8>(), 0..4)) {
        let fits = content.get(at as usize..).is_some_and(|rest| rest.starts_with(&old));
        let splice = Splice { at, old, new: vec![1, 2] };
        assert_eq!(apply(&content, std::slice::from_ref(&splice)).is_some(), fits);
        let far = Splice { at: u64::MAX, old: vec![1], new: Vec::new() };
        assert_eq!(apply(&content, &[far]), None);
    }
}
