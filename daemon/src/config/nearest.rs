//! Adds the nearest known name to an error of the parser that names an unknown one. Pure.

use editd_proto::operation;

/// The beginnings of such errors, and the word for the unknown name.
const UNKNOWN: [(&str, &str); 2] = [("unknown field `", "setting"), ("unknown variant `", "value")];

/// Returns an error of the parser, in which the list of known names is replaced by the nearest one if there is one.
pub(super) fn named(why: &str) -> String {
    let why = why.trim_end();
    let found = UNKNOWN.iter().find_map(|(start, word)| {
        let at = why.rfind(start)?;
        let (place, rest) = why.split_at(at);
        let (name, known) = rest.strip_prefix(start)?.split_once("`, expected ")?;
        // The names are in every second part between the quotes.
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let near = operation::nearest(name, &known)?;
        Some(format!("{place}unknown {word} `{name}`; did you mean `{near}`?"))
    });
    found.unwrap_or_else(|| why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let list = "expected one of `unread`, `on_stale`, `keep_age`";
        let said = |name: &str| named(&format!("at line 1\n  |\nunknown field `{name}`, {list}\n"));
        assert_eq!(said("unraed"), "at line 1\n  |\nunknown setting `unraed`; did you mean `unread`?");
        assert_eq!(said("keep-age"), "at line 1\n  |\nunknown setting `keep-age`; did you mean `keep_age`?");
        assert_eq!(said("zzzzzzzz"), format!("at line 1\n  |\nunknown field `zzzzzzzz`, {list}"));
        let two = "unknown variant `alow`, expected `allow` or `refuse`";
        assert_eq!(named(two), "unknown value `alow`; did you mean `allow`?");
        assert_eq!(named("expected `=`"), "expected `=`");
    }
}
