//! Parses durations (`10s`, `30m`, `14d`) and sizes (`64MiB`). It guesses nothing: a number without a unit is refused
//! if a unit is needed.

use std::time::Duration;

/// The error for a text that is not a duration or size.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Debug)]
#[error("{given:?} is not {wanted}")]
pub struct UnitError {
    given: String,
    wanted: &'static str,
}

const A_DURATION: &str = "a duration: write a whole number and ms, s, m, h, d or w, such as \"30m\"";
const A_SIZE: &str =
    "a size: write a whole number and B, KB, MB, GB, TB, KiB, MiB, GiB or TiB, such as \"64MiB\"";

/// Parses a duration: a whole number and `ms`, `s`, `m`, `h`, `d` or `w`.
///
/// # Errors
/// Anything else, and what exceeds 64 bits of milliseconds.
pub fn duration(text: &str) -> Result<Duration, UnitError> {
    let (number, unit) = split(text);
    let scale = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        "d" => 24 * 60 * 60 * 1000,
        "w" => 7 * 24 * 60 * 60 * 1000,
        _ => 0,
    };
    scaled(number, scale)
        .map(Duration::from_millis)
        .ok_or_else(|| UnitError { given: text.to_owned(), wanted: A_DURATION })
}

/// Parses a size in bytes: a whole number and a unit; `KB` is 1000 bytes, `KiB` is 1024.
///
/// # Errors
/// Anything else, and what exceeds 64 bits.
pub fn size(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split(text);
    let scale = match unit {
        "B" => 1,
        "KB" => 1000,
        "MB" => 1000 * 1000,
        "GB" => 1000 * 1000 * 1000,
        "TB" => 1000 * 1000 * 1000 * 1000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => 0,
    };
    scaled(number, scale).ok_or_else(|| UnitError { given: text.to_owned(), wanted: A_SIZE })
}

/// Returns the text of a duration in milliseconds, in the largest unit that divides it.
pub fn duration_text(ms: u64) -> String {
    in_unit(ms, &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")])
}

/// Returns the text of a size in bytes, in the largest unit that divides it.
pub fn size_text(bytes: u64) -> String {
    in_unit(bytes, &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")])
}

fn in_unit(number: u64, units: &[(u64, &str)]) -> String {
    let unit = units.iter().find(|(scale, _)| number.is_multiple_of(*scale));
    unit.map_or_else(|| number.to_string(), |(scale, unit)| format!("{}{unit}", number / scale))
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

fn scaled(number: &str, scale: u64) -> Option<u64> {
    if scale == 0 {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("30m"), Ok(Duration::from_secs(1800)));
        assert_eq!(duration(" 14 d "), Ok(Duration::from_secs(14 * 86400)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for wrong in
            ["", "10", "s", "-1s", "1.5h", "10 minutes", "99999999999999999999s", "9999999999999999w"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_have_the_largest_unit_and_are_parsed_again() {
        assert_eq!(
            [duration_text(1000), duration_text(3_600_000), duration_text(1500)],
            ["1s", "1h", "1500ms"]
        );
        assert_eq!([size_text(1 << 10), size_text(8 << 20), size_text(1000)], ["1KiB", "8MiB", "1000B"]);
        assert_eq!(duration(&duration_text(90_000)), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("1 GB"), Ok(1_000_000_000));
        assert_eq!(size("0B"), Ok(0));
        for wrong in ["", "64", "MiB", "64mib", "-1B", "1.5GiB", "99999999999TiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
