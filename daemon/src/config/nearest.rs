//! Adds the nearest known name to an error of the parser that names an unknown one. Pure.

use editd_proto::operation;

/// The word for a key of the file.
const SETTING: &str = "setting";

/// The beginnings of such errors, and the word for the unknown name.
const UNKNOWN: [(&str, &str); 2] = [("unknown field `", SETTING), ("unknown variant `", "value")];

/// Returns an error of the parser, in which the list of known names is replaced by the nearest one if there is one. The list
/// of settings is left out in any case.
pub(super) fn named(why: &str) -> String {
    let why = why.trim_end();
    let Some(unknown) = UnknownName::find(why) else { return why.to_owned() };
    // The values of a setting are few.
    match unknown.nearest() {
        None if unknown.word != SETTING => why.to_owned(),
        _ => format!("{}{}", unknown.place, unknown.sentence()),
    }
}

/// Adds the other unknown settings of a file to an error of the parser about one of them.
pub(super) fn with_others(error: String, unknown: &[UnknownSetting]) -> String {
    let others = unknown.iter().filter(|one| !error.contains(&format!("unknown setting `{}`", one.name)));
    let others =
        others.map(|one| format!("\nline {}: {}", one.line, sentence(SETTING, &one.name, &one.known)));
    error.clone() + &others.collect::<String>()
}

/// A setting of a file that does not exist.
pub(super) struct UnknownSetting {
    /// The line, from 1.
    pub(super) line: u64,
    /// The name.
    pub(super) name: String,
    /// The names that there are in its place.
    pub(super) known: Vec<String>,
}

/// Returns the names that an error of the parser lists because a setting is unknown.
pub(super) fn listed(why: &str) -> Vec<String> {
    UnknownName::find(why)
        .map(|found| found.known.iter().map(|&name| name.to_owned()).collect())
        .unwrap_or_default()
}

/// The unknown name in an error of the parser.
struct UnknownName<'e> {
    place: &'e str,
    word: &'static str,
    name: &'e str,
    known: Vec<&'e str>,
}

impl<'e> UnknownName<'e> {
    fn find(why: &'e str) -> Option<Self> {
        UNKNOWN.iter().find_map(|(start, word)| {
            let (place, rest) = why.split_at(why.rfind(start)?);
            let (name, known) = rest.strip_prefix(start)?.split_once("`, expected ")?;
            // The names are in every second part between the quotes.
            let known = known.split('`').skip(1).step_by(2).collect();
            Some(Self { place, word, name, known })
        })
    }

    fn nearest(&self) -> Option<&'e str> {
        operation::nearest(self.name, &self.known)
    }

    fn sentence(&self) -> String {
        sentence(self.word, self.name, &self.known)
    }
}

fn sentence(word: &str, name: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let near = operation::nearest(name, &known).map(|near| format!("; did you mean `{near}`?"));
    format!("unknown {word} `{name}`{}", near.unwrap_or_default())
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
        assert_eq!(said("zzzzzzzz"), "at line 1\n  |\nunknown setting `zzzzzzzz`");
        let two = "unknown variant `alow`, expected `allow` or `refuse`";
        assert_eq!(named(two), "unknown value `alow`; did you mean `allow`?");
        assert_eq!(named("expected `=`"), "expected `=`");
    }
}
