//! Finds the files and clipboards that a job needs, from the request alone. It reads no file.

use std::collections::BTreeSet;
use std::sync::Arc;

use editd_types::operation::nearest;
use editd_types::{FileEdit, FileEntry, FilePath, JobInput, limits};

use super::several;
use crate::job::Job;
use crate::op::{Op, parse};
use crate::refusal::{internal, malformed, spent};
use crate::{JobNeeds, Refusal};

/// The edits of an entry, each parsed or refused.
pub(crate) type Parsed = Vec<Result<Op, Malformed>>;

/// An edit that cannot be parsed.
#[derive(Clone, Debug)]
pub(crate) struct Malformed {
    /// The refusal.
    pub(crate) refusal: Refusal,
    /// The clipboard that the edit would have stored.
    stores: Option<String>,
}

/// Returns the clipboard that an edit stores, or would have stored if it were valid.
pub(crate) fn stores(op: &Result<Op, Malformed>) -> Option<&str> {
    op.as_ref().map_or_else(|malformed| malformed.stores.as_deref(), Op::stores)
}

/// Returns the files and clipboards that must be in the snapshot of a job.
///
/// ```
/// use editd_engine::{FileEdit, FileEntry, FilePath, Job, needs};
///
/// let edit = FileEdit { op: "copy".into(), to: Some("b.txt".into()), ..FileEdit::default() };
/// let files = [FileEntry { path: "a.txt".into(), edits: vec![edit], ..FileEntry::default() }];
/// let needs = needs(&Job::parse(&files[..])?)?;
/// assert_eq!(needs.paths, ["a.txt", "b.txt"].map(FilePath::from));
/// # Ok::<(), editd_engine::Refusal>(())
/// ```
///
/// # Errors
/// The refusal of the first malformed edit. If the job is `partial`, [`crate::plan()`] reports malformed edits instead.
pub fn needs(job: &Job) -> Result<JobNeeds, Refusal> {
    check_edits(job)?;
    Ok(needs_of(job))
}

/// Returns the files and clipboards that the valid edits of a job need.
pub(crate) fn needs_of(job: &Job) -> JobNeeds {
    let mut known: BTreeSet<&FilePath> = BTreeSet::new();
    let mut stored: BTreeSet<&str> = BTreeSet::new();
    let mut read_clips: BTreeSet<&str> = BTreeSet::new();
    let mut needs = JobNeeds::default();
    for entry in &job.entries {
        for path in std::iter::once(&entry.path).chain(entry.targets()) {
            if known.insert(path) {
                needs.paths.push(path.clone());
            }
        }
        for op in entry.ops() {
            stored.extend(op.stores());
            if let Some(name) = op.reads().filter(|name| !stored.contains(name))
                && read_clips.insert(name)
            {
                needs.clips.push(name.to_owned());
            }
        }
    }
    needs
}

/// Parses the edits of an entry.
pub(crate) fn read_entry(entry: &FileEntry, threshold: Option<f64>) -> Parsed {
    let mut edits: Parsed = entry.edits.iter().map(|edit| read_one(edit, threshold)).collect();
    for op in edits.iter_mut().flatten() {
        if let Op::Substitute(op) = op
            && let Some(op) = Arc::get_mut(op)
        {
            op.drop_compiled();
        }
    }
    edits
}

/// Refuses a job with a malformed edit, unless it is `partial`.
///
/// # Errors
/// The refusal of the first malformed edit.
pub(crate) fn check_edits(job: &Job) -> Result<(), Refusal> {
    if job.partial {
        return Ok(());
    }
    let mut placed = job.entries.iter().flat_map(|entry| {
        entry.edits.iter().zip(1..).filter_map(move |(op, edit)| Some((entry, edit, op.as_ref().err()?)))
    });
    let Some((entry, edit, malformed)) = placed.next() else { return Ok(()) };
    let mut refusal = malformed.refusal.clone();
    (refusal.path, refusal.edit) = (Some(entry.path.clone()), Some(edit));
    Err(refusal)
}

fn read_one(edit: &FileEdit, threshold: Option<f64>) -> Result<Op, Malformed> {
    let name = |name: &String| (1..=limits::NAME).contains(&name.len());
    parse(edit, threshold)
        .map_err(|refusal| Malformed { refusal, stores: edit.to_clipboard.clone().filter(name) })
}

/// Refuses entries without a file and entries with unknown fields. Set `is_stored` for a job that is stored before it
/// runs: unknown fields would be lost, so edits with unknown fields are refused, too.
///
/// # Errors
/// `malformed`, with the names of the unknown fields.
pub fn check_names<'i>(job: impl Into<JobInput<'i>>, is_stored: bool) -> Result<(), Refusal> {
    let job = job.into();
    let entries = job.files.iter().zip(0_u64..);
    let mut found: Vec<Refusal> =
        entries.filter_map(|(entry, number)| check_entry(entry, number).err()).collect();
    if is_stored || !found.is_empty() {
        let edits =
            job.files.iter().flat_map(|entry| entry.edits.iter().zip(1..).map(move |edit| (entry, edit)));
        let stray = edits.filter(|(_, (edit, _))| !edit.unknown.is_empty()).take(limits::OTHER_ERRORS);
        found.extend(stray.filter_map(|(entry, (edit, number))| {
            let mut refusal = read_one(edit, job.threshold).err()?.refusal;
            (refusal.path, refusal.edit) = (Some(entry.path.clone()), Some(number));
            Some(refusal)
        }));
    }
    let mut found = found.into_iter();
    match found.next() {
        None => Ok(()),
        Some(first) => Err(Box::new(first.beside(found.map(|refusal| *refusal)))),
    }
}

/// Refuses an entry with unknown fields, since a misspelt field may be a guard.
fn check_entry(entry: &FileEntry, number: u64) -> Result<(), Refusal> {
    const FIELDS: [&str; 4] = ["path", "paths", "base", "edits"];
    if entry.unknown.is_empty() {
        return match (entry.path.as_bytes().is_empty(), entry.paths.is_empty()) {
            (true, true) => {
                Err(malformed(format!("files[{number}] names no file; give `path`, or `paths` for several")))
            }
            (false, true) => Ok(()),
            (_, false) => several::check(entry, number),
        };
    }
    let correction = |name: &String| match nearest(name, &FIELDS) {
        Some(near) => format!("`{name}` (use `{near}`)"),
        None => format!("`{name}`"),
    };
    let listed: Vec<String> = entry.unknown.iter().map(correction).collect();
    let (listed, has) = (listed.join(", "), FIELDS.join(", "));
    let mut error = malformed(format!("files[{number}] has no field {listed}; an entry has {has}"));
    error.path = Some(entry.path.clone());
    Err(error)
}

/// Refuses a job that is invalid as a whole: empty, or over a limit.
///
/// # Errors
/// `malformed` or `limit`.
pub(crate) fn check_shape(job: &JobInput<'_>) -> Result<(), Refusal> {
    if job.files.is_empty() {
        return Err(malformed("`files` is empty; name at least one file"));
    }
    check_names(*job, false)?;
    if job.files.iter().any(|entry| !entry.paths.is_empty()) {
        return Err(internal("the `paths` of this job were not looked up; please report this job"));
    }
    if let Some(value) = job.threshold {
        crate::op::checked_threshold(value)?;
    }
    let too_many = |what: &str, limit: usize| {
        spent(format!("a job may have {limit} {what} at most; send several jobs"), limit as u64)
    };
    if job.files.len() > limits::FILES {
        return Err(too_many("files", limits::FILES));
    }
    if job.files.iter().map(|entry| entry.edits.len()).sum::<usize>() > limits::EDITS {
        return Err(too_many("edits", limits::EDITS));
    }
    let regexes = job.files.iter().flat_map(|entry| &entry.edits).filter(|edit| edit.regex == Some(true));
    if regexes.count() > crate::limits::REGEXES {
        return Err(too_many("regular expressions", crate::limits::REGEXES));
    }
    match job.files.iter().find(|entry| entry.edits.is_empty()) {
        Some(entry) => {
            let mut error = malformed("`edits` is empty; say what to change, or leave the file out");
            error.path = Some(entry.path.clone());
            Err(error)
        }
        None => Ok(()),
    }
}
