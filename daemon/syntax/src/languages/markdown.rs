//! Markdown: each heading with the text below it, up to the next heading of the same or a higher level.

use crate::SymbolKind;
use crate::grammar::{Grammar, NodeContext, SymbolName, no_body, rule};
use crate::walk::SymbolDraft;

pub(crate) const GRAMMAR: Grammar = Grammar {
    rules: &[
        rule("atx_heading", SymbolKind::Section, heading, no_body),
        rule("setext_heading", SymbolKind::Section, heading, no_body),
    ],
    comments: &[],
    closed: &[
        "paragraph",
        "fenced_code_block",
        "indented_code_block",
        "html_block",
        "list",
        "block_quote",
        "pipe_table",
    ],
    ..Grammar::of(|| tree_sitter_md::LANGUAGE.into())
};

fn heading(context: NodeContext<'_, '_>) -> Option<SymbolName> {
    let content = context.field("heading_content")?;
    let raw = context.read(content);
    let bare = raw.trim();
    // A row of `#` behind an ATX heading is not part of it.
    let open = bare.trim_end_matches('#');
    let bare = if open.ends_with([' ', '\t']) { open.trim_end() } else { bare };
    let name = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = content.start_byte() + (raw.len() - raw.trim_start().len());
    SymbolName::plain(name, start..start + bare.len())
}

/// Extends each heading to its section. The grammar has sections too, but not for underlined headings.
pub(crate) fn spread(text: &str, headings: &mut [SymbolDraft]) {
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

fn close(text: &str, heading: Option<&mut SymbolDraft>, end: usize) {
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
