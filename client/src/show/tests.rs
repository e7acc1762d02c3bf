//! Tests of the output as files: each file in `cases` contains a reply and its expected output. `EDITD_BLESS=1`
//! rewrites the expectations.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads its cases"
)]

use std::fs;
use std::path::PathBuf;

use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;

use super::letters::{TextStyle, for_terminal, lines, one_line};
use super::{CallWords, OutputStyle, StepForm, error, history, json, outline, receipt, state};

const WORDS: CallWords = CallWords {
    read: "read {\"path\": ",
    narrow: Some("quote more of the text, limit it with \"lines\", or set \"all\": true"),
};

fn style(name: &str) -> OutputStyle {
    let (terminal, colour) = match name {
        "pipe" | "json" | "whole" | "tools" => (false, false),
        "terminal" => (true, true),
        "colourless" => (true, false),
        other => panic!("no look is called {other}"),
    };
    OutputStyle {
        steps: if name == "tools" { StepForm::Tools(WORDS) } else { StepForm::Commands },
        json: name == "json",
        terminal,
        colour,
        whole: terminal || name == "whole",
        done: "applied",
        errors: (terminal, colour),
        zone: Some(TimeZone::UTC),
    }
}

fn value<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}

/// Returns the output, with ESC as a visible character.
fn printed(subject: &str, style: &OutputStyle, data: &str) -> String {
    let (out, err) = match subject {
        "receipt" if style.json => {
            (serde_json::to_string(&json::short(&value(data))).unwrap() + "\n", String::new())
        }
        "receipt" => {
            let texts = receipt::text(&value(data), style);
            (texts.out, texts.err)
        }
        "undo" => {
            let style = OutputStyle { done: "undone", ..style.clone() };
            let texts = receipt::text(&value(data), &style);
            (texts.out, texts.err)
        }
        "error" => (String::new(), error::text(&value(data), style)),
        "log" => (history::list(&value(data), style), String::new()),
        "show" => (history::one(&value(data), 1, style), String::new()),
        "status" => (state::status(&value(data), style), String::new()),
        "findings" => (state::findings(&value(data), style), String::new()),
        "dialects" => (state::dialects(&value(data), style), String::new()),
        "outline" => (outline::tree(&value(data), style), String::new()),
        "clipboards" => (state::clipboards(&value(data), style), String::new()),
        "change" => (state::change(&value(data), style), String::new()),
        other => panic!("nothing is called {other}"),
    };
    format!("{out}=== err\n{err}").replace('\x1b', "␛")
}

#[test]
fn every_case_is_printed_as_it_says() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/show/cases");
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once('\n').unwrap();
        let (subject, name) = head.split_once(' ').unwrap();
        let (json, expected) = rest.split_once("=== out\n").unwrap();
        let found = printed(subject, &style(name), json);
        if std::env::var_os("EDITD_BLESS").is_some() {
            fs::write(&path, format!("{head}\n{json}=== out\n{found}")).unwrap();
        } else {
            assert_eq!(found, expected, "{}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 12, "only {seen} cases were found");
}

#[test]
fn nothing_that_a_terminal_obeys_gets_through() {
    let hostile = "a\x1b[2J\u{9b}b\rc\u{7f}\u{202e}d\te\nf\x07\0";
    for shown in [one_line(hostile), lines(hostile), style("colourless").content(hostile)] {
        let left: String = shown.chars().filter(|c| c.is_control()).collect();
        assert!(left.chars().all(|c| matches!(c, '\t' | '\n')), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
    }
    let raw = [hostile.as_bytes(), b"\x9b31m\xff"].concat();
    let shown = String::from_utf8(for_terminal(&raw, true)).unwrap();
    assert_eq!(shown, "a\\u{1b}[2J\\u{9b}b\\rc\\u{7f}\\u{202e}d\te\nf\\u{7}\\u{0}\\x9b31m\\xff");
    assert!(!one_line(hostile).contains('\n'));
    assert_eq!(style("pipe").content(hostile), hostile);
    assert_eq!(&*style("pipe").printed(&raw), raw);
    assert_eq!(&*style("json").printed(&raw), raw);
}

#[test]
fn only_the_colours_of_this_program_reach_a_terminal() {
    let painted = style("terminal").paint(TextStyle::BadPart, "x");
    assert_eq!(for_terminal(painted.as_bytes(), true), painted.as_bytes());
    assert_eq!(for_terminal(painted.as_bytes(), false), b"\\u{1b}[7;31mx\\u{1b}[0m");
    assert_eq!(for_terminal(b"\x1b[38;5;1m\x1b", true), b"\\u{1b}[38;5;1m\\u{1b}");
}
