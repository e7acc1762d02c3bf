//! Translates the forms of a payload into native edits. It reads no file.

use editd_types::{EditPosition, ErrorCode, FileEdit, FileEntry, FilePath, JobMode, RequestError};

use super::fields::{EditForm, InsertLines, LineEdit, OTHERS, OWN, SafeEditPayload, SearchFields};
use super::reply::{SafeEditReply, own_names, refused};
use super::{flags, pattern, template};
use crate::Refusal;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation, json};
use crate::locate::excerpt;
use crate::op;
use crate::refusal::malformed;

/// The dialect.
pub(in crate::dialect) struct SafeEdit;

impl Dialect for SafeEdit {
    fn name(&self) -> &'static str {
        "safe-edit"
    }

    fn sentence(&self) -> &'static str {
        "One file by whole content, line edits, inserted lines, or search and replace with regular expressions (JSON)."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        let PayloadSample::Json(fields) = payload else { return false };
        let has = |name: &str| fields.contains_key(name);
        // Other tools have `content` or a flat search, too: these count only if all fields are this dialect's.
        let alone = fields.keys().all(|name| OTHERS.contains(&name.as_str()));
        OWN.iter().any(|name| has(name)) || (alone && (has("content") || (has("search") && has("replace"))))
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let input: SafeEditPayload = json::read(payload)?;
        let path = setting.path_or(input.path.as_deref())?;
        let (mode, diff) = (input.mode, input.show_diff);
        let form = input.form()?;
        let reply = SafeEditReply::new(&form, diff);
        let edits = match form {
            EditForm::Content(text) => {
                vec![FileEdit { op: "write".to_owned(), text: Some(text), ..FileEdit::default() }]
            }
            EditForm::LineEdits(list) => json::each("line_edits", list, lines)?,
            EditForm::InsertLines(list) => json::each("insert_lines", list, insert)?,
            EditForm::Search(search) => vec![search_of(search, mode, &path)?],
        };
        let files = vec![FileEntry { path, base: None, edits, ..FileEntry::default() }];
        let request = PayloadRequest::Job(PayloadJob {
            files,
            mode,
            diff: diff.or(Some(true)),
            ..PayloadJob::default()
        });
        Ok(Translation { dialect: self.name(), request, reply: Box::new(reply) })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        refused(error)
    }
}

fn lines(given: LineEdit) -> Result<FileEdit, Refusal> {
    let (start, end) = (given.start_line, given.end_line);
    if end < start {
        return Err(malformed(format!(
            "`end_line` ({end}) lies before `start_line` ({start}); correct them"
        )));
    }
    let text = Some(given.new_content);
    Ok(FileEdit { op: "lines".to_owned(), start: Some(start), end: Some(end), text, ..FileEdit::default() })
}

#[expect(clippy::unnecessary_wraps, reason = "the type of what makes an edit of an item")]
fn insert(given: InsertLines) -> Result<FileEdit, Refusal> {
    let at = Some(EditPosition::Line(given.at_line));
    Ok(FileEdit { op: "insert".to_owned(), text: Some(given.content), at, ..FileEdit::default() })
}

/// Returns the edit of a search. It is checked as far as possible without the file, since only here the pattern of
/// the payload and the names of its fields are known.
///
/// # Errors
/// As [`substitute`], and the errors of the engine for a pattern or a template.
fn search_of(given: SearchFields, mode: Option<JobMode>, path: &FilePath) -> Result<FileEdit, Refusal> {
    let search = excerpt(&given.search, 0);
    let edit = substitute(given, mode)?;
    if let Err(mut error) = op::parse(&edit, None) {
        error.message = without_position(&own_names(&error.message));
        if error.code == ErrorCode::InvalidRegex {
            error.message = error.message.replacen("`search`", &format!("`search` {search:?}"), 1);
        }
        (error.path, error.edit) = (Some(path.clone()), Some(1));
        return Err(error);
    }
    Ok(edit)
}

/// Removes the position from a message: it counts in the rewritten pattern, which the caller has not seen.
fn without_position(message: &str) -> String {
    let cut = message.split_once("Parsing error at position ").and_then(|(lead, rest)| {
        let (_, why) = rest.split_once(": ")?;
        Some([lead, why].concat())
    });
    cut.unwrap_or_else(|| message.to_owned())
}

/// # Errors
/// `malformed` for a search without effect; `invalid_regex` for a construct that has no equivalent here.
fn substitute(given: SearchFields, mode: Option<JobMode>) -> Result<FileEdit, Refusal> {
    let (regex, bits) = (given.regex.unwrap_or(false), given.flags.unwrap_or(0));
    if given.search.is_empty() {
        return Err(malformed("`search` is empty; say what to look for"));
    }
    if given.count == Some(0) {
        return Err(malformed("`count` is 0; leave it out to replace every occurrence"));
    }
    if bits != 0 && !regex {
        return Err(malformed("flags need `regex: true`"));
    }
    let mut letters = flags::letters(bits)?;
    // A search that finds nothing is an error only in `strict`, which is the mode of a payload without one.
    if !matches!(mode, None | Some(JobMode::Strict)) {
        letters.push('o');
    }
    let (search, replace) = if regex {
        let verbose = bits & flags::VERBOSE != 0;
        (pattern::translate(&given.search, verbose)?, template::translate(&given.replace))
    } else {
        (given.search, given.replace)
    };
    Ok(FileEdit {
        op: "substitute".to_owned(),
        pattern: Some(search),
        replacement: Some(replace),
        regex: regex.then_some(true),
        flags: (!letters.is_empty()).then_some(letters),
        count: given.count,
        ..FileEdit::default()
    })
}
