//! The text that the files of many scenarios hold: numbered lines, so that each line is unique.

/// Returns text of at least `size` bytes in which no two lines are equal: `start of NAME`, `line 0 of NAME` and so on,
/// and `the end`.
#[must_use]
pub fn numbered_lines(name: &str, size: usize) -> Vec<u8> {
    let mut text = format!("start of {name}\n");
    let mut line = 0;
    while text.len() < size {
        text.push_str(&format!("line {line} of {name}\n"));
        line += 1;
    }
    text.push_str("the end\n");
    text.into_bytes()
}

/// The bytes of hexadecimal digits; `None` where there are others.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    whole.then(|| pairs.filter_map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect())
}
