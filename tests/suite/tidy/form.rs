//! The form of single files: length, first line, names, attributes.

use editd_tests::checkout::{Checkout, rust};

use super::{none, one, tree};

/// Lines of a file.
const FILE: usize = 400;
/// Lines of a function, from `fn` to its brace.
const FUNCTION: usize = 70;
/// Words that do not say what a thing is.
const EMPTY_WORDS: &[&str] = &["core", "common", "util", "utils", "manager", "handler", "service", "helpers"];

fn file_length(name: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    (lines > FILE)
        .then(|| format!("{name}: {lines} lines; split it by subject (at most {FILE})"))
        .into_iter()
        .collect()
}

fn function_length(name: &str, text: &str) -> Vec<String> {
    let code = rust::code(text);
    declared(&code, &["fn"])
        .into_iter()
        .filter_map(|(at, function)| {
            let rest = code.get(at..)?;
            let brace = rest.find('{')?;
            if rest.find(';').is_some_and(|end| end < brace && !rest[..end].contains('[')) {
                return None;
            }
            let lines = rest[..brace + rust::body_len(&rest[brace..])].lines().count();
            (lines > FUNCTION)
                .then(|| format!("{name}: fn {function} has {lines} lines; split it (at most {FUNCTION})"))
        })
        .collect()
}

fn first_line(name: &str, text: &str) -> Vec<String> {
    let says = text.lines().next().and_then(|line| line.strip_prefix("//! ")).is_some_and(|s| s.len() > 10);
    (!says).then(|| format!("{name}: opens without a `//!` sentence on what it is")).into_iter().collect()
}

fn names(name: &str, text: &str) -> Vec<String> {
    let empty = |word: &str| EMPTY_WORDS.contains(&word.to_ascii_lowercase().as_str());
    let parts = name.trim_end_matches(".rs").split(['/', '_', '-', '.']);
    let mut found: Vec<String> =
        parts.filter(|part| empty(part)).map(|part| format!("{name}: `{part}` says nothing")).collect();
    let code = rust::code(text);
    for (_, word) in declared(&code, &["mod", "struct", "enum", "trait", "type"]) {
        if words(word).iter().any(|part| empty(part)) {
            found.push(format!("{name}: the name `{word}` says nothing"));
        }
    }
    found
}

fn attributes(name: &str, text: &str) -> Vec<String> {
    let code = rust::code(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("#[").chain(code.match_indices("#![")) {
        let attribute = &code[at..at + code[at..].find(']').unwrap_or(0)];
        let line = code[..at].matches('\n').count() + 1;
        let says = |word: &str| {
            attribute.match_indices(word).any(|(i, _)| {
                attribute[..i].ends_with(['[', ' ', '(', ',', '\n'])
                    && attribute[i + word.len()..].starts_with('(')
            })
        };
        if says("allow") {
            found.push(format!("{name}:{line}: `allow` outlives its cause; use `expect` with a reason"));
        }
        if says("expect") && !attribute.contains("reason") {
            found.push(format!("{name}:{line}: an `expect` without a reason"));
        }
    }
    found
}

/// Returns the offsets and names of the items that are declared with one of these keywords.
fn declared<'a>(code: &'a str, by: &[&str]) -> Vec<(usize, &'a str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    by.iter()
        .flat_map(|word| code.match_indices(*word).map(move |(at, _)| (at, at + word.len())))
        .filter_map(|(at, end)| {
            let rest = code[end..].strip_prefix(' ')?;
            let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            (!code[..at].ends_with(is_word) && !name.is_empty()).then_some((at, name))
        })
        .collect()
}

/// Returns the words of a name: `lock_Manager` and `LockManager` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c != '_') {
            last.push(c);
        }
    }
    words
}

fn each(check: fn(&str, &str) -> Vec<String>) -> Vec<String> {
    tree().rust().flat_map(|(name, text)| check(name, text)).collect()
}

#[test]
fn files_are_short() {
    none(each(file_length));
    one(&file_length("a.rs", &"x\n".repeat(401)), "401 lines");
    none(file_length("a.rs", &"x\n".repeat(400)));
}

#[test]
fn functions_are_short() {
    none(each(function_length));
    let long = format!("trait T {{ fn a(&self);\n}}\nfn b() -> [u8; 3] {{\n{}}}\n", "    x();\n".repeat(69));
    one(&function_length("a.rs", &long), "fn b has 71 lines");
    none(function_length("a.rs", &long.replacen("    x();\n", "", 1)));
}

#[test]
fn files_open_with_a_module_doc() {
    none(each(first_line));
    one(&first_line("a.rs", "use std::fs;\n//! Too late to say it."), "opens without");
}

#[test]
fn names_say_what_things_are() {
    none(each(names));
    one(&names("daemon/src/common/mod.rs", ""), "common");
    one(&names("daemon/src/lock_manager.rs", ""), "manager");
    one(&names("a.rs", "pub struct EventHandler;"), "EventHandler");
    one(&names("a.rs", "mod fs_util;"), "fs_util");
    none(names("a.rs", "// a handler\nstruct Score; fn handle() {}"));
}

#[test]
fn exceptions_have_reasons() {
    none(each(attributes));
    one(&attributes("a.rs", "#[allow(dead_code)]\nfn a() {}"), "allow");
    one(&attributes("a.rs", "#![cfg_attr(test, allow(dead_code))]"), "allow");
    one(&attributes("a.rs", "\n#[expect(dead_code)]\nfn a() {}"), "a.rs:2");
    none(attributes("a.rs", "#[expect(dead_code, reason = \"r\")]\nfn allow() { expect(1); }"));
}

#[test]
fn no_path_of_a_machine_is_named() {
    none(machine_paths(&tree()));
    let sample = concat!("see /ro", "ot/x\n");
    one(&machine_paths(&Checkout::sample(&[("README.md", sample)])), "README.md:1");
    let host = concat!("https://ind", "ex.example.net/x");
    one(&machine_paths(&Checkout::sample(&[("a.rs", host)])), "a.rs:1");
    none(machine_paths(&Checkout::sample(&[("a.rs", "the home/work/balance")])));
}

/// Finds paths and hosts of the machine on which a file was written.
fn machine_paths(tree: &Checkout) -> Vec<String> {
    let paths = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];
    let hosts =
        ["static", "index", "deb", "registry"].map(|h| [format!("http://{h}."), format!("https://{h}.")]);
    let mut found = Vec::new();
    // The lock file names crates.io's index, as every lock file does.
    for (name, text) in tree.all().filter(|(name, _)| *name != "Cargo.lock") {
        for (at, line) in text.lines().enumerate() {
            let path = paths.iter().any(|path| {
                line.match_indices(path)
                    .any(|(i, _)| !line[..i].ends_with(|c: char| c.is_alphanumeric() || ".-_".contains(c)))
            });
            if path || hosts.iter().flatten().any(|host| line.contains(host)) {
                found.push(format!("{name}:{}: names a path or host of some machine", at + 1));
            }
        }
    }
    found
}
