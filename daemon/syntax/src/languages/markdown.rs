//! Markdown: every heading with what stands below it, up to the next of the same or a higher level.

use crate::Kind;
use crate::grammar::{Grammar, Name, Rule, Seen, no_body};
use crate::walk::Draft;

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_md::LANGUAGE.into(),
    rules: &[
        Rule { node: "atx_heading", kind: Kind::Section, name: heading, body: no_body },
        Rule { node: "setext_heading", kind: Kind::Section, name: heading, body: no_body },
    ],
    wrappers: &[],
    comments: &[],
    attributes: &[],
    aloof: &[],
    strings: &[],
    closed: &[
        "paragraph",
        "fenced_code_block",
        "indented_code_block",
        "html_block",
        "list",
        "block_quote",
        "pipe_table",
    ],
};

fn heading(seen: Seen<'_, '_>) -> Option<Name> {
    let content = seen.field("heading_content")?;
    let raw = seen.read(content);
    let bare = raw.trim();
    // A row of `#` behind an ATX heading is no part of it.
    let open = bare.trim_end_matches('#');
    let bare = if open.ends_with([' ', '\t']) { open.trim_end() } else { bare };
    let name = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = content.start_byte() + (raw.len() - raw.trim_start().len());
    Name::plain(name, start..start + bare.len())
}

/// Makes of each heading its section. The grammar has sections too, but not for headings that are underlined.
pub(crate) fn spread(text: &str, headings: &mut [Draft]) {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for at in 0..headings.len() {
        let Some(heading) = headings.get(at) else { return };
        let start = heading.inner.start;
        let level = level(text.get(heading.inner.clone()).unwrap_or_default());
        while let Some((_, above)) = open.last().copied().filter(|(own, _)| *own >= level) {
            close(text, headings.get_mut(above), start);
            open.pop();
        }
        open.push((level, at));
    }
    for (_, at) in open {
        close(text, headings.get_mut(at), text.len());
    }
}

fn close(text: &str, heading: Option<&mut Draft>, end: usize) {
    let Some(heading) = heading else { return };
    let below = heading.inner.end..end;
    heading.body = text.get(below.clone()).is_some_and(|said| !said.trim().is_empty()).then_some(below);
    heading.inner.end = end;
    heading.outer = heading.inner.clone();
}

fn level(heading: &str) -> usize {
    let heading = heading.trim();
    match heading.len() - heading.trim_start_matches('#').len() {
        0 => heading.lines().last().map_or(1, |line| if line.contains('=') { 1 } else { 2 }),
        marks => marks,
    }
}
