//! Tests the lookup of a symbol by name path and by offset, and the errors if none or several match.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_syntax::{Language, LookupError, Outline, ParseBudget};

fn outline(language: Language, text: &str) -> Outline {
    editd_syntax::outline(language, text, &ParseBudget::default()).unwrap()
}

/// Returns the path of the symbol; else `none: …` or `several: …` with the listed paths.
fn found(outline: &Outline, path: &str) -> String {
    match outline.named(path) {
        Ok(symbol) => symbol.path.clone(),
        Err(LookupError::NotFound(listed)) => format!("none: {}", listed.join(" ")),
        Err(LookupError::Ambiguous(listed, count)) => format!("several: {} of {count}", listed.join(" ")),
    }
}

#[track_caller]
fn finds(language: Language, text: &str, expected: &[(&str, &str)]) {
    let outline = outline(language, text);
    for (path, expected) in expected {
        assert_eq!(found(&outline, path), *expected, "{path} in {outline:#?}");
    }
}

#[test]
fn an_end_of_the_path_is_enough_where_it_is_one_symbol_and_a_whole_path_wins() {
    let text = "def a(): pass\nclass C:\n    def a(self): pass\n    def b(self): pass\nclass D:\n    def b(self):\n        def e(): pass\n";
    let several = "several: C/b D/b of 2";
    finds(
        Language::Python,
        text,
        &[
            ("a", "a"),
            ("/a", "a"),
            ("C/a", "C/a"),
            ("e", "D/b/e"),
            ("b/e", "D/b/e"),
            ("/b/e", "none: D/b/e a C C/a C/b"),
            ("b", several),
            ("D/b", "D/b"),
            ("D/e", "none: D/b/e a C C/a C/b"),
            ("", "none: a C C/a C/b D"),
            ("C//a", "none: a C C/a C/b D"),
        ],
    );
}

#[test]
fn those_of_the_same_name_are_numbered_and_the_number_may_be_asked_for() {
    let text = "def f(): pass\ndef f():\n    def g(): pass\ndef h(): pass\n";
    finds(
        Language::Python,
        text,
        &[
            ("f", "several: f[1] f[2] of 2"),
            ("f[2]", "f[2]"),
            ("f[3]", "none: f[1] f[2] f[2]/g h"),
            ("h[1]", "h"),
            ("f/g", "f[2]/g"),
            ("f[2]/g", "f[2]/g"),
            ("f[1]/g", "none: f[2]/g f[1] f[2] h"),
        ],
    );
}

#[test]
fn a_name_may_hold_what_means_something_in_a_path() {
    let text = "const o = { 'a/b'() {}, 'c[1]'() {}, c() {}, 'd\\\\e'() {}, '[2]'() {}, '/x'() {} };\n";
    finds(
        Language::JavaScript,
        text,
        &[
            ("a\\/b", "o/a\\/b"),
            ("a/b", "none: o/a\\/b o o/c o/\\/x o/[2]"),
            ("o/c\\[1]", "o/c\\[1]"),
            ("o/c", "o/c"),
            ("c[1]", "several: o/c\\[1] o/c of 2"),
            ("d\\\\\\\\e", "o/d\\\\\\\\e"),
            ("[2]", "o/[2]"),
            ("o/\\/x", "o/\\/x"),
        ],
    );
}

#[test]
fn a_type_leads_through_its_implementations_but_is_not_one() {
    let text = "struct A;\nimpl A { fn a(&self) {} }\nimpl A { fn b(&self) {} }\nimpl<T> From<T> for A { fn from() {} }\n";
    finds(
        Language::Rust,
        text,
        &[
            ("A", "A"),
            ("A/a", "impl A[1]/a"),
            ("A/b", "impl A[2]/b"),
            ("A/from", "impl From<T> for A/from"),
            ("impl A", "several: impl A[1] impl A[2] of 2"),
            ("impl A/b", "impl A[2]/b"),
        ],
    );
}

#[test]
fn each_of_several_names_of_one_definition_leads_to_it_unless_another_is_called_so() {
    let text = "package p\n\nvar a, b = 1, 2\n\nvar b, c = 3, 4\n\nvar a = 5\n\ntype T struct{ d, e int }\n";
    finds(
        Language::Go,
        text,
        &[
            ("a, b", "a, b"),
            ("a", "a"),
            ("b", "several: a, b b, c of 2"),
            ("c", "b, c"),
            ("T/e", "T/d, e"),
            ("d", "T/d, e"),
        ],
    );
}

#[test]
fn a_method_stands_under_its_type_wherever_that_is() {
    let text = "package p\n\nfunc (t *T) M() {}\n\ntype T struct{ M int }\n\nfunc (u U) M() {}\n";
    finds(
        Language::Go,
        text,
        &[
            ("T/M", "several: T/M[1] T/M[2] of 2"),
            ("U/M", "U/M"),
            ("T/M[2]", "T/M[2]"),
            ("T", "T"),
            ("U", "none: T/M[1] T T/M[2] U/M"),
        ],
    );
}

#[test]
fn a_place_means_what_begins_there_else_the_innermost_that_holds_it() {
    let text = "# c\nclass A:\n    x = 1\n\n    def f(self):\n        return 1\n\nprint()\n";
    let outline = outline(Language::Python, text);
    let at = |what: &str| outline.at(text.find(what).unwrap()).map(|symbol| symbol.path.as_str());
    assert_eq!(at("# c"), Some("A"));
    assert_eq!(at("class"), Some("A"));
    assert_eq!(at("A:"), Some("A"));
    assert_eq!(at("= 1"), Some("A/x"));
    assert_eq!(at("f(self"), Some("A/f"));
    assert_eq!(at("return"), Some("A/f"));
    assert_eq!(at("    def"), Some("A"));
    assert_eq!(at("print"), None);
    assert_eq!(outline.at(text.len() + 1), None);
}

#[test]
fn a_type_definition_goes_by_each_of_its_names() {
    let text = "typedef struct node { int a; } Node, *NodePointer;\n";
    let all = ["Node", "node", "NodePointer"].map(|name| (name, "Node"));
    finds(Language::C, text, &all);
    finds(Language::C, text, &[("node/a", "Node/a"), ("NodePointer/a", "Node/a")]);
}

#[test]
fn members_go_by_their_names_without_signs_and_receivers() {
    finds(Language::Php, "<?php class A { public $b; }", &[("A/b", "A/$b")]);
    finds(Language::Ruby, "class A\n  def self.b; end\nend\n", &[("A/b", "A/self.b")]);
}

#[test]
fn a_header_is_of_the_language_that_it_is_written_in() {
    let of = |text| Language::of(b"include/a.h", text);
    for text in [
        "namespace a {\n}\n",
        "  template<class T> void f();\n",
        "class A;\n",
        "class EXPORTED A : public B {\n",
        "struct A {\n private:\n  int a;\n};\n",
        "using namespace std;\n",
        "std::string a();\n",
    ] {
        assert_eq!(of(text), Some(Language::Cpp), "{text}");
    }
    for text in [
        "struct a { int class; };\n",
        "/*\n * class A;\n */\n// namespace a {\n",
        "/* The\n   class of what is sent, and using it.\n*/\nint a;\n",
        "",
    ] {
        assert_eq!(of(text), Some(Language::C), "{text}");
    }
}

#[test]
fn one_of_several_names_of_a_definition_is_not_the_whole() {
    let whole = |language, text: &str, path: &str, only_body| {
        let outline = outline(language, text);
        outline.whole_of(outline.named(path).unwrap(), Some(path), only_body)
    };
    let go = "package a\ntype T struct {\n\tA, B int\n}\nvar x, y = 1, 2\n";
    for path in ["A", "T/B"] {
        assert_eq!(whole(Language::Go, go, path, false).as_deref(), Some("T/A, B"));
    }
    assert_eq!(whole(Language::Go, go, "y", true).as_deref(), Some("x, y"));
    for path in ["A, B", "/T/A, B", "x, y", "T"] {
        assert_eq!(whole(Language::Go, go, path, false), None, "{path}");
    }
    let c = "typedef struct t { int a; } T, *PT;\ntypedef struct u { int a; } U;\n";
    assert_eq!(whole(Language::C, c, "T", false).as_deref(), Some("T, PT"));
    assert_eq!(whole(Language::C, c, "PT", true).as_deref(), Some("T, PT"));
    assert_eq!(whole(Language::C, c, "T", true), None);
    for path in ["T, PT", "U", "u", "T/a"] {
        assert_eq!(whole(Language::C, c, path, false), None, "{path}");
    }
    let twice = "a, b = 1, 2\na, b = 3, 4\n";
    assert_eq!(whole(Language::Python, twice, "b[2]", false).as_deref(), Some("a, b[2]"));
    assert_eq!(whole(Language::Python, twice, "a, b[2]", false), None);
    assert_eq!(
        outline(Language::Ruby, "def self.f; end\n").whole_of(
            outline(Language::Ruby, "def self.f; end\n").named("f").unwrap(),
            Some("f"),
            false
        ),
        None
    );
}

#[test]
fn an_implementation_is_preferred_to_its_declarations() {
    let text = "export function f(a: string): void;\nexport function f(a: number): void;\nexport function f(a: any) { }\nclass C {\n  m(a: string): void;\n  m(a: any) { }\n}\nclass D {\n  m(): void { }\n}\n";
    finds(
        Language::TypeScript,
        text,
        &[("f", "f[3]"), ("f[1]", "f[1]"), ("C/m", "C/m[2]"), ("m", "several: C/m[1] C/m[2] D/m of 3")],
    );
    let outline = outline(Language::TypeScript, text);
    let declared = |path: &str| -> Vec<String> {
        let symbol = outline.named(path).unwrap();
        outline.declarations_of(symbol).into_iter().map(|symbol| symbol.path.clone()).collect()
    };
    assert_eq!(declared("f"), ["f[1]", "f[2]"]);
    assert_eq!((declared("f[1]"), declared("D/m")), (Vec::new(), Vec::new()));
    let text = "from typing import overload\nimport typing as t\n@overload\ndef f(a: int) -> int: ...\n@t.overload  # another\ndef f(a: str) -> str: ...\ndef f(a): return a\ndef g(): pass\ndef g(): return 1\n";
    finds(Language::Python, text, &[("f", "f[3]"), ("g", "several: g[1] g[2] of 2")]);
    finds(
        Language::C,
        "int f(int a);\nint g(int a);\nint f(int a) { return a; }\n",
        &[("f", "f[2]"), ("g", "g")],
    );
    let text = "class A {\n  void f();\n  void g();\n};\nvoid A::f() {}\nvoid A::g() {}\nvoid h(int);\nvoid h(int a) {}\nvoid h(char a) {}\n";
    finds(Language::Cpp, text, &[("A/f", "A/f[2]"), ("h", "several: h[1] h[2] h[3] of 3")]);
}

#[test]
fn dots_and_colons_separate_names_if_no_symbol_has_the_name() {
    let text = "class C:\n    def a(self): pass\nclass D:\n    def a(self): pass\n    def b(self): pass\n";
    finds(
        Language::Python,
        text,
        &[
            ("C.a", "C/a"),
            ("C::a", "C/a"),
            ("D.b", "D/b"),
            ("C.b", "none: D/b C C/a D D/a"),
            (".a", "none: C/a D/a C D D/b"),
        ],
    );
    finds(Language::Css, ".a { }\n.b { }\n", &[(".a", ".a")]);
    finds(
        Language::Rust,
        "struct S;\nimpl S { fn new() {} }\n",
        &[("S::new", "impl S/new"), ("S.new", "impl S/new")],
    );
}

#[test]
fn the_nearest_five_names_are_proposed() {
    let text = "def alpha(): pass\ndef beta(): pass\ndef gamma(): pass\ndef delta(): pass\ndef read_all(): pass\ndef read(): pass\ndef raed(): pass\n";
    finds(
        Language::Python,
        text,
        &[("rread", "none: read raed beta alpha gamma"), ("gama", "none: gamma beta raed alpha delta")],
    );
}
