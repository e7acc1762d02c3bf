//! JSON.

use crate::grammar::Grammar;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_json::LANGUAGE.into(),
    rules: &[],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    closed: &[],
};
