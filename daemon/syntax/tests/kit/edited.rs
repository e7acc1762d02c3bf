//! Makes random edits of a text, correct and broken ones, and compares the results of a cache of trees with those that
//! the same text has alone.

use editd_syntax::{
    Language, MAX_ERRORS, ParseBudget, ParseError, TextChange, TreeCache, errors, introduced_errors, outline,
};

/// Maximum number of lines that one edit removes, adds or moves.
const LINES: usize = 20;

/// Maximum size of a text that is edited further, in bytes.
const LONGEST: usize = 400_000;

/// Texts that begin or end something in several languages.
const MARKS: [&str; 32] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "\n",
    "\t",
    "/*",
    "*/",
    "//",
    "#",
    ";",
    ",",
    ":",
    "=",
    "<",
    ">",
    "\\",
    "\"\"\"",
    "#if 0\n",
    "<<EOF\n",
    "EOF\n",
    "end\n",
    "else ",
    "fn x() {}\n",
    "if x:\n",
    "${",
    "é",
];

/// Returns the text with one random edit: of a token, a line, a block or a mark. `other` is a text of the same language,
/// from which tokens and lines are taken.
pub(crate) fn edited(text: &str, other: &str, random: &mut fastrand::Rng) -> String {
    let mut new = text.to_owned();
    let token = |text: &str, random: &mut fastrand::Rng| {
        let start = text.floor_char_boundary(random.usize(0..=text.len()));
        let rest = text.get(start..).unwrap_or_default();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let first = rest.chars().next().map_or(0, char::len_utf8);
        start..start + rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()).max(first)
    };
    let lines = |text: &str, most: usize, random: &mut fastrand::Rng| {
        let at = text.floor_char_boundary(random.usize(0..=text.len()));
        let start = text.get(..at).and_then(|front| front.rfind('\n')).map_or(0, |newline| newline + 1);
        let rest = text.get(start..).unwrap_or_default();
        let end = rest
            .match_indices('\n')
            .nth(random.usize(0..most))
            .map_or(rest.len(), |(newline, _)| newline + 1);
        start..start + end
    };
    let of = |text: &str, range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    match random.u8(0..11) {
        0 => new.replace_range(token(text, random), ""),
        1 => new.insert_str(token(text, random).start, &of(other, token(other, random))),
        2 => new.replace_range(token(text, random), &of(other, token(other, random))),
        3 => new.insert_str(token(text, random).end, "_2"),
        4 => new.insert_str(token(text, random).start, random.choice(MARKS).unwrap_or_default()),
        5 => new.replace_range(lines(text, 1, random), ""),
        6 => new.replace_range(lines(text, LINES, random), ""),
        7 => new.insert_str(lines(text, 1, random).start, &of(text, lines(text, LINES, random))),
        8 => new.replace_range(lines(text, 1, random), &of(text, lines(text, 1, random))),
        9 => new.insert_str(lines(text, 1, random).start, &of(other, lines(other, LINES, random))),
        _ => {
            let range = lines(text, LINES, random);
            let indented = of(text, range.clone())
                .split_inclusive('\n')
                .map(|line| format!("    {line}"))
                .collect::<String>();
            new.replace_range(range, &indented);
        }
    }
    new
}

/// The counts of a comparison.
#[derive(Default)]
pub(crate) struct Compared {
    pub(crate) edits: usize,
    /// Edits that introduced errors.
    pub(crate) broken: usize,
    /// Edits after which errors or outlines differed: the two texts, and the difference.
    pub(crate) different: Vec<(String, String, String)>,
}

/// Makes a number of edits one after the other. A text that an edit broke is mostly not edited further.
pub(crate) fn compare(
    language: Language,
    path: &str,
    texts: (&str, &str),
    edits: usize,
    random: &mut fastrand::Rng,
) -> Compared {
    let (mut text, other) = (texts.0.to_owned(), texts.1);
    let (trees, unlisted) = (TreeCache::new(usize::MAX), TreeCache::new(usize::MAX));
    let budget = ParseBudget::default();
    let mut counts = Compared::default();
    // Keeps the first tree, of which the others are made.
    let _ = trees.outline(language, &text, &budget);
    for _ in 0..edits {
        let mut new = edited(&text, other, random);
        if random.u8(0..4) == 0 {
            new = edited(&new, other, random);
        }
        if new.len() > LONGEST {
            break;
        }
        counts.edits += 1;
        // The trees are found by hashes that the caller knows and by those that are computed.
        let hash = |text: &str| (counts.edits % 2 == 0).then(|| *blake3::hash(text.as_bytes()).as_bytes());
        let (old_hash, new_hash) = (hash(&text), hash(&new));
        let change = TextChange { old: Some(&text), old_hash, new: &new, new_hash, edits: None };
        let kept = trees.introduced_errors(language, path.as_bytes(), change, &budget);
        let alone = introduced_errors(language, path.as_bytes(), Some(&text), &new, &budget);
        // The outlines make all trees of the first cache. The other one goes on from what a part has decided.
        let unlisted = unlisted.introduced_errors(language, path.as_bytes(), change, &budget);
        let kept_outline = trees.outline(language, &new, &budget);
        // A text that had too many errors is not checked again.
        let was_wrong =
            || errors(language, path.as_bytes(), &text, &budget).is_ok_and(|all| all.len() == MAX_ERRORS);
        let is_right = |kept: &Result<_, ParseError>| {
            *kept == alone || matches!(kept, Err(ParseError::Foreign { .. })) && was_wrong()
        };
        if let Some(kept) = [&kept, &unlisted].into_iter().find(|kept| !is_right(kept)) {
            counts.different.push((text.clone(), new.clone(), format!("{kept:?} in place of {alone:?}")));
        } else if kept_outline != outline(language, &new, &budget) {
            counts.different.push((text.clone(), new.clone(), "another outline".to_owned()));
        }
        let is_broken = alone.is_ok_and(|errors| !errors.is_empty());
        counts.broken += usize::from(is_broken);
        if !is_broken || random.u8(0..4) == 0 {
            text = new;
        }
    }
    counts
}
