//! Reads file paths from standard input and counts the files with syntax errors, by language: `find DIR -type f | cargo
//! run --release -p editd-syntax --example errors`. Changes no file.

#![expect(clippy::disallowed_methods, reason = "a command for developers: it reads files")]

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use editd_syntax::{Language, ParseBudget, errors};

fn main() -> std::io::Result<()> {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some(language) = Language::of(path.as_bytes(), text) else { continue };
        let count = counts.entry(language.name()).or_default();
        match errors(language, path.as_bytes(), text, &ParseBudget::default()) {
            Err(why) => {
                count[2] += 1;
                writeln!(out, "{path}: {why}")?;
            }
            Ok(errors) => {
                count[0] += 1;
                count[1] += usize::from(!errors.is_empty());
                for error in errors.iter().take(3) {
                    writeln!(out, "{path}:{}:{}: {}", error.line, error.column, error.message)?;
                }
            }
        }
    }
    writeln!(out, "language, files, with errors, not parsed")?;
    for (language, [files, broken, unparsed]) in counts {
        writeln!(out, "{language}, {files}, {broken}, {unparsed}")?;
    }
    Ok(())
}
