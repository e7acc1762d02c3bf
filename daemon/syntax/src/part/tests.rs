//! Tests which parts decide about an edit, and what is known of a text after it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::trees::KnownText;

/// Returns true if the part around an edit, in which `from` becomes `to`, decides that a long text is correct.
fn accepts(language: Language, lines: &str, from: &str, to: &str) -> bool {
    let filler = match language {
        Language::Rust => "fn g() {}\n",
        Language::C => "int g;\n",
        Language::Go => "func g() {\n}\n",
        _ => "g();\n",
    };
    let around = filler.repeat(40 * lines.len());
    let (old, new) =
        (format!("{around}{lines}{around}"), format!("{around}{}{around}", lines.replace(from, to)));
    let (trees, budget) = (TreeCache::new(usize::MAX), ParseBudget::default());
    let text = |text| KnownText { text, key: Some(TextKey::of(language, text)) };
    let kept = trees.tree(language, text(&old), None, &budget).unwrap();
    assert!(!kept.tree.root_node().has_error(), "{lines}");
    trees.faultless(kept.key);
    let (former, new) = (FormerText { text: text(&old), edits: None }, text(&new));
    let accepts = trees.is_correct_around(language, (new.text, new.key), former, &budget, |_, _| true);
    assert!(!accepts || !parse(language, new.text, &budget).unwrap().root_node().has_error(), "{lines} {to}");
    accepts
}

#[test]
fn a_part_decides_only_if_the_items_beside_it_stay() {
    let rust = |from, to| accepts(Language::Rust, "// a\nfn f() {\n  x();\n}\n/* b */ fn h() {}\n", from, to);
    assert!(rust("x();", "y(z);"));
    assert!(rust("fn h", "pub fn h"));
    assert!(rust("fn h() {}", ""));
    assert!(rust("/* b */ fn h() {}\n", "fn h() {}\nfn i() {}\n"));
    assert!(!rust("x();", "x(;"));
    assert!(!rust("fn f", "#!/bin/x\nfn f"));
    assert!(!rust("x();", "x() /* "));
    assert!(!rust("/* b", "/* b */ ]"));
    assert!(!rust("x();", "x!(r#\"a);\n  y(\"b\");"));
    assert!(!rust("x();", "x!(a /* /* */);"));
    let script = |lines, from, to| accepts(Language::JavaScript, lines, from, to);
    assert!(script("let a = b;\n// c\nd();\n", "a", "e"));
    assert!(!script("let a = b;\n// c\n[...d].f();\n", "b;", "b"));
    assert!(!script("// abc\n[...d].f();\n", "// abc", "abc"));
    assert!(!script("import a from 'a'\n// c\nfoo();\n", "foo();", "(async () => {})();"));
    assert!(!script("import a from 'b'\n++c;\n", "++c", "+c"));
    let python = |lines, from, to| accepts(Language::Python, lines, from, to);
    assert!(python("x = 1; i\ny = 2\n", "i", "j"));
    assert!(!python("x = 1; i\ny = 2\n", "i", "if a: pass"));
    assert!(!python("# abc \\\nx = 1\n", "# abc", "abc"));
    assert!(python("x = {1: 2}\ny = 2\n", "2\n", "3\n"));
    assert!(!python("x = {1, 2}\ny = 2\n", "2\n", "3\n"), "a set without its items is none");
    let go = |lines, from, to| accepts(Language::Go, lines, from, to);
    assert!(go("func q() {\n\ta()\n}\nvar b = 1\n", "a()", "b()"));
    assert!(!go("func q() {\n\ta()\n}\nvar b = 1\n", "func q() {\n", ""));
    assert!(!go("var a = 1\nvar b = 1\n", "var b", "}}}\nvar b"));
    assert!(script("f(() => { a })\nb()\nwhile (c) { d }\n", "b()", "e()"));
    assert!(!script("f(() => { a })\nb\n{ d }\n", "b", "b ="));
    assert!(!script("x = { a }\nb()\n", "\nb()", "[b]; ("));
    assert!(accepts(Language::C, "int a() { b(); }\nint c;\nint d() { e(); }\n", "int c", "long c"));
    assert!(!accepts(Language::C, "int a() { b(); }\nint c;\nint d() { e(); }\n", "int c;", "struct c"));
    assert!(!accepts(Language::C, "int a;\nint c() { return 1; }\n", "int a", "case 1: int a"));
}

#[test]
fn a_text_that_no_parser_may_read_is_not_decided_by_a_part() {
    let deep = |widths: Range<usize>| widths.map(|n| format!("{}0,\n", " ".repeat(n))).collect::<String>();
    let filler = format!("g('{}')\n", "h".repeat(1000));
    let old = format!("w = [\n{}]\nv = 1\nx = [\n]\n{}", deep(0..290), filler.repeat(500));
    let (trees, budget) = (TreeCache::new(usize::MAX), ParseBudget::default());
    let key = |text: &str| Some(TextKey::of(Language::Python, text));
    let former = || KnownText { text: &old, key: key(&old) };
    let kept = trees.tree(Language::Python, former(), None, &budget).unwrap();
    trees.faultless(kept.key);
    let accepts = |widths| {
        let new = old.replace("x = [\n", &format!("x = [\n{}", deep(widths)));
        let former = FormerText { text: former(), edits: None };
        trees.is_correct_around(Language::Python, (&new, key(&new)), former, &budget, |_, _| true)
    };
    assert!(accepts(280..290));
    assert!(!accepts(290..310));
}

#[test]
fn further_edits_of_an_item_are_decided_by_a_part_of_the_same_size() {
    let filler = "fn g() {}\n".repeat(1000);
    let mut text = format!("{filler}fn b() {{ x }}\n{filler}");
    let mut tree = parse(Language::Rust, &text, &ParseBudget::default()).unwrap();
    for (from, to) in [("x", "y"), ("y", "z(u)"), ("u", "v"), ("fn b() { z(v) }", "")] {
        let new = text.replacen(from, to, 1);
        let edits = delta::edits(&text, &new, None);
        for edit in delta::tree_edits(&text, &new, &edits) {
            tree.edit(&edit);
        }
        let [changed] = &delta::made(&edits)[..] else { unreachable!() };
        let part = TextPart::around(&new, &tree, changed).unwrap();
        let item = "fn b() { x }".replace('x', to);
        let item = if to.is_empty() { "" } else { &item.replace('v', "z(v)") };
        assert_eq!(part.content(&new), format!("fn g() {{}}\n{item}\nfn g() {{}}"));
        part.mark(&mut tree);
        text = new;
    }
}

#[test]
fn an_item_between_two_edits_is_marked() {
    let filler = "fn g() {}\n".repeat(1000);
    let old = format!("{filler}fn a() {{ x }}\nfn m() {{}}\nfn b() {{ y }}\n{filler}");
    let new = old.replace('x', "u").replace('y', "v");
    let at = |name: &str| old.find(name).unwrap();
    let edits = [at("x"), at("y")].map(|at| crate::TextEdit { at, old: 1, new: 1 });
    let mut tree = parse(Language::Rust, &old, &ParseBudget::default()).unwrap();
    for edit in delta::tree_edits(&old, &new, &edits) {
        tree.edit(&edit);
    }
    let unmarked = |tree: &Tree| {
        let root = tree.root_node();
        let items: Vec<usize> =
            root.children(&mut root.walk()).filter_map(|node| Some(Item::of(&node)?.range.start)).collect();
        items.into_iter().filter(|start| (at("fn a")..at("fn b") + 1).contains(start)).collect::<Vec<_>>()
    };
    assert_eq!(unmarked(&tree), [at("fn m")]);
    let part = TextPart::around(&new, &tree, &(at("x")..at("y") + 1)).unwrap();
    part.mark(&mut tree);
    assert!(unmarked(&tree).is_empty());
}

#[test]
fn items_beside_an_edit_are_parsed_without_their_bodies() {
    let body = "  a(b, c);\n".repeat(100);
    let long = format!("impl S {{\n  fn f() {{\n{body}}}\n}}\n");
    let text = format!("{long}fn x() {{}}\nfn m() {{\n{body}}}\n{}", "fn g() {}\n".repeat(1000));
    let tree = parse(Language::Rust, &text, &ParseBudget::default()).unwrap();
    let part = |changed: &str| {
        let start = text.find(changed).unwrap();
        let part = TextPart::around(&text, &tree, &(start..start + changed.len()))?;
        let content = part.content(&text);
        let tree = parse(Language::Rust, &content, &ParseBudget::default()).unwrap();
        assert_eq!((content.len(), part.has_its_items(&tree)), (part.length(), true));
        Some(content)
    };
    assert_eq!(part("x()").as_deref(), Some("impl S {}\nfn x() {}\nfn m() {}"));
    assert_eq!(part("c);\n}\n}\nfn"), None, "the long item itself is edited");
}

#[test]
fn the_former_tree_is_kept_while_the_part_is_correct() {
    let budget = ParseBudget::default();
    let texts: Vec<String> = ["a();", "b(c);", "b(c; d);", "b(d);"]
        .map(|call| format!("{0}fn f() {{ {call} }}\n{0}", "fn g() { h(i, j); }\n".repeat(200)))
        .into();
    let trees = TreeCache::new(usize::MAX);
    let key = |text: &str| Some(TextKey::of(Language::Rust, text));
    let decided = |old: &str, new: &str| {
        let former = FormerText { text: KnownText { text: old, key: key(old) }, edits: None };
        trees.is_correct_around(Language::Rust, (new, key(new)), former, &budget, |_, _| true)
    };
    let [a, b, broken, d] = texts.as_slice() else { unreachable!() };
    assert!(!decided(a, b), "no tree is kept");
    trees.tree(Language::Rust, KnownText::new(a), None, &budget).unwrap();
    assert!(!decided(a, b), "it may have faults");
    trees.faultless(key(a));
    assert!(decided(a, b) && decided(b, d) && decided(d, d));
    assert!(!decided(d, broken));
    let made = trees.tree(Language::Rust, KnownText::new(d), None, &budget).unwrap();
    let whole = parse(Language::Rust, d, &budget).unwrap();
    assert_eq!(made.tree.root_node().to_sexp(), whole.root_node().to_sexp());
    assert!(made.faultless && !made.tree.root_node().has_changes());
}
