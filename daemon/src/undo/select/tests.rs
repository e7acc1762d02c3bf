//! Selection over more than one page of entries. No file is touched.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, UndoRequest};

use super::*;
use crate::record::{Entry, Record};
use crate::workspace::tests::kit::Bench;

/// Appends so many entries of a session, without files.
fn entries(bench: &Bench, number: usize) -> Vec<JobId> {
    let made: Vec<Entry> = (0..number).map(|_| entry(bench, "s", EntryKind::Edit, Vec::new())).collect();
    let records: Vec<Record> = made.iter().cloned().map(Record::External).collect();
    bench.state().store.append(&records).unwrap();
    made.iter().map(|entry| entry.id).collect()
}

fn entry(bench: &Bench, session: &str, kind: EntryKind, of: Vec<JobId>) -> Entry {
    Entry {
        id: bench.state().next_id(),
        kind,
        boot: bench.state().boot,
        time: 1,
        session: session.to_owned(),
        client: "test".to_owned(),
        key: None,
        request: None,
        label: None,
        queued: None,
        of,
        files: Vec::new(),
        clips: Vec::new(),
        parts: Vec::new(),
    }
}

fn all_of_the_session(bench: &Bench) -> Result<Vec<JobId>, Refusal> {
    let caller = crate::caller::Caller::of_session("s", "test");
    let request = UndoRequest { session: Some("s".to_owned()), ..UndoRequest::default() };
    let job = UndoJob::parse(&caller, &request, UndoDirection::Undo, &FilePath::clone);
    select(bench.state(), &job.selection?, UndoDirection::Undo)
        .map(|chosen| chosen.choices.iter().map(|choice| choice.id).collect())
}

#[test]
fn entries_behind_many_that_were_taken_back_are_taken_back_too() {
    let bench = Bench::new();
    let standing = entries(&bench, 500);
    let back = entries(&bench, 2000);
    let undo = entry(&bench, "other", EntryKind::Undo, back);
    bench.state().store.append(&[Record::External(undo)]).unwrap();
    let newer = entries(&bench, 3);
    let mut meant: Vec<JobId> = standing.into_iter().chain(newer).collect();
    meant.reverse();
    assert_eq!(all_of_the_session(&bench).unwrap(), meant);
}

#[test]
fn one_undo_takes_so_many_entries_and_says_so_where_there_are_more() {
    let bench = Bench::new();
    entries(&bench, UNDO);
    assert_eq!(all_of_the_session(&bench).unwrap().len(), UNDO);
    entries(&bench, 1);
    let refused = all_of_the_session(&bench).unwrap_err();
    assert_eq!((refused.code, refused.limit), (ErrorCode::Limit, Some(UNDO as u64)));
    assert!(refused.message.contains("more than 20000 entries"), "{}", refused.message);
}

#[test]
fn entries_that_the_selection_took_back_itself_do_not_count() {
    let bench = Bench::new();
    let standing = entries(&bench, UNDO - 1);
    let back = entries(&bench, 1000);
    let undo = entry(&bench, "s", EntryKind::Undo, back);
    bench.state().store.append(&[Record::External(undo)]).unwrap();
    let newer = entries(&bench, 1);
    let mut meant: Vec<JobId> = standing.into_iter().chain(newer).collect();
    meant.reverse();
    assert_eq!(all_of_the_session(&bench).unwrap(), meant);
}
