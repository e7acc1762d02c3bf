//! Finds every key of a settings file that does not exist: the parser stops at the first one. Pure.

use toml::de::{DeTable, DeValue};

use super::file;
use super::nearest::{self, UnknownSetting};
use super::written::{COMMANDS, line};

/// The tables with settings of their own, besides the commands.
const TABLES: [&str; 2] = ["encodings", "syntax"];

/// A key that no setting has.
const NO_KEY: &str = "?";

/// Returns the unknown keys of a file that can be parsed, in their order.
pub(super) fn settings(text: &str) -> Vec<UnknownSetting> {
    let Ok(top) = DeTable::parse(text) else { return Vec::new() };
    let known = known(None);
    let mut found = Vec::new();
    for (key, value) in top.get_ref() {
        let name = key.get_ref().as_ref();
        if !known.iter().any(|one| one == name) {
            found.push((key.span().start, name.to_owned(), known.clone()));
        } else if COMMANDS.contains(&name) || TABLES.contains(&name) {
            in_tables(name, value.get_ref(), &mut found);
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(at, name, known)| UnknownSetting { line: line(text, at), name, known }).collect()
}

fn in_tables(section: &str, value: &DeValue<'_>, found: &mut Vec<(usize, String, Vec<String>)>) {
    let known = known(Some(section));
    let one = value.as_table();
    let several = value.as_array().into_iter().flatten().filter_map(|item| item.get_ref().as_table());
    for (key, _) in one.into_iter().chain(several).flat_map(|table| table.iter()) {
        let name = key.get_ref().as_ref();
        // Without names, the section is not of tables.
        if !known.is_empty() && !known.iter().any(|one| one == name) {
            found.push((key.span().start, name.to_owned(), known.clone()));
        }
    }
}

/// Returns the keys that there are, in the file or in one of its sections, as the parser lists them.
fn known(section: Option<&str>) -> Vec<String> {
    let header = match section {
        None => String::new(),
        Some("syntax") => "[syntax]\n".to_owned(),
        Some(section) => format!("[[{section}]]\n"),
    };
    file::first_error(&format!("{header}\"{NO_KEY}\" = 0\n"))
        .map(|why| nearest::listed(&why))
        .unwrap_or_default()
}
