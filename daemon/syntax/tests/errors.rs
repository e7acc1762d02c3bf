//! Compares the errors of broken texts in `tests/errors` with the expected errors beside them. `BLESS=1` rewrites
//! those.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads its cases"
)]

use std::fmt::Write as _;
use std::path::Path;

use editd_syntax::{Certainty, Language, ParseBudget, SyntaxError, errors, introduced_errors};

#[test]
fn each_case_says_what_is_wrong_and_where() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    // Cases in Rust are in a folder of their own, since they are no sources of this project.
    let folders = [folder.join("cases/rust"), folder];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut cases: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.is_file() && path.extension().is_some_and(|end| end != "told"));
    assert!(cases.len() > 20, "the cases are not where they should be");
    cases.sort();
    let mut wrong = String::new();
    for case in cases {
        let text = std::fs::read_to_string(&case).unwrap();
        let path = case.to_str().unwrap().as_bytes();
        let language = Language::of(path, &text).unwrap();
        let mut told = String::new();
        for error in errors(language, path, &text, &ParseBudget::default()).unwrap() {
            writeln!(told, "{}:{}: {}", error.line, error.column, error.message).unwrap();
        }
        let file = case.with_extension(format!("{}.told", case.extension().unwrap().to_str().unwrap()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &told).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != told {
            writeln!(wrong, "{}:\n{told}", case.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns the messages of the errors that an edit added, with a `?` behind each doubtful one.
fn brought(path: &str, old: Option<&str>, new: &str) -> Vec<String> {
    let language = Language::of(path.as_bytes(), new).unwrap();
    let errors = introduced_errors(language, path.as_bytes(), old, new, &ParseBudget::default()).unwrap();
    let told = |error: SyntaxError| {
        let doubt = if error.certainty == Certainty::Sure { "" } else { "?" };
        format!("{}: {}{doubt}", error.line, error.message)
    };
    errors.into_iter().map(told).collect()
}

#[test]
fn valid_texts_are_never_surely_wrong() {
    let cases = include_str!("errors/valid/texts.txt");
    let mut wrong = String::new();
    for case in cases.split("== ").filter(|case| !case.is_empty()) {
        let (path, text) = case.split_once('\n').unwrap();
        let before = match path.rsplit_once('.').unwrap().1 {
            "c" | "cpp" => "int q;\n",
            "cs" => "class Q { }\n",
            "html" => "<p>q</p>\n",
            "php" => "<p>\n",
            _ => "q;\n",
        };
        for (old, new) in [
            (None, text.to_owned()),
            (Some(before), text.to_owned()),
            (Some(before), format!("{before}{text}")),
            (Some(text), format!("{before}{text}")),
        ] {
            let sure: Vec<String> =
                brought(path, old, &new).into_iter().filter(|error| !error.ends_with('?')).collect();
            if !sure.is_empty() {
                writeln!(wrong, "{path}: {old:?} -> {new:?}: {sure:?}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn brackets_and_quotations_are_sure_in_every_language() {
    for (path, old, new, told) in [
        ("a.c", "int a(void) { b(); }\n", "int a(void) { b(; }\n", "1: `(` is not closed"),
        ("a.c", "int a(void) { b(); }\n", "int a(void) { b();\n", "1: `{` is not closed"),
        ("a.cpp", "int a() { b(); }\n", "int a() { b(); }}\n", "1: `}` closes nothing"),
        ("a.cs", "class A { int b; }\n", "class A { int b;\n", "1: `{` is not closed"),
        ("a.ts", "let a = [1];\n", "let a = [1;\n", "1: `[` is not closed"),
        ("a.ts", "let a = 1;\n", "let a = 1 +;\n", "1: unexpected `+`?"),
        ("a.sh", "a \"b\"\n", "a \"b\n", "1: unexpected `\"b`"),
        ("a.sh", "f() { a; }\n", "f() { a;\n", "1: unexpected `() { a;`?"),
        ("a.c", "char *a = \"b\";\n", "char *a = \"b;\n", "1: unexpected `char *a = \"b;`"),
    ] {
        assert_eq!(brought(path, Some(old), new), [told], "{path}: {new}");
    }
}

#[test]
fn in_a_file_that_was_right_every_error_is_new() {
    let old = "fn a() {\n    b();\n}\n";
    assert_eq!(brought("a.rs", Some(old), "fn a() {\n    b();\n"), ["1: `{` is not closed"]);
    assert_eq!(brought("a.rs", Some(old), old), [""; 0]);
}

#[test]
fn errors_from_before_are_not_new() {
    let old = "fn a() { let x = ; }\nfn b() {}\n";
    assert_eq!(brought("a.rs", Some(old), "fn a() { let x = ; }\nfn b() { c(); }\n"), [""; 0]);
    let more = brought("a.rs", Some(old), "fn a() { let x = ; }\nfn b() { c(; }\n");
    assert_eq!(more, ["2: `(` is not closed"]);
}

#[test]
fn the_same_error_once_more_is_new() {
    let old = "fn a() { let x = ; }\nfn b() {}\n";
    let new = "fn a() { let x = ; }\nfn b() { let x = ; }\n";
    assert_eq!(brought("a.rs", Some(old), new).len(), 1);
}

#[test]
fn an_error_that_another_had_hidden_is_not_new() {
    let old = "{\"a\": x,\n\"b\": 1,\n\"c\" 2}\n";
    assert_eq!(brought("a.json", Some(old), "{\"a\": 1,\n\"b\": 1,\n\"c\" 2}\n"), [""; 0]);
    assert_eq!(
        brought("a.json", Some(old), "{\"a\": x 1,\n\"b\": 1,\n\"c\" 2}\n"),
        [""; 0],
        "the same error, still there"
    );
}

#[test]
fn a_line_that_was_broken_and_still_is_brings_no_new_error() {
    let old = "{\"a\": x,\n\"b\": 1,\n\"c\" 2}\n";
    assert_eq!(brought("a.json", Some(old), "{\"a\" 1,\n\"b\": 1,\n\"c\" 2}\n"), [""; 0]);
    // The other line was correct.
    let other = "{\"a\": 1,\n\"b\" 1,\n\"c\" 2}\n";
    assert_eq!(brought("a.json", Some(old), other), ["2: expected `:`"]);
    let old = "fn a() {\n    let x = ;\n}\nfn b() {}\n";
    let line = |line: &str| old.replace("    let x = ;", line);
    assert_eq!(brought("a.rs", Some(old), &line("    let y = );")), [""; 0]);
    // One old error excuses one new error.
    assert_eq!(brought("a.rs", Some(old), &line("    let x = ;\n    let y = );")).len(), 1);
    // The line may move if lines are added above or below it, but not both: then it cannot be recognised as the same
    // line.
    assert_eq!(brought("a.rs", Some(old), &line("    let y = 1;\n    let x = );")), [""; 0]);
    assert_eq!(brought("a.rs", Some(old), &line("    let y = 1;\n    let x = );\n    let z = 2;")).len(), 1);
}

#[test]
fn a_new_file_must_be_right_where_the_grammar_is_sure() {
    assert_eq!(brought("a.json", None, "{\"a\": }"), ["1: expected value"]);
    assert_eq!(brought("a.json", Some(" \n"), "{\"a\": }"), ["1: expected value"]);
    for unsure in ["a.c", "a.cpp", "a.cs", "a.sh"] {
        let is_doubtful = |error: &String| error.ends_with('?');
        assert!(brought(unsure, None, "{ ( }").iter().all(is_doubtful), "{unsure}");
        assert!(!brought(unsure, Some("{ }"), "{ ( }").is_empty(), "{unsure}");
    }
}

#[test]
fn templates_of_data_are_not_held_to_be_wrong() {
    let new = "a:\n{{- if .b }}\n  c: d\n e: f\n{{- end }}\n";
    assert_eq!(brought("a.yaml", None, new), [""; 0]);
    assert_eq!(brought("a.yaml", Some(new), &new.replace('d', "[")), [""; 0]);
    assert_eq!(brought("a.yaml", None, "a:\n  c: d\n e: f\n").len(), 1);
}

#[test]
fn data_that_is_right_does_not_become_a_template() {
    for (path, old, new) in [
        ("a.json", "{\n  \"a\": [\n    {\"b\": 2}\n  ]\n}\n", "{\n  \"a\": [\n    {{\"b\": 2}\n  ]\n}\n"),
        ("a.yaml", "a: ${{ b }}\n", "a: ${{ b }}\n{{c\n"),
        ("a.toml", "a = 1\n", "a = 1\n{% b\n"),
    ] {
        assert_eq!(brought(path, Some(old), new).len(), 1, "{path}");
        assert_eq!(brought(path, None, new), [""; 0], "{path}");
        assert_eq!(brought(path, Some(" \n"), new), [""; 0], "{path}");
        assert_eq!(brought(path, Some(new), &[new, "]]\n"].concat()), [""; 0], "{path}");
    }
    // A text that already has placeholders may get lines that start with one.
    assert_eq!(brought("a.yaml", Some("a: {{ .b }}\n"), "{{- if .c }}\na: {{ .b }}\n{{- end }}\n"), [""; 0]);
}

#[test]
fn templates_of_html_may_look_as_they_like() {
    let old = "<p>a</p>\n";
    let template = "<p {% if a %}class=\"{% url \"b\" %}\"{% endif %}>a</p>\n";
    assert_eq!(brought("a.html", Some("<b>{{ a }}</b>\n"), template), [""; 0]);
    assert_eq!(brought("a.html", None, template), [""; 0]);
    // A page that was no template is checked, whatever is added to it.
    assert_eq!(brought("a.html", Some(old), "<p>{{ a }}</p></div>\n"), ["1: unexpected `div>`?"]);
    assert_eq!(brought("a.html", Some(old), "<p>{{ a }}</p>\n"), [""; 0]);
    assert_eq!(brought("a.html", Some(old), "<p a=\"b>a</p>\n").len(), 1);
}

#[test]
fn a_new_file_in_a_language_whose_grammar_is_not_sure_is_never_surely_wrong() {
    let wrong = "int a( {\n";
    assert_eq!(brought("a.c", None, wrong), ["1: `(` is not closed?", "1: `{` is not closed?"]);
    assert_eq!(brought("a.c", Some("int b( {\n"), wrong), [""; 0]);
    assert_eq!(brought("a.c", Some("int a;\n"), wrong), ["1: `(` is not closed", "1: `{` is not closed"]);
}

#[test]
fn ten_megabytes_of_one_bracket_end_within_the_budget_in_every_language() {
    // The workers of the daemon have a stack of this size.
    let worker = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let tried = worker.spawn(|| {
        for language in Language::all().filter(|language| language.is_known()) {
            for bytes in [100_000, 10_000_000] {
                let text = "[".repeat(bytes);
                let outline = editd_syntax::outline(language, &text, &ParseBudget::default());
                let errors = errors(language, b"", &text, &ParseBudget::default());
                let is_large = bytes > ParseBudget::default().bytes;
                assert!(outline.is_err() || !is_large, "{} of {}", bytes, language.name());
                drop(errors);
            }
        }
    });
    tried.unwrap().join().unwrap();
}

#[test]
fn blocks_of_yaml_may_lie_in_each_other_as_deep_as_they_like() {
    let stairs: String = (0..1500).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    for text in [stairs, "- ".repeat(10_000), "? ".repeat(10_000)] {
        let outline = editd_syntax::outline(Language::Yaml, &text, &ParseBudget::default());
        assert!(outline.is_err(), "nobody keeps such a file");
    }
}

#[test]
fn a_block_of_python_has_a_statement() {
    let told = |text: &str| brought("a.py", None, text);
    for (text, line) in [
        ("class A:\n\nclass B:\n    x = 1\n", 1),
        ("class A:\n    # nothing\nx = 1\n", 1),
        ("try:\n    a\nexcept E:\n\nb\n", 3),
        ("if a:\nb\n", 1),
        ("for a in b:\n    # c\nelse:\n    d\n", 1),
        ("match a:\n    case 1:\n    case 2:\n        b\n", 2),
        ("def f():\n    def g():\n\n    return g\n", 2),
    ] {
        assert_eq!(told(text), [format!("{line}: expected an indented block")], "{text}");
    }
    let right =
        "class A: pass\ndef f(): ...\nif a: b; c\nelse:\n    # c\n    d\nclass B:  # c\n    \"\"\"D.\"\"\"\n";
    assert_eq!(told(right), [""; 0]);
}

#[test]
fn a_word_that_ends_a_block_has_one() {
    for (path, text, told) in [
        ("a.rb", "def f(a)\n  2\nend\nend\n", "4: `end` closes nothing"),
        ("a.rb", "class A\n  def f\n  end\n  end\nend\n", "5: `end` closes nothing"),
        ("a.rb", "if a\n  b\nend\nend\nputs 1\n", "4: `end` closes nothing"),
        ("a.rb", "def f\n  a = 1\n  then\n  b = 2\nend\n", "3: `then` closes nothing"),
        ("a.rb", "a = 1\nelse\nb = 2\n", "2: `else` closes nothing"),
        ("a.sh", "f() {\n  a\n}\n}\n", "4: `}` closes nothing?"),
    ] {
        assert_eq!(brought(path, None, text), [told], "{text}");
    }
    assert_eq!(brought("a.sh", Some("f() {\n  a\n}\n"), "f() {\n  a\n}\n}\n"), ["4: `}` closes nothing"]);
    for (path, text) in [
        (
            "a.rb",
            "r = (1..2)\nr.end\nr\n  .end\nr.\n  end\nr&.end\n{end: 1, :end => 2}\n%w[\nend\n]\ndef end; end\nalias end foo\n",
        ),
        ("a.rb", "a = <<~X\n  end\nX\n=begin\nend\n=end\nb do\nend\nbegin\nend while c\ndef self.end\nend\n"),
        (
            "a.rb",
            "x = if a\n  1\nelse\n  2\nend\ny = case a\n    when 1 then 2\nend\nf(a) { |b|\n  c\n}\n->(d) do\nend\n",
        ),
        (
            "a.sh",
            "echo fi done } else\ncase a in\n  fi) b;;\n  done|esac) c;;\nesac\nfor i in do done; do\n  echo $i\ndone\n",
        ),
        (
            "a.sh",
            "a=(then do)\n{ b; } 2>c\ncat <<X\nfi\n}\nX\nf() { g; }; h() (\n  i\n)\nif j; then k; else l; fi\nwhile m; do n; done\n",
        ),
    ] {
        assert_eq!(brought(path, None, text), [""; 0], "{text}");
    }
}

#[test]
fn a_statement_of_python_ends_on_its_line() {
    for (text, line) in [
        ("x =\ny = 2\n", 1),
        ("x = # c\n# d\ny = 2\n", 1),
        ("def f():\n    a = 1\n    x = \n    b = 2\n", 3),
        ("a = b +\nc\n", 1),
        ("a = [\n  1\n] +\nc\n", 3),
        ("f(a,\n  lambda x:\n    x).\nb\n", 3),
        ("x = \\\n1 +\n2\n", 2),
        ("x =\r\ny = 2\r\n", 1),
    ] {
        assert_eq!(brought("a.py", None, text), [format!("{line}: expected more on this line")], "{text}");
    }
    for text in [
        "x = (a +\n  # c\n  b)\ny = f(\n  a=1,\n  *b\n)[\n1:\n2]\n",
        "x = \\\n  1 + \\\r\n  2\nassert a, \\\n  b\n",
        "x = \"\"\"a\\\n{b}\n\\n\"\"\" 'c'\ny = f\"\"\"{\n  a\n}\n\"\"\"\n",
        "@a\n# c\n@b\nclass C(\n  D\n):\n  # d\n  def f(self\n        ): pass; x = 1\n",
        "if a:\n  pass\nelif b: c\nelse:\n  d\ntry:\n  e\nexcept F:\n  g\nfinally:\n  h\n",
        "match a:\n  case 1:\n    b\n  case [\n    2, c\n  ]: d\nfrom a import (\n  b,\n  c\n)\nwith (\n  a as b,\n): c\n",
        "x = {\n  a: b\n  for a, b in c\n  if d\n}\ny = [i\n for i in (\n1, 2)]\nlambda: (\n1)\n",
    ] {
        assert_eq!(brought("a.py", None, text), [""; 0], "{text}");
    }
}
