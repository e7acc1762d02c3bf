//! Formats a receipt for people: the result of each file with its diff for standard output, and refusals for standard
//! error.

use editd_proto::RequestError;
use editd_proto::message::{EditOutcome, EditStatus, FileOutcome, HookOutcome, JobStatus, Receipt};
use editd_proto::path::FilePath;

use super::letters::{TextStyle, lines, one_line, word};
use super::short::{self, FileWords, ShortenedParts};
use super::{OutputStyle, StepForm, checks, diff, error};

/// The texts for standard output and standard error.
#[derive(Debug, Default)]
pub struct OutputTexts {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
}

/// Formats a receipt.
pub fn text(receipt: &Receipt, style: &OutputStyle) -> OutputTexts {
    let mut texts = OutputTexts::default();
    match &receipt.text {
        Some(text) => in_dialect(&mut texts, text, receipt, style),
        None => natively(&mut texts, receipt, style),
    }
    texts.out.push_str(&checks::text(&receipt.checks, style));
    if let Some(token) = &receipt.verified {
        let flag = if matches!(style.steps, StepForm::Tools(_)) { "edit with token" } else { "--verified" };
        texts.out.push_str(&format!("to apply exactly this: {flag} {}\n", one_line(token)));
    }
    texts
}

/// Appends the reply in the format of the payload's dialect. After a stale refusal details are added that the dialect
/// cannot express.
fn in_dialect(texts: &mut OutputTexts, text: &str, receipt: &Receipt, style: &OutputStyle) {
    let refused = receipt.status == JobStatus::Refused;
    let side = if refused { &mut texts.err } else { &mut texts.out };
    side.push_str(&if refused { style.for_errors().content(text) } else { style.content(text) });
    if !text.is_empty() && !text.ends_with('\n') {
        side.push('\n');
    }
    if let Some(refusal) = receipt.error.as_ref().filter(|error| error.diff.is_some()) {
        error::add_untold(&mut texts.err, text, refusal, &style.for_errors());
    }
    for hook in &receipt.hooks {
        one_hook(texts, hook, style);
    }
    if let (JobStatus::Queued, Some(job)) = (receipt.status, receipt.job) {
        texts.out.push_str(&format!("job {job} is queued; wait for it: editctl wait {job}\n"));
    }
}

fn natively(texts: &mut OutputTexts, receipt: &Receipt, style: &OutputStyle) {
    if let Some(job) = receipt.job {
        let mut words = match receipt.status {
            JobStatus::Queued => format!("job {job} is queued; wait for it: editctl wait {job}"),
            other => format!("job {job}{} {}", queued(receipt), result(other, style)),
        };
        if let Some(version) = short::version(receipt) {
            words.push_str(&format!(", version {version}"));
        }
        words.push_str(if receipt.rebased { ", rebased" } else { "" });
        words.push_str(if receipt.repeated { ", done before under this key" } else { "" });
        texts.out.push_str(&style.paint(paint(receipt.status), &words));
        texts.out.push('\n');
    } else if receipt.status != JobStatus::Refused {
        texts.out.push_str(&style.paint(paint(receipt.status), &result(receipt.status, style)));
        texts.out.push('\n');
    }
    let shortened = if style.whole { ShortenedParts::Nothing } else { ShortenedParts::PlacesAndNames };
    for (file, told) in receipt.files.iter().zip(short::files(receipt, shortened)) {
        one_file(texts, (file, &told), receipt.status, style);
    }
    if receipt.omitted_files > 0 {
        texts.out.push_str(&format!("and {} more files\n", receipt.omitted_files));
    }
    for hook in &receipt.hooks {
        one_hook(texts, hook, style);
    }
    // The error of an edit that was left out is printed with that edit.
    let told = |error: &&RequestError| {
        let edits = receipt.files.iter().flat_map(|file| &file.edits);
        edits.filter_map(|edit| edit.error.as_deref()).all(|one| one.message != error.message)
    };
    if let Some(refusal) = receipt.error.as_ref().filter(told) {
        texts.err.push_str(&error::text(refusal, &style.for_errors()));
    } else if receipt.status == JobStatus::Refused && receipt.error.is_none() {
        texts.err.push_str("editctl: refused, and the daemon did not say why\n");
    }
}

/// Appends the result of a command that ran after writing.
fn one_hook(texts: &mut OutputTexts, hook: &HookOutcome, style: &OutputStyle) {
    let job = hook.job.map(|job| format!(", entry {job}")).unwrap_or_default();
    texts
        .out
        .push_str(&format!("after_write {}{job}\n", style.paint(TextStyle::Strong, &one_line(&hook.name))));
    for file in &hook.files {
        let told = FileWords { name: short::name(file), words: short::words(file, "", usize::MAX) };
        one_file(texts, (file, &told), JobStatus::Applied, style);
    }
    for warning in &hook.warnings {
        texts.out.push_str(&format!("  {}: {}\n", style.paint(TextStyle::Notice, "warning"), lines(warning)));
    }
}

/// Appends a file of a job with the given status.
fn one_file(
    texts: &mut OutputTexts,
    (file, told): (&FileOutcome, &FileWords),
    job: JobStatus,
    style: &OutputStyle,
) {
    let path = file.path.display();
    // The error of a refused job names its files, unless they have details of their own.
    let mute = file.status == JobStatus::Refused && file.diff.is_none();
    if !mute {
        let name = FilePath::from(told.name.as_str()).display();
        texts.out.push_str(&style.paint(TextStyle::Strong, &name));
        let status =
            (file.status != job).then(|| style.paint(paint(file.status), &result(file.status, style)));
        let words = Some(told.words.clone()).filter(|words| !words.is_empty());
        for word in [status, words].into_iter().flatten() {
            texts.out.push(' ');
            texts.out.push_str(&word);
        }
        texts.out.push('\n');
    }
    for (number, edit) in file.edits.iter().enumerate() {
        let number = edit.edit.unwrap_or(number as u64 + 1);
        one_edit(texts, &path, number, edit, style);
    }
    if let Some(formatted) = &file.formatted {
        texts.out.push_str(&format!("  formatted by {}\n", one_line(&formatted.by.join(", "))));
        diff::add(&mut texts.out, &formatted.diff, style);
    }
    let issues = file.issues.iter().map(|issue| ("issue", issue.to_string()));
    for (name, sentence) in issues.chain(file.warnings.iter().map(|warning| ("warning", warning.clone()))) {
        let name = style.paint(TextStyle::Notice, name);
        texts.out.push_str(&format!("  {name}: {}\n", lines(&sentence)));
    }
    if let Some(text) = &file.diff {
        diff::add(&mut texts.out, text, style);
    }
    if let Some(count) = file.omitted_hunks.filter(|count| *count > 0) {
        texts.out.push_str(&format!("  {}\n", super::more_hunks(count)));
    }
}

/// Appends the details of an edit that its diff does not show.
fn one_edit(texts: &mut OutputTexts, path: &str, number: u64, edit: &EditOutcome, style: &OutputStyle) {
    if let Some(refusal) = &edit.error {
        let told = RequestError { path: None, edit: None, ..(**refusal).clone() };
        error::add(&mut texts.err, &format!("{path}, edit {number}"), &told, &style.for_errors());
    }
    let mut notes = Vec::new();
    if let Some(rung) = edit.rung.as_ref().filter(|rung| *rung != "exact") {
        notes.push(format!("matched at {}", one_line(rung)));
    }
    if let Some(score) = edit.score.filter(|score| *score < 1.0) {
        notes.push(format!("{score:.2} alike"));
    }
    if let Some(moved) = edit.moved.filter(|moved| *moved != 0) {
        notes.push(format!(
            "{} lines {} than `near`",
            moved.unsigned_abs(),
            if moved > 0 { "later" } else { "earlier" }
        ));
    }
    if let Some(count) = edit.replacements {
        notes.push(format!("{count} {}", if count == 1 { "place" } else { "places" }));
    }
    // Tools show lines without their breaks, and edits write those of the file.
    let breaks = edit.converted_breaks.filter(|count| *count > 0);
    if let Some(count) = breaks.filter(|_| matches!(style.steps, StepForm::Commands)) {
        notes.push(format!("{count} line breaks converted"));
    }
    if edit.status == EditStatus::Unchanged && !notes.is_empty() {
        notes.push("unchanged".into());
    }
    if !notes.is_empty() {
        texts.out.push_str(&format!("  edit {number}: {}\n", notes.join(", ")));
    }
}

/// Returns the queue number of a detached job.
fn queued(receipt: &Receipt) -> String {
    receipt.queued.map(|queued| format!(" (queued as {queued})")).unwrap_or_default()
}

fn result(status: JobStatus, style: &OutputStyle) -> String {
    if status == JobStatus::Applied { style.done.to_owned() } else { word(status) }
}

fn paint(status: JobStatus) -> TextStyle {
    match status {
        JobStatus::Applied | JobStatus::Verified => TextStyle::Good,
        JobStatus::Refused => TextStyle::Bad,
        JobStatus::Partial => TextStyle::Notice,
        JobStatus::Unchanged | JobStatus::Queued => TextStyle::Strong,
    }
}
