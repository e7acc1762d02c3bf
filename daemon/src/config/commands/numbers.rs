//! Checks that a settings file has not too many commands, and that their names are unique. Pure.

use std::collections::BTreeMap;

use super::super::written::{self, NamedCommand};
use crate::limits;

/// Checks the commands of a valid file.
///
/// # Errors
/// The first command that is too many or has the name of another one, with its line.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut lines = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for NamedCommand { kind, name, line } in written::named(text) {
        let count: &mut usize = counts.entry(kind).or_default();
        *count += 1;
        if *count > limits::COMMANDS {
            let most = limits::COMMANDS;
            return Err(format!(
                "error at line {line}\nthere are more than {most} `[[{kind}]]`, which is the limit"
            ));
        }
        if let Some(first) = lines.insert(name.clone(), line) {
            return Err(format!(
                "error at line {line}\ntwo commands are named {name:?}, the first at line {first}; give each its own name"
            ));
        }
    }
    Ok(())
}
