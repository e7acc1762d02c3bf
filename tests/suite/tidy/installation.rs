//! The pages about the installation: the README is short, and the page about it has every program.

use editd_tests::checkout::Checkout;

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
