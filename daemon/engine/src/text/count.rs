//! Counts a byte in a content. It knows no lines.

/// Returns the number of times that a byte occurs, such as the number of line breaks.
pub(crate) fn count_byte(byte: u8, content: &[u8]) -> usize {
    memchr::memchr_iter(byte, content).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_counted_once() {
        for length in (0..100).chain([8159, 8160, 8161, 19_207]) {
            for every in [1, 2, 3, 32, 1000] {
                let content: Vec<u8> =
                    (0..length).map(|at| if at % every == 0 { b'\n' } else { b'\r' }).collect();
                let naive = content.iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(count_byte(b'\n', &content), naive, "{length} {every}");
            }
        }
    }
}
