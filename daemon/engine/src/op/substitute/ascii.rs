//! The flag `a`: `\w`, `\d`, `\s` and `\b` spelt out as ASCII, since the engines' own switch would also take away what
//! a dot and `[^…]` may match. It reads a pattern and checks nothing.

/// The patterns of an ASCII word boundary and of its opposite, for the linear engine.
pub(super) const LINEAR: [&str; 2] = [r"(?-u:\b)", r"(?-u:\B)"];

/// The same for the backtracking engine, which only knows words of any letters.
pub(super) const BACKTRACKING: [&str; 2] = [
    r"(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))",
    r"(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))",
];

/// Returns the pattern with its classes and word boundaries written out.
pub(super) fn spell(pattern: &str, [edge, inside]: [&str; 2]) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    let mut depth = 0usize;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some(class @ ('w' | 'W' | 'd' | 'D' | 's' | 'S')) if depth > 0 => out.push_str(spelt(class)),
            // If case were ignored, the class would also match letters that only fold to ASCII.
            Some(class @ ('w' | 'W' | 'd' | 'D' | 's' | 'S')) => {
                out.extend(["(?-i:", spelt(class), ")"]);
            }
            // `\b{start}` has a meaning of its own.
            Some('b') if depth == 0 && !letters.as_str().starts_with('{') => out.push_str(edge),
            Some('B') if depth == 0 => out.push_str(inside),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

fn spelt(class: char) -> &'static str {
    match class {
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t-\r\x20]",
        _ => r"[^\t-\r\x20]",
    }
}
