//! Tests of the outlines and views of symbols: positions in every line ending and encoding, and refusals.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_types::{ErrorCode, FilePath, RequestError, SymbolPosition, TextExtent};

use super::{outline, view_symbol};
use crate::PlanOptions;

const SOURCE: &str = "/// Says ü.\n#[test]\nfn a() {\n    b(\"é𝄞\"); }\n\n/* é𝄞 */ struct S { x: u8 }\nimpl S {\n    // of it\n    fn a(&self) {}\n}\n";

fn path() -> FilePath {
    "src/a.rs".into()
}

fn options() -> PlanOptions {
    PlanOptions::default()
}

fn refused<T: std::fmt::Debug>(result: Result<T, crate::Refusal>) -> RequestError {
    let refusal = *result.unwrap_err();
    assert_eq!(refusal.path, Some(path()), "{refusal:?}");
    refusal
}

#[test]
fn an_implementation_is_shown_with_what_only_declares_it() {
    let source =
        "class A {\n  f(a: string): void;\n  // numbers\n  f(a: number): void;\n  f(a: any) {\n  }\n}\n";
    let path = "a.ts".into();
    let read = |name: &str| view_symbol(source.as_bytes(), name, false, &path, &options()).unwrap().symbol;
    let told = |symbol: &editd_types::SymbolInfo| {
        symbol.declarations.iter().map(|one| (one.name.clone(), one.lines)).collect::<Vec<_>>()
    };
    let found = read("A/f");
    assert_eq!((found.name.as_str(), found.lines), ("A/f[3]", (5, 6)));
    assert_eq!(told(&found), [("A/f[1]".to_owned(), (2, 2)), ("A/f[2]".to_owned(), (3, 4))]);
    assert!(told(&read("A/f[3]")).is_empty() && told(&read("/A/f[1]")).is_empty(), "a whole name means one");
    assert!(told(&read("A")).is_empty());
}

#[test]
fn places_are_the_same_whatever_ends_the_lines() {
    for ending in ["\n", "\r\n", "\r"] {
        let text = SOURCE.replace('\n', ending);
        for bytes in [text.clone().into_bytes(), format!("\u{feff}{text}").into_bytes(), wide(&text)] {
            let outlined = outline(&bytes, None, &path(), &options()).unwrap();
            assert_eq!((outlined.language, outlined.omitted, outlined.broken), ("rust", 0, false));
            let told: Vec<_> = outlined
                .symbols
                .iter()
                .map(|symbol| (symbol.name.as_str(), symbol.kind.as_str(), symbol.depth, symbol.lines))
                .collect();
            assert_eq!(
                told,
                [
                    ("a", "function", 0, (1, 4)),
                    ("S", "struct", 0, (6, 6)),
                    ("S/x", "field", 1, (6, 6)),
                    ("impl S", "impl", 0, (7, 10)),
                    ("impl S/a", "method", 1, (8, 9)),
                ],
                "{ending:?}"
            );
            let a = &outlined.symbols[0];
            assert_eq!(a.body, Some(TextExtent { start: (3, 8), end: (4, 15) }), "columns are scalar values");
            assert_eq!(a.position, SymbolPosition { line: 2, column: 3 });
            let s = &outlined.symbols[1];
            assert_eq!(s.definition.start, (6, 10));
            assert_eq!(s.position, SymbolPosition { line: 5, column: 17 }, "UTF-16 code units");
        }
    }
}

fn wide(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_symbol_is_shown_in_whole_lines_and_its_body_to_the_letter() {
    let crlf = SOURCE.replace('\n', "\r\n");
    let shown = |name: &str, body| {
        let shown = view_symbol(crlf.as_bytes(), name, body, &path(), &options()).unwrap();
        assert_eq!(shown.view.first_line, shown.lines.0);
        assert_eq!((shown.view.lines, shown.view.line_ending.as_str()), (10, "crlf"));
        (shown.view.text.unwrap(), shown.lines)
    };
    assert_eq!(shown("S/x", false), ("/* é𝄞 */ struct S { x: u8 }\r\n".into(), (6, 6)));
    assert_eq!(shown("impl S/a", false), ("    // of it\r\n    fn a(&self) {}\r\n".into(), (8, 9)));
    assert_eq!(shown("/a", true), ("{\r\n    b(\"é𝄞\"); }".into(), (3, 4)));
    assert_eq!(shown("impl S/a", true), ("{}".into(), (9, 9)));
    assert_eq!(shown("S", true), ("{ x: u8 }".into(), (6, 6)));
}

#[test]
fn a_depth_leaves_out_what_lies_deeper_and_counts_nothing_as_omitted() {
    let flat = outline(SOURCE.as_bytes(), Some(0), &path(), &options()).unwrap();
    let names: Vec<&str> = flat.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!((names, flat.omitted), (vec!["a", "S", "impl S"], 0));
}

#[test]
fn more_symbols_than_are_told_are_counted() {
    let many: String = (0..20_003).map(|n| format!("const C{n}: u8 = 0;\n")).collect();
    let outlined = outline(many.as_bytes(), None, &path(), &options()).unwrap();
    assert_eq!((outlined.symbols.len(), outlined.omitted), (20_000, 3));
    let functions: String = (0..5000).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let long = format!("mod {} {{\n{functions}}}\n", "m".repeat(2000));
    let outlined = outline(long.as_bytes(), None, &path(), &options()).unwrap();
    let bytes: usize = outlined.symbols.iter().map(|symbol| symbol.name.len()).sum();
    assert!(bytes < editd_types::limits::OUTLINE, "a reply fits into a frame: {bytes}");
    assert_eq!(outlined.symbols.len() as u64 + outlined.omitted, 5001);
    assert!(outlined.omitted > 0, "{}", outlined.symbols.len());
}

#[test]
fn refusals_say_what_there_is() {
    let twice = "fn a() {}\nmod m { fn a() {} }\nmod n { fn a() {} const C: u8 = 0; struct T; }\n";
    let view =
        |text: &str, name: &str, body| refused(view_symbol(text.as_bytes(), name, body, &path(), &options()));
    let none = view(twice, "m/x", false);
    assert_eq!(
        (none.code, none.symbols),
        (ErrorCode::SymbolNotFound, ["a", "m", "m/a", "n", "n/a"].map(String::from).to_vec())
    );
    assert_eq!(none.message, "no symbol of src/a.rs is called \"m/x\"; name one that there is");
    let several = view("mod m { fn a() {} }\nmod n { fn a() {} }\n", "a", false);
    assert_eq!((several.code, several.found), (ErrorCode::Ambiguous, Some(2)));
    assert_eq!(several.symbols, ["m/a", "n/a"]);
    let nothing = view("// nothing\n", "a", false);
    assert_eq!((nothing.code, nothing.symbols.len()), (ErrorCode::SymbolNotFound, 0));
    assert_eq!(nothing.message, "src/a.rs defines no symbols; read and edit it by text or lines");
    let bodiless = view(twice, "n/T", true);
    assert_eq!((bodiless.code, bodiless.line), (ErrorCode::Unsupported, Some(3)));
    assert_eq!(bodiless.message, "struct n/T has no body; read it whole");
    let hostile = view(twice, &"x\u{1b}".repeat(100_000), false);
    assert!(hostile.message.len() < 2000, "{}", hostile.message.len());
    let long = format!("mod {} {{ fn a() {{}} }}", "m".repeat(2_000));
    assert_eq!(view(&long, "x", false).symbols.len(), 0, "nobody types such a name");
}

#[test]
fn files_without_an_outline_are_refused_by_the_reason() {
    let none = |bytes: &[u8], name: &str| *outline(bytes, None, &name.into(), &options()).unwrap_err();
    assert_eq!(none(b"a\0b", "a.rs").code, ErrorCode::Binary);
    assert_eq!(none(b"\xff", "a.rs").code, ErrorCode::Encoding);
    let unknown = none(b"text", "notes.txt");
    assert_eq!((unknown.code, unknown.path), (ErrorCode::Unsupported, Some("notes.txt".into())));
    let limit = editd_syntax::ParseBudget::default().bytes;
    let large = none(" ".repeat(limit + 1).as_bytes(), "a.rs");
    assert_eq!((large.code, large.limit), (ErrorCode::TooLarge, Some(limit as u64)));
    assert!(outline(b"fn (", None, &path(), &options()).unwrap().broken);
    assert_eq!(outline(b"", None, &path(), &options()).unwrap().symbols, []);
}
