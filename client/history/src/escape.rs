//! Escapes texts for a page. Every text that comes from a file, a name or a label passes through here.

use editctl::show::letters;

/// Returns a text for a page: `&`, `<`, `>` and quotes are escaped for HTML; control characters, and those that change
/// the order of the displayed text, are shown as an escape.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in letters::one_line(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not permitted in a page, although it is no control character.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::html;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(html("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
        assert_eq!(html("a\tb\r\n\u{1b}[31m\u{202e}"), "a\tb\\r\\n\\u{1b}[31m\\u{202e}");
    }

    proptest! {
        #[test]
        fn no_text_opens_a_tag(text in any::<String>()) {
            let shown = html(&text);
            assert!(!shown.contains(['<', '>', '"', '\'']));
            assert!(shown.chars().all(|letter| letter == '\t' || !letter.is_control()));
        }
    }
}
