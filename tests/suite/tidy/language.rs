//! The language of the sources: the words that sentences of doc comments open with, and types that share a name.
//!
//! Two public types of a crate must not share a name, also where only its tests use them. Not counted twice are a type
//! that is declared once for each platform (in one file, or in `unix` and `windows` side by side), and `Error`, which a
//! module may declare if all others write it with the module (`lock::Error`): no `use` of the crate imports it alone.
//!
//! Both rules are younger than the code. A table has the number of places in each crate that still break them; it may
//! only shrink. Lower the number when you fix some, and remove the line when it is 0.

use std::collections::BTreeMap;

use editd_tests::checkout::language::{DocOpening, doc_openings, later_sentences, type_names};
use editd_tests::checkout::{self, Checkout, is_unit_test, rust};

use super::{none, one, tree};

/// Sentences in doc comments of each crate that may still open with a question word. A crate that is not listed has none.
const OPENINGS: &[(&str, usize)] = &[];

/// Public types of each crate that may still share their name. A crate that is not listed has none.
const SHARED_NAMES: &[(&str, usize)] = &[];

/// The name that several modules of a crate may declare.
const QUALIFIED: &str = "Error";

/// A complaint and the crate that it is about.
type CrateComplaint<'t> = (&'t str, String);

fn openings(tree: &Checkout) -> Vec<CrateComplaint<'_>> {
    let docs = tree.rust().flat_map(|(name, text)| {
        let first = doc_openings(text).into_iter().filter(DocOpening::is_question);
        let later = later_sentences(text).into_iter().filter(DocOpening::is_clause);
        first.chain(later).map(move |doc| (name, doc))
    });
    docs.map(|(name, doc)| (tree.crate_of(name), format!("{name}:{}: opens with {:?}", doc.line, doc.text)))
        .collect()
}

fn shared_names(tree: &Checkout) -> Vec<CrateComplaint<'_>> {
    let mut places: BTreeMap<(&str, String), BTreeMap<String, String>> = BTreeMap::new();
    for (name, text) in tree.rust() {
        for found in type_names(text).into_iter().filter(|t| t.is_public && t.name != QUALIFIED) {
            let place = format!("{name}:{}: `{}`", found.line, found.name);
            places
                .entry((tree.crate_of(name), found.name))
                .or_default()
                .insert(checkout::without_platform(name), place);
        }
    }
    let shared = places.into_iter().filter(|(_, places)| places.len() > 1);
    shared
        .flat_map(|((of, _), places)| places.into_values().map(move |place| (of, place)))
        .map(|(of, place)| (of, format!("{place} has the name of another public type of the crate")))
        .collect()
}

/// Imports of the crate's own `Error` without its module.
fn bare_errors(tree: &Checkout) -> Vec<CrateComplaint<'_>> {
    let mut found = Vec::new();
    for (name, text) in tree.rust().filter(|(name, _)| !is_unit_test(name)) {
        let code = rust::shipped(text);
        let imports = code.split("\nuse ").skip(1).filter_map(|rest| rest.split(';').next());
        let own =
            imports.filter(|path| ["crate::", "super::", "self::"].iter().any(|own| path.starts_with(own)));
        let bare = own.filter(|path| {
            path.match_indices(QUALIFIED).any(|(at, _)| {
                path[..at].ends_with([':', ' ', '{'])
                    && (path.len() == at + QUALIFIED.len()
                        || path[at + QUALIFIED.len()..].starts_with([',', '}', '\n']))
            })
        });
        found.extend(bare.map(|path| {
            (tree.crate_of(name), format!("{name}: `use {path}` imports `{QUALIFIED}` without its module"))
        }));
    }
    found
}

/// Complains about each crate with more places than its line in the table permits, and lists them.
fn above(found: Vec<CrateComplaint<'_>>, permitted: &[(&str, usize)]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (of, complaint) in found {
        crates.entry(of).or_default().push(complaint);
    }
    let limit = |of: &str| permitted.iter().find(|(name, _)| *name == of).map_or(0, |(_, count)| *count);
    let counted = crates.into_iter().filter(|(of, all)| all.len() > limit(of));
    counted
        .map(|(of, all)| format!("{of}: {} places, {} permitted:\n{}", all.len(), limit(of), all.join("\n")))
        .collect()
}

#[test]
fn no_sentence_of_a_doc_opens_with_a_question_word() {
    none(above(openings(&tree()), OPENINGS));
    let sample = Checkout::sample(&[
        ("a/Cargo.toml", ""),
        ("a/src/lib.rs", "//! Whether it is.\n\n/// Returns it.\npub fn a() {}\n"),
    ]);
    one(&above(openings(&sample), &[]), "a/src/lib.rs:1");
    none(above(openings(&sample), &[("a", 1)]));
    let sample = |doc: &str| above(openings(&Checkout::sample(&[("a/src/lib.rs", doc)])), &[]);
    one(&sample("//! It runs.\n\n/// Returns it. Whether it is.\n"), "a/src/lib.rs:3");
    none(sample("//! It runs. Where the system can, it waits.\n"));
}

#[test]
fn no_two_public_types_of_a_crate_share_a_name() {
    none(above(shared_names(&tree()), SHARED_NAMES));
    let files = [
        ("a/Cargo.toml", ""),
        ("a/src/one.rs", "pub(crate) struct Step;\npub enum Error {}\n"),
        ("a/src/two.rs", "pub enum Step {}\npub enum Error {}\nstruct Line;\n"),
        (
            "a/src/three.rs",
            "struct Step;\n#[cfg(unix)]\npub struct Line;\n#[cfg(windows)]\npub struct Line;\n",
        ),
        ("a/src/os/unix/file.rs", "pub struct Socket;"),
        ("a/src/os/windows.rs", "pub struct Socket;"),
        ("b/Cargo.toml", ""),
        ("b/src/lib.rs", "pub struct Step;"),
        ("c/Cargo.toml", ""),
        ("c/src/tests.rs", "pub(crate) struct Step;"),
        ("c/src/other/tests.rs", "pub(super) struct Step;"),
    ];
    let sample = Checkout::sample(&files);
    let found: Vec<String> = shared_names(&sample).into_iter().map(|(_, complaint)| complaint).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    one(&above(shared_names(&sample), &[("a", 1), ("c", 2)]), "a: 2 places, 1 permitted");
}

#[test]
fn an_error_is_written_with_its_module() {
    none(above(bare_errors(&tree()), &[]));
    let sample = |text: &str| above(bare_errors(&Checkout::sample(&[("a/src/b.rs", text)])), &[]);
    one(&sample("//! A.\nuse crate::lock::Error;\n"), "without its module");
    one(&sample("//! A.\nuse super::lock::{Error, Lock};\n"), "without its module");
    none(sample("//! A.\nuse crate::lock::{self, Errors};\nuse std::io::Error;\npub use lock::Error;\n"));
}
