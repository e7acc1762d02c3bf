//! Outlines every file in `cases/LANGUAGE/`. Each file is one case and its name says what the case shows. The expected
//! outline is in `NAME.outline`; `BLESS=1` rewrites it. Each file is also outlined with other line endings and as
//! damaged text.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::{Path, PathBuf};

use editd_syntax::{Language, Outline, ParseBudget};

#[path = "kit/damaged.rs"]
mod damage;
#[path = "kit/faults.rs"]
mod faults;
#[path = "kit/told.rs"]
mod told;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Number of damaged variants of each case.
const DAMAGES: u64 = 60;

fn outline(language: Language, text: &str) -> Outline {
    let outline = editd_syntax::outline(language, text, &ParseBudget::default()).unwrap();
    let faults = faults::faults(text, &outline);
    assert!(faults.is_empty(), "{faults:#?}\nin\n{text}");
    outline
}

fn read(case: &str) -> (PathBuf, Language, String) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(case);
    let text = std::fs::read_to_string(&source).unwrap();
    let language = Language::of(source.as_os_str().as_encoded_bytes(), &text).unwrap();
    assert_eq!(case.split('/').next(), Some(language.name()), "it stands in another language's folder");
    (source, language, text)
}

fn run(case: &str) {
    let (source, language, text) = read(case);
    let outline = outline(language, &text);
    let told = told::told(&text, &outline);
    let beside = source.with_extension("outline");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&beside, &told).unwrap();
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_else(|e| panic!("{}: {e}", beside.display()));
    assert!(told == expected, "it gives\n{told}\nbut expected is\n{expected}");
    with_other_endings(language, &text, &outline);
    with_an_open_end(language, &text, &outline);
    damaged(language, &text);
}

/// The last line needs no line end.
fn with_an_open_end(language: Language, text: &str, as_is: &Outline) {
    let open = outline(language, text.trim_end_matches(['\n', '\r']));
    assert_eq!((open.broken, &open.symbols), (as_is.broken, &as_is.symbols), "{}", language.name());
}

#[test]
fn texts_that_end_in_the_middle_of_a_line_are_right() {
    for (language, text) in [
        (Language::Markdown, "# End"),
        (Language::Markdown, "# A\n\n## End"),
        (Language::Go, "package a\n\ntype T int"),
        (Language::C, "#define A 1"),
        (Language::Python, "# c"),
        (Language::Rust, "//! c"),
    ] {
        for ending in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', ending);
            let open = outline(language, &text);
            assert_eq!(
                (open.broken, open),
                (false, outline(language, &[&text, ending].concat())),
                "{text:?}"
            );
        }
    }
}

/// CRLF and CR alone have the same meaning as LF.
fn with_other_endings(language: Language, text: &str, as_is: &Outline) {
    if text.contains('\r') {
        return;
    }
    let said = |text: &str, outline: &Outline| -> Vec<_> {
        let plain =
            |range: &std::ops::Range<usize>| text[range.clone()].replace("\r\n", "\n").replace('\r', "\n");
        let one = |symbol: &editd_syntax::Symbol| {
            (
                symbol.path.replace("\r\n", "\n").replace('\r', "\n"),
                plain(&symbol.extent),
                plain(&symbol.definition),
                symbol.body.as_ref().map(plain),
            )
        };
        outline.symbols.iter().map(one).collect()
    };
    for ending in ["\r\n", "\r"] {
        let text_so = text.replace('\n', ending);
        let so = outline(language, &text_so);
        assert_eq!(said(&text_so, &so), said(text, as_is), "with {ending:?}");
    }
}

/// The invariants hold after text was removed, duplicated or moved.
fn damaged(language: Language, text: &str) {
    for seed in 0..DAMAGES {
        outline(language, &damage::damaged(text, seed));
    }
}

#[test]
fn every_expectation_has_its_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for folder in std::fs::read_dir(cases).unwrap() {
        let beside: Vec<_> =
            std::fs::read_dir(folder.unwrap().path()).unwrap().map(|one| one.unwrap().path()).collect();
        let (expected, sources): (Vec<_>, Vec<_>) =
            beside.into_iter().partition(|path| path.extension().is_some_and(|end| end == "outline"));
        for path in &expected {
            let its_own = sources.iter().filter(|source| source.with_extension("outline") == **path).count();
            assert_eq!(its_own, 1, "cases of {}", path.display());
        }
    }
}
