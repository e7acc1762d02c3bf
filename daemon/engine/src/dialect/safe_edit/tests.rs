//! Tests of the wording of answers that only a whole job produces, and of Python's patterns, piece by piece. They
//! plan nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_types::error::{ErrorCode, NearMiss, RequestError};
use editd_types::{EditOutcome, EditStatus, FileOutcome, FilePath, Issue, JobStatus, Receipt};

use super::fields::{EditForm, SearchFields};
use super::reply::SafeEditReply;
use super::{pattern, template};
use crate::dialect::{PayloadOutcome, ReplyFormat};

fn an_issue(message: &str) -> Issue {
    let path = FilePath::from("f");
    Issue { path, validator: "lint".to_owned(), line: Some(3), column: None, message: message.to_owned() }
}

fn said(form: &EditForm, status: JobStatus, issues: &[&str], error: Option<RequestError>) -> String {
    let edit = EditOutcome {
        replacements: matches!(form, EditForm::Search(_)).then_some(2),
        ..EditOutcome::new(EditStatus::Applied)
    };
    let file = FileOutcome {
        diff: Some("-a\n+b\n".to_owned()),
        omitted_hunks: Some(3),
        edits: vec![edit],
        issues: issues.iter().map(|issue| an_issue(issue)).collect(),
        warnings: vec!["f has two names".to_owned()],
        ..FileOutcome::new(FilePath::from("f"), status)
    };
    let receipt = Receipt {
        queued: None,
        job: None,
        status,
        files: vec![file],
        omitted_files: 0,
        hooks: Vec::new(),
        checks: Vec::new(),
        error,
        verified: None,
        rebased: false,
        repeated: false,
        dialect: None,
        text: None,
    };
    SafeEditReply::new(form, None).format(&PayloadOutcome::Receipt(&receipt))
}

fn content() -> EditForm {
    EditForm::Content("b\n".to_owned())
}

fn search() -> EditForm {
    let (search, replace) = ("a".to_owned(), "b".to_owned());
    EditForm::Search(SearchFields { search, replace, regex: None, count: None, flags: None })
}

const DIFF: &str = "**Diff Preview:**\n```diff\n-a\n+b\n```\n3 more hunks are not shown.\n\n";

#[test]
fn a_rejection_is_never_said_as_a_success() {
    let rejected = RequestError::new(ErrorCode::Rejected, "a validator refused");
    let text = said(&content(), JobStatus::Refused, &["broken"], Some(rejected.clone()));
    let payload_job =
        "❌ Edit rejected due to validation errors (Mode: strict):\n- f:3: broken (lint)\n⚠️ f has two names";
    assert_eq!(text, format!("{DIFF}{payload_job}"));
    for error in [
        rejected,
        RequestError::new(ErrorCode::Stale, "f changed since it was read; look"),
        RequestError::new(ErrorCode::Io, "no room"),
    ] {
        for form in [content(), search()] {
            let text = said(&form, JobStatus::Refused, &[], Some(error.clone()));
            assert!(text.contains('❌') && !text.contains('✅') && !text.contains("Replaced"), "{text}");
        }
    }
    let text = said(&content(), JobStatus::Refused, &[], None);
    assert!(text.contains('❌') && !text.contains('✅'), "{text}");
}

#[test]
fn a_verification_says_that_nothing_was_written() {
    let text = said(&search(), JobStatus::Verified, &[], None);
    let payload_job = "✅ Validation Passed (Mode: verify_only, nothing was written)\nFound 2 occurrences of \"a\" → \"b\"\n⚠️ f has two names";
    assert_eq!(text, format!("{DIFF}{payload_job}"));
    let text = said(&content(), JobStatus::Verified, &["broken"], None);
    assert!(text.contains("❌ Validation Failed") && !text.contains('✅'), "{text}");
}

#[test]
fn issues_of_a_written_file_are_said_below_it() {
    let text = said(&content(), JobStatus::Applied, &["broken"], None);
    let payload_job = "✅ File saved successfully.\n⚠️ Saved with validation warnings (Mode: interactive):\n- f:3: broken (lint)\n⚠️ f has two names";
    assert_eq!(text, format!("{DIFF}{payload_job}"));
}

#[test]
fn a_refusal_shows_what_is_nearest_and_what_changed() {
    let mut error = RequestError::new(ErrorCode::Stale, "f changed since it was read; send it again");
    error.near_misses =
        vec![NearMiss { line: 3, text: "3 | x\n".to_owned(), score: 0.5, differs: None, quoted: None }];
    error.diff = Some("-x\n+y\n".to_owned());
    let text = said(&content(), JobStatus::Refused, &[], Some(error));
    let payload_job = "❌ Edit failed: f changed since it was read; send it again\n3 | x\n-x\n+y\n";
    assert!(text.contains(payload_job), "{text}");
}

#[test]
fn patterns_are_spelt_for_the_engines() {
    let same = [
        r"a\.b*?",
        r"(?P<n>\w+)",
        r"(?:a|b)+?",
        r"[^a-z\d]",
        r"a{2,}?",
        r"\x41\u0041",
        r"(?i)x",
        r"\p{L}+",
        r"\-\ ",
    ];
    for pattern in same {
        assert_eq!(super::pattern::translate(pattern, false).unwrap(), pattern);
    }
    let spelt = [
        (r"a\Z", r"a\z"),
        ("{a}", r"\{a\}"),
        ("a{,3}", "a{0,3}"),
        ("a{,}", "a{0,}"),
        ("a{", r"a\{"),
        ("a{1,2,3}", r"a\{1,2,3\}"),
        ("[]a]", r"[\]a]"),
        ("[^]a]", r"[^\]a]"),
        ("[[:alpha:]]", r"[\[:alpha:]]"),
        ("[+--]", r"[+-\-]"),
        ("[-a]", r"[\-a]"),
        ("[a-]", "[a-]"),
        ("[ \t]", r"[\x{20}\x{9}]"),
        (r"[\b\]]", r"[\x{8}\]]"),
        (r"\0\101\12", r"\x{0}\x{41}(?:\12)"),
        (r"\<\é", "<é"),
        ("a(?#x)b", "ab"),
        ("(?(n)a|b)", "(?(<n>)a|b)"),
        ("(?(1)a|b)", "(?(1)a|b)"),
        (r"\b{start}", r"\b\{start\}"),
    ];
    for (python, here) in spelt {
        assert_eq!(pattern::translate(python, false).unwrap(), here, "{python}");
    }
    assert_eq!(pattern::translate("a # [\nb", true).unwrap(), "a \nb");
    assert_eq!(pattern::translate("(?x)a#(\nb", false).unwrap(), "(?x)a\nb");
    for refused in ["a++", "a*+", "a?+", "a{2}+", r"\h", r"\Q", r"[\Z]", "(?#x"] {
        assert_eq!(
            pattern::translate(refused, false).unwrap_err().code,
            ErrorCode::InvalidRegex,
            "{refused}"
        );
    }
}

#[test]
fn templates_are_spelt_for_the_engine() {
    for same in ["a", r"\1\g<1>\g<n>", r"\n\t\\", "$1 &amp;", "\\"] {
        assert_eq!(template::translate(same), same);
    }
    let spelt =
        [(r"\.", r"\\."), (r"\é", r"\\é"), (r"\r", "\r"), (r"\101", "A"), (r"\08", "\08"), (r"\134", r"\\")];
    for (python, here) in spelt {
        assert_eq!(template::translate(python), here, "{python}");
    }
}
