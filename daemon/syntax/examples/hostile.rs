//! Parses texts that are made to be expensive, in every language or in those named as arguments, on a thread with the
//! stack size of the daemon's workers. Prints the time and memory of the most expensive ones (on Linux only): `cargo
//! run --release -p editd-syntax --example hostile`.

#![expect(
    clippy::disallowed_methods,
    reason = "a command for developers: it reads what the system says about time and memory"
)]

use std::io::Write;

use editd_syntax::{Language, ParseBudget, errors, outline};

/// Pieces that are repeated until a text has its full length.
const PIECES: &[&str] = &[
    "[",
    "{",
    "(",
    "<",
    "]",
    "}",
    ")",
    ">",
    "\"",
    "'",
    "`",
    "#",
    "/",
    "\\",
    "*",
    "-",
    "- ",
    "=",
    "+",
    ":",
    ";",
    ",",
    ".",
    "!",
    "?",
    "@",
    "$",
    "%",
    "^",
    "&",
    "|",
    "~",
    " ",
    "\n",
    "\r",
    "\t",
    "a",
    "a ",
    "a\n",
    "0",
    "é",
    "\u{1F600}",
    "\0",
    "a:",
    "a: ",
    "a:\n",
    "? ",
    "&a ",
    "*a ",
    "!a ",
    "|\n",
    ">\n",
    "---\n",
    "- a\n",
    "- - ",
    "[1,",
    "{\"a\":",
    "{a:",
    "a=[",
    "a={a=",
    "a.",
    "a(",
    "a[",
    "a<",
    "a{",
    "a = ",
    "a + ",
    "a ? ",
    "a ? b : ",
    "a => ",
    "a -> ",
    "a, ",
    "a; ",
    "a::",
    "<a>",
    "</a>",
    "<a ",
    "<a b=\"",
    "<!--",
    "<![CDATA[",
    "<p>",
    "<?php ",
    "?>",
    "<script>",
    "<b id=a>",
    "<<A\n",
    "<<-A\n",
    "<<~A\n",
    "<<<A\n",
    "<<A <<B\n",
    "$(",
    "${",
    "#{",
    "\"#{",
    "`${",
    "f\"{",
    "\"${",
    "%w(",
    "%(",
    "=begin\n",
    "if a\n",
    "if a:\n ",
    "if (a) ",
    "if a { ",
    "else ",
    "fn a() {",
    "def a\n",
    "def a():\n ",
    "class A { ",
    "class A\n",
    "function a() { ",
    "for ",
    "while(",
    "do ",
    "begin\n",
    "case a in\n",
    "match a { ",
    "switch (a) { ",
    "try { ",
    "lambda: ",
    "lambda a: ",
    "@a\n",
    "@a(",
    "#[a]",
    "#[",
    "#if a\n",
    "#define a ",
    "#endif\n",
    "/*",
    "/**/",
    "//\n",
    "//",
    "r#\"",
    "R\"(",
    "\"\"\"",
    "'''",
    "\\\n",
    "\\u{",
    "&&",
    "||",
    "!!",
    "**",
    "* ",
    "*a ",
    "_a ",
    "__",
    "```\n",
    "~~~\n",
    "> ",
    ">> ",
    "# a\n",
    "a\n=\n",
    "a\n-\n",
    "1. ",
    "    a\n",
    "|a",
    "|a|\n|-|\n",
    "[a](",
    "![",
    "[a]: b\n",
    "a { ",
    "a,b",
    "a b ",
    ".a",
    "#a",
    "@media ",
    "@media a { ",
    "a{b:c}",
    "url(",
    ":not(",
    "--a:",
    "namespace a { ",
    "template<",
    "template <a> ",
    "a<b<",
    "operator",
    "public ",
    "int a",
    "int ",
    "struct a { ",
    "typedef ",
    "(a)",
    "(a)(",
    "(*",
    "a*",
    "new ",
    "await ",
    "yield ",
    "async ",
    "return ",
    "let ",
    "var a = ",
    "let a = ",
    "const a = ",
    "import a\n",
    "package a\n",
    "func a() {",
    "func(",
    "go ",
    "type A ",
    "interface ",
    "impl A { ",
    "where A: ",
    "dyn ",
    "'a ",
    "|a| ",
    "macro_rules! a {",
    "a!(",
    "0x",
    "1e",
    "1.",
    "\"a\" ",
    "a\"",
    "export ",
    "export default ",
    "<A<",
    "as ",
    "a as ",
    "a?.",
    "a!.",
    "...",
    "..",
    "/a/",
    "/[",
    "/(",
    "=> ",
    "=",
    "\u{2028}",
];

fn main() -> std::io::Result<()> {
    editd_syntax::count_parser_memory();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    for language in Language::all().filter(|language| language.is_known()) {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == language.name()) {
            continue;
        }
        let mut dearest: Vec<(u64, u64, String)> = Vec::new();
        for (name, text) in texts() {
            if std::env::var_os("VERBOSE").is_some() {
                writeln!(std::io::stderr(), "{} {name}", language.name())?;
            }
            let _ = std::fs::write("/proc/self/clear_refs", "5");
            let start = spent();
            let told = run(language, text)?;
            let took = spent().saturating_sub(start);
            dearest.push((took, peak(), format!("{name}: {told}")));
        }
        let all = dearest.len();
        dearest.sort();
        let by_time: Vec<_> = dearest.iter().rev().take(6).cloned().collect();
        dearest.sort_by_key(|(_, memory, _)| *memory);
        let by_memory: Vec<_> = dearest.iter().rev().take(4).cloned().collect();
        writeln!(out, "{}, {all} texts", language.name())?;
        for (took, memory, what) in by_time.iter().chain(&by_memory) {
            writeln!(out, "  {took:6} ms {memory:5} MB  {what}")?;
        }
        out.flush()?;
    }
    Ok(())
}

/// Returns the texts with their names.
fn texts() -> impl Iterator<Item = (String, String)> {
    let most = ParseBudget::default().bytes;
    let repeated = PIECES.iter().flat_map(move |piece| {
        // A hundred thousand bytes show if a piece is expensive; single characters are also tried at full length.
        let long = (piece.chars().count() == 1).then_some(most);
        std::iter::once(100_000).chain(long).map(move |bytes| {
            let text = piece.repeat(bytes / piece.len());
            (format!("{bytes} bytes of {piece:?}"), text)
        })
    });
    let pairs = [
        ("[", "]"),
        ("{", "}"),
        ("(", ")"),
        ("<a>", "</a>"),
        ("{\"a\":", "}"),
        ("a(", ")"),
        ("- ", ""),
        ("fn a() {", "}"),
    ];
    let nested = pairs.into_iter().map(|(open, close)| {
        (format!("100000 nested {open:?}"), format!("{}1{}", open.repeat(100_000), close.repeat(100_000)))
    });
    let stairs = ["a:\n", "if a:\n", "- \n", "> \n", "a\n"].into_iter().map(move |line| {
        let mut text = String::new();
        for depth in 0.. {
            text.push_str(&" ".repeat(depth));
            text.push_str(line);
            if text.len() + depth + line.len() >= most {
                break;
            }
        }
        text.truncate(most);
        (format!("stairs of {line:?}"), text)
    });
    let random = (1..=6_u64).map(move |seed| (format!("random {seed}"), random(seed, most)));
    repeated.chain(nested).chain(stairs).chain(random)
}

/// Returns a text of random pieces or, for an even seed, of random bytes.
fn random(seed: u64, bytes: usize) -> String {
    let mut draw = fastrand::Rng::with_seed(seed);
    if seed.is_multiple_of(2) {
        let raw: Vec<u8> = std::iter::repeat_with(|| draw.u8(..)).take(bytes / 3).collect();
        return String::from_utf8_lossy(&raw).into_owned();
    }
    let mut text = String::new();
    while text.len() < bytes - 20 {
        text.push_str(PIECES.get(draw.usize(..PIECES.len())).unwrap_or(&""));
    }
    text
}

/// Parses a text and summarises its outline and its errors.
fn run(language: Language, text: String) -> std::io::Result<String> {
    let worker = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(move || {
        let budget = ParseBudget::default();
        let outline = outline(language, &text, &budget)
            .map_or_else(|why| why.to_string(), |outline| format!("{} symbols", outline.symbols.len()));
        let errors = errors(language, b"", &text, &budget)
            .map_or_else(|why| why.to_string(), |errors| format!("{} errors", errors.len()));
        format!("{outline}, {errors}")
    })?;
    Ok(worker.join().unwrap_or_else(|_| "PANIC".to_owned()))
}

/// Returns the processor time of this process, in milliseconds.
fn spent() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10
}

/// Returns the peak memory of this process since it was last reset, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
