//! Tests of how a text is indented anew. They look at no file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::fitting::IndentRules;
use crate::locate::Unit;
use crate::text::Breaks;

fn fitted(given: &str, target: &str, unit: Unit) -> String {
    IndentRules { breaks: Breaks::Lf, target, unit: Some(unit), may: true, torn: true, quotes: None }
        .text(given)
        .unwrap()
}

const FOUR: Unit = Unit::Spaces(4);

#[test]
fn the_common_indentation_of_a_text_gives_way() {
    for (given, made) in [
        ("a {\n    b\n}", "    a {\n        b\n    }"),
        ("        a {\n            b\n        }", "    a {\n        b\n    }"),
        ("\n\n  a\n\n  b\n\n", "    a\n\n    b"),
        ("a\n  \nb", "    a\n  \n    b"),
        ("x", "    x"),
        ("", ""),
    ] {
        assert_eq!(fitted(given, "    ", FOUR), made, "{given:?}");
    }
}

#[test]
fn a_text_that_stands_rightly_stays() {
    for given in ["    a {\n        b\n    }", "    a(\"\nb\n\")", "    a\n  b", "    x = \"\"\"\nb\n\"\"\""]
    {
        assert_eq!(fitted(given, "    ", FOUR), given);
    }
}

#[test]
fn a_first_line_that_lost_its_indentation_gets_it_back() {
    for (given, made) in [
        // By the line that closes it, where the text stood or elsewhere.
        ("a {\n        b\n    }", "    a {\n        b\n    }"),
        ("a {\n            b\n        }", "    a {\n        b\n    }"),
        ("a {\n        \"\nb\"\n    }", "    a {\n        \"\nb\"\n    }"),
        // By a line that goes back to where no other is.
        ("if a:\n        b\n    c", "    if a:\n        b\n    c"),
        // Since nothing opens a block.
        ("a = 1\n    b = 2", "    a = 1\n    b = 2"),
        ("@a\n    def b():\n        c", "    @a\n    def b():\n        c"),
        // Since it would be one step deeper then.
        ("def a():\n        b", "    def a():\n        b"),
    ] {
        assert_eq!(fitted(given, "    ", FOUR), made, "{given:?}");
    }
}

#[test]
fn a_first_line_without_indentation_may_be_right() {
    for (given, made) in [
        ("def a():\n    b", "    def a():\n        b"),
        ("if a:  # why\n    b", "    if a:  # why\n        b"),
        ("def a(b,\n      c):\n    d", "    def a(b,\n          c):\n        d"),
        ("def a(\n        b):\n    c", "    def a(\n            b):\n        c"),
        ("a\n    .b()\n    .c()", "    a\n        .b()\n        .c()"),
        ("/**\n * A\n */\nb() {\n    c\n}", "    /**\n     * A\n     */\n    b() {\n        c\n    }"),
    ] {
        assert_eq!(fitted(given, "    ", FOUR), made, "{given:?}");
    }
    assert_eq!(fitted("- a: 1\n  b: 2", "  ", Unit::Spaces(2)), "  - a: 1\n    b: 2");
}

#[test]
fn a_bracket_closes_a_text_only_where_its_first_line_opens_it() {
    for (given, made) in [
        (
            "n = g(x)\nif n:\n    raise E(\n        n\n    )",
            "    n = g(x)\n    if n:\n        raise E(\n            n\n        )",
        ),
        (
            "if x:\n    return f(\n        1,\n    )",
            "    if x:\n        return f(\n            1,\n        )",
        ),
        (
            "def h(self):\n    return [\n        1,\n    ]",
            "    def h(self):\n        return [\n            1,\n        ]",
        ),
        ("a = {\n}\nif b:\n    c({\n    })", "    a = {\n    }\n    if b:\n        c({\n        })"),
        (
            "let b = a\n    .iter()\n    .map(|x| {\n        x\n    });",
            "    let b = a\n        .iter()\n        .map(|x| {\n            x\n        });",
        ),
        // It opens it, and the rest stood in a file.
        ("f(\n        1,\n    )", "    f(\n        1,\n    )"),
        ("f(\n        a,\n    ) {\n        b\n    }", "    f(\n        a,\n    ) {\n        b\n    }"),
        (
            "if a {\n        b\n    } else {\n        c\n    }",
            "    if a {\n        b\n    } else {\n        c\n    }",
        ),
        ("{\n        1) a\n    }", "    {\n        1) a\n    }"),
    ] {
        assert_eq!(fitted(given, "    ", FOUR), made, "{given:?}");
    }
}

#[test]
fn a_first_line_may_go_on_in_brackets() {
    for (given, made) in [
        // What comes behind them would open no block.
        ("m = f([1,\n           2])\n    n = m", "    m = f([1,\n           2])\n    n = m"),
        ("@a(1,\n       2)\n    def b():\n        c", "    @a(1,\n       2)\n    def b():\n        c"),
        ("def a(b,\n      c):\n    d", "    def a(b,\n          c):\n        d"),
    ] {
        assert_eq!(fitted(given, "    ", FOUR), made, "{given:?}");
    }
}

#[test]
fn steps_of_another_width_become_the_files() {
    for (given, target, unit, made) in [
        ("a {\n  b {\n    c\n  }\n}", "    ", FOUR, "    a {\n        b {\n            c\n        }\n    }"),
        ("a {\n\tb\n}", "    ", FOUR, "    a {\n        b\n    }"),
        ("a {\n    b {\n        c\n", "\t", Unit::Tab, "\ta {\n\t\tb {\n\t\t\tc"),
        ("a {\n    b\n}", "  ", Unit::Spaces(2), "  a {\n    b\n  }"),
        ("a {\n  b\n}", "", FOUR, "a {\n    b\n}"),
        // A step of the file's stands among them: the rest is a matter of taste.
        ("a {\n    b(\n      c)\n}", "", FOUR, "a {\n    b(\n      c)\n}"),
        // What is left of a step stays.
        ("/**\n * A\n */\na {\n  b\n}", "\t", Unit::Tab, "\t/**\n\t * A\n\t */\n\ta {\n\t\tb\n\t}"),
    ] {
        assert_eq!(fitted(given, target, unit), made, "{given:?}");
    }
}

#[test]
fn indentation_that_would_fill_the_memory_is_refused_before_it_is_made() {
    let deep = " ".repeat(4000);
    let fit =
        IndentRules { breaks: Breaks::Lf, target: &deep, unit: None, may: true, torn: true, quotes: None };
    assert!(fit.text(&"x\n".repeat(100_000)).is_err());
    assert!(fit.text("x\ny").is_ok());
}
