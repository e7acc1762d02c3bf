//! Checks that the clipboards of the workspace have room for more. It stores none.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;

use crate::clipboard;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;
use crate::store::{ClipboardOwner, ClipboardUsage};

/// The kind of clipboards that every session can remove, for messages.
const OF_WORKSPACE: &str = " with names that begin with `/`";

/// The remedy.
const REMOVE: &str = "remove some (`editctl clip list`, `editctl clip rm NAME`)";

/// Checks the clipboards that a session is about to store, given as names and bytes. A change by which the clipboards do
/// not grow is never refused. Jobs that are checked at the same moment do not see each other, so all of them may pass.
///
/// # Errors
/// `too_large` if the session, its part of the workspace's, the workspace itself, or all of them together would have more
/// clipboards, or more bytes in them, than [`limits`] permits; `malformed` for a bad name; `io` if the journal cannot be read.
pub fn check_clips(state: &WorkspaceState, session: &str, written: &[(&str, usize)]) -> Result<(), Refusal> {
    for (name, bytes) in written {
        clipboard::check_name(name)?;
        clipboard::check_size(name, *bytes)?;
    }
    if written.is_empty() {
        return Ok(());
    }
    let [before, after] = state.store.clips_held(session, written).map_err(|error| store_refusal(&error))?;
    let share = (limits::CLIPBOARDS_OF_SESSION, limits::CLIPBOARDS_BYTES_OF_SESSION);
    let shared = (limits::CLIPBOARDS_SHARED, limits::CLIPBOARDS_BYTES_SHARED);
    for (what, before, after, limits) in
        [("", before.session, after.session, share), (OF_WORKSPACE, before.shared, after.shared, shared)]
    {
        if let Some((would, limit)) = over(before, after, limits) {
            let session = shown(session);
            return Err(too_large(
                format!("session \"{session}\" would {would} {limit}{what}: {REMOVE}"),
                limit,
            ));
        }
    }
    if let Some((would, limit)) = over(before.workspace, after.workspace, share) {
        let most = most(state, limit == share.1, true)?;
        return Err(too_large(
            format!("the workspace would {would} {limit}{OF_WORKSPACE}: {REMOVE}{most}"),
            limit,
        ));
    }
    let all = (limits::CLIPBOARDS, limits::CLIPBOARDS_BYTES);
    let Some((would, limit)) = over(before.all, after.all, all) else { return Ok(()) };
    let most = most(state, limit == all.1, false)?;
    Err(too_large(format!("the workspace would {would} {limit} over all sessions: {REMOVE}{most}"), limit))
}

/// The owners that have most clipboards, for messages.
fn most(state: &WorkspaceState, in_bytes: bool, only_shared: bool) -> Result<String, Refusal> {
    let owners = state.store.clip_owners(in_bytes, only_shared).map_err(|error| store_refusal(&error))?;
    let told = owners.iter().map(|ClipboardOwner { session, shared, usage }| {
        let whose = match (session.as_str(), shared) {
            ("", _) => format!("an unknown session{OF_WORKSPACE}"),
            (session, true) => format!("session \"{}\"{OF_WORKSPACE}", shown(session)),
            (session, false) => format!("session \"{}\" (`--session`)", shown(session)),
        };
        format!("{whose}: {} with {} bytes", usage.number, usage.bytes)
    });
    let told: Vec<String> = told.collect();
    Ok(if told.is_empty() { String::new() } else { format!("; most have {}", told.join(", ")) })
}

/// Returns the limit that a change exceeds, of a number and of bytes, with a phrase for it.
fn over(
    before: ClipboardUsage,
    after: ClipboardUsage,
    (number, bytes): (usize, usize),
) -> Option<(String, usize)> {
    let exceeds = |before: u64, after: u64, limit: usize| after > before && after > limit as u64;
    if exceeds(before.bytes, after.bytes, bytes) {
        return Some((format!("have {} bytes in its clipboards; the limit is", after.bytes), bytes));
    }
    let exceeds = exceeds(before.number, after.number, number);
    exceeds.then(|| (format!("have {} clipboards; the limit is", after.number), number))
}

fn shown(session: &str) -> String {
    session.chars().flat_map(char::escape_default).collect()
}

fn too_large(message: String, limit: usize) -> Refusal {
    let mut error = RequestError::new(ErrorCode::TooLarge, message);
    error.limit = Some(limit as u64);
    Box::new(error)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use editd_engine::Refusal;
    use editd_proto::error::ErrorCode;
    use editd_proto::limits;
    use editd_proto::message::{ClipAction, ClipRequest, FileEdit, JobStatus};

    use crate::caller::Caller;
    use crate::record::{ClipboardRecord, Record};
    use crate::workspace::tests::kit::Bench;

    fn fill(bench: &Bench, session: &str, number: usize, bytes: usize) {
        let clip = |n: usize| {
            let (name, bytes) = (format!("{n}"), Some(vec![b'x'; bytes]));
            Record::Clip(ClipboardRecord { session: session.to_owned(), name, bytes, origin: None, time: 1 })
        };
        bench.state().store.append(&(0..number).map(clip).collect::<Vec<_>>()).unwrap();
    }

    fn ask(bench: &Bench, session: &str, action: ClipAction, name: &str, text: &str) -> Result<(), Refusal> {
        let caller = Caller::of_session(session, "test");
        let text = (action == ClipAction::Set).then(|| text.to_owned());
        let request = ClipRequest { action, name: Some(name.to_owned()), to: None, text };
        bench.workspace.clip(&caller, &request).map(drop)
    }

    fn cut(bench: &Bench, session: &str, name: &str) -> JobStatus {
        let whole = FileEdit {
            op: "replace".into(),
            old: Some("old".into()),
            new: Some("new".into()),
            to_clipboard: Some(name.to_owned()),
            ..FileEdit::default()
        };
        bench.put("f", "old\n");
        bench.edit(session, "f", whole).status
    }

    #[test]
    fn the_number_of_clipboards_is_bounded_over_all_sessions() {
        let bench = Bench::new();
        fill(&bench, "much", limits::CLIPBOARDS - 10, 1);
        fill(&bench, "little", 9, 1);
        assert_eq!(cut(&bench, "s", "last"), JobStatus::Applied);
        let refused = ask(&bench, "s", ClipAction::Set, "more", "x").unwrap_err();
        assert_eq!((refused.code, refused.limit), (ErrorCode::TooLarge, Some(limits::CLIPBOARDS as u64)));
        assert!(refused.message.contains("session \"much\""), "{}", refused.message);
        assert_eq!(cut(&bench, "s", "more"), JobStatus::Refused);
        assert_eq!(bench.get("f"), "old\n");
        // One that is there is replaced, and one that is removed makes room.
        ask(&bench, "s", ClipAction::Set, "last", "other").unwrap();
        ask(&bench, "much", ClipAction::Rm, "7", "").unwrap();
        assert_eq!(cut(&bench, "s", "more"), JobStatus::Applied);
    }

    #[test]
    fn their_bytes_are_bounded_over_all_sessions() {
        let bench = Bench::new();
        let whole = limits::CLIPBOARDS_BYTES / limits::CLIPBOARD;
        fill(&bench, "many", 100, 1);
        fill(&bench, "", whole - 1, limits::CLIPBOARD);
        let rest = "x".repeat(limits::CLIPBOARD - 100);
        ask(&bench, "s", ClipAction::Set, "rest", &rest).unwrap();
        let refused = ask(&bench, "s", ClipAction::Set, "more", "x").unwrap_err();
        assert_eq!(
            (refused.code, refused.limit),
            (ErrorCode::TooLarge, Some(limits::CLIPBOARDS_BYTES as u64))
        );
        assert!(refused.message.contains("begin with `/`: 63 with"), "{}", refused.message);
        // What becomes smaller is no harm.
        ask(&bench, "s", ClipAction::Set, "rest", &rest[1..]).unwrap();
        ask(&bench, "s", ClipAction::Set, "more", "x").unwrap();
    }

    #[test]
    fn one_session_leaves_clipboards_to_the_others_and_the_error_names_it() {
        let bench = Bench::new();
        let (share, bytes) = (limits::CLIPBOARDS_OF_SESSION, limits::CLIPBOARDS_BYTES_OF_SESSION);
        fill(&bench, "greedy", share, 1);
        let refused = ask(&bench, "greedy", ClipAction::Set, "more", "x").unwrap_err();
        assert_eq!((refused.code, refused.limit), (ErrorCode::TooLarge, Some(share as u64)));
        assert!(refused.message.contains("session \"greedy\" would have 251"), "{}", refused.message);
        fill(&bench, "large", bytes / limits::CLIPBOARD, limits::CLIPBOARD);
        let refused = ask(&bench, "large", ClipAction::Set, "more", "x").unwrap_err();
        assert_eq!((refused.code, refused.limit), (ErrorCode::TooLarge, Some(bytes as u64)));
        // The others have theirs.
        ask(&bench, "s", ClipAction::Set, "own", "x").unwrap();
        ask(&bench, "greedy", ClipAction::Set, "7", "replaced").unwrap();
    }

    #[test]
    fn one_session_leaves_clipboards_of_the_workspace_to_the_others() {
        let bench = Bench::new();
        let (part, share) = (limits::CLIPBOARDS_SHARED, limits::CLIPBOARDS_OF_SESSION);
        for n in 0..part {
            ask(&bench, "greedy", ClipAction::Set, &format!("/{n}"), "x").unwrap();
        }
        let refused = ask(&bench, "greedy", ClipAction::Set, "/more", "x").unwrap_err();
        assert_eq!((refused.code, refused.limit), (ErrorCode::TooLarge, Some(part as u64)));
        let told = "session \"greedy\" would have 65 clipboards; the limit is 64 with names that begin with `/`: remove";
        assert!(refused.message.contains(told), "{}", refused.message);
        assert_eq!(cut(&bench, "greedy", "/more"), JobStatus::Refused);
        // Another session may set it, and may replace and remove those of the first one.
        assert_eq!(cut(&bench, "s", "/more"), JobStatus::Applied);
        ask(&bench, "s", ClipAction::Set, "/0", "y").unwrap();
        ask(&bench, "greedy", ClipAction::Set, "/again", "x").unwrap();
        ask(&bench, "s", ClipAction::Rm, "/1", "").unwrap();
        ask(&bench, "greedy", ClipAction::Set, "/1", "x").unwrap();
        // Those of earlier daemons have no known session.
        fill(&bench, "", share - part - 2, 1);
        let refused = ask(&bench, "t", ClipAction::Set, "/last", "x").unwrap_err();
        assert_eq!(refused.limit, Some(share as u64));
        let told = [
            "an unknown session with names",
            "session \"greedy\" with names that begin with `/`: 64 with 64",
        ];
        assert!(told.iter().all(|part| refused.message.contains(part)), "{}", refused.message);
    }

    #[test]
    fn the_bytes_of_one_session_in_the_workspace_are_bounded() {
        let bench = Bench::new();
        let whole = "x".repeat(limits::CLIPBOARD);
        for n in 0..limits::CLIPBOARDS_BYTES_SHARED / limits::CLIPBOARD {
            ask(&bench, "large", ClipAction::Set, &format!("/{n}"), &whole).unwrap();
        }
        let refused = ask(&bench, "large", ClipAction::Set, "/more", "x").unwrap_err();
        assert_eq!(refused.limit, Some(limits::CLIPBOARDS_BYTES_SHARED as u64));
        ask(&bench, "s", ClipAction::Set, "/more", "x").unwrap();
    }
}
