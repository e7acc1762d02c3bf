//! The page about the architecture: the paths that it names exist, and its table has every module of the daemon.

use std::collections::BTreeSet;

use editd_tests::checkout::Checkout;
use editd_tests::checkout::language::{job_forms, type_names};

use super::{none, one, tree};

const PAGE: &str = "daemon/ARCHITECTURE.md";
/// The folders to which the page's paths are relative.
const ROOTS: &[&str] = &["", "daemon/", "daemon/src/"];

/// The texts in backticks in a line.
pub(super) fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns true for a text that names a file or folder: it has a `/` and nothing that a path has not.
pub(super) fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    span.contains('/') && span.chars().all(plain) && !span.starts_with(['.', '/'])
}

fn missing_paths(checkout: &Checkout) -> Vec<String> {
    let page = checkout.get(PAGE).unwrap_or_default();
    let named = page.lines().enumerate().flat_map(|(at, line)| spans(line).map(move |span| (at + 1, span)));
    let exists = |path: &str| {
        ROOTS.iter().any(|root| {
            let path = format!("{root}{}", path.trim_end_matches('/'));
            let source = format!("{path}.rs");
            let below = format!("{path}/");
            checkout.all().any(|(name, _)| name == path || name == source || name.starts_with(&below))
        })
    };
    named
        .filter(|(_, span)| is_path(span) && !exists(span))
        .map(|(line, span)| format!("{PAGE}:{line}: {span} does not exist"))
        .collect()
}

/// The modules of the daemon, by its files and folders.
fn modules(checkout: &Checkout) -> BTreeSet<&str> {
    let below = checkout.all().filter_map(|(name, _)| name.strip_prefix("daemon/src/"));
    let names = below.filter_map(|name| name.split('/').next());
    names.map(|name| name.trim_end_matches(".rs")).filter(|name| !["lib", "main"].contains(name)).collect()
}

fn missing_modules(checkout: &Checkout) -> Vec<String> {
    let page = checkout.get(PAGE).unwrap_or_default();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed: BTreeSet<&str> =
        cells.flat_map(|cell| cell.split(", ")).map(|cell| cell.trim_matches('`')).collect();
    let modules = modules(checkout);
    let missing =
        modules.difference(&listed).map(|name| format!("{PAGE}: the table lacks the module `{name}`"));
    let extra = listed.difference(&modules).map(|name| format!("{PAGE}: there is no module `{name}`"));
    missing.chain(extra).collect()
}

#[test]
fn the_page_names_what_exists() {
    none(missing_paths(&tree()));
    let sample = |page: &str| {
        missing_paths(&Checkout::sample(&[(PAGE, page), ("daemon/src/job/mod.rs", ""), ("proto/a.rs", "")]))
    };
    for good in ["`job/mod.rs`", "`src/job`", "`proto/a`", "`proto/`", "`.editd/lost`", "`a / b` and `c`"] {
        none(sample(good));
    }
    one(&sample("a\n`job/gone.rs`"), "daemon/ARCHITECTURE.md:2: job/gone.rs does not exist");
}

#[test]
fn the_table_has_every_module() {
    none(missing_modules(&tree()));
    let sample = |page: &str| {
        missing_modules(&Checkout::sample(&[
            (PAGE, page),
            ("daemon/src/a.rs", ""),
            ("daemon/src/b/mod.rs", ""),
        ]))
    };
    none(sample("| `a`, `b` | x | |\n"));
    one(&sample("| `a` | x | |\n"), "lacks the module `b`");
    one(&sample("| `a`, `b`, `c` | x | |\n"), "no module `c`");
}

/// The most forms that a job may have between the socket and its reply.
const FORMS: usize = 14;

fn wrong_forms(checkout: &Checkout) -> Vec<String> {
    let forms = job_forms(checkout.get(PAGE).unwrap_or_default());
    let code: Vec<&str> = checkout.rust().map(|(_, text)| text).collect();
    let declared = |name: &&str| {
        let of = |text: &&str| type_names(text).iter().any(|one| one.name == *name);
        code.iter().any(of)
    };
    let unknown = forms.iter().filter(|name| !declared(name));
    let unknown = unknown.map(|name| format!("{PAGE}: there is no type `{name}`"));
    let many =
        (forms.len() > FORMS).then(|| format!("{PAGE}: a job has {} forms instead of {FORMS}", forms.len()));
    let none = forms.is_empty().then(|| format!("{PAGE}: the forms of a job are not listed"));
    unknown.chain(many).chain(none).collect()
}

#[test]
fn a_job_has_few_forms() {
    none(wrong_forms(&tree()));
    let sample = |page: &str| {
        let code = "pub struct ReceivedFrame {\n}\npub struct Receipt {\n}\n";
        wrong_forms(&Checkout::sample(&[(PAGE, page), ("daemon/src/a.rs", code)]))
    };
    none(sample("```text\nReceivedFrame\n→ Receipt\n```\n"));
    one(&sample("no list"), "daemon/ARCHITECTURE.md: the forms of a job are not listed");
    one(&sample("ReceivedFrame → Other → Receipt"), "daemon/ARCHITECTURE.md: there is no type `Other`");
    let many = ["ReceivedFrame"; 15].join(" → ");
    one(&sample(&many), "daemon/ARCHITECTURE.md: a job has 15 forms instead of 14");
}
