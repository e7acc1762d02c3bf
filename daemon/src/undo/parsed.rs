//! A parsed undo or redo: the entries that it selects, and the options of the whole job. It is parsed once, when the job
//! begins, and no later step reads the request again. Parsing looks at no entry.

use std::collections::BTreeSet;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{Durability, HunkChoice, JobMode, OnStale, UndoRequest};
use editd_proto::path::FilePath;

use super::UndoDirection;
use super::choose::WantedPart;
use crate::caller::Caller;
use crate::record::label;
use crate::store::EntryQuery;

/// A parsed undo or redo.
#[derive(Clone, Debug)]
pub struct UndoJob {
    pub(super) direction: UndoDirection,
    /// The selected entries, or the refusal of the request.
    pub(super) selection: Result<EntrySelection, Refusal>,
    /// The options of the whole job.
    pub options: UndoOptions,
}

/// The options of an undo or redo, as in an edit job.
#[derive(Clone, Default, Debug)]
pub struct UndoOptions {
    /// `verify_only` shows the effect and writes nothing; all other modes undo.
    pub mode: JobMode,
    /// The treatment of files with later changes.
    pub on_stale: OnStale,
    /// The key under which a repeated request is recognised.
    pub key: Option<String>,
    /// The label of the journal entry.
    pub label: Option<String>,
    /// The durability of the job, unless the settings decide.
    pub durability: Option<Durability>,
    /// Set if the reply shows all diffs, or none; otherwise, only files with merged changes have one.
    pub diff: Option<bool>,
}

/// The selection of the entries to undo or redo.
#[derive(Clone, Debug)]
pub(super) enum EntrySelection {
    /// The newest entry of a path, or else of the caller's session.
    Newest(EntryQuery),
    /// The entries with these numbers, or a part of each. A redo finds their undos in a query.
    Named { ids: Vec<JobId>, part: WantedPart, undos: EntryQuery },
    /// All entries of a session, since a time or after an entry.
    Group(EntryQuery),
    /// All entries of a query that are later than the newest mark with this name.
    AfterMark(String, EntryQuery),
}

impl UndoJob {
    /// Parses a request. `known` returns the path by which the journal names a file.
    pub fn parse(
        caller: &Caller,
        request: &UndoRequest,
        direction: UndoDirection,
        known: &dyn Fn(&FilePath) -> FilePath,
    ) -> Self {
        // A preview shows its diff, unless the request says otherwise.
        let preview = (request.mode == JobMode::VerifyOnly).then_some(true);
        let options = UndoOptions {
            mode: request.mode,
            on_stale: request.on_stale,
            key: request.key.clone(),
            label: label::given(request.label.as_deref()),
            durability: request.durability,
            diff: request.diff.or(preview),
        };
        Self { direction, selection: EntrySelection::parse(caller, request, direction, known), options }
    }

    /// Returns the undo of one entry.
    pub fn of_entry(id: JobId, options: UndoOptions) -> Self {
        Self { direction: UndoDirection::Undo, selection: Ok(EntrySelection::entry(id)), options }
    }
}

impl EntrySelection {
    /// Returns the name of the mark after which it selects entries.
    pub(super) fn mark(&self) -> Option<&str> {
        match self {
            Self::AfterMark(name, _) => Some(name),
            Self::Newest(_) | Self::Named { .. } | Self::Group(_) => None,
        }
    }

    /// Returns true if it selects entries by what they have in common.
    pub(super) fn is_group(&self) -> bool {
        matches!(self, Self::Group(_) | Self::AfterMark(..))
    }

    /// Selects one whole entry.
    pub(super) fn entry(id: JobId) -> Self {
        Self::Named { ids: vec![id], part: WantedPart::Everything, undos: EntryQuery::default() }
    }

    fn parse(
        caller: &Caller,
        request: &UndoRequest,
        direction: UndoDirection,
        known: &dyn Fn(&FilePath) -> FilePath,
    ) -> Result<Self, Refusal> {
        let UndoRequest { jobs, session, since, after, to, path, paths, hunks, .. } = request;
        let query = EntryQuery {
            path: path.as_ref().map(known),
            session: session.clone(),
            since: *since,
            after: *after,
            ..EntryQuery::default()
        };
        let limited = !paths.is_empty() || !hunks.is_empty();
        if let Some(name) = to {
            let others = !jobs.is_empty() || limited || since.is_some() || after.is_some();
            if direction == UndoDirection::Redo || others {
                return Err(malformed(
                    "`to` selects what an undo undoes, alone or with `session` or `path`; leave it out, or `jobs`, \
                     `paths`, `hunks`, `since` and `after`",
                ));
            }
            return Ok(Self::AfterMark(name.clone(), query));
        }
        if !jobs.is_empty() {
            return Ok(Self::Named {
                ids: jobs.clone(),
                part: WantedPart::parse(request, known)?,
                undos: query,
            });
        }
        if limited {
            return Err(malformed("`paths` and `hunks` belong to `jobs`: name the entry"));
        }
        if session.is_some() || since.is_some() || after.is_some() {
            return Ok(Self::Group(query));
        }
        let session = path.is_none().then(|| caller.session.clone());
        Ok(Self::Newest(EntryQuery { session, ..query }))
    }
}

impl WantedPart {
    /// Parses the part of the named entries that a request wants.
    fn parse(request: &UndoRequest, known: &dyn Fn(&FilePath) -> FilePath) -> Result<Self, Refusal> {
        let mut paths: BTreeSet<FilePath> = request.paths.iter().chain(&request.path).map(known).collect();
        if request.hunks.is_empty() {
            let paths: Vec<FilePath> = paths.into_iter().collect();
            return Ok(if paths.is_empty() { Self::Everything } else { Self::Files(paths, true) });
        }
        if request.jobs.len() != 1 || paths.len() > 1 {
            return Err(malformed(
                "hunks are numbered in each file of an entry: name one entry and one path",
            ));
        }
        let run = |choice: &HunkChoice| {
            let (first, last) = match *choice {
                HunkChoice::One(number) => (number, number),
                HunkChoice::Run(run) => run,
            };
            let small =
                |number| u32::try_from(number).map_err(|_| malformed("the number of a hunk is too large"));
            Ok((small(first)?, small(last)?))
        };
        let runs = request.hunks.iter().map(run).collect::<Result<_, Refusal>>()?;
        Ok(Self::Hunks(paths.pop_first(), runs))
    }
}

fn malformed(message: &str) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Parses an undo in a workspace in which `link` leads to `a`.
    fn parsed(request: &UndoRequest, direction: UndoDirection) -> Result<EntrySelection, Refusal> {
        let known = |path: &FilePath| if *path == "link".into() { "a".into() } else { path.clone() };
        UndoJob::parse(&Caller::of_session("s", "test"), request, direction, &known).selection
    }

    #[test]
    fn a_malformed_request_is_refused_for_its_first_error() {
        let (to, jobs) = (Some("m".to_owned()), vec![JobId(1)]);
        let paths = |names: &[&str]| names.iter().map(|name| FilePath::from(*name)).collect();
        let hunks = vec![HunkChoice::One(u64::MAX)];
        let none = UndoRequest::default();
        let refused = [
            (UndoRequest { to: to.clone(), hunks: hunks.clone(), ..none.clone() }, "`to` selects"),
            (UndoRequest { to, since: Some(1), ..none.clone() }, "`to` selects"),
            (
                UndoRequest { session: Some("s".into()), hunks: hunks.clone(), ..none.clone() },
                "name the entry",
            ),
            (
                UndoRequest {
                    jobs: jobs.clone(),
                    paths: paths(&["a", "b"]),
                    hunks: hunks.clone(),
                    ..none.clone()
                },
                "one path",
            ),
            (UndoRequest { jobs, paths: paths(&["a", "link"]), hunks, ..none }, "too large"),
        ];
        for (request, message) in refused {
            let refusal = parsed(&request, UndoDirection::Undo).unwrap_err();
            assert_eq!(refusal.code, ErrorCode::Malformed);
            assert!(refusal.message.contains(message), "{request:?}: {}", refusal.message);
        }
        let to = UndoRequest { to: Some("m".into()), ..UndoRequest::default() };
        assert_eq!(parsed(&to, UndoDirection::Undo).unwrap().mark(), Some("m"));
        parsed(&to, UndoDirection::Redo).unwrap_err();
    }

    #[test]
    fn a_path_beside_entries_limits_them_and_alone_selects_its_newest() {
        let path = UndoRequest { path: Some("link".into()), ..UndoRequest::default() };
        let newest = parsed(&path, UndoDirection::Undo).unwrap();
        assert!(matches!(newest, EntrySelection::Newest(EntryQuery { session: None, path: Some(_), .. })));
        let named =
            parsed(&UndoRequest { jobs: vec![JobId(1)], ..path.clone() }, UndoDirection::Undo).unwrap();
        let EntrySelection::Named { part, .. } = named else { unreachable!("{named:?}") };
        assert!(matches!(part, WantedPart::Files(files, true) if files == ["a".into()]));
        let group = parsed(&UndoRequest { since: Some(1), ..path }, UndoDirection::Redo).unwrap();
        assert!(matches!(group, EntrySelection::Group(EntryQuery { path: Some(_), .. })));
    }
}
