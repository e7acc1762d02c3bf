//! HTML.

use crate::grammar::Grammar;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_html::LANGUAGE.into(),
    rules: &[],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    closed: &[],
};
