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
