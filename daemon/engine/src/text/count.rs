//! Counts a byte in a content. It knows no lines.

/// Bytes that are compared at once.
const LANES: usize = 32;

/// Returns the number of times that a byte occurs, such as the number of line breaks. Each lane counts by itself for as
/// long as its counter can hold the number, so that a processor compares many bytes in each step.
///
/// ```
/// assert_eq!(editd_engine::count_byte(b'\n', b"a\nb\n"), 2);
/// ```
pub fn count_byte(byte: u8, content: &[u8]) -> usize {
    let (groups, rest) = content.as_chunks::<LANES>();
    let mut total = 0;
    for part in groups.chunks(usize::from(u8::MAX)) {
        let mut lanes = [0_u8; LANES];
        for group in part {
            for (lane, found) in lanes.iter_mut().zip(group) {
                *lane = lane.wrapping_add(u8::from(*found == byte));
            }
        }
        total += lanes.iter().map(|lane| usize::from(*lane)).sum::<usize>();
    }
    total + rest.iter().filter(|found| **found == byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_counted_once() {
        for length in (0..100).chain([LANES * 255 - 1, LANES * 255, LANES * 255 + 1, LANES * 600 + 7]) {
            for every in [1, 2, 3, LANES, 1000] {
                let content: Vec<u8> =
                    (0..length).map(|at| if at % every == 0 { b'\n' } else { b'\r' }).collect();
                let naive = content.iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(count_byte(b'\n', &content), naive, "{length} {every}");
            }
        }
    }
}
