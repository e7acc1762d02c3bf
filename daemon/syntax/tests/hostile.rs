//! Tests texts that are made to be expensive: an outline or an error must come within the budget and without a panic.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_syntax::{Language, ParseBudget, ParseError, outline};

#[path = "kit/faults.rs"]
mod faults;

/// Number of repetitions of each piece.
const TIMES: usize = 20_000;

/// The same for pieces that are tried in every language.
const TIMES_EACH: usize = 5_000;

#[test]
fn brackets_and_quotes_without_end_are_outlined_or_given_up() {
    let pieces = [
        "(", "[", "{", "<", "<a>", "'", "\"", "`", "`${", "/*", "#", "- ", "? ", ": ", "a:\n ", ">", "\r",
        "\u{c}", "é",
    ];
    for language in Language::all().filter(|language| language.is_known()) {
        for piece in pieces {
            let text = piece.repeat(TIMES_EACH);
            match outline(language, &text, &ParseBudget { steps: 50_000, ..ParseBudget::default() }) {
                Ok(outline) => {
                    assert_eq!(faults::faults(&text, &outline), [""; 0], "{piece:?} in {language:?}")
                }
                Err(e) => {
                    assert!(
                        matches!(e, ParseError::StepLimit | ParseError::MemoryLimit | ParseError::TooDeep),
                        "{piece:?} in {language:?}: {e}"
                    );
                }
            }
        }
    }
}

#[test]
fn symbols_that_lie_too_deep_are_left_out_and_the_rest_is_whole() {
    let deep = |open: &str, close: &str| open.repeat(TIMES) + &close.repeat(TIMES);
    let texts = [
        (Language::Rust, deep("fn a() {", "}")),
        (Language::Rust, deep("impl A<{", "}> {}")),
        (Language::JavaScript, deep("const a = () => {", "}")),
        (Language::JavaScript, deep("({ a() { return ", "}})")),
        (Language::TypeScript, deep("namespace a {", "}")),
        (Language::Go, "package a\ntype a ".to_owned() + &deep("struct { a ", "}")),
    ];
    for (language, text) in texts {
        let text = text + "\nfunction z() {}\nfn z() {}\nfunc z() {}\n";
        let outline = outline(language, &text, &ParseBudget::default()).unwrap();
        assert_eq!(faults::faults(&text, &outline), [""; 0], "{language:?}");
    }
}

/// The parser keeps several readings of such a text, and copies its stack for each.
#[cfg(target_os = "linux")]
#[test]
fn a_text_that_keeps_the_parser_in_error_recovery_takes_bounded_memory() {
    editd_syntax::count_parser_memory();
    let text = "a<".repeat(450_000);
    assert_eq!(outline(Language::Java, &text, &ParseBudget::default()), Err(ParseError::MemoryLimit));
    let code = "class A {\n    int f(int a) { return a + 1; }\n}\n".repeat(20_000);
    assert!(outline(Language::Java, &code, &ParseBudget::default()).is_ok());
}

/// After each comment the scanner of Python looks for the end of all comments.
#[test]
fn repeated_reads_of_the_parser_count() {
    let budget = ParseBudget { steps: 10_000, ..ParseBudget::default() };
    let lines = |line: &str| "def f():\n".to_owned() + &line.repeat(TIMES / 4) + "    pass\n";
    assert!(outline(Language::Python, &lines("    a\n"), &budget).is_ok());
    assert_eq!(outline(Language::Python, &lines("    #\n"), &budget), Err(ParseError::StepLimit));
}
