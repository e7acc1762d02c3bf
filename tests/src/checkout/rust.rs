//! Rust text with its comments, literals and test modules replaced by blanks. Every line stays where it is.

/// Returns Rust text in which comments, literals and `#[cfg(test)]` items are blanks.
pub fn shipped(text: &str) -> String {
    let mut code = code(text);
    while let Some(at) = code.find("#[cfg(test)]") {
        let rest = &code[at..];
        let brace = rest.find('{').unwrap_or(rest.len());
        let semicolon = rest.find(';').unwrap_or(rest.len());
        let len = if semicolon < brace { semicolon + 1 } else { brace + body_len(&rest[brace..]) };
        let blank: String = rest[..len].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        code.replace_range(at..at + len, &blank);
    }
    code
}

/// Returns the number of calls of a function in Rust text, outside of tests. The function is written as the calls write it:
/// `parse` is neither `op::parse` nor the method `.parse`.
pub fn calls(text: &str, function: &str) -> usize {
    let code = shipped(text);
    let call = format!("{function}(");
    let is_other = |before: &str| {
        before.ends_with(|c: char| c.is_alphanumeric() || "_.:".contains(c)) || before.ends_with("fn ")
    };
    code.match_indices(&call).filter(|(at, _)| !is_other(&code[..*at])).count()
}

/// Returns the length of the block whose brace is the first character of `text`.
pub fn body_len(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Returns Rust text in which comments and literals are blanks.
pub fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment_len(rest),
            '"' => string_len(rest),
            'r' | 'b' | 'c' if !after_word => prefixed_len(rest),
            '\'' => char_len(rest),
            _ => 0,
        };
        let taken = if len == 0 { c.len_utf8() } else { len };
        let (piece, left) = rest.split_at(taken);
        if len == 0 {
            out.push(c);
        } else {
            out.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
        after_word = len == 0 && (c.is_alphanumeric() || c == '_');
        rest = left;
    }
    out
}

fn block_comment_len(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or("");
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a literal with a prefix (`r"…"`, `b"…"`, `br#"…"#`, `b'…'`), or 0.
fn prefixed_len(text: &str) -> usize {
    let prefix = text.chars().take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let (word, rest) = text.split_at(prefix);
    if word.len() > 2 {
        return 0;
    }
    if word.ends_with('r') {
        let hashes = rest.chars().take_while(|c| *c == '#').count();
        if !rest[hashes..].starts_with('"') {
            return 0;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let body = &rest[hashes + 1..];
        return body.find(&end).map_or(text.len(), |at| prefix + hashes + 1 + at + end.len());
    }
    match rest.chars().next() {
        Some('"') => prefix + string_len(rest),
        Some('\'') if word == "b" => prefix + char_len(rest),
        _ => 0,
    }
}

/// Returns the length of a character literal, or 0 if the quote begins a lifetime.
fn char_len(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => chars.skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

#[test]
fn literals_and_comments_are_blanked_and_lines_stay() {
    let text = "a(\"x // \\\" y\"); // fs::read\nlet c = '\\''; let l: &'static str = r#\"fs::\n\"read\"#;\nb'x' /* a /* b */\nc */ d";
    let code = code(text);
    assert_eq!(code.len(), text.len());
    assert_eq!(code.matches('\n').count(), text.matches('\n').count());
    assert_eq!(
        code.split_whitespace().collect::<Vec<_>>(),
        ["a(", ");", "let", "c", "=", ";", "let", "l:", "&'static", "str", "=", ";", "d"]
    );
}

#[test]
fn test_items_are_not_shipped() {
    let text =
        "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { if x { y } } }\n#[cfg(test)]\nmod more;\nfn c() {}\n";
    assert_eq!(shipped(text).split_whitespace().collect::<String>(), "fna(){}fnc(){}");
}

#[test]
fn calls_are_told_from_other_names_and_declarations() {
    let text = "fn parse(a: u8) {}\n// parse(1)\nfn a() { parse(1); op::parse(2); b.parse(3); reparse(4); if parse(5) {} }\n\
                #[cfg(test)]\nmod tests {\n    fn c() { parse(6); }\n}\n";
    assert_eq!((calls(text, "parse"), calls(text, "op::parse"), calls(text, "Job::parse")), (2, 1, 0));
}
