//! The byte order mark that tools print in front of a file's first line. It looks at no file.

use std::borrow::Cow;

const MARK: char = '\u{feff}';

/// The change that a hunk makes to the byte order mark, which is not part of the first line.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Marked<'t> {
    /// The mark stays. The text has the lines without it.
    Kept(Cow<'t, str>),
    /// The mark is added or removed.
    Changed,
}

/// Takes the mark off the first line of each side of a hunk at the top of a file.
pub(super) fn unmarked(text: &str) -> Marked<'_> {
    let first = |signs: [char; 2]| {
        let of_side = |line: &str| line.starts_with(signs) || line.trim_end().is_empty();
        let (at, line) = text.split_inclusive('\n').enumerate().find(|(_, line)| of_side(line))?;
        Some((at, line.chars().nth(1) == Some(MARK)))
    };
    let (old, new) = (first([' ', '-']), first([' ', '+']));
    let marked = |side: Option<(usize, bool)>| side.is_some_and(|(_, marked)| marked);
    match (marked(old), marked(new)) {
        (false, false) => Marked::Kept(Cow::Borrowed(text)),
        (true, true) => {
            let firsts = [old, new].map(|side| side.map(|(line, _)| line));
            let plain = text.split_inclusive('\n').enumerate().flat_map(|(at, line)| {
                let mut chars = line.chars();
                let sign = chars.next().filter(|_| firsts.contains(&Some(at)));
                let rest = chars.as_str();
                match sign {
                    Some(sign) => {
                        [Cow::Owned(sign.to_string()), rest.strip_prefix(MARK).unwrap_or(rest).into()]
                    }
                    None => [line.into(), Cow::Borrowed("")],
                }
            });
            Marked::Kept(Cow::Owned(plain.collect()))
        }
        _ => Marked::Changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_goes_from_both_sides_or_from_none() {
        let kept = |text: &'static str| Marked::Kept(Cow::Borrowed(text));
        assert_eq!(unmarked(" \u{feff}a\n-b\n"), kept(" a\n-b\n"));
        assert_eq!(unmarked("-\u{feff}a\n+\u{feff}b\n c\n"), kept("-a\n+b\n c\n"));
        assert_eq!(unmarked("\n \u{feff}a\n-b\n"), kept("\n \u{feff}a\n-b\n"));
        assert_eq!(unmarked(" a\n-\u{feff}b\n"), kept(" a\n-\u{feff}b\n"));
        assert_eq!(unmarked("-\u{feff}a\n+b\n"), Marked::Changed);
        assert_eq!(unmarked("+\u{feff}a\n b\n"), Marked::Changed);
    }
}
