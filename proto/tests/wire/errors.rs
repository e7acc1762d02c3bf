//! Samples of errors with every field set. Contains no tests.

use editd_proto::error::{
    Candidate, ChangeAuthor, ConflictRegion, Excerpt, IndentReading, MovedLines, NearMiss, OutsideWord,
    RejectedPlace, WouldApply,
};
use editd_proto::ids::JobId;
use editd_proto::message::*;
use editd_proto::{ErrorCode, RequestError};

use crate::samples::{issue, odd_path, version};

pub(crate) fn error() -> RequestError {
    let mut error = RequestError::new(ErrorCode::Stale, "read the file again");
    error.path = Some("src/a.rs".into());
    error.edit = Some(2);
    error.other_edit = Some(3);
    error.version = Some(version());
    error.diff = Some("@@ -1 +1 @@\n-a\n+b\n".into());
    error.omitted_hunks = Some(4);
    error.by = Some(ChangeAuthor::Entry(JobId(16)));
    error.would_apply = Some(WouldApply::Conflict);
    error.candidates =
        vec![Candidate { line: 3, column: 5, text: "let a = 1;".into(), symbol: Some("impl S/new".into()) }];
    error.readings = vec![IndentReading { how: "kept as given".into(), text: "    b".into() }];
    error.found = Some(2);
    error.expected = Some(1);
    error.lines = Some(100);
    error.line = Some(7);
    error.tried = vec!["exact".into(), "eol".into()];
    error.near_misses = vec![NearMiss {
        line: 9,
        text: "9 | let a = 2;".into(),
        score: 0.875,
        differs: Some(9),
        quoted: Some("let a = 3;".into()),
    }];
    error.cause = Some("entry 12 removed it".into());
    error.searched = Some((1, 100));
    error.needed = Some(0.9);
    error.check = Some("content".into());
    error.fallen = vec![RejectedPlace { line: 3, check: "boundary".into(), reason: "it ends before".into() }];
    error.marker = Some("=======".into());
    error.expected_marker = Some(">>>>>>> REPLACE".into());
    error.excerpts = vec![Excerpt { line: 3, text: "a\n".into() }];
    error.moved = vec![MovedLines {
        edit: 1,
        read: version(),
        lines: (3, 4),
        then: Some("a\nb\n".into()),
        now: Some((5, 6)),
        there: Some("c\nd\n".into()),
    }];
    error.others = vec![RequestError::new(ErrorCode::Unread, "read it").at(&"b".into())];
    error.regions =
        vec![ConflictRegion { line: 4, base: "a".into(), current: "b".into(), wanted: "c".into() }];
    error.symbols = vec!["Class/method".into()];
    error.issues = vec![issue()];
    error.later = vec![LaterEntry {
        job: JobId(1 << 40),
        session: "s".into(),
        client: "example".into(),
        label: Some("why".into()),
        kind: EntryKind::Edit,
        own: true,
    }];
    error.limit = Some(1024);
    error.more = Some(2);
    error
}

pub(crate) fn errors() -> Vec<RequestError> {
    let mut outside = RequestError::new(ErrorCode::Stale, "read the file again").at(&odd_path());
    outside.by = Some(ChangeAuthor::Outside(OutsideWord::Outside));
    outside.would_apply = Some(WouldApply::Clean);
    vec![error(), outside, RequestError::new(ErrorCode::Stopping, "try again")]
}
