//! New text as it is written in a language: names, functions, statements, what is put around a block. It knows no
//! place in a file.

use fastrand::Rng;

use super::corpus::Language;
use super::source::{SourceFile, indent};

const NAMES: [&str; 16] = [
    "buffer", "cursor", "offset", "parse", "render", "config", "length", "index", "value", "state", "token",
    "record", "handle", "limit", "source", "target",
];

/// A name.
pub(super) fn word(rng: &mut Rng) -> String {
    let (a, b) = (NAMES[rng.usize(0..16)], NAMES[rng.usize(0..16)]);
    if rng.bool() { format!("{a}_{b}") } else { format!("{a}{}", rng.u16(2..999)) }
}

/// One to eight lines at an indentation: a function, statements, or lines as they stand elsewhere in the file with
/// something changed.
pub(super) fn made(source: &SourceFile, base: &str, rng: &mut Rng) -> Vec<String> {
    let unit = source.unit();
    if rng.usize(0..4) == 0
        && let Some(lines) = borrowed(source, base, rng)
    {
        return lines;
    }
    let shape = if rng.bool() { function(source.language, rng) } else { statements(source.language, rng) };
    shape
        .into_iter()
        .map(
            |(depth, text)| {
                if text.is_empty() { text } else { format!("{base}{}{text}", unit.repeat(depth)) }
            },
        )
        .collect()
}

/// Lines of the file, with another name in them, at another indentation.
fn borrowed(source: &SourceFile, base: &str, rng: &mut Rng) -> Option<Vec<String>> {
    let first = rng.usize(0..source.lines.len());
    let count = rng.usize(1..=6).min(source.lines.len() - first);
    let lines = source.texts(first..first + count);
    let own = lines.iter().find(|line| !line.trim().is_empty()).map_or("", |line| indent(line)).to_owned();
    let mut made = Vec::new();
    for line in &lines {
        if line.trim().is_empty() {
            made.push(String::new());
        } else {
            made.push(format!("{base}{}", line.strip_prefix(&own)?));
        }
    }
    let filled = made.iter().position(|line| !line.is_empty())?;
    made[filled] = format!("{}{} {}", indent(&made[filled]), word(rng), made[filled].trim_start());
    Some(made)
}

fn function(language: Language, rng: &mut Rng) -> Vec<(usize, String)> {
    let (name, a, b) = (word(rng), word(rng), word(rng));
    let lines = match language {
        Language::Rust => vec![
            (0, format!("fn {name}({a}: &str) -> usize {{")),
            (1, format!("let {b} = {a}.len();")),
            (1, format!("{b} + {}", rng.u8(..))),
            (0, "}".to_owned()),
        ],
        Language::C => vec![
            (0, format!("static int {name}(const char *{a})")),
            (0, "{".to_owned()),
            (1, format!("if ({a} == NULL) {{")),
            (2, format!("return -{};", rng.u8(..))),
            (1, "}".to_owned()),
            (1, format!("return {b}({a});")),
            (0, "}".to_owned()),
        ],
        Language::Python => vec![
            (0, format!("def {name}({a}):")),
            (1, format!("\"\"\"Says {b} of {a}.\"\"\"")),
            (1, format!("if {a} is None:")),
            (2, "return []".to_owned()),
            (1, format!("return [{b} for {b} in {a}]")),
        ],
        Language::JavaScript => vec![
            (0, format!("function {name}({a}) {{")),
            (1, format!("const {b} = {a}.map((x) => x + {});", rng.u8(..))),
            (1, format!("return {b};")),
            (0, "}".to_owned()),
        ],
        Language::Markdown => vec![
            (0, format!("## On {name}")),
            (0, String::new()),
            (0, format!("The {a} says what {b} is, and \"{name}\" how often.")),
        ],
        Language::Toml => vec![
            (0, format!("[{name}.{a}]")),
            (0, format!("{b} = \"{}.{}\"", rng.u8(..), rng.u8(..))),
            (0, format!("{a} = [\"{name}\", '{b}']")),
        ],
        Language::Data => {
            vec![(0, format!("\"{name}\": {{")), (1, format!("\"{a}\": {}", rng.u16(..))), (0, "},".into())]
        }
    };
    let mut lines = lines;
    if rng.bool() {
        lines.push((0, String::new()));
    }
    lines
}

fn statements(language: Language, rng: &mut Rng) -> Vec<(usize, String)> {
    let one = |rng: &mut Rng| {
        let (a, b, n) = (word(rng), word(rng), rng.u16(..));
        match (language, rng.bool()) {
            (Language::Rust, true) => format!("let {a} = {b}({n});"),
            (Language::Rust, false) => format!("assert_eq!({a}, \"{b} {n}\");"),
            (Language::C, true) => format!("int {a} = {b}({n});"),
            (Language::C, false) => format!("printf(\"{a} %d\\n\", {b}[{n}]);"),
            (Language::Python, true) => format!("{a} = {b}({n})"),
            (Language::Python, false) => format!("print(f'{a}: {{{b}}} - {n}')"),
            (Language::JavaScript, true) => format!("const {a} = {b}({n});"),
            (Language::JavaScript, false) => format!("console.log(`{a} ${{{b}}}`, '{n}');"),
            (Language::Markdown, true) => format!("* `{a}` is {b}, {n} times"),
            (Language::Markdown, false) => format!("It isn't {a} - it's \"{b}\"... {n}."),
            (Language::Toml, _) => format!("{a} = {{ {b} = {n} }}"),
            (Language::Data, _) => format!("\"{a}\": [\"{b}\", {n}],"),
        }
    };
    (0..rng.usize(1..=4)).map(|_| (0, one(rng))).collect()
}

/// A line that opens a block and one that closes it.
pub(super) fn around(language: Language, rng: &mut Rng) -> (String, Option<String>) {
    let name = word(rng);
    match language {
        Language::Rust => (format!("if {name}() {{"), Some("}".to_owned())),
        Language::C | Language::JavaScript => (format!("if ({name}) {{"), Some("}".to_owned())),
        Language::Python => (format!("with {name}():"), None),
        Language::Markdown => (format!("* {name}:"), None),
        Language::Toml => (format!("{name} = ["), Some("]".to_owned())),
        Language::Data => (format!("\"{name}\": {{"), Some("},".to_owned())),
    }
}
