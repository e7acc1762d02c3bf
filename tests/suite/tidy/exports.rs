//! The exports of the daemon's library: one module for the tests, so that the compiler finds code that nothing uses.
//! Since the compiler asks for documentation of exported items only, the documentation of the others is checked here.

use editd_tests::checkout::{Checkout, is_test, is_unit_test, rust};

use super::{none, one, tree};

const ROOT: &str = "daemon/src/lib.rs";
const FACADE: &str = "daemon/src/testing.rs";
/// The exports of the root: the entry point of the program, and the module for the tests.
const EXPORTS: [&str; 2] = ["mod testing;", "use run::main;"];

/// Beginnings of items and fields that need a doc comment if they are public.
const ITEMS: [&str; 8] = ["fn ", "const ", "static ", "struct ", "enum ", "trait ", "type ", "unsafe "];

fn exports(root: &str) -> Vec<String> {
    let code = rust::code(root);
    let exported = code.lines().filter_map(|line| line.strip_prefix("pub "));
    let others = exported.filter(|item| !EXPORTS.contains(item));
    others
        .map(|item| format!("{ROOT}: `pub {item}` exports a module; export its items in {FACADE}"))
        .collect()
}

/// The import of a documentation example.
const EXAMPLE: &str = "//! use editd::testing::";

/// Names that the module for the tests exports, but no test and no documentation example uses.
fn unused(tree: &Checkout) -> Vec<String> {
    let facade = rust::code(tree.get(FACADE).unwrap_or_default());
    let tests = tree.rust().filter(|(name, _)| name.starts_with("tests/"));
    let examples = tree.rust().flat_map(|(_, text)| text.lines()).filter(|line| line.starts_with(EXAMPLE));
    let tests: Vec<String> =
        tests.map(|(_, text)| rust::code(text)).chain(examples.map(str::to_owned)).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let named = |name: &str| tests.iter().any(|code| code.split(|c| !is_word(c)).any(|word| word == name));
    facade
        .split("pub use ")
        .skip(1)
        .filter_map(|path| path.split(';').next()?.rsplit_once("::"))
        .flat_map(|(_, last)| last.trim_matches(['{', '}']).split(','))
        .filter_map(|item| item.split_whitespace().last())
        .filter(|name| !named(name))
        .map(|name| format!("{FACADE}: no test uses `{name}`"))
        .collect()
}

fn undocumented(name: &str, text: &str) -> Vec<String> {
    let code = rust::shipped(text);
    let lines: Vec<&str> = text.lines().collect();
    // The indentation of the public enum or trait that a line is in.
    let mut within: Option<(usize, bool)> = None;
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        if within.is_some_and(|(outer, _)| indent == outer && item.starts_with('}')) {
            within = None;
        }
        let needs = match (item.strip_prefix("pub "), within) {
            (Some(item), _) => ITEMS.iter().any(|word| item.starts_with(word)) || is_field(item),
            (None, Some((outer, is_enum))) => match indent.saturating_sub(outer) {
                4 if is_enum => item.starts_with(char::is_uppercase),
                4 => ITEMS.iter().any(|word| item.starts_with(word)),
                8 => is_enum && is_field(item),
                _ => false,
            },
            (None, None) => false,
        };
        if needs && !has_doc(&lines[..at]) {
            found.push(format!("{name}:{}: `{}` has no doc comment", at + 1, item.trim_end()));
        }
        let is_enum = item.starts_with("pub enum ");
        if (is_enum || item.starts_with("pub trait ")) && item.ends_with('{') {
            within = Some((indent, is_enum));
        }
    }
    found
}

/// Returns true for `name: Type`.
fn is_field(item: &str) -> bool {
    let name = item.split(':').next().unwrap_or_default();
    item[name.len()..].starts_with(": ")
        && name.chars().all(|c| c.is_lowercase() || c.is_numeric() || c == '_')
}

/// Returns true if a doc comment is the last of these lines but for attributes.
fn has_doc(above: &[&str]) -> bool {
    let mut in_attribute = false;
    for line in above.iter().rev().map(|line| line.trim()) {
        in_attribute = (in_attribute || line.ends_with(")]")) && !line.starts_with("#[");
        if !in_attribute && !line.starts_with("#[") {
            return line.starts_with("///");
        }
    }
    false
}

#[test]
fn the_library_exports_one_module_for_tests() {
    let tree = tree();
    none(exports(tree.get(ROOT).unwrap()));
    one(&exports("pub mod testing;\nmod disk;\npub mod store;\npub use run::main;\n"), "`pub mod store;`");
    none(unused(&tree));
    let facade = "pub use crate::clock::{Clock, Time};\npub use crate::disk::hash as content_hash;\n";
    let test = "use editd::testing::{Clock, content_hash};";
    one(&unused(&Checkout::sample(&[(FACADE, facade), ("tests/suite/main.rs", test)])), "`Time`");
}

#[test]
fn every_public_item_of_the_daemon_has_a_doc_comment() {
    let tree = tree();
    let files = tree.rust().filter(|(name, _)| {
        name.starts_with("daemon/src/") && !is_unit_test(name) && !is_test(name) && *name != FACADE
    });
    none(files.flat_map(|(name, text)| undocumented(name, text)).collect());
    let documented = "/// A.\n#[derive(Debug)]\npub enum A {\n    /// B.\n    B(u8),\n    /// C.\n    C {\n        /// D.\n        \
                      d: u8,\n    },\n}\n\n/// E.\n#[expect(\n    x,\n    reason = \"\"\n)]\npub struct E {\n    /// F.\n    \
                      pub f: u8,\n    g: u8,\n}\nfn h() {}\npub(crate) fn i() {}\npub use a::b;\n";
    none(undocumented("a.rs", documented));
    for doc in ["A", "B", "C", "D", "E", "F"] {
        let without = documented.replace(&format!("/// {doc}.\n"), "\n");
        one(&undocumented("a.rs", &without), "has no doc comment");
    }
    one(&undocumented("a.rs", "/// T.\npub trait T {\n    fn t(&self);\n}\n"), "`fn t(&self);`");
}
