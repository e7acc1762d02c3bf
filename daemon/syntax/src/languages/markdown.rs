//! Markdown.

use crate::grammar::Grammar;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_md::LANGUAGE.into(),
    rules: &[],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    closed: &[],
};
