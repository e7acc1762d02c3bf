//! The pages about the installation: the README is short, and the page about it has every program.

use editd_tests::checkout::Checkout;

use super::links::{links, target};
use super::{none, one, tree};

/// Lines of the README.
const README: usize = 150;
const PAGE: &str = "client/docs/install.md";

fn length(tree: &Checkout) -> Vec<String> {
    let lines = tree.get("README.md").unwrap_or_default().lines().count();
    let long = lines > README;
    long.then(|| format!("README.md: {lines} lines; move details to a page (at most {README})"))
        .into_iter()
        .collect()
}

/// The folders of the programs that are installed.
fn installed(tree: &Checkout) -> Vec<&str> {
    let manifest = tree.get("Cargo.toml").unwrap_or_default();
    let list = manifest.lines().find_map(|line| line.strip_prefix("default-members = [")?.strip_suffix(']'));
    list.unwrap_or_default().split(", ").map(|name| name.trim_matches('"')).collect()
}

/// Complains about programs that the page does not have in its table, or not in the command that installs all.
fn unlisted(tree: &Checkout) -> Vec<String> {
    let page = tree.get(PAGE).unwrap_or_default();
    let folders = installed(tree);
    let command = format!("\nfor crate in {}; do cargo install ", folders.join(" "));
    let no_command =
        (!page.contains(&command)).then(|| format!("{PAGE}: lacks the line `{}…`", command.trim()));
    let row =
        |folder: &&&str| page.lines().any(|line| line.split(" | ").nth(1) == Some(&format!("`{folder}`")));
    let rows = folders.iter().filter(|folder| !row(folder));
    rows.map(|folder| format!("{PAGE}: the table lacks `{folder}`")).chain(no_command).collect()
}

/// The script that makes packages.
const BUILD: &str = "client/packaging/build";

/// Complains about links of the packed pages to files that are not packed.
fn unpacked(tree: &Checkout) -> Vec<String> {
    let script = tree.get(BUILD).unwrap_or_default();
    let list = script.split_once("\nPAGES=(").and_then(|(_, rest)| Some(rest.split_once(')')?.0));
    let list: Vec<&str> = list.unwrap_or_default().split_whitespace().collect();
    let is_packed = |name: &str| {
        list.iter()
            .any(|one| name.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let absent = list
        .iter()
        .filter(|one| !tree.all().any(|(name, _)| name == **one || name.starts_with(&format!("{one}/"))));
    let absent = absent.map(|one| format!("{BUILD}: {one} does not exist"));
    let pages = tree.all().filter(|(name, _)| name.ends_with(".md") && is_packed(name));
    let broken = pages.flat_map(|(page, text)| {
        let targets = links(text).into_iter().filter_map(|link| target(page, link.file));
        let lost = targets.filter(|named| !is_packed(named)).collect::<Vec<_>>();
        lost.into_iter()
            .map(move |named| format!("{page}: packages lack {named}; add it to PAGES in {BUILD}"))
    });
    absent.chain(broken).collect()
}

#[test]
fn the_packages_have_every_file_to_which_their_pages_link() {
    none(unpacked(&tree()));
    let sample = |pages: &str| {
        let script = format!("a\nPAGES=(\n    {pages}\n)\n");
        unpacked(&Checkout::sample(&[
            (BUILD, &script),
            ("a.md", "[b](d/b.md)\n"),
            ("d/b.md", "[a](../a.md)\n"),
        ]))
    };
    none(sample("a.md d"));
    one(&sample("a.md"), "a.md: packages lack d/b.md");
    one(&sample("a.md d e.md"), "e.md does not exist");
}

#[test]
fn the_readme_is_short() {
    none(length(&tree()));
    one(&length(&Checkout::sample(&[("README.md", &"a\n".repeat(151))])), "151 lines");
    none(length(&Checkout::sample(&[("README.md", &"a\n".repeat(150))])));
}

#[test]
fn the_page_has_every_program() {
    none(unlisted(&tree()));
    let sample = |page: &str| {
        unlisted(&Checkout::sample(&[("Cargo.toml", "default-members = [\"a\", \"b/c\"]"), (PAGE, page)]))
    };
    let page = "| `x` | `a` | p |\n| `y` | `b/c` | p |\n\nfor crate in a b/c; do cargo install x; done\n";
    none(sample(page));
    one(&sample(&page.replace("| `b/c` |", "| |")), "the table lacks `b/c`");
    one(&sample(&page.replace("in a b/c", "in a")), "for crate in a b/c; do");
}
