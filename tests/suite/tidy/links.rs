//! The pages of the tree: every relative link leads to a file that exists and to a heading that it has, and every page is
//! reached from the README.

use std::collections::BTreeSet;

use editd_tests::checkout::Checkout;

use super::{none, one, tree};

/// A link of a page: the line, the file that it names (the page itself if empty) and the heading.
pub(super) struct PageLink<'p> {
    line: usize,
    pub(super) file: &'p str,
    heading: &'p str,
}

/// The pages of the tree. Those of cases are data.
fn pages(tree: &Checkout) -> impl Iterator<Item = (&str, &str)> {
    tree.all().filter(|(name, _)| {
        let extension = name.rsplit('.').next();
        extension.is_some_and(|end| end.eq_ignore_ascii_case("md"))
            && !["/cases/", "/tests/", "/fixtures/"].iter().any(|folder| name.contains(folder))
    })
}

/// The relative links of a page; code is skipped.
pub(super) fn links(text: &str) -> Vec<PageLink<'_>> {
    let mut found = Vec::new();
    for (at, line) in prose(text) {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            rest = after;
            if !target.contains("://") && !target.starts_with("mailto:") {
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                found.push(PageLink { line: at + 1, file, heading });
            }
        }
    }
    found
}

/// The lines of a page outside of code blocks, with their indices.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !fence && !in_code
    })
}

/// The anchors of a page's headings, as forges derive them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    let mut anchors = BTreeSet::new();
    for (_, heading) in headings {
        let heading = heading.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let mut unique = anchor.clone();
        let mut count = 0;
        while !anchors.insert(unique.clone()) {
            count += 1;
            unique = format!("{anchor}-{count}");
        }
    }
    anchors
}

/// The path that a link of a page names; `None` if it leads out of the tree.
pub(super) fn target(page: &str, file: &str) -> Option<String> {
    if file.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn broken(tree: &Checkout) -> Vec<String> {
    let mut found = Vec::new();
    for (page, text) in pages(tree) {
        for link in links(text) {
            let place = format!("{page}:{}", link.line);
            let Some(named) = target(page, link.file).filter(|named| tree.get(named).is_some()) else {
                found.push(format!("{place}: {} does not exist", link.file));
                continue;
            };
            let text = tree.get(&named).unwrap_or_default();
            if !link.heading.is_empty() && !anchors(text).contains(link.heading) {
                found.push(format!("{place}: {named} has no heading #{}", link.heading));
            }
        }
    }
    found
}

fn unreached(tree: &Checkout) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec!["README.md".to_owned()];
    while let Some(page) = next.pop() {
        let Some(text) = tree.get(&page).filter(|_| reached.insert(page.clone())) else { continue };
        next.extend(links(text).iter().filter_map(|link| target(&page, link.file)));
    }
    pages(tree)
        .map(|(name, _)| name)
        .filter(|name| name.contains("/docs/") && !reached.contains(*name))
        .map(|name| format!("{name}: no link leads from the README to this page"))
        .collect()
}

/// Complains about reference pages whose first sentence does not say what they cover.
fn untold(tree: &Checkout) -> Vec<String> {
    pages(tree)
        .filter(|(name, _)| name.contains("/docs/"))
        .filter(|(_, text)| !text.lines().nth(2).is_some_and(|line| line.starts_with("This page ")))
        .map(|(name, _)| format!("{name}: its third line does not begin with \"This page\""))
        .collect()
}

#[test]
fn every_page_begins_with_what_it_covers() {
    none(untold(&tree()));
    let sample = |text: &str| untold(&Checkout::sample(&[("a/docs/b.md", text), ("c.md", "")]));
    none(sample("# B\n\nThis page describes b.\n"));
    one(&sample("# B\n\nB is a letter.\n"), "a/docs/b.md: its third line");
}

#[test]
fn every_link_leads_somewhere() {
    none(broken(&tree()));
    let to = |link: &str| {
        let page = format!("# A\n\n[x]({link})\n\n```\n[y](nowhere.md)\n```\n\n## Two `b`: words\n");
        broken(&Checkout::sample(&[("docs/a.md", &page), ("b.md", "# B\n"), ("docs/c.svg", "")]))
    };
    for good in ["../b.md", "../b.md#b", "#two-b-words", "c.svg", "a.md#a", "https://example.org/x"] {
        none(to(good));
    }
    one(&to("b.md"), "docs/a.md:3: b.md does not exist");
    one(&to("../../b.md"), "does not exist");
    one(&to("../b.md#c"), "b.md has no heading #c");
}

#[test]
fn every_page_is_reached_from_the_readme() {
    none(unreached(&tree()));
    let sample = [("README.md", "[a](a/docs/a.md)"), ("a/docs/a.md", "[b](b.md)"), ("a/docs/b.md", "")];
    none(unreached(&Checkout::sample(&sample)));
    let more = [sample.as_slice(), &[("a/docs/c.md", "")]].concat();
    one(&unreached(&Checkout::sample(&more)), "a/docs/c.md");
}
