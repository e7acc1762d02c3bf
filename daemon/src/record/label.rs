//! The labels of entries. A label that is too long is cut, since a job must not fail for its description.

use std::borrow::Cow;

use editd_proto::limits;

/// The mark of a cut label.
const CUT: &str = "\u{2026}";

/// Returns the label that a client gives, cut to [`limits::NAME`] bytes.
pub fn given(label: Option<&str>) -> Option<String> {
    label.map(|label| cut(label, limits::NAME).into_owned())
}

/// Returns a label, cut to so many bytes.
pub fn cut(label: &str, most: usize) -> Cow<'_, str> {
    if label.len() <= most {
        return label.into();
    }
    let end = label.floor_char_boundary(most.saturating_sub(CUT.len()));
    format!("{}{CUT}", label.get(..end).unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_label_is_cut_between_two_letters() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcdef", 5), "ab\u{2026}");
        assert_eq!(cut("\u{e9}\u{e9}\u{e9}", 5), "\u{e9}\u{2026}");
        assert_eq!(given(Some(&"x".repeat(300))).map(|label| label.len()), Some(limits::NAME));
        assert_eq!(given(None), None);
    }
}
