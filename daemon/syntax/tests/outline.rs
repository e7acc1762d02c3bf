//! Outlines of small texts, one for each rule that is easy to get wrong.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_syntax::{Budget, Language, Outline};

fn outline(language: Language, text: &str) -> Outline {
    editd_syntax::outline(language, text, &Budget::default()).unwrap()
}

fn paths(outline: &Outline) -> Vec<&str> {
    outline.symbols.iter().map(|symbol| symbol.path.as_str()).collect()
}

#[test]
fn two_implementations_of_one_type_are_numbered_and_their_type_leads_through_them() {
    let text = "struct A;\n\n/// One.\n#[x]\nimpl A {\n    // c\n    fn a(&self) {}\n}\nimpl A {\n    fn b() {}\n}\n";
    let outline = outline(Language::Rust, text);
    assert_eq!(paths(&outline), ["A", "impl A[1]", "impl A[1]/a", "impl A[2]", "impl A[2]/b"]);
    assert_eq!(outline.named("A/b").unwrap().path, "impl A[2]/b");
    let symbol = outline.named("A/a").unwrap();
    assert_eq!(&text[symbol.extent.clone()], "// c\n    fn a(&self) {}");
    assert_eq!(&text[symbol.body.clone().unwrap()], "{}");
    assert_eq!(&text[outline.symbols[1].extent.clone()].lines().next().unwrap(), &"/// One.");
}
