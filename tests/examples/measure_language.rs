//! Prints the state of the sources as a table: names of types, openings of doc comments, commits, lines, exceptions
//! from the layer table, the forms of a job, and the places that parse and hash it. It changes nothing.
//!
//! `cargo run -p editd-tests --example measure_language` measures the tree; `… -- BASE` also the commits since BASE.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use editd_tests::checkout::language::{TypeName, doc_openings, job_forms, type_names};
use editd_tests::checkout::{Checkout, is_test, rust, top, without_platform};

/// The longest title of a commit, in characters.
const TITLE: usize = 72;

/// The exceptions from the layer table are the rows of this constant.
const EXCEPTIONS: (&str, &str) = ("tests/suite/tidy/layers.rs", "const BESIDES:");

fn main() -> ExitCode {
    let tree = Checkout::of_this_crate();
    names("product", &tree, |name| !is_test(name));
    names("tests", &tree, is_test);
    docs("product", &tree, |name| !is_test(name));
    docs("tests", &tree, is_test);
    lines("product", &tree, |name| !is_test(name));
    lines("tests", &tree, is_test);
    match exceptions(&tree) {
        Some(count) => row("exceptions from the layer table", count),
        None => row("exceptions from the layer table", format!("no `{}` in {}", EXCEPTIONS.1, EXCEPTIONS.0)),
    }
    let page = tree.get("daemon/ARCHITECTURE.md").unwrap_or_default();
    row("forms of a job between the socket and its reply (at most 14)", job_forms(page).len());
    calls(&tree);
    let Some(base) = std::env::args().nth(1) else { return ExitCode::SUCCESS };
    if let Err(error) = commits(&base) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn row(what: &str, value: impl std::fmt::Display) {
    println!("{what:<72} {value}");
}

fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    format!("{:>3}.{} % ({part} of {whole})", tenths / 10, tenths % 10)
}

/// A type, with its crate and its file.
struct DeclaredType<'t> {
    of: &'t str,
    file: &'t str,
    name: TypeName,
}

fn names(which: &str, tree: &Checkout, wanted: fn(&str) -> bool) {
    let all: Vec<DeclaredType<'_>> = tree
        .rust()
        .filter(|(file, _)| wanted(file))
        .flat_map(|(file, text)| {
            type_names(text).into_iter().map(move |name| DeclaredType { of: tree.crate_of(file), file, name })
        })
        .collect();
    let public: Vec<&DeclaredType<'_>> = all.iter().filter(|t| t.name.is_public).collect();
    let one_word = |types: &[&DeclaredType<'_>]| types.iter().filter(|t| t.name.words() < 2).count();
    let every: Vec<&DeclaredType<'_>> = all.iter().collect();
    row(&format!("{which}: types with a name of one word"), share(one_word(&every), every.len()));
    row(&format!("{which}: public types with a name of one word"), share(one_word(&public), public.len()));
    row(
        &format!("{which}: types that share their name with another"),
        share(shared(&every, |_| ""), every.len()),
    );
    row(
        &format!("{which}: public types that share their name with another of the crate"),
        share(shared(&public, |t| t.of), public.len()),
    );
}

/// Counts the types whose name is declared again in another file of the same group.
fn shared<'t>(types: &[&DeclaredType<'t>], group: fn(&DeclaredType<'t>) -> &'t str) -> usize {
    let mut files: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for one in types {
        files.entry((group(one), &one.name.name)).or_default().push(without_platform(one.file));
    }
    files.values().filter(|files| files.iter().any(|file| Some(file) != files.first())).map(Vec::len).sum()
}

fn docs(which: &str, tree: &Checkout, wanted: fn(&str) -> bool) {
    let all = tree.rust().filter(|(name, _)| wanted(name)).flat_map(|(_, text)| doc_openings(text));
    let (questions, others): (Vec<_>, Vec<_>) = all.partition(|doc| doc.is_question());
    row(
        &format!("{which}: doc comments that open with a question word"),
        share(questions.len(), questions.len() + others.len()),
    );
}

fn lines(which: &str, tree: &Checkout, wanted: fn(&str) -> bool) {
    let files: Vec<&str> = tree.rust().filter(|(name, _)| wanted(name)).map(|(_, text)| text).collect();
    let all: usize = files.iter().map(|text| text.lines().count()).sum();
    let code = |text: &str| rust::shipped(text).lines().filter(|line| !line.trim().is_empty()).count();
    let code: usize = files.iter().map(|text| code(text)).sum();
    row(&format!("{which}: lines of Rust"), all);
    row(&format!("{which}: lines of code, without comments and `#[cfg(test)]`"), code);
}

fn exceptions(tree: &Checkout) -> Option<usize> {
    let text = tree.get(EXCEPTIONS.0)?;
    let code = rust::code(text);
    let (_, rest) = code.split_once(EXCEPTIONS.1)?;
    let (_, table) = rest.split_once('=')?;
    Some(table.split_once("];")?.0.matches('(').count())
}

/// Prints the numbers of places that parse the edits of a job and that hash a request.
///
/// Calls are counted in the sources, without tests. `workspace/understand.rs` calls `ParsedJob::parse` in several arms of
/// one `match`, of which a job takes one, and keeps the result. So the parses of a job are the calls of `Job::parse`,
/// which `ParsedJob::parse` contains. It keeps the result of `request_hash`, too. The hash of an undo has other fields
/// and is computed in `workspace/undo.rs`: no request has both.
fn calls(tree: &Checkout) {
    let product = || tree.rust().filter(|(file, _)| !is_test(file));
    let count = |below: &str, function: &str| -> usize {
        product()
            .filter(|(file, _)| file.starts_with(below))
            .map(|(_, text)| rust::calls(text, function))
            .sum()
    };
    row(
        "parses of an edit: calls of `Job::parse` in the daemon (target 1)",
        count("daemon/src/", "Job::parse"),
    );
    // The function that parses one edit, by its name with its module and, in `plan`, without. One call is that of
    // `Job::parse`. The others are for edits that are parsed before there is a job: those with `paths`, whose files are not
    // known, and patterns of the dialect `safe-edit`, whose refusals are worded.
    let of_one = count("daemon/engine/src/", "op::parse") + count("daemon/engine/src/plan/", "parse");
    row("places of the engine that parse one edit, with that of `Job::parse`", of_one);
    row("requests hashed: calls of `request_hash` (target 1)", count("daemon/src/", "request_hash"));
}

/// Prints the share of commits since `base` without a body, and with a title that is too long.
fn commits(base: &str) -> Result<(), String> {
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(top())
        .args(["log", "--no-merges", "--format=%s%x1f%b%x1e"])
        .arg(format!("{base}..HEAD"));
    let out = git.output().map_err(|error| format!("git: {error}"))?;
    if !out.status.success() {
        return Err(format!("git log {base}..HEAD: {}", String::from_utf8_lossy(&out.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let all: Vec<(&str, &str)> = text.split('\x1e').filter_map(|one| one.trim().split_once('\x1f')).collect();
    let without_body = all.iter().filter(|(_, body)| body.trim().is_empty()).count();
    let long = all.iter().filter(|(title, _)| title.chars().count() > TITLE).count();
    row("commits without a body", share(without_body, all.len()));
    row(&format!("commits with a title of more than {TITLE} characters"), share(long, all.len()));
    Ok(())
}
