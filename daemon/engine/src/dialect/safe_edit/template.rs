//! Translates replacement templates of Python to those of `substitute`. It does not know the groups of the pattern.

/// Returns a template in native form: constructs that only Python knows are written out, and those that Python refuses
/// are left unchanged, so that they are refused.
pub(super) fn translate(given: &str) -> String {
    let mut out = String::with_capacity(given.len());
    let mut rest = given.chars();
    while let Some(letter) = rest.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let digits = octal(rest.as_str());
        if let Some((value, used)) = digits {
            push(&mut out, value);
            rest.by_ref().take(used).for_each(drop);
            continue;
        }
        match rest.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('r') => out.push('\r'),
            Some('v') => out.push('\u{b}'),
            Some(known) if known.is_ascii_alphanumeric() || known == '\\' => out.extend(['\\', known]),
            // Python keeps a backslash before any other character.
            Some(other) => out.extend(['\\', '\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

fn push(out: &mut String, letter: char) {
    if letter == '\\' {
        out.push('\\');
    }
    out.push(letter);
}

/// Returns the letter of an octal escape and the number of its digits: up to three after a leading 0, otherwise
/// exactly three.
pub(super) fn octal(after: &str) -> Option<(char, usize)> {
    let digits: String = after.chars().take(3).take_while(|digit| ('0'..='7').contains(digit)).collect();
    if !digits.starts_with('0') && digits.len() < 3 {
        return None;
    }
    let value = u8::from_str_radix(&digits, 8).ok()?;
    Some((char::from(value), digits.len()))
}
