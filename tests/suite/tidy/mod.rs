//! The rules for the sources. Each check is a pure function from text to complaints, and is tested with a sample that
//! breaks the rule. No check changes a file.

mod architecture;
mod effects;
mod exports;
mod form;
mod installation;
mod language;
mod layers;
mod links;
mod map;
mod places;
mod reached;
mod recipes;

use editd_tests::checkout::Checkout;

/// Fails with every complaint, one on a line.
#[track_caller]
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// Fails unless exactly one complaint was made and it says this.
#[track_caller]
fn one(complaints: &[String], says: &str) {
    assert!(
        matches!(complaints, [only] if only.contains(says)),
        "one complaint with {says:?} was expected: {complaints:?}"
    );
}

/// The tree that is checked.
fn tree() -> Checkout {
    Checkout::of_this_crate()
}
