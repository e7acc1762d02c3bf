//! Tests of the mapping: the specification's two variants and what fails each. They search no file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn mapped(pairs: &[(&str, &str)], new: &str) -> Option<String> {
    IndentMapping::between(pairs).unwrap().line(new)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_prefix_gives_way_to_the_files() {
    let deeper = [("a", "    a"), ("  b", "      b")];
    assert_eq!(mapped(&deeper, "  c"), some("      c"));
    assert_eq!(mapped(&deeper, ""), some(""));
    assert_eq!(mapped(&deeper, "  "), some("  "), "blank lines stay as they are");
    let flatter = [("    a", "a"), ("      b", "  b")];
    assert_eq!(mapped(&flatter, "        c"), some("    c"));
    assert_eq!(mapped(&flatter, "  c"), None, "less indentation than what gives way");
}

#[test]
fn the_shortest_prefix_gives_way() {
    // Only one space is too many: a new line with one space can still be mapped.
    assert_eq!(mapped(&[("     a", "    a")], " b"), some("b"));
    assert_eq!(mapped(&[("\t  a", "\t\t  a")], "\tb"), some("\t\tb"));
    assert_eq!(mapped(&[("  \ta", "\ta")], "\tb"), None, "two spaces give way");
}

#[test]
fn a_unit_is_converted_with_one_difference() {
    let to_four = [("  def", "    def"), ("    return", "        return")];
    assert_eq!(mapped(&to_four, "  def"), some("    def"));
    assert_eq!(mapped(&to_four, "    doc"), some("        doc"));
    assert_eq!(mapped(&to_four, "   odd"), None);
    let to_tabs = [("a", "\ta"), ("    b", "\t\tb")];
    assert_eq!(mapped(&to_tabs, "        c"), some("\t\t\tc"));
    assert_eq!(mapped(&to_tabs, "\tc"), some("\tc"), "already in the file's unit");
    assert_eq!(mapped(&to_tabs, "  c"), None);
    let from_tabs = [("\ta", "a"), ("\t\t\tb", "      b")];
    assert_eq!(mapped(&from_tabs, "\t\tc"), some("   c"));
    assert_eq!(mapped(&from_tabs, "c"), None, "one step less than none");
    assert_eq!(mapped(&from_tabs, "   c"), some("   c"));
}

#[test]
fn one_depth_alone_changes_no_unit() {
    let tab = [("    a", "\ta"), ("    b", "\tb")];
    assert_eq!(mapped(&tab, "    c"), some("\tc"));
    assert_eq!(mapped(&tab, "        c"), None, "would mix tabs and spaces");
}

#[test]
fn lines_that_no_single_mapping_explains_have_none() {
    for pairs in [
        &[("a", "  a"), ("b", "    b")][..],
        &[("  a", "    a"), ("    b", "     b")],
        // No file has steps of five spaces.
        &[(" a", "     a"), ("  b", "          b")],
        &[("  a", "\ta"), ("    b", "    b")],
        &[(" \ta", "    a"), ("  \tb", "        b")],
        &[],
        &[("", ""), ("  ", "")],
    ] {
        assert_eq!(IndentMapping::between(pairs), None, "{pairs:?}");
    }
}

#[test]
fn tabs_mix_with_spaces_only_where_the_file_does() {
    assert_eq!(mapped(&[("a", "\ta")], "    b"), None);
    assert_eq!(mapped(&[("a", "\ta"), ("  b", "\t  b")], "    c"), some("\t    c"));
    assert_eq!(mapped(&[("  a", "a"), ("    b", "  b")], "  \tc"), None, "a tab among lines with spaces");
    assert_eq!(mapped(&[("  a", "a")], "  \tc"), some("\tc"), "the window has no indentation to mix with");
}

#[test]
fn an_absurd_indentation_is_not_made() {
    let wide = [(" a", "        a"), ("  b", "                b")];
    assert_eq!(mapped(&wide, &format!("{}c", " ".repeat(crate::limits::INDENT))), None);
}
