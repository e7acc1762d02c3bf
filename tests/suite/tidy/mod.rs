//! The house rules, checked on the sources. Each check is a pure function from text to complaints, and each
//! is seen to complain about a sample that breaks it; nothing is ever mended here.

mod doors;
mod form;
mod layers;
mod links;
mod map;
mod reached;
mod source;

use source::Tree;

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
fn tree() -> Tree {
    Tree::of_the_house()
}
