//! The sources as the checks see them: files of the tree, and Rust text with its comments, strings and test
//! modules blanked out. It keeps every line where it was, and never reads what git ignores.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every file of the tree that is text, by its path from the top.
pub(super) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// The checkout that this test was built from.
    pub(super) fn of_the_house() -> Tree {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let names = tracked(&top).unwrap_or_else(|| walked(&top));
        let files = names
            .into_iter()
            .filter_map(|name| {
                let text = String::from_utf8(std::fs::read(top.join(&name)).ok()?).ok()?;
                Some((name, text))
            })
            .collect();
        Tree { files }
    }

    /// A tree made up for a test of a check.
    pub(super) fn sample(files: &[(&str, &str)]) -> Tree {
        Tree { files: files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect() }
    }

    /// Path and text of every file.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Path and text of every Rust file of the house; cases in Rust are no part of it.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_case =
            |name: &str| ["/cases/rust/", "/tests/errors/"].iter().any(|folder| name.contains(folder));
        self.all().filter(move |(name, _)| name.ends_with(".rs") && !is_case(name))
    }

    /// The text of one file.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }
}

/// What git knows or would add; `None` where this is no checkout.
fn tracked(top: &Path) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.arg("-C").arg(top).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = git.output().ok().filter(|out| out.status.success())?.stdout;
    let names: Vec<String> =
        listed.split(|b| *b == 0).filter_map(|n| String::from_utf8(n.to_vec()).ok()).collect();
    names.iter().any(|n| n == "Cargo.toml").then_some(names.into_iter().filter(|n| !n.is_empty()).collect())
}

/// Every file below the top but what a build leaves.
fn walked(top: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(top.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_str(), Some(".git" | "target" | ".editd" | "__pycache__") | None) {
                continue;
            }
            let path = folder.join(&name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) => found.extend(path.to_str().map(str::to_owned)),
                Err(_) => {}
            }
        }
    }
    found
}

/// Rust text without comments, literals and `#[cfg(test)]` items: each gives way to blanks.
pub(super) fn shipped(text: &str) -> String {
    let mut code = code(text);
    while let Some(at) = code.find("#[cfg(test)]") {
        let rest = &code[at..];
        let brace = rest.find('{').unwrap_or(rest.len());
        let semicolon = rest.find(';').unwrap_or(rest.len());
        let len = if semicolon < brace { semicolon + 1 } else { brace + body_len(&rest[brace..]) };
        let blank: String = rest[..len].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        code.replace_range(at..at + len, &blank);
    }
    code
}

/// The length of the block that opens at the start of `text`.
pub(super) fn body_len(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Rust text without comments and literals: each gives way to blanks, every line stays where it was.
pub(super) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment_len(rest),
            '"' => string_len(rest),
            'r' | 'b' | 'c' if !after_word => prefixed_len(rest),
            '\'' => char_len(rest),
            _ => 0,
        };
        let taken = if len == 0 { c.len_utf8() } else { len };
        let (piece, left) = rest.split_at(taken);
        if len == 0 {
            out.push(c);
        } else {
            out.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
        after_word = len == 0 && (c.is_alphanumeric() || c == '_');
        rest = left;
    }
    out
}

fn block_comment_len(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or("");
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a literal with a prefix (`r"…"`, `b"…"`, `br#"…"#`, `b'…'`), 0 if it is none.
fn prefixed_len(text: &str) -> usize {
    let prefix = text.chars().take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let (word, rest) = text.split_at(prefix);
    if word.len() > 2 {
        return 0;
    }
    if word.ends_with('r') {
        let hashes = rest.chars().take_while(|c| *c == '#').count();
        if !rest[hashes..].starts_with('"') {
            return 0;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let body = &rest[hashes + 1..];
        return body.find(&end).map_or(text.len(), |at| prefix + hashes + 1 + at + end.len());
    }
    match rest.chars().next() {
        Some('"') => prefix + string_len(rest),
        Some('\'') if word == "b" => prefix + char_len(rest),
        _ => 0,
    }
}

/// The length of a character literal, 0 if the quote begins a lifetime.
fn char_len(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => chars.skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[test]
fn literals_and_comments_are_blanked_and_lines_stay() {
    let text = "a(\"x // \\\" y\"); // fs::read\nlet c = '\\''; let l: &'static str = r#\"fs::\n\"read\"#;\nb'x' /* a /* b */\nc */ d";
    let code = code(text);
    assert_eq!(code.len(), text.len());
    assert_eq!(code.matches('\n').count(), text.matches('\n').count());
    assert_eq!(
        code.split_whitespace().collect::<Vec<_>>(),
        ["a(", ");", "let", "c", "=", ";", "let", "l:", "&'static", "str", "=", ";", "d"]
    );
}

#[test]
fn test_items_are_not_shipped() {
    let text =
        "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { if x { y } } }\n#[cfg(test)]\nmod more;\nfn c() {}\n";
    assert_eq!(shipped(text).split_whitespace().collect::<String>(), "fna(){}fnc(){}");
}
