//! Estimates the length of a reply in tokens of a language model, without a vocabulary.

/// Returns the approximate number of tokens of a text. A token is up to five letters, up to three digits or up to three
/// signs. A single sign in front of a word belongs to the word.
pub fn tokens(text: &str) -> usize {
    let kind = |letter: char| (letter.is_alphabetic(), letter.is_ascii_digit());
    let letters: Vec<char> = text.chars().collect();
    let mut runs = letters.chunk_by(|a, b| kind(*a) == kind(*b)).peekable();
    let mut count = 0;
    while let Some(run) = runs.next() {
        let before_word = runs.peek().and_then(|next| next.first()).is_some_and(|next| next.is_alphabetic());
        count += match run.first().map(|first| kind(*first)) {
            Some((true, _)) => {
                let weight: usize = run.iter().map(|letter| if letter.is_ascii() { 1 } else { 5 }).sum();
                weight.div_ceil(5)
            }
            Some((false, false)) if run.len() == 1 && before_word => 0,
            _ => run.len().div_ceil(3),
        };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_are_counted_as_words_numbers_and_signs() {
        for (text, count) in [("", 0), ("src/a.rs", 3), ("10-12,40 +3", 7), ("\",\"", 1), ("日本", 2)] {
            assert_eq!(tokens(text), count, "{text}");
        }
    }
}
