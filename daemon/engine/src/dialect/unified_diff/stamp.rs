//! The time stamp after a file's name in the lines `---` and `+++`. It is only compared with the epoch.

/// Returns the name and the time stamp of such a line: a tab separates them, or the blanks that replace a tab.
pub(super) fn split(rest: &str) -> (&str, Option<&str>) {
    if let Some((name, stamp)) = rest.split_once('\t') {
        return (name, Some(stamp.trim()));
    }
    let text = rest.trim_end();
    let stamp = text.rmatch_indices(' ').take(3).find_map(|(at, _)| {
        let (name, stamp) = (text.get(..at)?, text.get(at + 1..)?);
        read(stamp).map(|_| (name.trim_end(), Some(stamp)))
    });
    stamp.unwrap_or((text, None))
}

/// Returns true if a time stamp is the epoch, in any time zone: GNU diff gives it to a file that does not exist.
pub(super) fn is_epoch(stamp: &str) -> bool {
    read(stamp) == Some(true)
}

/// Returns true if a text is the epoch; `None` if it is no time stamp (`2020-01-01 00:00:00.000 +0000`).
fn read(text: &str) -> Option<bool> {
    let mut words = text.split_whitespace();
    let (date, time, zone) = (words.next()?, words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let [_, _, _] = numbers(date, '-')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hours, minutes, seconds] = numbers(time, ':')?;
    if !digits(fraction) {
        return None;
    }
    let offset = zone.map_or(Some(0), offset)?;
    let day = match date {
        "1970-01-01" => 0,
        "1969-12-31" => -24 * 60,
        _ => return Some(false),
    };
    let whole = seconds == 0 && fraction.bytes().all(|digit| digit == b'0');
    Some(whole && day + hours * 60 + minutes == offset)
}

/// Returns the offset of a time zone (`-0500`) from UTC in minutes.
fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.as_bytes().first()? {
        b'+' => (1, zone.get(1..)?),
        b'-' => (-1, zone.get(1..)?),
        _ => return None,
    };
    let rest = rest.replace(':', "");
    if rest.len() != 4 || !digits(&rest) {
        return None;
    }
    let number = |text: Option<&str>| text?.parse::<i64>().ok();
    Some(sign * (number(rest.get(..2))? * 60 + number(rest.get(2..))?))
}

fn numbers(text: &str, between: char) -> Option<[i64; 3]> {
    let mut parts = text.split(between).map(|part| part.parse().ok().filter(|_| digits(part)));
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_epoch_is_one_instant_in_every_zone() {
        for stamp in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 00:00:00",
            "1969-12-31 19:00:00 -0500",
            "1970-01-01 05:30:00.000 +05:30",
            "1969-12-31 15:00:00.0 -0900",
        ] {
            assert!(is_epoch(stamp), "{stamp}");
        }
        for stamp in [
            "1970-01-01 00:00:01 +0000",
            "1970-01-01 00:00:00.000000001 +0000",
            "1970-01-01 01:00:00 +0000",
            "1970-01-01 19:00:00 -0500",
            "2020-01-01 00:00:00 +0000",
            "1970-01-01",
            "(revision 1)",
            "",
        ] {
            assert!(!is_epoch(stamp), "{stamp}");
        }
    }

    #[test]
    fn blanks_in_front_of_a_stamp_are_no_part_of_the_name() {
        assert_eq!(split("f\t2020-01-01 00:00:00"), ("f", Some("2020-01-01 00:00:00")));
        assert_eq!(split("a b  2020-01-01 00:00:00 +0000"), ("a b", Some("2020-01-01 00:00:00 +0000")));
        assert_eq!(split("a 2020-01-01"), ("a 2020-01-01", None));
        assert_eq!(split("a "), ("a", None));
        assert_eq!(split("a \t"), ("a ", Some("")));
    }
}
