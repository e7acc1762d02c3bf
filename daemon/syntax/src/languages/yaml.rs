//! YAML.

use crate::grammar::Grammar;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_yaml::LANGUAGE.into(),
    rules: &[],
    wrappers: &[],
    comments: &["comment"],
    attributes: &[],
    aloof: &[],
    closed: &[],
};
